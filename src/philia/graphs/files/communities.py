"""Communities in files: one per line, in braces, as a table of nodes and labels, or beside a graph."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, BinaryIO, Literal

import numpy as np
from scipy import sparse

from philia._types import Node
from philia.exceptions import GraphFileError
from philia.graphs.files.declarations import check_nodes
from philia.graphs.files.dialect import (
    WHITESPACE,
    Dialect,
    Line,
    comments_of,
    fields_of,
    find_delimiter,
    located,
    sample_lines,
)
from philia.graphs.files.gml import declared_graph
from philia.graphs.files.matlab import load_mat
from philia.graphs.files.names import Quoted, as_integers, check_names, check_one_line, typed, written_name
from philia.graphs.files.npz import open_arrays
from philia.graphs.files.text import text_blocks
from philia.graphs.links import plain_name
from philia.graphs.nodes import Nodes
from philia.storage import ReadingOptions, Source

Form = Literal["lines", "braces", "table"]
_Communities = dict[Node, list[Node]]

_MARK = b"# one community a line"
"""The first line of a file whose lines would otherwise look like a table; also recognized when read."""

_NODE_NAMES = {"node", "nodes", "nodeid", "id", "name", "vertex", "user", "userid"}
_LABEL_NAMES = {
    *("label", "labels", "community", "communityid", "group", "cluster", "class", "membership", "module", "value")
}
_IN_BRACES = re.compile(rb"""\s*(?:"([^"]*+(?:""[^"]*+)*+)"|'([^']*)'|([^,]*))\s*(?:,|\Z)""")


def read_text(source: Source, form: Form | None, options: ReadingOptions) -> _Communities:
    """The communities of a text file in the given form, or in the form that its first lines suggest."""
    source.weigh(4)  # every name becomes a Python object, several times
    comments = comments_of(options)
    blocks = text_blocks(source.stream, options.encoding)
    first = next(blocks, b"")
    sample = sample_lines(first, comments)
    if not sample:
        raise GraphFileError("the file is empty or has only comments; expected communities")
    form = form or _find_form(first, sample, options)
    delimiter = options.delimiter.encode() if options.delimiter else _find_delimiter(sample, form)
    dialect = Dialect(delimiter, comments)
    lines = _numbered_lines(chain([first], blocks), dialect)
    if form == "table":
        return _from_table(lines, sample, dialect)
    if form == "braces":
        return _from_lists([_in_braces(line, number) for number, line in lines])
    return _from_lists([fields_of(line, dialect, number) or [] for number, line in lines])


def _find_form(block: bytes, sample: Sequence[Line], options: ReadingOptions) -> Form:
    if sample[0].text.lstrip().startswith(b"{"):
        return "braces"
    if block.startswith(_MARK):
        return "lines"
    delimiter = options.delimiter.encode() if options.delimiter else find_delimiter(sample)
    dialect = Dialect(delimiter, comments_of(options))
    rows = [fields_of(line.text, dialect) or [] for line in sample]
    two = all(len(_without_trailing(row)) == 2 for row in rows)
    return "table" if two or _names_columns(rows[0]) else "lines"


def _find_delimiter(sample: Sequence[Line], form: Form) -> bytes:
    if form == "table":
        return find_delimiter(sample)
    # A community may have only one member, so a delimiter in any line is enough.
    joined = b"\n".join(line.text.strip() for line in sample)
    return next((delimiter for delimiter in (b"\t", b",", b";") if delimiter in joined), WHITESPACE)


def _numbered_lines(blocks: Iterator[bytes], dialect: Dialect) -> Iterator[tuple[int, bytes]]:
    """The lines that are neither blank nor comments, with their numbers."""
    lines = chain.from_iterable(block.splitlines() for block in blocks)
    for number, line in enumerate(lines, start=1):
        start = line.lstrip(b" \t")
        if start.strip(b" \t" + dialect.delimiter) and not start.startswith(dialect.comments):
            yield number, line


def _without_trailing(row: list[bytes]) -> list[bytes]:
    return row[:-1] if row and not row[-1] and not isinstance(row[-1], Quoted) else row


def _names_columns(row: Sequence[bytes]) -> bool:
    plain = [plain_name(field.decode(errors="replace")) for field in row[:2]]
    return len(plain) == 2 and plain[0] in _NODE_NAMES and plain[1] in _LABEL_NAMES


def _in_braces(line: bytes, number: int) -> list[bytes]:
    text = line.strip(b" \t,;")
    if not (text.startswith(b"{") and text.endswith(b"}")):
        raise GraphFileError(
            f"{located(line, number)} is not in braces; expected one community per line, as in {{15, 72}}"
        )
    inside = text[1:-1].strip()
    if b"," not in inside and not inside.startswith((b'"', b"'")):
        return inside.split()
    members: list[bytes] = []
    at = 0
    while at < len(inside):
        match = _IN_BRACES.match(inside, at)
        if match is None:
            raise GraphFileError(f"{located(line, number)} has a quote that is not closed or not followed by a comma")
        double, single, bare = match.groups()
        quoted = double.replace(b'""', b'"') if double is not None else single
        members.append(bare.strip() if quoted is None else Quoted(quoted))
        at = match.end()
    return members


def _from_lists(lists: Sequence[Sequence[bytes]]) -> _Communities:
    kept = [[name for name in members if name or isinstance(name, Quoted)] for members in lists]
    names = iter(typed(list(chain.from_iterable(kept))))
    return {number: list(dict.fromkeys(next(names) for _ in members)) for number, members in enumerate(kept)}


def _from_table(lines: Iterator[tuple[int, bytes]], sample: Sequence[Line], dialect: Dialect) -> _Communities:
    header = _has_header([fields_of(line.text, dialect) or [] for line in sample])
    nodes: list[bytes] = []
    labels: list[bytes] = []
    for index, (number, line) in enumerate(lines):
        if index == 0 and header:
            continue
        row = fields_of(line, dialect, number) or []
        if len(row) < 2 or not all(field or isinstance(field, Quoted) for field in row[:2]):
            raise GraphFileError(
                f"{located(line, number)} is not a node and a label; if each line is a community, pass form='lines'"
            )
        nodes.append(row[0])
        labels.append(row[1])
    if not nodes:
        raise GraphFileError("the table has a header but no rows; expected a node and a label per row")
    return _gather(typed(nodes), typed(labels))


def _has_header(rows: Sequence[list[bytes]]) -> bool:
    if _names_columns(rows[0]):
        return True
    below = [[row[column] for row in rows[1:] if len(row) > column] for column in (0, 1)]
    return any(
        bool(below[column])
        and len(rows[0]) > column
        and as_integers([rows[0][column]]) is None
        and as_integers(below[column]) is not None
        for column in (0, 1)
    )


def _gather(nodes: Sequence[Node], labels: Sequence[Node]) -> _Communities:
    """The nodes of each label: integer labels in ascending order, others in order of appearance.

    >>> _gather(["ann", "bob", "cat"], [2, 1, 2])
    {1: ['bob'], 2: ['ann', 'cat']}
    """
    found: dict[Node, dict[Node, None]] = {}
    for node, label in zip(nodes, labels, strict=True):
        found.setdefault(label, {})[node] = None
    keys = list(found)
    if Nodes(keys).integers is not None:
        keys.sort(key=lambda label: int(str(label)))
    return {label: list(found[label]) for label in keys}


def read_mat_groups(source: Source, _: ReadingOptions) -> _Communities:
    """The columns of the matrix ``group``: one column per community, one row per node."""
    group: Any = load_mat(source, "group")
    check_nodes(source, max(group.shape), group.nnz)
    columns = sparse.csc_array(group, copy=True).astype(np.bool_)
    columns.sum_duplicates()  # a node that a damaged file lists twice is one member
    columns.eliminate_zeros()
    parts = np.split(columns.indices, columns.indptr[1:-1])
    return {number: members.tolist() for number, members in enumerate(parts)}


def read_npz_labels(source: Source, _: ReadingOptions) -> _Communities:
    """The nodes of each value in the array ``node_labels``."""
    with open_arrays(source) as arrays:
        labels = arrays["node_labels"]
    if labels.ndim != 1:
        raise GraphFileError(f"'node_labels' has the shape {labels.shape}; expected one label per node")
    return _gather(range(labels.size), labels.tolist())


def read_gml_values(source: Source, options: ReadingOptions) -> _Communities:
    """The nodes of each ``value``; nodes without one are in no community."""
    found, values = declared_graph(source, options.encoding)
    labelled = [(name, value) for name, value in zip(found.names(), values, strict=True) if value is not None]
    if not labelled:
        raise GraphFileError(
            "no node in the file has a value, which names its community; expected values, as in: value 7"
        )
    return _gather(*zip(*labelled, strict=True))


def write_lines(communities: Mapping[Node, Sequence[Node]], file: BinaryIO) -> None:
    """Write one community per line, with tabs between members."""
    if list(communities) != list(range(len(communities))):
        raise GraphFileError(
            f"the communities are called {', '.join(map(repr, list(communities)[:3]))}, …, which a file "
            "of lines cannot hold; write a .csv file, or pass list(communities.values()) to leave the names out"
        )
    text = io.TextIOWrapper(file, encoding="utf-8", newline="\n")
    if all(len(members) == 2 for members in communities.values()):
        text.write(_MARK.decode() + "\n")
    text.writelines("\t".join(map(written_name, members)) + "\n" for members in communities.values())
    text.flush()
    text.detach()


def write_table(communities: Mapping[Node, Sequence[Node]], file: BinaryIO) -> None:
    """Write a table with the columns node and community."""
    labels = Nodes(list(communities))
    check_names(labels)
    check_one_line(labels)
    text = io.TextIOWrapper(file, encoding="utf-8", newline="\n")
    text.write("node,community\n")
    for label, members in communities.items():
        text.writelines(f"{written_name(node)},{written_name(label)}\n" for node in members)
    text.flush()
    text.detach()

"""Communities in text files: one a line, in braces, or as a table of nodes and labels."""

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
from philia.graphs.files.arrays import open_arrays
from philia.graphs.files.compression import Source
from philia.graphs.files.dialect import Line, Options, find_delimiter, sample_lines
from philia.graphs.files.edge_list import written_name
from philia.graphs.files.gml import declared_graph
from philia.graphs.files.lines import WHITESPACE, Dialect, Quoted, as_integers, fields_of, typed, where
from philia.graphs.files.matlab import load_mat
from philia.graphs.files.names import check_names, refuse_line_breaks
from philia.graphs.files.text import text_blocks
from philia.graphs.links import plain_name
from philia.graphs.nodes import Nodes

Form = Literal["lines", "braces", "table"]
Communities = dict[Node, list[Node]]

_MARK = b"# one community a line"
"""Written where the lines would otherwise look like a table."""

_NODE_NAMES = {"node", "nodes", "nodeid", "id", "name", "vertex", "user", "userid"}
_LABEL_NAMES = {
    "label",
    "labels",
    "community",
    "communityid",
    "group",
    "cluster",
    "class",
    "membership",
    "module",
    "value",
}
_IN_BRACES = re.compile(rb"""\s*(?:"([^"]*+(?:""[^"]*+)*+)"|'([^']*)'|([^,]*))\s*(?:,|\Z)""")


def read_text(source: Source, form: Form | None, options: Options) -> Communities:
    """The communities of a text file in the form told, or in the form that its first lines show."""
    source.weigh(4)
    blocks = text_blocks(source.stream, options.encoding)
    first = next(blocks, b"")
    sample = sample_lines(first, options.comments)
    if not sample:
        raise GraphFileError("the file is empty or has only comments; communities are expected")
    form = form or _find_form(first, sample, options)
    delimiter = options.delimiter.encode() if options.delimiter else _find_delimiter(sample, form)
    dialect = Dialect(delimiter, options.comments)
    lines = _numbered_lines(chain([first], blocks), dialect)
    if form == "table":
        return _from_table(lines, sample, dialect)
    if form == "braces":
        return _from_lists([_in_braces(line, number) for number, line in lines])
    return _from_lists([fields_of(line, dialect, number) or [] for number, line in lines])


def _find_form(block: bytes, sample: Sequence[Line], options: Options) -> Form:
    if sample[0].text.lstrip().startswith(b"{"):
        return "braces"
    if block.startswith(_MARK):
        return "lines"
    delimiter = options.delimiter.encode() if options.delimiter else find_delimiter(sample)
    dialect = Dialect(delimiter, options.comments)
    rows = [fields_of(line.text, dialect) or [] for line in sample]
    two = all(len(_without_trailing(row)) == 2 for row in rows)
    return "table" if two or _names_columns(rows[0]) else "lines"


def _find_delimiter(sample: Sequence[Line], form: Form) -> bytes:
    if form == "table":
        return find_delimiter(sample)
    # A community may have one member only, so a delimiter that stands in any line is enough.
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
            f"{where(line, number)} is not in braces; expected is one community a line, as in {{15, 72}}"
        )
    inside = text[1:-1].strip()
    if b"," not in inside and not inside.startswith((b'"', b"'")):
        return inside.split()
    members: list[bytes] = []
    place = 0
    while place < len(inside):
        match = _IN_BRACES.match(inside, place)
        if match is None:
            raise GraphFileError(f"{where(line, number)} has a quote that is not closed or not followed by a comma")
        double, single, bare = match.groups()
        quoted = double.replace(b'""', b'"') if double is not None else single
        members.append(bare.strip() if quoted is None else Quoted(quoted))
        place = match.end()
    return members


def _from_lists(lists: Sequence[Sequence[bytes]]) -> Communities:
    kept = [[name for name in members if name or isinstance(name, Quoted)] for members in lists]
    names = iter(typed(list(chain.from_iterable(kept))))
    return {number: list(dict.fromkeys(next(names) for _ in members)) for number, members in enumerate(kept)}


def _from_table(lines: Iterator[tuple[int, bytes]], sample: Sequence[Line], dialect: Dialect) -> Communities:
    header = _has_header([fields_of(line.text, dialect) or [] for line in sample])
    nodes: list[bytes] = []
    labels: list[bytes] = []
    for place, (number, line) in enumerate(lines):
        if place == 0 and header:
            continue
        row = fields_of(line, dialect, number) or []
        if len(row) < 2 or not all(field or isinstance(field, Quoted) for field in row[:2]):
            raise GraphFileError(
                f"{where(line, number)} is not a node and a label; if a line is a community, pass form='lines'"
            )
        nodes.append(row[0])
        labels.append(row[1])
    if not nodes:
        raise GraphFileError("the table has a header but no rows; a node and a label a row are expected")
    return gather(typed(nodes), typed(labels))


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


def gather(nodes: Sequence[Node], labels: Sequence[Node]) -> Communities:
    """The nodes of each label: labels that are integers ascending, others in order of appearance.

    >>> gather(["ann", "bob", "cat"], [2, 1, 2])
    {1: ['bob'], 2: ['ann', 'cat']}
    """
    found: dict[Node, dict[Node, None]] = {}
    for node, label in zip(nodes, labels, strict=True):
        found.setdefault(label, {})[node] = None
    keys = list(found)
    if Nodes(keys).integers is not None:
        keys.sort(key=lambda label: int(str(label)))
    return {label: list(found[label]) for label in keys}


def read_mat_groups(source: Source) -> Communities:
    """The columns of the matrix ``group``: one a community, one row a node."""
    group: Any = load_mat(source, "group")
    source.check_nodes(max(group.shape), group.nnz)
    columns = sparse.csc_array(group, copy=True).astype(np.bool_)
    columns.sum_duplicates()  # a node that a damaged file lists twice is still one member
    columns.eliminate_zeros()
    parts = np.split(columns.indices, columns.indptr[1:-1])
    return {number: members.tolist() for number, members in enumerate(parts)}


def read_npz_labels(source: Source) -> Communities:
    """The nodes of each value in the array ``node_labels``."""
    with open_arrays(source) as arrays:
        labels = arrays["node_labels"]
    if labels.ndim != 1:
        raise GraphFileError(f"'node_labels' has the shape {labels.shape}; one label a node is expected")
    return gather(range(labels.size), labels.tolist())


def read_gml_values(source: Source, encoding: str) -> Communities:
    """The nodes of each ``value``; nodes without one are in no community."""
    found, values = declared_graph(source, encoding)
    labelled = [(name, value) for name, value in zip(found.names(), values, strict=True) if value is not None]
    if not labelled:
        raise GraphFileError(
            "no node in the file has a value; the community of a node is expected there, as in: value 7"
        )
    return gather(*zip(*labelled, strict=True))


def write_lines(communities: Mapping[Node, Sequence[Node]], file: BinaryIO) -> None:
    """One community a line, members separated by tabs."""
    if list(communities) != list(range(len(communities))):
        raise GraphFileError(
            f"the communities are called {', '.join(map(repr, list(communities)[:3]))}, …, which a line each cannot "
            "hold; write a .csv file, or pass list(communities.values()) to leave the names out"
        )
    text = io.TextIOWrapper(file, encoding="utf-8", newline="\n")
    if all(len(members) == 2 for members in communities.values()):
        text.write(_MARK.decode() + "\n")
    text.writelines("\t".join(map(written_name, members)) + "\n" for members in communities.values())
    text.flush()
    text.detach()


def write_table(communities: Mapping[Node, Sequence[Node]], file: BinaryIO) -> None:
    """A table with the columns node and community."""
    labels = Nodes(list(communities))
    check_names(labels)
    refuse_line_breaks(labels)
    text = io.TextIOWrapper(file, encoding="utf-8", newline="\n")
    text.write("node,community\n")
    for label, members in communities.items():
        text.writelines(f"{written_name(node)},{written_name(label)}\n" for node in members)
    text.flush()
    text.detach()

"""MatrixMarket files (.mtx)."""

from __future__ import annotations

import io
import json
import re
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt
from scipy import sparse

from philia._types import Int64Array, Node
from philia.exceptions import GraphFileError, InvalidGraphError
from philia.graphs.files.compression import Source
from philia.graphs.files.lines import where
from philia.graphs.files.text import BLOCK, LONGEST, count_lines, whole_lines
from philia.graphs.graph import Graph
from philia.graphs.matrices import graph_from_matrix
from philia.graphs.memory import require_memory
from philia.graphs.nodes import Nodes
from philia.graphs.weights import written_weight

_NAME = b"%philia-name "
"""Begins a comment that holds a node's name; the format itself has no place for names."""


_VALUES = {"pattern": 0, "real": 1, "double": 1, "integer": 1, "unsigned-integer": 1, "complex": 2}
_SYMMETRIES = ("general", "symmetric", "skew-symmetric", "hermitian")
_PLACE = re.compile(rb"[0-9]{1,18}")
_FLOAT = re.compile(rb"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_WHOLE = re.compile(rb"[+-]?[0-9]{1,18}")


@dataclass(frozen=True)
class _Head:
    """The first line, the size, and where the entries begin."""

    coordinate: bool
    field: str
    symmetry: str
    size: int
    entries: int
    lines: int
    """How many lines come before the entries."""


@dataclass(frozen=True)
class Entries:
    """Rows and columns, counted from 0, and values; a dense matrix has values only, column after column."""

    rows: Int64Array
    columns: Int64Array
    values: npt.NDArray[Any]


def read_matrix_market(source: Source, *, symmetrize: bool, keep_weights: bool = False) -> Graph:
    """The graph whose adjacency matrix the file holds; nodes are called 0, 1, … unless comments of philia name them."""
    names: list[Node] = []
    head = _read_head(source.stream, names)
    if _VALUES[head.field] == 2:
        raise InvalidGraphError("the matrix holds complex values; an adjacency matrix holds zeros and ones")
    entries = _read_entries(source, head)
    rows, columns, values = (entries.rows, entries.columns, entries.values)
    if head.symmetry != "general":
        other = rows != columns
        sign = -1 if head.symmetry == "skew-symmetric" else 1
        rows, columns = np.concatenate([rows, columns[other]]), np.concatenate([columns, rows[other]])
        values = np.concatenate([values, sign * values[other]])
    matrix = sparse.coo_array((values, (rows, columns)), shape=(head.size, head.size))
    nodes = Nodes(names) if names else None
    return graph_from_matrix(matrix, nodes=nodes, symmetrize=symmetrize, keep_weights=keep_weights)


def _wrong(what: str) -> GraphFileError:
    return GraphFileError(
        f"this is not a MatrixMarket file as it should be ({what}); it begins with %%MatrixMarket matrix"
    )


def _read_head(stream: io.BufferedReader, names: list[Node]) -> _Head:
    """What comes before the entries; the names in comments of philia are appended to ``names``."""
    title = stream.readline(LONGEST)
    words = title.decode("latin-1").lower().split()
    if len(words) != 5 or words[0] not in ("%%matrixmarket", "%matrixmarket") or words[1] != "matrix":
        raise _wrong(f"its first line is {title[:60]!r}")
    form, field, symmetry = words[2:]
    known = form in ("coordinate", "array") and field in _VALUES and symmetry in _SYMMETRIES
    if not known or (form == "array" and field == "pattern"):
        raise _wrong(f"it announces a matrix of the kind {' '.join(words[2:])[:60]!r}")
    lines = 1
    while line := stream.readline(LONGEST):
        lines += 1
        if line.startswith(_NAME):
            names.append(_name(line, len(names) + 1))
        elif line.strip() and not line.startswith(b"%"):
            break
    sizes = line.split()
    if len(sizes) != (3 if form == "coordinate" else 2) or not all(map(_PLACE.fullmatch, sizes)):
        raise _wrong(f"instead of its size there is {line[:60]!r}")
    rows, columns = int(sizes[0]), int(sizes[1])
    if rows != columns:
        raise GraphFileError(f"the header announces {rows:,} x {columns:,} entries; an adjacency matrix is square")
    entries = int(sizes[2]) if form == "coordinate" else _dense_entries(rows, symmetry)
    return _Head(form == "coordinate", field, symmetry, rows, entries, lines)


def _name(line: bytes, number: int) -> Node:
    try:
        name: Node = json.loads(line[len(_NAME) :])
        if type(name) not in (int, str):
            raise ValueError
        str(name).encode()
    except (ValueError, RecursionError):
        raise GraphFileError(f"the name of node {number} in the comments is damaged: {line[:60]!r}") from None
    return name


def _dense_entries(size: int, symmetry: str) -> int:
    """How many values a dense matrix has: with a symmetry those of its lower half only."""
    if symmetry == "general":
        return size * size
    return size * (size - 1) // 2 if symmetry == "skew-symmetric" else size * (size + 1) // 2


def _read_entries(source: Source, head: _Head) -> Entries:
    """All entries; no more room is made than the lines that are really there need."""
    scan = scan_plainly
    blocks = whole_lines(iter(lambda: source.stream.read(BLOCK), b""), BLOCK)
    first = list(islice(blocks, 2))
    if len(first) == 2:
        from philia.graphs.files.matrix_entries import prepare, scan_compiled  # needs numba; small files do without

        prepare()
        scan = scan_compiled
    found: list[Entries] = []
    count, lines = 0, head.lines
    for block in chain(first, blocks):
        found.append(scan(block, head.coordinate, head.field, lines))
        count += found[-1].values.size
        lines += count_lines(block)
        if count > head.entries:
            break
        source.check_values(2 * count, "the matrix")
        require_memory(48 * found[-1].values.size, "reading the next entries")
    if count != head.entries:
        raise _wrong(
            f"it announces {head.entries:,} entries, but has {count:,}{' or more' if count > head.entries else ''}; "
            "it is cut off, or its size is wrong"
        )
    values = np.concatenate([part.values for part in found]) if found else np.empty(0)
    if not head.coordinate:
        return _lower_half(values, head)
    source.check_nodes(head.size, count)
    rows, columns = (
        np.concatenate([getattr(part, end) for part in found]) if found else np.empty(0, np.int64)
        for end in ("rows", "columns")
    )
    for end in (rows, columns):
        if end.size and (end.min() < 0 or end.max() >= head.size):
            raise _wrong(
                f"an entry stands at {int(end.min() if end.min() < 0 else end.max()) + 1:,}, but rows and columns are "
                f"numbered from 1 to {head.size:,}"
            )
    return Entries(rows, columns, values)


def _lower_half(values: npt.NDArray[Any], head: _Head) -> Entries:
    """Where the values of a dense matrix stand, of which a symmetric one has the lower half."""
    if head.symmetry == "general":
        columns, rows = np.divmod(np.arange(values.size), max(1, head.size))
    else:
        skew = head.symmetry == "skew-symmetric"
        columns, rows = np.triu_indices(head.size, k=1 if skew else 0)
    kept = values != 0
    return Entries(rows[kept], columns[kept], values[kept])


def scan_plainly(block: bytes, coordinate: bool, field: str, lines: int) -> Entries:
    """The entries in a block of whole lines, which come after so many ``lines``.

    A line is a row, a column and, unless the field is a pattern, a value, or only a value where the matrix is dense.
    What follows on the line is not looked at, as in SciPy: some collections keep weights in a pattern.
    """
    numbers = (2 if coordinate else 0) + _VALUES[field]
    whole = field in ("integer", "unsigned-integer")
    rows: list[int] = []
    columns: list[int] = []
    values: list[float] = []
    for number, line in enumerate(block.splitlines(), start=lines + 1):
        parts = line.split(None, numbers)
        if not parts:
            continue
        good = len(parts) >= numbers and (not coordinate or all(map(_PLACE.fullmatch, parts[:2])))
        if good and _VALUES[field]:
            good = (_WHOLE if whole else _FLOAT).fullmatch(parts[numbers - 1]) is not None
        if not good:
            raise bad_entry(line, number, coordinate, field)
        if coordinate:
            rows.append(int(parts[0]) - 1)
            columns.append(int(parts[1]) - 1)
        values.append((int if whole else float)(parts[numbers - 1]) if _VALUES[field] else 1.0)
    return Entries(
        np.array(rows, np.int64), np.array(columns, np.int64), np.array(values, np.int64 if whole else np.float64)
    )


def bad_entry(line: bytes, number: int, coordinate: bool, field: str) -> GraphFileError:
    """The complaint about a line that is no entry."""
    expected = ["a row and a column"] if coordinate else []
    if field != "pattern":
        whole = field in ("integer", "unsigned-integer")
        expected.append(f"a {'whole number of at most 18 digits' if whole else 'number'}")
    return _wrong(f"{where(line, number)} is not {' and '.join(expected)}")


def write_matrix_market(graph: Graph, file: BinaryIO) -> None:
    """The lower half of the adjacency matrix, or of the weights; names, unless they are 0, 1, …, go into comments."""
    rows, columns = graph.links
    weights = graph.link_weights
    thirds = [""] * rows.size if weights is None else [f" {written_weight(weight)}" for weight in weights.tolist()]
    text: Any = io.TextIOWrapper(file, encoding="ascii", newline="\n")
    text.write(f"%%MatrixMarket matrix coordinate {'pattern' if weights is None else 'real'} symmetric\n")
    if not is_numbered(graph.nodes):
        text.write("".join(f"{_NAME.decode()}{json.dumps(name)}\n" for name in graph.nodes))
    text.write(f"{graph.n_nodes} {graph.n_nodes} {graph.n_links}\n")
    for begin in range(0, rows.size, 1 << 16):
        part = slice(begin, begin + (1 << 16))
        links = zip(columns[part].tolist(), rows[part].tolist(), thirds[part], strict=True)
        text.write("".join(f"{u + 1} {v + 1}{third}\n" for u, v, third in links))
    text.flush()
    text.detach()


def is_numbered(nodes: Nodes) -> bool:
    """Whether the names are 0, 1, …, so that they need not be kept.

    >>> is_numbered(Nodes.numbered(3)), is_numbered(Nodes("abc"))
    (True, False)
    """
    return len(nodes) == 0 or (nodes.integers is not None and np.array_equal(nodes.integers, np.arange(len(nodes))))

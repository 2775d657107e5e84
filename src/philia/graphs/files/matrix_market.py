"""MatrixMarket files (.mtx)."""

from __future__ import annotations

import io
import json
import re
from dataclasses import dataclass
from functools import cache
from itertools import chain, islice
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt
from scipy import sparse

from philia._types import BoolArray, Float64Array, Int64Array, Node
from philia.exceptions import GraphFileError, InvalidGraphError
from philia.graphs.described import DescribedGraph
from philia.graphs.files.declarations import check_nodes
from philia.graphs.files.dialect import located
from philia.graphs.files.names import is_numbered
from philia.graphs.files.text import BLOCK, LONGEST, count_lines, whole_lines
from philia.graphs.graph import Graph
from philia.graphs.matrices import graph_from_matrix
from philia.graphs.nodes import Nodes
from philia.graphs.weights import written_weight
from philia.storage import ReadingOptions, Source, require_memory

_NAME = b"%philia-name "
"""Begins a comment that holds a node's name; the format itself has no names."""

_VALUES = {"pattern": 0, "real": 1, "double": 1, "integer": 1, "unsigned-integer": 1, "complex": 2}
"""How many numbers a value of each field has."""

_INTEGERS = ("integer", "unsigned-integer")
_SYMMETRIES = ("general", "symmetric", "skew-symmetric", "hermitian")
_INDEX = re.compile(rb"[0-9]{1,18}")
_FLOAT = re.compile(rb"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_WHOLE = re.compile(rb"[+-]?[0-9]{1,18}")
"""At most 18 digits, which fit into 64 bits."""

_TOKEN = re.compile(rb"\S+")

LARGEST_POWER, NO_POWER = 22, 127
"""The largest power of ten that a double holds exactly, and the mark of a value that is left to Python."""

_POWERS = np.array([10**power for power in range(LARGEST_POWER + 1)], np.longdouble)

_ENTRY = 48
"""Bytes of memory per entry while the next block is read: indices and values twice."""


@dataclass(frozen=True)
class _Head:
    """The header: the kind of matrix, its size, and the number of lines before the entries."""

    coordinate: bool
    field: str
    symmetry: str
    size: int
    entries: int
    lines: int


@dataclass(frozen=True)
class _Entries:
    """Rows and columns, counted from 0, and values; a dense matrix has only values, by columns."""

    rows: Int64Array
    columns: Int64Array
    values: npt.NDArray[Any]


def read_matrix_market(source: Source, options: ReadingOptions) -> Graph:
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
    return graph_from_matrix(matrix, nodes=nodes, symmetrize=options.symmetrize, keep_weights=options.keep_weights)


def _wrong(what: str) -> GraphFileError:
    return GraphFileError(
        f"this is not a valid MatrixMarket file ({what}); such a file begins with %%MatrixMarket matrix"
    )


def _read_head(stream: io.BufferedReader, names: list[Node]) -> _Head:
    """The header; names in comments of philia are appended to ``names``."""
    title = stream.readline(LONGEST)
    words = title.decode("latin-1").lower().split()
    if len(words) != 5 or words[0] not in ("%%matrixmarket", "%matrixmarket") or words[1] != "matrix":
        raise _wrong(f"its first line is {title[:60].decode('latin-1').strip()!r}")
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
    if len(sizes) != (3 if form == "coordinate" else 2) or not all(map(_INDEX.fullmatch, sizes)):
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
    """The number of values of a dense matrix: with a symmetry, of its lower half only."""
    if symmetry == "general":
        return size * size
    return size * (size - 1) // 2 if symmetry == "skew-symmetric" else size * (size + 1) // 2


def _read_entries(source: Source, head: _Head) -> _Entries:
    """All entries; memory is only allocated for lines that are really there, whatever the header announces."""
    scan = scan_plainly
    blocks = whole_lines(iter(lambda: source.stream.read(BLOCK), b""), BLOCK)
    first = list(islice(blocks, 2))
    if len(first) == 2:
        prepare()
        scan = scan_compiled
    found: list[_Entries] = []
    count, lines = 0, head.lines
    for block in chain(first, blocks):
        found.append(scan(block, head.coordinate, head.field, lines))
        count += found[-1].values.size
        lines += count_lines(block)
        if count > head.entries:
            break
        source.check_values(2 * count, "the matrix")
        require_memory(_ENTRY * found[-1].values.size, "reading the next entries")
    if count != head.entries:
        raise _wrong(
            f"it announces {head.entries:,} entries, but has {count:,}{' or more' if count > head.entries else ''}; "
            "it is truncated, or its size is wrong"
        )
    values = np.concatenate([part.values for part in found]) if found else np.empty(0)
    if not head.coordinate:
        return _lower_half(values, head)
    check_nodes(source, head.size, count)
    rows, columns = (
        np.concatenate([getattr(part, end) for part in found]) if found else np.empty(0, np.int64)
        for end in ("rows", "columns")
    )
    for end in (rows, columns):
        if end.size and (end.min() < 0 or end.max() >= head.size):
            raise _wrong(
                f"an entry is at {int(end.min() if end.min() < 0 else end.max()) + 1:,}, but rows and columns are "
                f"numbered from 1 to {head.size:,}"
            )
    return _Entries(rows, columns, values)


def _lower_half(values: npt.NDArray[Any], head: _Head) -> _Entries:
    """The entries of a dense matrix, of which a symmetric one has the lower half."""
    if head.symmetry == "general":
        columns, rows = np.divmod(np.arange(values.size), max(1, head.size))
    else:
        skew = head.symmetry == "skew-symmetric"
        columns, rows = np.triu_indices(head.size, k=1 if skew else 0)
    kept = values != 0
    return _Entries(rows[kept], columns[kept], values[kept])


def scan_plainly(block: bytes, coordinate: bool, field: str, lines: int) -> _Entries:
    """The entries in a block of whole lines, which come after this many ``lines`` of the file.

    A line is a row, a column and, unless the field is a pattern, a value, or only a value where the matrix is dense.
    The rest of the line is ignored, as in SciPy: some collections keep weights in a pattern.
    """
    numbers = (2 if coordinate else 0) + _VALUES[field]
    whole = field in _INTEGERS
    rows: list[int] = []
    columns: list[int] = []
    values: list[float] = []
    for number, line in enumerate(block.splitlines(), start=lines + 1):
        parts = line.split(None, numbers)
        if not parts:
            continue
        good = len(parts) >= numbers and (not coordinate or all(map(_INDEX.fullmatch, parts[:2])))
        if good and _VALUES[field]:
            good = (_WHOLE if whole else _FLOAT).fullmatch(parts[numbers - 1]) is not None
        if not good:
            raise _bad_entry(line, number, coordinate, field)
        if coordinate:
            rows.append(int(parts[0]) - 1)
            columns.append(int(parts[1]) - 1)
        values.append((int if whole else float)(parts[numbers - 1]) if _VALUES[field] else 1.0)
    return _Entries(
        np.array(rows, np.int64), np.array(columns, np.int64), np.array(values, np.int64 if whole else np.float64)
    )


def scan_compiled(block: bytes, coordinate: bool, field: str, lines: int) -> _Entries:
    """The same as :func:`scan_plainly`, compiled, for large files.

    The compiled loop takes a value apart into digits and a power of ten; numpy puts it together where that is exact,
    and Python reads the rest.
    """
    from philia.graphs.files.kernels import BAD, scan_entries  # loads numba

    data = np.frombuffer(block + b"\n", np.uint8)
    room = block.count(b"\n") + block.count(b"\r") + 1
    whole = field in _INTEGERS
    valued = 0 if field == "pattern" else 1 if whole else 2
    rows, columns = (np.empty(room if coordinate else 0, np.int64) for _ in range(2))
    digits, starts = (np.empty(room if valued else 0, np.int64) for _ in range(2))
    powers = np.empty(room if valued == 2 else 0, np.int8)
    count, bad = scan_entries(data, coordinate, valued, rows, columns, digits, powers, starts)
    if bad != BAD:
        line = re.split(rb"[\r\n]", block[bad:], maxsplit=1)[0]
        raise _bad_entry(line, lines + count_lines(block[:bad]) + 1, coordinate, field)
    values: npt.NDArray[Any] = digits[:count] if whole else np.ones(count)
    if valued == 2:
        values, exact = scaled(digits[:count], powers[:count])
        for entry in np.flatnonzero(~exact).tolist():
            token = _TOKEN.match(block, int(starts[entry]))
            values[entry] = float(token.group() if token else b"nan")
    return _Entries(rows[:count], columns[:count], values)


def scaled(digits: Int64Array, powers: npt.NDArray[np.int8]) -> tuple[Float64Array, BoolArray]:
    """The digits times their powers of ten, and whether each result is the nearest double.

    >>> scaled(np.array([25, 1]), np.array([-1, 3], np.int8))[0]
    array([   2.5, 1000. ])
    """
    known = powers != NO_POWER
    # Below 2^53 digits and power are both exact, so the one multiplication or division is correctly rounded.
    values = _times_power(digits.astype(np.float64), powers)
    exact = known & (np.abs(digits) < 2**53)
    if np.finfo(np.longdouble).nmant == 63:
        # An x86 long double holds all digits, so the result is within half of its last bit. That only matters near the
        # midpoint between two doubles: half a unit in the last place, or a quarter just below a power of two.
        longer = np.flatnonzero(known & ~exact)
        wide = _times_power(digits[longer].astype(np.longdouble), powers[longer])
        nearest = wide.astype(np.float64)
        off = np.abs((wide - nearest) / np.spacing(np.abs(nearest)))
        values[longer], exact[longer] = nearest, (off < 0.49) & (np.abs(off - 0.25) > 0.01)
    return values, exact


def _times_power(numbers: npt.NDArray[Any], powers: npt.NDArray[np.int8]) -> npt.NDArray[Any]:
    factors = _POWERS.astype(numbers.dtype)[np.abs(powers) % NO_POWER]
    return np.asarray(np.where(powers < 0, numbers / factors, numbers * factors))


@cache
def prepare() -> None:
    """Compile the scanner, or load it from the cache, before the first large file is read."""
    from philia._compilation import announced

    with announced("compiling the reader of large matrices"):
        scan_compiled(b"1 2 0.5\n", True, "real", 0)


def _bad_entry(line: bytes, number: int, coordinate: bool, field: str) -> GraphFileError:
    """The error about a line that is not an entry."""
    expected = ["a row and a column"] if coordinate else []
    if field != "pattern":
        whole = field in _INTEGERS
        expected.append(f"a {'whole number of at most 18 digits' if whole else 'number'}")
    return _wrong(f"{located(line, number)} is not {' and '.join(expected)}")


def write_matrix_market(described: DescribedGraph, file: BinaryIO) -> None:
    """Write the lower half of the adjacency matrix, or of the weights; names, unless 0, 1, …, go into comments."""
    graph = described.graph
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

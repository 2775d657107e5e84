"""Edge lists: text with one link per line, in any of the ways people write it."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import BinaryIO

import numpy as np

from philia._text import counted, listed
from philia._types import Float64Array, Int64Array, IntArray
from philia.exceptions import GraphFileError
from philia.graphs.described import DescribedGraph
from philia.graphs.files.declarations import check_nodes
from philia.graphs.files.dialect import (
    Dialect,
    fields_of,
    find_dialect,
    located,
    looks_like_header,
    too_few_fields,
)
from philia.graphs.files.names import Padded, Quoted, as_integers, check_one_line, written_name
from philia.graphs.files.text import text_blocks
from philia.graphs.graph import Graph
from philia.graphs.links import ascending, graph_from_rows
from philia.graphs.nodes import Nodes
from philia.graphs.notices import tell, warn
from philia.graphs.weights import weight_value, written_weight
from philia.storage import WHOLE_MACHINE, MemoryBound, ReadingOptions, Source, require_memory

_ONE = re.compile(rb"\+?0*1(\.0*)?([eE][+-]?0+)?")
_WRITTEN_AT_ONCE = 1 << 16
"""Lines joined into one text before they are written: a few MB."""

_WEIGHTED_BLOCK = 40
"""Bytes of memory per byte of a block whose lines are split into Python lists, weights kept."""

_GRAPH_LINK, _SCANNED_BYTE, _JULIA_NODE = 40, 4, 24
"""Bytes of memory per link of a graph in the making, per byte of a scanned block, and per node of a .jlg file."""


@dataclass(frozen=True)
class Lost:
    """Numbers of lines that hold more than was read: ``further`` values, or blanks after a name (``padded``).

    >>> Lost(further=3) + Lost(padded=1)
    Lost(further=3, padded=1)
    """

    further: int = 0
    padded: int = 0

    def __add__(self, other: Lost) -> Lost:
        return Lost(self.further + other.further, self.padded + other.padded)

    def __sub__(self, other: Lost) -> Lost:
        return Lost(self.further - other.further, self.padded - other.padded)


@dataclass(frozen=True)
class Links:
    """Links as they were read: two node numbers per link, its weight, and the names in order of appearance.

    A weight other than 1 is NaN where weights are not kept: only their number matters then. ``lost`` counts the lines
    that hold more than that.
    """

    rows: IntArray
    columns: IntArray
    weights: Float64Array | None
    names: Sequence[bytes] | Int64Array
    lost: Lost = Lost()


class PlainScanner:
    """Reads blocks of lines in plain Python, one line at a time.

    >>> scanner = PlainScanner(Dialect())
    >>> scanner.scan(b"ann bob\\n\\n# a comment\\nbob  cat\\n")
    >>> scanner.links().names
    [b'ann', b'bob', b'cat']
    """

    def __init__(self, dialect: Dialect, lines: int = 0, *, keep_weights: bool = False) -> None:
        """Begin after this many ``lines`` of the file."""
        self._dialect = dialect
        self._keep_weights = keep_weights
        self._known: dict[bytes, int] = {}
        self._ends: tuple[list[int], list[int]] = ([], [])
        self._weights: list[float] = []
        self._quoted = False
        self._further, self._padded = 0, 0
        self._lines = lines

    def scan(self, block: bytes) -> None:
        """Read the next lines."""
        dialect, known, (rows, columns) = self._dialect, self._known, self._ends
        first_column, second_column = dialect.columns
        used = dialect.used
        lines = block.splitlines()
        for number, line in enumerate(lines, start=self._lines + 1):
            fields = fields_of(line, dialect, number)
            if fields is None:
                continue
            try:
                first, second = fields[first_column], fields[second_column]
            except IndexError:
                raise too_few_fields(fields, line, dialect, number) from None
            if not (first and second):
                _check_empty(first, second, line, number)
            rows.append(known.setdefault(first, len(known)))
            columns.append(known.setdefault(second, len(known)))
            if isinstance(first, Quoted) or isinstance(second, Quoted):
                self._quoted = True
            if isinstance(first, Padded) or isinstance(second, Padded):
                self._padded += 1
            if dialect.weight is not None:
                self._weights.append(self._weight(fields))
            if len(fields) > 2 and has_further(fields, used):
                self._further += 1
        self._lines += len(lines)

    def _weight(self, fields: Sequence[bytes]) -> float:
        column = self._dialect.weight
        if column is None or column >= len(fields) or not is_weight(fields[column]):
            return 1.0
        return weight_value(fields[column]) if self._keep_weights else float("nan")

    def links(self) -> Links:
        """All links read so far."""
        rows, columns = (np.array(end, np.int32) for end in self._ends)
        weights = np.array(self._weights, np.float64) if self._dialect.weight is not None else None
        names = list(self._known)
        integers = None if self._quoted else as_integers(names)
        return Links(rows, columns, weights, names if integers is None else integers, Lost(self._further, self._padded))


def has_further(fields: Sequence[bytes], used: set[int]) -> bool:
    """Whether a line has values besides those that are read."""
    return any(field for column, field in enumerate(fields) if column not in used)


def is_weight(field: bytes) -> bool:
    """Whether the field holds something other than 1; an empty one holds nothing."""
    return bool(field) and _ONE.fullmatch(field) is None


def _check_empty(first: bytes, second: bytes, line: bytes, number: int) -> None:
    """Raise an error for an empty name, unless it is in quotes and so on purpose."""
    if not all(name or isinstance(name, Quoted) for name in (first, second)):
        raise GraphFileError(f"{located(line, number)} has an empty name; write two names, or remove the line")


def read_edge_list(source: Source, options: ReadingOptions) -> Graph:
    """The graph in a text file with one link per line.

    Within a memory bound the links of a file of several blocks are kept on disk. With weights they all have to fit.
    """
    blocks = text_blocks(source.stream, options.encoding)
    first = next(blocks, b"")
    if not first:
        raise GraphFileError("the file is empty; expected one link per line")
    dialect, first = find_dialect(first, options)
    memory = options.bound
    second = None if options.keep_weights or memory is WHOLE_MACHINE else next(blocks, None)
    if second is not None:
        from philia.graphs.files.large import read_blocks  # loads numba

        reading = read_blocks(chain([first, second], blocks), dialect, memory)
    elif options.keep_weights:
        source.weigh(2)  # links become Python objects, unlike without weights
        reading = Reading.of(scan_weighted_blocks(chain([first], blocks), dialect, memory), dialect, keep_weights=True)
    else:
        reading = Reading.of(scan_blocks(first, blocks, dialect), dialect)
    reading.report(source.name)
    return reading.graph


@dataclass(frozen=True)
class Reading:
    """A graph, and how it was read: the dialect, whose columns are named by now, and what was not read.

    >>> links = Links(np.array([0, 2, 3]), np.array([1, 3, 4]), None, [b"book", b"bought_with", b"x", b"y", b"z"])
    >>> Reading.of(links, Dialect(names=("book", "bought_with"), doubtful=True)).graph
    Graph(3 nodes, 2 links)
    """

    graph: Graph
    dialect: Dialect
    lost: Lost

    @classmethod
    def of(cls, links: Links, dialect: Dialect, *, keep_weights: bool = False) -> Reading:
        """The links as a graph, without the header if it was read as a link."""
        links, dialect = without_header(links, dialect)
        return cls(graph_of(links, keep_weights, directed=dialect.directed), dialect, links.lost)

    def report(self, name: str) -> None:
        """Say which columns were read as what, and warn of what was guessed or ignored."""
        found = self.dialect
        tell(f"{name}: {found.in_words()}")
        if found.doubtful:
            ends = [found.names[column] for column in found.columns]
            warn(
                f"{name}: line 1 is taken for column names, because {ends[0]!r} and {ends[1]!r} occur nowhere else; "
                "pass header=False if it is a link, or header=True to confirm that they are"
            )
        if self.lost.further and not found.chosen:
            lines = _lines_have(self.lost.further)
            others = [repr(name) for column, name in enumerate(found.names) if column not in found.used]
            what = f"values in {listed(others)}" if others else "more values than the two names of a link"
            quotes = "" if others else "put names that contain the separator in quotes, or "
            columns = tuple(found.names[column] for column in found.columns) if others else found.columns
            warn(
                f"{name}: {lines} {what}, which {'is' if len(others) == 1 else 'are'} ignored; {quotes}pass "
                f"columns={columns} if only these columns matter"
            )
        if self.lost.padded:
            warn(
                f"{name}: {_lines_have(self.lost.padded)} blanks after a name, which are not taken for a part of it; "
                "put such names in quotes if they are"
            )


def _lines_have(count: int) -> str:
    return f"{counted(count, 'line')} {'has' if count == 1 else 'have'}"


def without_header(links: Links, dialect: Dialect, known: Callable[[str], bool] | None = None) -> tuple[Links, Dialect]:
    """The links without the first line if it was doubtful and turns out to be a header, and the dialect that follows.

    It is a header if its names, nodes 0 and 1, are not ``known`` and no other link has them.
    """
    if not dialect.doubtful:
        return links, dialect
    ends = np.concatenate([links.rows, links.columns])
    names = [dialect.names[column] for column in dialect.columns]
    if np.count_nonzero(ends < 2) > 2 or (known is not None and any(map(known, names))):
        return links, replace(dialect, names=(), doubtful=False)
    weights = None if links.weights is None else links.weights[1:]
    lost = links.lost - of_header(dialect)
    return Links(links.rows[1:] - 2, links.columns[1:] - 2, weights, links.names[2:], lost), dialect


def of_header(dialect: Dialect) -> Lost:
    """What the first line holds more than is read.

    >>> of_header(Dialect(names=("a", "b", "c")))
    Lost(further=1, padded=0)
    """
    return Lost(further=int(has_further([name.encode() for name in dialect.names], dialect.used)))


def scan_weighted_blocks(blocks: Iterable[bytes], dialect: Dialect, memory: MemoryBound = WHOLE_MACHINE) -> Links:
    """All links of the blocks, with their weights."""
    plain = PlainScanner(dialect, keep_weights=True)
    for block in blocks:
        memory.require(_WEIGHTED_BLOCK * len(block), "reading the next links with their weights")
        plain.scan(block)
    return plain.links()


def scan_blocks(first: bytes, others: Iterator[bytes], dialect: Dialect) -> Links:
    """All links of the blocks, read by the compiled scanner if there is more than one block."""
    second = next(others, None)
    if second is None:
        plain = PlainScanner(dialect)
        plain.scan(first)
        return plain.links()
    from philia.graphs.files.large import CompiledScanner, prepare  # loads numba

    prepare()
    scanner = CompiledScanner(dialect)
    for block in chain([first, second], others):
        require_memory(_SCANNED_BYTE * len(block), "reading the next links")
        scanner.scan(block)
    return scanner.links()


def graph_of(links: Links, keep_weights: bool = False, *, directed: bool = False) -> Graph:
    """The links as a graph: integer names in ascending order, others in order of appearance."""
    if not links.rows.size:
        raise GraphFileError("the file has only blank lines, comments or a header; expected at least one link")
    require_memory(_GRAPH_LINK * links.rows.size, f"a graph of {links.rows.size:,} links")
    ends = [links.rows, links.columns]
    if isinstance(links.names, np.ndarray):
        nodes, ends = ascending(links.names, ends)
    else:
        nodes = Nodes([name.decode() for name in links.names])
    return graph_from_rows(ends[0], ends[1], nodes, directed=directed, weights=links.weights, keep_weights=keep_weights)


def read_julia_graph(source: Source, options: ReadingOptions) -> Graph:
    """The graph in a JuliaGraphs file: a line ``nodes,links,u,name``, then one link per line, nodes numbered from 1.

    The format has no weights; kept weights are the numbers of times that links are repeated.
    """
    blocks = text_blocks(source.stream, options.encoding)
    header, _, first = next(blocks, b"").partition(b"\n")
    counts = header.strip().split(b",")
    if len(counts) < 3 or as_integers([counts[0], counts[1]]) is None or counts[2] not in (b"u", b"d"):
        shown = header[:60].decode(errors="replace").strip()
        raise GraphFileError(
            f"the first line is {shown!r}; a .jlg file begins with nodes,links,u,name (d instead of u if directed)"
        )
    count, announced = int(counts[0]), int(counts[1])
    links = scan_blocks(b"\n" + first, blocks, Dialect(delimiter=b",", comments=()))
    names = links.names
    if not isinstance(names, np.ndarray) or (names.size and (names.min() < 1 or names.max() > count)):
        raise GraphFileError(f"there are nodes other than 1 to {count:,}, the number that the first line gives")
    if links.rows.size != announced:
        raise GraphFileError(
            f"the first line announces {announced:,} links, but there are {links.rows.size:,}; "
            "the file is truncated or holds several graphs"
        )
    check_nodes(source, count, announced)
    require_memory(_JULIA_NODE * count, f"a graph of {count:,} nodes")
    rows, columns = names[links.rows] - 1, names[links.columns] - 1
    nodes, directed = Nodes(np.arange(1, count + 1)), counts[2] == b"d"
    return graph_from_rows(rows, columns, nodes, directed=directed, keep_weights=options.keep_weights)


def write_edge_list(described: DescribedGraph, file: BinaryIO, delimiter: str = "\t") -> None:
    """One link per line, with the weight in a third column if there are weights.

    A node without links is written as a self-loop, which reading drops and counts.
    """
    graph = described.graph
    if not graph.n_nodes:
        raise GraphFileError("an edge list cannot hold a graph without nodes; write .mtx, .npz, .graphml or .gml")
    check_one_line(graph.nodes)
    names = [written_name(name) for name in graph.nodes]
    rows, columns = graph.links
    alone = np.flatnonzero(graph.degrees == 0)
    rows, columns = np.concatenate([rows, alone]), np.concatenate([columns, alone])
    text = io.TextIOWrapper(file, encoding="utf-8", newline="\n")
    ends = [str(graph.nodes[row]) for row in (rows[0], columns[0])]
    alone_together = (graph.degrees[[rows[0], columns[0]]] == 1).all() and graph.nodes.integers is None
    if delimiter == "," or alone_together or looks_like_header(ends, set()):  # else the first link may be a header
        text.write(delimiter.join(["source", "target"] + ["weight"] * (graph.weights is not None)) + "\n")
    thirds = _third_column(graph, alone.size, delimiter)
    for begin in range(0, rows.size, _WRITTEN_AT_ONCE):
        part = slice(begin, begin + _WRITTEN_AT_ONCE)
        links = zip(rows[part].tolist(), columns[part].tolist(), thirds[part], strict=True)
        text.write("".join(f"{names[u]}{delimiter}{names[v]}{third}\n" for u, v, third in links))
    text.flush()
    text.detach()  # the file is closed by its owner


def _third_column(graph: Graph, loops: int, delimiter: str) -> Sequence[str]:
    """What follows the two names on each line: nothing, or a weight, which is 1 for the self-loops at the end."""
    if graph.link_weights is None:
        return [""] * (graph.n_links + loops)
    return [f"{delimiter}{written_weight(weight)}" for weight in graph.link_weights.tolist() + [1.0] * loops]

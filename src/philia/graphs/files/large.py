"""Large edge lists: the compiled scanner, the arrays that grow between its calls, and reading within a memory bound."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import pairwise
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from philia._compilation import announced
from philia._types import BoolArray, Int64Array
from philia.graphs.disk import SpooledLinks
from philia.graphs.files import kernels
from philia.graphs.files.dialect import Dialect
from philia.graphs.files.edge_list import Links, Lost, PlainScanner, Reading, of_header
from philia.graphs.links import ranked
from philia.graphs.nodes import Nodes
from philia.storage import WHOLE_MACHINE, MemoryBound

_BATCH = 1 << 20
"""Names re-numbered at a time when integers turn out to be text."""

_FIRST_SLOTS = 1 << 12
"""Slots of a new hash table, which doubles as it fills: small enough to cost nothing for a short file."""

_BLOCK_BYTE = 24
"""Bytes of memory per byte of a block while it is tokenised, if its lines are as short as they can be."""

_LINK, _WEIGHTED_LINK = 56, 104
"""Bytes of memory per link while a graph is made from links in memory: 48 and 95 were measured."""

_SORTED_NAME = 28
"""Bytes of memory per integer name while names are sorted: their order, two sorted copies, and their ranks."""

_Int32Array = npt.NDArray[np.int32]


class _LinkStore(Protocol):
    """Where scanned links go, as pairs of node numbers."""

    def add(self, rows: _Int32Array, columns: _Int32Array, weighted: BoolArray) -> None:
        """Append links, and whether each has a weight other than 1."""
        ...

    def all(self) -> tuple[_Int32Array, _Int32Array, BoolArray]:
        """The two ends of all links, and which have weights."""
        ...


@dataclass(frozen=True)
class _LinksInMemory:
    """Links in memory, a block at a time."""

    _blocks: list[tuple[_Int32Array, _Int32Array, BoolArray]] = field(default_factory=list)

    def add(self, rows: _Int32Array, columns: _Int32Array, weighted: BoolArray) -> None:
        """Append links, and whether each has a weight other than 1."""
        self._blocks.append((rows, columns, weighted))

    def all(self) -> tuple[_Int32Array, _Int32Array, BoolArray]:
        """The two ends of all links, and which have weights."""
        rows, columns, weighted = (np.concatenate(parts) for parts in zip(*self._blocks, strict=True))
        return rows, columns, weighted


class CompiledScanner:
    """The same as :class:`philia.graphs.files.edge_list.PlainScanner`, many times faster once it is compiled.

    It does not keep the values of weights; where they are wanted, the plain one reads large files too.

    >>> scanner = CompiledScanner(Dialect())
    >>> scanner.scan(b"7 12\\n12 9\\n")
    >>> scanner.links().names
    array([ 7, 12,  9])
    """

    def __init__(self, dialect: Dialect, store: _LinkStore | None = None, memory: MemoryBound = WHOLE_MACHINE) -> None:
        """Put the links into the store, by default in memory; the names stay within the memory bound."""
        self._dialect, self._memory = dialect, memory
        self._names: _Integers | _Texts = _Integers(memory)
        self._store: _LinkStore = _LinksInMemory() if store is None else store
        self._lines, self.lost, self._of_first_line = 0, Lost(), 0

    def scan(self, block: bytes) -> None:
        """Read the next lines."""
        data = np.frombuffer(bytearray(block + b"\n"), np.uint8)  # a copy: quoted names are undoubled in place
        room = block.count(b"\n") + block.count(b"\r") + 1
        bounds, marks = np.empty((room, 4), np.int32), np.empty(room, np.uint8)
        links = self._tokenise(block, data, bounds, marks)
        numbers = np.empty(2 * links, np.int32)
        bounds, done = bounds[:links], 0
        if isinstance(self._names, _Integers):
            done = self._names.number(data, bounds, marks, numbers)
            if done < links:
                self._names = _Texts(self._names.texts(), self._memory)
        if isinstance(self._names, _Texts):
            self._names.number(data, bounds[done:], numbers[2 * done :])
        counts = (int(np.count_nonzero(marks[:links] & mark)) for mark in (kernels.FURTHER, kernels.PADDED))
        self.lost += Lost(*counts)
        self._of_first_line += int(np.count_nonzero(numbers < 2))
        self._store.add(numbers[::2], numbers[1::2], marks[:links] & kernels.WEIGHTED != 0)

    @property
    def first_line_stands_alone(self) -> bool:
        """Whether the names of the first link, nodes 0 and 1, occur nowhere else."""
        return self._of_first_line == 2

    def _tokenise(self, block: bytes, data: Any, bounds: Any, marks: Any) -> int:
        dialect = self._dialect
        wanted = np.array([*dialect.columns, -1 if dialect.weight is None else dialect.weight])
        comments = np.frombuffer(bytearray(b"".join(comment + b"\n" for comment in dialect.comments)), np.uint8)
        means = kernels.meanings(dialect.delimiter[0])
        links, lines, bad = kernels.tokenise(data, means, wanted, comments, bounds, marks)
        if bad != kernels.BAD:
            self._raise_for(block, bad, self._lines + lines + 1)
        self._lines += lines
        return int(links)

    def _raise_for(self, block: bytes, at: int, number: int) -> None:
        """Raise the plain scanner's error about the line at this position."""
        line = re.split(rb"[\r\n]", block[at:], maxsplit=1)[0]
        PlainScanner(self._dialect, number - 1).scan(line)

    def links(self) -> Links:
        """All links read so far."""
        rows, columns, weighted = self._store.all()
        weights = None if self._dialect.weight is None else np.where(weighted, np.nan, 1.0)
        return Links(rows, columns, weights, self.names(), self.lost)

    def names(self) -> list[bytes] | Int64Array:
        """The names in order of appearance."""
        self._memory.require(self._names.copy_bytes, f"the names of {self._names.count:,} nodes")
        return self._names.keys if isinstance(self._names, _Integers) else self._names.texts()


@cache
def prepare() -> None:
    """Compile the kernels, or load them from the cache, before the first large file is read."""
    with announced("compiling the reader of large files"):
        for block in (b"7 12\n", b"ann bob\n"):
            CompiledScanner(Dialect()).scan(block)


def read_blocks(blocks: Iterable[bytes], dialect: Dialect, memory: MemoryBound) -> Reading:
    """The graph in the blocks of a text; its adjacency is memory-mapped from disk if the links would not fit.

    The node names stay in memory, and so does the table that numbers them while it is needed.

    >>> read_blocks([b"7 12\\n12 9\\n"], Dialect(), MemoryBound.of("100G")).graph
    Graph(3 nodes, 2 links)
    """
    prepare()
    links = SpooledLinks()
    scanner = CompiledScanner(dialect, links, memory)
    for block in blocks:
        memory.require(_BLOCK_BYTE * len(block), f"reading beyond {len(links):,} links")
        scanner.scan(block)
    each = _LINK if dialect.weight is None else _WEIGHTED_LINK
    if each * len(links) <= memory.left:
        scanned = scanner.links()
        del scanner  # its table of names makes room for the graph
        return Reading.of(scanned, dialect)
    names, lost, header = scanner.names(), scanner.lost, dialect.doubtful and scanner.first_line_stands_alone
    del scanner
    nodes, rank = _numbered(names[2:] if header else names, memory)
    if not header:
        settled = replace(dialect, names=(), doubtful=False) if dialect.doubtful else dialect
        return Reading(links.graph(nodes, rank, memory), settled, lost)
    # A link of row 0 with itself stands for the header: it is dropped, and not counted.
    graph = links.graph(nodes, np.concatenate([np.zeros(2, np.int32), rank]), memory)
    changes = replace(graph.changes, loops=graph.changes.loops - 1)
    return Reading(replace(graph, changes=changes), dialect, lost - of_header(dialect))


def _numbered(names: Sequence[bytes] | Int64Array, memory: MemoryBound) -> tuple[Nodes, _Int32Array]:
    """The nodes, integers in ascending order, and the row of each node number."""
    if not isinstance(names, np.ndarray):
        return Nodes([name.decode() for name in names]), np.arange(len(names), dtype=np.int32)
    memory.require(_SORTED_NAME * names.size, f"sorting {names.size:,} names")
    return ranked(names, np.int32)


class _Table:
    """A growing hash table from keys of two words to numbers."""

    def __init__(self, memory: MemoryBound) -> None:
        self.count, self._slots, self._memory = 0, np.zeros((_FIRST_SLOTS, 3), np.int64), memory

    def number(self, values: Int64Array, numbers: npt.NDArray[np.int32]) -> Int64Array:
        """Fill ``numbers``; returns the indices of the keys that are new, in order."""
        firsts = np.empty(len(values), np.int64)
        done, new = 0, 0
        while done < len(values):
            done, new = kernels.number_values(values, done, self._slots, firsts, new, self.count, numbers)
            if done < len(values):
                self._memory.require(2 * self._slots.nbytes, f"a table of more than {self.count + new:,} nodes")
                self._slots = kernels.enlarged(self._slots)
        self.count += new
        return firsts[:new]


class _Integers:
    """Names that are integers."""

    def __init__(self, memory: MemoryBound) -> None:
        self._table = _Table(memory)
        self._keys: list[Int64Array] = []

    @property
    def count(self) -> int:
        return self._table.count

    @property
    def copy_bytes(self) -> int:
        """Bytes of memory that a copy of all names takes."""
        return 8 * self.count

    def number(self, data: Any, bounds: Any, marks: Any, numbers: Any) -> int:
        """Number the names of links while they are integers; returns for how many links they are."""
        values = np.empty((2 * len(bounds), 2), np.int64)
        links = int(kernels.parse_integers(data, bounds, marks, values))
        self._keys.append(values[self._table.number(values[: 2 * links], numbers), 0])
        return links

    @property
    def keys(self) -> Int64Array:
        return np.concatenate(self._keys)

    def texts(self) -> list[bytes]:
        return [b"%d" % key for key in self.keys.tolist()]


class _Texts:
    """Names that are text, joined in one array."""

    def __init__(self, names: list[bytes], memory: MemoryBound) -> None:
        """Begin with the names that were taken for integers so far."""
        self._table = _Table(memory)
        self._arena, self._limits = np.empty(0, np.uint8), np.zeros(1, np.int64)
        for begin in range(0, len(names), _BATCH):
            self._adopt(names[begin : begin + _BATCH])

    @property
    def count(self) -> int:
        return self._table.count

    @property
    def copy_bytes(self) -> int:
        """Bytes of memory that all names take as Python objects: three copies of the text, and some 160 bytes each."""
        return 160 * self.count + 3 * int(self._limits[self.count])

    def _adopt(self, names: list[bytes]) -> None:
        sizes = np.array([len(name) for name in names], np.int32)
        stops = np.cumsum(sizes, dtype=np.int32)
        bounds = np.stack([stops - sizes, stops, stops - sizes, stops], axis=1)
        data = np.frombuffer(bytearray().join(names), np.uint8)
        self.number(data, bounds, np.empty(2 * len(names), np.int32))

    def number(self, data: Any, bounds: Any, numbers: Any) -> None:
        """Number the names of all links."""
        values = np.empty((numbers.size, 2), np.int64)
        kernels.encode_names(data, bounds, values)
        known = self._table.count
        firsts = self._table.number(values, numbers)
        self._limits = _grown(self._limits, self._table.count + 1)
        self._arena = _grown(self._arena, int(self._limits[known]) + data.size)
        kernels.append_names(data, bounds, firsts, known, self._arena, self._limits)

    def texts(self) -> list[bytes]:
        limits = self._limits[: self._table.count + 1].tolist()
        held = self._arena[: limits[-1]].tobytes()
        return [held[start:stop] for start, stop in pairwise(limits)]


def _grown(array: npt.NDArray[Any], size: int) -> npt.NDArray[Any]:
    """The array itself if it has room for ``size`` values, else a copy with half as much room to spare."""
    if array.size >= size:
        return array
    larger = np.empty(max(size, array.size + array.size // 2), array.dtype)
    larger[: array.size] = array
    return larger

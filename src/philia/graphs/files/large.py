"""Reads large edge lists: the compiled kernels, and the arrays that grow between their calls."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from philia._compilation import announced
from philia._types import BoolArray, Int64Array
from philia.graphs.files import numbering, tokens
from philia.graphs.files.lines import Dialect, Links, PlainScanner
from philia.graphs.memory import WHOLE_MACHINE, MemoryBound

_BATCH = 1 << 20
_FEWEST = 1 << 12

Int32Array = npt.NDArray[np.int32]


class KeptLinks(Protocol):
    """A place for links, by the numbers of their ends."""

    def add(self, rows: Int32Array, columns: Int32Array, weighted: BoolArray) -> None:
        """Add links, and whether each has a weight other than 1."""
        ...

    def all(self) -> tuple[Int32Array, Int32Array, BoolArray]:
        """The ends of all links, and which have weights."""
        ...


@dataclass(frozen=True)
class LinksInMemory:
    """Links as they came, a block at a time."""

    _blocks: list[tuple[Int32Array, Int32Array, BoolArray]] = field(default_factory=list)

    def add(self, rows: Int32Array, columns: Int32Array, weighted: BoolArray) -> None:
        """Add links, and whether each has a weight other than 1."""
        self._blocks.append((rows, columns, weighted))

    def all(self) -> tuple[Int32Array, Int32Array, BoolArray]:
        """The ends of all links, and which have weights."""
        rows, columns, weighted = (np.concatenate(parts) for parts in zip(*self._blocks, strict=True))
        return rows, columns, weighted


class CompiledScanner:
    """The same as :class:`philia.graphs.files.lines.PlainScanner`, many times faster once it is compiled.

    It does not know the values of weights; where they are to be kept, the plain one reads large files too.

    >>> scanner = CompiledScanner(Dialect())
    >>> scanner.scan(b"7 12\\n12 9\\n")
    >>> scanner.links().names
    array([ 7, 12,  9])
    """

    def __init__(self, dialect: Dialect, kept: KeptLinks | None = None, memory: MemoryBound = WHOLE_MACHINE) -> None:
        """Put the links where they are kept, in memory if not told; the names stay within the bound of memory."""
        self._dialect, self._memory = dialect, memory
        self._names: _Integers | _Texts = _Integers(memory)
        self._kept: KeptLinks = LinksInMemory() if kept is None else kept
        self._lines = 0

    def scan(self, block: bytes) -> None:
        """Take in the next lines."""
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
        self._kept.add(numbers[::2], numbers[1::2], marks[:links] & tokens.WEIGHTED != 0)

    def _tokenise(self, block: bytes, data: Any, bounds: Any, marks: Any) -> int:
        dialect = self._dialect
        wanted = np.array([*dialect.columns, -1 if dialect.weight is None else dialect.weight])
        comments = np.frombuffer(bytearray(b"".join(comment + b"\n" for comment in dialect.comments)), np.uint8)
        means = tokens.meanings(dialect.delimiter[0])
        links, lines, bad = tokens.tokenise(data, means, wanted, comments, bounds, marks)
        if bad != tokens.BAD:
            self._complain(block, bad, self._lines + lines + 1)
        self._lines += lines
        return int(links)

    def _complain(self, block: bytes, place: int, number: int) -> None:
        line = re.split(rb"[\r\n]", block[place:], maxsplit=1)[0]
        PlainScanner(self._dialect, number - 1).scan(line)

    def links(self) -> Links:
        """All that was read."""
        rows, columns, weighted = self._kept.all()
        weights = None if self._dialect.weight is None else np.where(weighted, np.nan, 1.0)
        return Links(rows, columns, weights, self.names())

    def names(self) -> list[bytes] | Int64Array:
        """The names in order of appearance."""
        self._memory.require(self._names.to_hand_out, f"the names of {self._names.count:,} nodes")
        return self._names.keys if isinstance(self._names, _Integers) else self._names.texts()


@cache
def prepare() -> None:
    """Compile, or fetch from the cache, before the first large file is read."""
    with announced("compiling the reader of large files"):
        for block in (b"7 12\n", b"ann bob\n"):
            CompiledScanner(Dialect()).scan(block)


class _Table:
    """Values of two words with their numbers, and room for more."""

    def __init__(self, memory: MemoryBound) -> None:
        self.count, self._slots, self._memory = 0, np.zeros((_FEWEST, 3), np.int64), memory

    def number(self, values: Int64Array, numbers: npt.NDArray[np.int32]) -> Int64Array:
        """Fill ``numbers``; returned are the places of the values that are new, in order."""
        places = np.empty(len(values), np.int64)
        done, new = 0, 0
        while done < len(values):
            done, new = numbering.number_values(values, done, self._slots, places, new, self.count, numbers)
            if done < len(values):
                self._memory.require(2 * self._slots.nbytes, f"a table of more than {self.count + new:,} nodes")
                self._slots = numbering.enlarged(self._slots)
        self.count += new
        return places[:new]


class _Integers:
    """Names that are integers."""

    def __init__(self, memory: MemoryBound) -> None:
        self._table = _Table(memory)
        self._keys: list[Int64Array] = []

    @property
    def count(self) -> int:
        return self._table.count

    @property
    def to_hand_out(self) -> int:
        """How many bytes it takes to give all names away."""
        return 8 * self.count

    def number(self, data: Any, bounds: Any, marks: Any, numbers: Any) -> int:
        """Number the names of links while they are integers; returned is for how many links they are."""
        values = np.empty((2 * len(bounds), 2), np.int64)
        links = int(numbering.parse_integers(data, bounds, marks, values))
        self._keys.append(values[self._table.number(values[: 2 * links], numbers), 0])
        return links

    @property
    def keys(self) -> Int64Array:
        return np.concatenate(self._keys)

    def texts(self) -> list[bytes]:
        return [b"%d" % key for key in self.keys.tolist()]


class _Texts:
    """Names that are text, one after the other in one array."""

    def __init__(self, names: list[bytes], memory: MemoryBound) -> None:
        """Begin with names that were taken for integers until now."""
        self._table = _Table(memory)
        self._arena, self._limits = np.empty(0, np.uint8), np.zeros(1, np.int64)
        for begin in range(0, len(names), _BATCH):
            self._adopt(names[begin : begin + _BATCH])

    @property
    def count(self) -> int:
        return self._table.count

    @property
    def to_hand_out(self) -> int:
        """How many bytes it takes to give all names away: three texts of each, and what Python adds to them."""
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
        numbering.encode_names(data, bounds, values)
        known = self._table.count
        places = self._table.number(values, numbers)
        self._limits = _grown(self._limits, self._table.count + 1)
        self._arena = _grown(self._arena, int(self._limits[known]) + data.size)
        numbering.append_names(data, bounds, places, known, self._arena, self._limits)

    def texts(self) -> list[bytes]:
        limits = self._limits[: self._table.count + 1].tolist()
        held = self._arena[: limits[-1]].tobytes()
        return [held[start:stop] for start, stop in pairwise(limits)]


def _grown(array: npt.NDArray[Any], size: int) -> npt.NDArray[Any]:
    """The array itself if it has room for ``size`` values, else a copy in one that has room to spare."""
    if array.size >= size:
        return array
    larger = np.empty(max(size, array.size + array.size // 2), array.dtype)
    larger[: array.size] = array
    return larger

"""Arrays in temporary files instead of memory, and graphs whose links are there.

Arrays that are made piece by piece can be put in memory or on disk (:class:`Storage`). A graph made of another one goes
where that one is, without a copy of all links in between (:func:`part_of`).

A graph can also be made of more links than memory holds (:class:`SpooledLinks`). A link is then one whole number, so
that it can be sorted: its row in the upper 32 bits, its column in the next 31, and in the last one whether it had a
weight. Links are first written as they come. Then both directions of each are written in buckets of rows that fit into
memory. Each bucket is sorted, repetitions fall out, and what is left goes to the file that is mapped.
"""

from __future__ import annotations

import mmap
import tempfile
import weakref
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from scipy import sparse

from philia._types import BoolArray, Int64Array
from philia.exceptions import GraphFileError
from philia.graphs.graph import Changes, Graph
from philia.graphs.memory import MemoryBound
from philia.graphs.nodes import Nodes

Int32Array = npt.NDArray[np.int32]
Keep = Callable[[npt.NDArray[Any], npt.NDArray[Any]], BoolArray]

_ENTRIES = 1 << 20
"""How many entries of a graph are worked on at a time, or as many as there are nodes, if those are more."""

_LINKS = 1 << 18
"""How many links are sorted into buckets at a time; that takes some 40 MB."""

_SORTING = 24
"""Bytes for each entry of a bucket while it is sorted and sifted."""

_MOST_BUCKETS = 1 << 14
"""A bucket has at least this fraction of all entries, so there are few enough to be numbered in 16 bits."""


class TemporaryArray:
    """Numbers in a file without a name, which is gone when nobody uses it any more, however the program ends.

    It stands in the folder for temporary files, which the environment variable TMPDIR chooses.

    >>> numbers = TemporaryArray(np.int64)
    >>> numbers.append(np.array([3, 1, 4]))
    >>> numbers.put(1, np.array([7]))
    >>> numbers.mapped()
    array([3, 7, 4])
    """

    def __init__(self, dtype: npt.DTypeLike) -> None:
        self.dtype, self.size = np.dtype(dtype), 0
        try:
            self._file = tempfile.TemporaryFile()  # noqa: SIM115 (closed with this object; mapped pages stay)
        except OSError as error:
            raise _complaint(error) from error
        weakref.finalize(self, self._file.close)

    def append(self, values: npt.NDArray[Any]) -> None:
        """Add numbers at the end."""
        self.put(self.size, values)

    def put(self, at: int, values: npt.NDArray[Any]) -> None:
        """Write numbers to a place, which may lie behind the end."""
        if not values.size:
            return
        try:
            self._file.seek(at * self.dtype.itemsize)
            self._file.write(np.ascontiguousarray(values, self.dtype).data)
            self._file.flush()  # a full disk is to be noticed here, not by whoever reads the mapped pages
        except OSError as error:
            raise _complaint(error) from error
        self.size = max(self.size, at + values.size)

    def read(self, start: int, stop: int) -> npt.NDArray[Any]:
        """A copy, in memory, of the numbers from ``start`` to ``stop``."""
        values = np.empty(max(0, min(stop, self.size) - start), self.dtype)
        self._file.seek(start * self.dtype.itemsize)
        self._file.readinto(values.data.cast("B"))
        return values

    def pieces(self, count: int) -> Iterator[npt.NDArray[Any]]:
        """All numbers, ``count`` at a time."""
        for start in range(0, self.size, count):
            yield self.read(start, start + count)

    def mapped(self) -> npt.NDArray[Any]:
        """All numbers as a read-only array whose pages are read when they are looked at."""
        if not self.size:
            return frozen(np.empty(0, self.dtype))
        pages = mmap.mmap(self._file.fileno(), self.size * self.dtype.itemsize, access=mmap.ACCESS_READ)
        return np.frombuffer(pages, self.dtype)


def _complaint(error: OSError) -> GraphFileError:
    return GraphFileError(
        f"a temporary file in the folder {tempfile.gettempdir()!r} cannot be written ({error.strerror or error}); "
        "choose a folder on a disk with more room by the environment variable TMPDIR"
    )


class Storage(Protocol):
    """A place for arrays that are made piece by piece."""

    def gathered(self, pieces: Iterable[npt.NDArray[Any]], dtype: npt.DTypeLike, most: int) -> npt.NDArray[Any]:
        """The pieces one after the other as one read-only array of at most ``most`` numbers."""
        ...


@dataclass(frozen=True)
class InMemory:
    """Arrays in memory.

    >>> InMemory().gathered([np.array([1, 2]), np.array([3])], np.int32, most=5)
    array([1, 2, 3], dtype=int32)
    """

    def gathered(self, pieces: Iterable[npt.NDArray[Any]], dtype: npt.DTypeLike, most: int) -> npt.NDArray[Any]:
        """The pieces one after the other; what ``most`` asks for and they leave empty is never touched."""
        whole, done = np.empty(most, dtype), 0
        for piece in pieces:
            whole[done : done + piece.size] = piece
            done += piece.size
        return frozen(whole[:done])


@dataclass(frozen=True)
class OnDisk:
    """Arrays in temporary files, mapped into memory.

    >>> OnDisk().gathered([np.array([1, 2]), np.array([3])], np.int32, most=5)
    array([1, 2, 3], dtype=int32)
    """

    def gathered(self, pieces: Iterable[npt.NDArray[Any]], dtype: npt.DTypeLike, most: int) -> npt.NDArray[Any]:
        """The pieces one after the other."""
        whole = TemporaryArray(dtype)
        for piece in pieces:
            whole.append(piece)
        return whole.mapped()


def compressed_rows(indices: npt.NDArray[Any], counts: npt.NDArray[Any], storage: Storage) -> sparse.csr_array:
    """The symmetric 0/1 matrix with ``counts[i]`` entries in row i, their sorted columns in ``indices``; read-only.

    >>> compressed_rows(np.array([1, 0]), np.array([1, 1]), InMemory()).toarray().tolist()
    [[0, 1], [1, 0]]
    """
    starts = np.zeros(counts.size + 1, indices.dtype)
    np.cumsum(counts, out=starts[1:])
    ones = (np.ones(min(_ENTRIES, indices.size - start), np.int8) for start in range(0, indices.size, _ENTRIES))
    matrix = sparse.csr_array((counts.size, counts.size), dtype=np.int8)
    # Given to the constructor, the arrays would be checked, and copied where another kind of integer would do.
    matrix.data = storage.gathered(ones, np.int8, indices.size)
    matrix.indices, matrix.indptr = frozen(indices), frozen(starts)
    matrix.has_sorted_indices = matrix.has_canonical_format = True
    return matrix


def storage_of(array: npt.NDArray[Any]) -> Storage:
    """Where an array is, so that what is made of it can be put there too.

    >>> storage_of(np.ones(3)), storage_of(OnDisk().gathered([np.ones(3)], np.float64, most=3))
    (InMemory(), OnDisk())
    """
    base: Any = array
    while isinstance(base, np.ndarray):
        base = base.base
    mapped = isinstance(base.obj if isinstance(base, memoryview) else base, mmap.mmap)
    return OnDisk() if mapped else InMemory()


def frozen(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The array itself, read-only from now on."""
    array.flags.writeable = False
    return array


def part_of(graph: Graph, keep: Keep) -> Graph:
    """The graph with those links alone of which ``keep``, given rows and columns, says so; in either direction alike.

    >>> from philia import as_graph
    >>> part_of(as_graph([("a", "b"), ("b", "c"), ("a", "c")]), lambda rows, columns: rows + columns != 1)
    Graph(3 nodes, 2 links)
    """
    adjacency, storage, degrees = graph.adjacency, storage_of(graph.adjacency.indices), np.zeros(graph.n_nodes, int)

    def kept() -> Iterator[BoolArray]:
        for part in _parts(graph):
            first, entries = part.start, slice(*adjacency.indptr[[part.start, part.stop]])
            rows = np.repeat(np.arange(first, part.stop), graph.degrees[part])
            wanted = keep(rows, adjacency.indices[entries])
            degrees[part] = np.bincount(rows[wanted] - first, minlength=part.stop - first)
            yield wanted

    mask = storage.gathered(kept(), np.bool_, adjacency.nnz)
    indices = _sifted(adjacency.indices, mask, storage)
    weights = None if graph.weights is None else _sifted(graph.weights, mask, storage)
    if weights is not None and (weights == 1).all():
        weights = None
    return Graph(compressed_rows(indices, degrees, storage), graph.nodes, weights=weights)


def link_parts(graph: Graph) -> Iterator[tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any]]]:
    """The rows, the columns and the entries of the adjacency of ``graph.links``, some of them at a time.

    >>> from philia import as_graph
    >>> [(rows.tolist(), columns.tolist()) for rows, columns, _ in link_parts(as_graph([(0, 1), (1, 2), (0, 2)]))]
    [([0, 0, 1], [1, 2, 2])]
    """
    adjacency = graph.adjacency
    for part in _parts(graph):
        start, stop = adjacency.indptr[[part.start, part.stop]]
        rows, columns = np.repeat(np.arange(part.start, part.stop), graph.degrees[part]), adjacency.indices[start:stop]
        above = rows < columns
        yield rows[above], columns[above], start + np.flatnonzero(above)


def on_disk(graph: Graph) -> Graph:
    """The same graph with its links mapped from a temporary file.

    >>> from philia import as_graph
    >>> graph = on_disk(as_graph([("a", "b"), ("b", "c")]))
    >>> graph, storage_of(graph.adjacency.indices)
    (Graph(3 nodes, 2 links), OnDisk())
    """
    storage = OnDisk()

    def moved(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return storage.gathered([array], array.dtype, array.size)

    weights = None if graph.weights is None else moved(graph.weights)
    adjacency = compressed_rows(moved(graph.adjacency.indices), graph.degrees, storage)
    return replace(graph, adjacency=adjacency, weights=weights)


def _sifted(array: npt.NDArray[Any], mask: BoolArray, storage: Storage) -> npt.NDArray[Any]:
    parts = (slice(start, start + _ENTRIES) for start in range(0, array.size, _ENTRIES))
    return storage.gathered((array[part][mask[part]] for part in parts), array.dtype, int(np.count_nonzero(mask)))


def _parts(graph: Graph) -> Iterator[slice]:
    """Runs of rows with about equally many entries."""
    starts, n = graph.adjacency.indptr, graph.n_nodes
    first, most = 0, max(_ENTRIES, n)
    while first < n:
        stop = max(int(np.searchsorted(starts, int(starts[first]) + most, side="right")) - 1, first + 1)
        yield slice(first, stop)
        first = stop


@dataclass(frozen=True)
class SpooledLinks:
    """Links written to a temporary file as they come, by the numbers of their ends.

    >>> links = SpooledLinks()
    >>> links.add(np.array([0, 1, 1]), np.array([1, 0, 2]))
    >>> links.graph(Nodes("abc"), np.arange(3, dtype=np.int32), MemoryBound.of("1T"))
    Graph(3 nodes, 2 links; 1 repeated link merged)
    """

    _keys: TemporaryArray = field(default_factory=lambda: TemporaryArray(np.int64))

    def __len__(self) -> int:
        return self._keys.size

    def add(self, rows: npt.NDArray[Any], columns: npt.NDArray[Any], weighted: BoolArray | None = None) -> None:
        """Add links, and whether each has a weight other than 1."""
        self._keys.append(_packed(rows, columns, 0 if weighted is None else weighted))

    def all(self) -> tuple[Int32Array, Int32Array, BoolArray]:
        """The ends of all links, and which have weights, in memory."""
        rows, columns = np.empty(len(self), np.int32), np.empty(len(self), np.int32)
        weighted, done = np.empty(len(self), np.bool_), 0
        for keys in self._keys.pieces(_LINKS):
            part = slice(done, done + keys.size)
            rows[part], columns[part], weighted[part] = _unpacked(keys)
            done += keys.size
        return rows, columns, weighted

    def graph(self, nodes: Nodes, rank: Int32Array, memory: MemoryBound) -> Graph:
        """The same as :meth:`Graph.from_rows`, its adjacency on disk; ``rank`` has the row for each number."""
        n = len(nodes)
        memory.require(40 * n + 160 * _LINKS, f"sorting the links of {n:,} nodes")
        entries, loops = self._count(n, rank)
        firsts = _borders(entries, _bucket_size(memory, int(entries.sum())))
        ends = np.concatenate([[0], np.cumsum(entries)])[np.append(firsts, n)]
        memory.require(_SORTING * int(np.diff(ends).max()), "sorting the links of some nodes")
        buckets = self._sorted_into(ends[:-1], firsts, rank)
        adjacency, weights = _joined(buckets, ends, np.append(firsts, n), entries)
        duplicates = len(self) - loops - adjacency.nnz // 2
        return Graph(adjacency, nodes, Changes(loops=loops, duplicates=duplicates, weights=weights))

    def _count(self, n: int, rank: Int32Array) -> tuple[Int64Array, int]:
        """How many entries each row has, repetitions included, and how many links join a node with itself."""
        entries, loops = np.zeros(n, np.int64), 0
        for keys in self._keys.pieces(_LINKS):
            rows, columns, _ = _ranked(keys, rank)
            other = rows != columns
            loops += int(keys.size - np.count_nonzero(other))
            np.add.at(entries, rows[other], 1)
            np.add.at(entries, columns[other], 1)
        return entries, loops

    def _sorted_into(self, starts: Int64Array, firsts: Int64Array, rank: Int32Array) -> TemporaryArray:
        """Both directions of all links, those of bucket i from ``starts[i]`` on, within a bucket as they came."""
        buckets, written = TemporaryArray(np.int64), starts.copy()
        for keys in self._keys.pieces(_LINKS):
            rows, columns, weighted = _ranked(keys, rank)
            other = rows != columns
            rows, columns, weighted = rows[other], columns[other], weighted[other]
            both = np.concatenate([_packed(rows, columns, weighted), _packed(columns, rows, weighted)])
            bucket = (np.searchsorted(firsts, both >> 32, side="right") - 1).astype(np.uint16)
            both = both[np.argsort(bucket, kind="stable")]
            stops = np.cumsum(np.bincount(bucket, minlength=firsts.size))
            for which, (start, stop) in enumerate(zip(np.append(0, stops[:-1]), stops, strict=True)):
                if start < stop:
                    buckets.put(int(written[which]), both[start:stop])
                    written[which] += stop - start
        return buckets


def _joined(
    buckets: TemporaryArray, ends: Int64Array, borders: Int64Array, room: Int64Array
) -> tuple[sparse.csr_array, int]:
    """The buckets as one matrix in compressed rows, and how many links had weights; ``room`` is written over."""
    index = np.int32 if max(ends[-1], room.size) < 2**31 else np.int64
    indices, weights = TemporaryArray(index), 0
    for which in range(borders.size - 1):
        keys = buckets.read(int(ends[which]), int(ends[which + 1]))
        keys.sort()
        last = np.append(keys[1:] >> 1 != keys[:-1] >> 1, True)  # with the weight, if any of the same link has one
        rows, columns, weighted = _unpacked(keys[last[: keys.size]])
        weights += int(np.count_nonzero(weighted & (rows < columns)))
        first, stop = borders[which], borders[which + 1]
        room[first:stop] = np.bincount(rows - first, minlength=stop - first)
        indices.append(columns)
    return compressed_rows(indices.mapped(), room, OnDisk()), weights


def _bucket_size(memory: MemoryBound, entries: int) -> int:
    """How many entries a bucket may have: half of the memory that is left, or as many as make a bucket worth it."""
    return max(_LINKS, memory.left // 2 // _SORTING, entries // _MOST_BUCKETS)


def _borders(entries: Int64Array, most: int) -> Int64Array:
    """The first rows of buckets with at most ``most`` entries each; a single row may have more."""
    up_to, firsts = np.cumsum(entries), [0]
    while up_to.size:
        done = up_to[firsts[-1] - 1] if firsts[-1] else 0
        following = max(int(np.searchsorted(up_to, done + most, side="right")), firsts[-1] + 1)
        if following >= up_to.size:
            break
        firsts.append(following)
    return np.array(firsts, np.int64)


def _packed(rows: npt.NDArray[Any], columns: npt.NDArray[Any], weighted: BoolArray | int) -> Int64Array:
    return np.asarray(rows.astype(np.int64) << 32 | columns.astype(np.int64) << 1 | weighted)


def _unpacked(keys: Int64Array) -> tuple[Int32Array, Int32Array, BoolArray]:
    return (keys >> 32).astype(np.int32), (keys >> 1 & (2**31 - 1)).astype(np.int32), keys & 1 != 0


def _ranked(keys: Int64Array, rank: Int32Array) -> tuple[Int32Array, Int32Array, BoolArray]:
    rows, columns, weighted = _unpacked(keys)
    return rank[rows], rank[columns], weighted

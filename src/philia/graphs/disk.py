"""Graphs whose links are on disk.

A graph made from another one keeps its links where that one has them, without a copy of all links in memory
(:func:`part_of`).

A graph can also be made from more links than memory holds (:class:`SpooledLinks`). Each link is packed into one integer
that can be sorted: its row in the upper 32 bits, its column in the next 31, and in the last one whether it had a
weight. Links are first written as they come. Then both directions of each are distributed to buckets of rows that fit
into memory. Each bucket is sorted and deduplicated, and the result goes to the memory-mapped file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from philia._types import BoolArray, Int64Array
from philia.graphs.graph import Changes, Graph
from philia.graphs.nodes import Nodes
from philia.storage.arrays import OnDisk, Storage, TemporaryArray, frozen, storage_of
from philia.storage.memory import MemoryBound

_Int32Array = npt.NDArray[np.int32]
_Keep = Callable[[npt.NDArray[Any], npt.NDArray[Any]], BoolArray]

_ENTRIES = 1 << 20
"""Entries of the adjacency processed at a time, or the number of nodes if larger: a few MB per temporary array."""

_LINKS = 1 << 18
"""Links distributed to buckets at a time; that takes some 40 MB."""

_SORTING = 24
"""Bytes per entry of a bucket while it is sorted and deduplicated: three arrays of 64-bit numbers."""

_MOST_BUCKETS = 1 << 14
"""Few enough to be numbered in 16 bits, even where single rows fill more than their share."""


def _compressed_rows(indices: npt.NDArray[Any], counts: npt.NDArray[Any], storage: Storage) -> sparse.csr_array:
    """The symmetric 0/1 matrix with ``counts[i]`` entries in row i, their sorted columns in ``indices``; read-only.

    >>> from philia.storage.arrays import InMemory
    >>> _compressed_rows(np.array([1, 0]), np.array([1, 1]), InMemory()).toarray().tolist()
    [[0, 1], [1, 0]]
    """
    starts = np.zeros(counts.size + 1, indices.dtype)
    np.cumsum(counts, out=starts[1:])
    ones = (np.ones(min(_ENTRIES, indices.size - start), np.int8) for start in range(0, indices.size, _ENTRIES))
    matrix = sparse.csr_array((counts.size, counts.size), dtype=np.int8)
    # The constructor would check the arrays, and copy them where a smaller type of integer would do.
    matrix.data = storage.gathered(ones, np.int8, indices.size)
    matrix.indices, matrix.indptr = frozen(indices), frozen(starts)
    matrix.has_sorted_indices = matrix.has_canonical_format = True
    return matrix


def part_of(graph: Graph, keep: _Keep) -> Graph:
    """The graph with only the links that ``keep`` selects, given rows and columns; it must be symmetric in the two.

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
    return Graph(_compressed_rows(indices, degrees, storage), graph.nodes, weights=weights)


def link_parts(graph: Graph) -> Iterator[tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any]]]:
    """The rows and columns of ``graph.links`` and their entries in the adjacency, a batch at a time.

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
    """The same graph with its links memory-mapped from a temporary file.

    >>> from philia import as_graph
    >>> graph = on_disk(as_graph([("a", "b"), ("b", "c")]))
    >>> graph, storage_of(graph.adjacency.indices)
    (Graph(3 nodes, 2 links), OnDisk())
    """
    storage = OnDisk()

    def moved(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return storage.gathered([array], array.dtype, array.size)

    weights = None if graph.weights is None else moved(graph.weights)
    adjacency = _compressed_rows(moved(graph.adjacency.indices), graph.degrees, storage)
    return replace(graph, adjacency=adjacency, weights=weights)


def _sifted(array: npt.NDArray[Any], mask: BoolArray, storage: Storage) -> npt.NDArray[Any]:
    parts = (slice(start, start + _ENTRIES) for start in range(0, array.size, _ENTRIES))
    return storage.gathered((array[part][mask[part]] for part in parts), array.dtype, int(np.count_nonzero(mask)))


def _parts(graph: Graph) -> Iterator[slice]:
    """Consecutive rows with about equally many entries."""
    starts, n = graph.adjacency.indptr, graph.n_nodes
    first, most = 0, max(_ENTRIES, n)
    while first < n:
        stop = max(int(np.searchsorted(starts, int(starts[first]) + most, side="right")) - 1, first + 1)
        yield slice(first, stop)
        first = stop


@dataclass(frozen=True)
class SpooledLinks:
    """Links written to a temporary file as they come, as pairs of node numbers.

    >>> links = SpooledLinks()
    >>> links.add(np.array([0, 1, 1]), np.array([1, 0, 2]))
    >>> links.graph(Nodes("abc"), np.arange(3, dtype=np.int32), MemoryBound.of("1T"))
    Graph(3 nodes, 2 links; 1 repeated link merged)
    """

    _keys: TemporaryArray = field(default_factory=lambda: TemporaryArray(np.int64))

    def __len__(self) -> int:
        return self._keys.size

    def add(self, rows: npt.NDArray[Any], columns: npt.NDArray[Any], weighted: BoolArray | None = None) -> None:
        """Append links, and whether each has a weight other than 1."""
        self._keys.append(_packed(rows, columns, 0 if weighted is None else weighted))

    def all(self) -> tuple[_Int32Array, _Int32Array, BoolArray]:
        """The two ends of all links, and which have weights, in memory."""
        rows, columns = np.empty(len(self), np.int32), np.empty(len(self), np.int32)
        weighted, done = np.empty(len(self), np.bool_), 0
        for keys in self._keys.pieces(_LINKS):
            part = slice(done, done + keys.size)
            rows[part], columns[part], weighted[part] = _unpacked(keys)
            done += keys.size
        return rows, columns, weighted

    def graph(self, nodes: Nodes, rank: _Int32Array, memory: MemoryBound) -> Graph:
        """The same as :meth:`Graph.from_rows`, with its adjacency on disk; ``rank`` maps node numbers to rows."""
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

    def _count(self, n: int, rank: _Int32Array) -> tuple[Int64Array, int]:
        """The number of entries per row, repetitions included, and the number of self-loops."""
        entries, loops = np.zeros(n, np.int64), 0
        for keys in self._keys.pieces(_LINKS):
            rows, columns, _ = _ranked(keys, rank)
            other = rows != columns
            loops += int(keys.size - np.count_nonzero(other))
            np.add.at(entries, rows[other], 1)
            np.add.at(entries, columns[other], 1)
        return entries, loops

    def _sorted_into(self, starts: Int64Array, firsts: Int64Array, rank: _Int32Array) -> TemporaryArray:
        """Both directions of all links, those of bucket i from ``starts[i]`` on, within a bucket in their order."""
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
    buckets: TemporaryArray, ends: Int64Array, borders: Int64Array, counts: Int64Array
) -> tuple[sparse.csr_array, int]:
    """The buckets as one matrix in compressed rows, and how many links had weights; ``counts`` is overwritten."""
    index = np.int32 if max(ends[-1], counts.size) < 2**31 else np.int64
    indices, weights = TemporaryArray(index), 0
    for which in range(borders.size - 1):
        keys = buckets.read(int(ends[which]), int(ends[which + 1]))
        keys.sort()
        last = np.append(keys[1:] >> 1 != keys[:-1] >> 1, True)  # of equal links, the one with the weight bit, if any
        rows, columns, weighted = _unpacked(keys[last[: keys.size]])
        weights += int(np.count_nonzero(weighted & (rows < columns)))
        first, stop = borders[which], borders[which + 1]
        counts[first:stop] = np.bincount(rows - first, minlength=stop - first)
        indices.append(columns)
    return _compressed_rows(indices.mapped(), counts, OnDisk()), weights


def _bucket_size(memory: MemoryBound, entries: int) -> int:
    """The most entries of a bucket: half of the memory left, but no less than a batch, and not too many buckets."""
    return max(_LINKS, memory.left // 2 // _SORTING, entries // _MOST_BUCKETS)


def _borders(entries: Int64Array, most: int) -> Int64Array:
    """The first rows of buckets with at most ``most`` entries each; a single row may exceed that."""
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


def _unpacked(keys: Int64Array) -> tuple[_Int32Array, _Int32Array, BoolArray]:
    return (keys >> 32).astype(np.int32), (keys >> 1 & (2**31 - 1)).astype(np.int32), keys & 1 != 0


def _ranked(keys: Int64Array, rank: _Int32Array) -> tuple[_Int32Array, _Int32Array, BoolArray]:
    rows, columns, weighted = _unpacked(keys)
    return rank[rows], rank[columns], weighted

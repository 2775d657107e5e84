"""A graph from more links than memory holds: they are sorted in parts, on disk, and stay there.

A link is one whole number, so that it can be sorted: its row in the upper 32 bits, its column in the next 31, and in
the last one whether it had a weight. Written are the links as they come, then, with both directions, in buckets of rows
that fit into memory. Each bucket is sorted, repetitions fall out, and what is left goes to the file that is mapped.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from philia._types import BoolArray, Int64Array
from philia.graphs.graph import Changes, Graph
from philia.graphs.mapped import OnDisk, TemporaryArray, compressed_rows
from philia.graphs.memory import MemoryBound
from philia.graphs.nodes import Nodes

_PIECE = 1 << 18
"""How many links are worked on at a time; that takes some 40 MB."""

_SORTING = 24
"""Bytes for each entry of a bucket while it is sorted and sifted."""

_MOST_BUCKETS = 1 << 14

Int32Array = npt.NDArray[np.int32]


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
        for keys in self._keys.pieces(_PIECE):
            part = slice(done, done + keys.size)
            rows[part], columns[part], weighted[part] = _unpacked(keys)
            done += keys.size
        return rows, columns, weighted

    def graph(self, nodes: Nodes, rank: Int32Array, memory: MemoryBound) -> Graph:
        """The same as :meth:`Graph.from_rows`, its adjacency on disk; ``rank`` has the row for each number."""
        n = len(nodes)
        memory.require(40 * n + 160 * _PIECE, f"sorting the links of {n:,} nodes")
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
        for keys in self._keys.pieces(_PIECE):
            rows, columns, _ = _ranked(keys, rank)
            other = rows != columns
            loops += int(keys.size - np.count_nonzero(other))
            np.add.at(entries, rows[other], 1)
            np.add.at(entries, columns[other], 1)
        return entries, loops

    def _sorted_into(self, starts: Int64Array, firsts: Int64Array, rank: Int32Array) -> TemporaryArray:
        """Both directions of all links, those of bucket i from ``starts[i]`` on, within a bucket as they came."""
        buckets, written = TemporaryArray(np.int64), starts.copy()
        for keys in self._keys.pieces(_PIECE):
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
    return max(_PIECE, memory.left // 2 // _SORTING, entries // _MOST_BUCKETS)


def _borders(entries: Int64Array, most: int) -> Int64Array:
    """The first rows of buckets with at most so many entries, but for single rows that have more."""
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

"""The interface of kernels: the lanes and omitted pairs they are given, the sums they return, and the choice of one.

The square of all pairs is divided into tiles, and the tiles into lanes: the pieces of one evaluation, which can run
anywhere and in any order with the same result. The division depends only on the problem, each lane sums in a fixed
order, and the sums of the lanes are added in a fixed order, so the number of threads changes no bit of the result.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from scipy import sparse

from philia._types import BoolArray, Float64Array, FloatArray, Int64Array, UInt32Array
from philia.graphs.graph import Graph
from philia.graphs.hashing import mixed
from philia.objective.losses import Loss
from philia.pairs import HeldOut, RandomPairs

LANES = 16
"""The most lanes: enough to share out evenly among the cores of a workstation."""

_LANE = 40_000
"""The least pairs in a lane: with fewer, handing lanes to threads would take longer than they do."""

_LINK = 8
"""A link takes as long as this many pairs in a tile."""

_STEP = 32
"""Tiles begin at multiples of this, so that their rows are whole vectors in any precision."""


class Room:
    """Memory for the gradients of lanes, which evaluations use again and again.

    New memory has to be mapped page by page, and threads that do that at the same time wait for each other: it takes
    longer than the sums.

    >>> room = Room()
    >>> gradient = room.zeros((2, 3), np.dtype("float64"))
    >>> room.free(gradient)
    >>> room.zeros((2, 3), np.dtype("float64")) is gradient
    True
    """

    def __init__(self) -> None:
        # Threads may take and return at the same time; sums from other processes return what was not taken.
        self._free = defaultdict[Any, deque[FloatArray]](lambda: deque(maxlen=LANES))

    def zeros(self, shape: tuple[int, int], dtype: np.dtype[Any]) -> FloatArray:
        """A matrix of zeros."""
        try:
            matrix = self._free[shape, dtype].pop()
        except IndexError:
            return np.zeros(shape, dtype)
        matrix.fill(0)
        return matrix

    def free(self, *matrices: FloatArray) -> None:
        """Let the memory of matrices that nobody needs any more be used again."""
        for matrix in matrices:
            if matrix.flags.writeable and (matrix.shape, matrix.dtype) in self._free:
                self._free[matrix.shape, matrix.dtype].append(matrix)

    def __reduce__(self) -> tuple[type[Room], tuple[()]]:
        return Room, ()


@dataclass(frozen=True, eq=False)
class Lane:
    """Tiles (first row, end row, first column, end column, weight) and a run of link rows [first, end)."""

    tiles: Int64Array
    link_rows: tuple[int, int]
    room: Room = field(default_factory=Room, repr=False)


def cut(n: int, links: sparse.csr_array, *, symmetric: bool, tile: int) -> list[Lane]:
    """Lanes of about equal work that together cover every pair once: those of links, then those of tiles.

    If scores are symmetric, tiles below the diagonal are left out and those above it count twice. Little work is one
    lane for both.

    >>> nothing = sparse.csr_array((300, 300))
    >>> [lane.tiles.tolist() for lane in cut(300, nothing, symmetric=True, tile=480)]
    [[[0, 160, 0, 160, 1], [0, 160, 160, 300, 2], [160, 300, 160, 300, 1]]]
    """
    tiles = np.array([*(_triangle(0, n, tile) if symmetric else _rectangle((0, n), (0, n), 1, tile))]).reshape(-1, 5)
    areas = (tiles[:, 1] - tiles[:, 0]) * (tiles[:, 3] - tiles[:, 2])
    pairs, of_links, room = int(areas.sum()), _LINK * links.nnz, Room()
    if pairs < 2 * _LANE:
        return [Lane(tiles, (0, n), room)]
    count = min(max(1, round(LANES * of_links / (pairs + of_links))), LANES - 1)
    cuts = equal_cuts(areas, min(LANES - count, pairs // _LANE))
    of_tiles = [Lane(tiles[first:end], (n, n), room) for first, end in pairwise(cuts.tolist())]
    return cut_links(links, count, room) + of_tiles


def cut_links(links: sparse.csr_array, count: int = LANES, room: Room | None = None) -> list[Lane]:
    """Lanes without tiles, of about equally many links.

    >>> [lane.link_rows for lane in cut_links(sparse.csr_array(np.eye(4)), 2)]
    [(0, 2), (2, 4)]
    """
    cuts, room = equal_cuts(np.diff(links.indptr).astype(np.int64), count), room or Room()
    return [Lane(np.empty((0, 5), np.int64), (first, end), room) for first, end in pairwise(cuts.tolist())]


def _triangle(first: int, end: int, tile: int) -> Iterator[tuple[int, int, int, int, int]]:
    """Tiles of the pairs of some nodes. Halves are divided again, so consecutive tiles have few rows and columns.

    Both triangles of a tile on the diagonal are computed, so it should be small.
    """
    if end - first <= max(1, tile // 3):
        yield first, end, first, end, 1
        return
    middle = _middle(first, end)
    yield from _triangle(first, middle, tile)
    yield from _rectangle((first, middle), (middle, end), 2, tile)
    yield from _triangle(middle, end, tile)


def _rectangle(
    rows: tuple[int, int], columns: tuple[int, int], weight: int, tile: int
) -> Iterator[tuple[int, int, int, int, int]]:
    """Tiles of the pairs of rows and columns."""
    (top, bottom), (first, end) = rows, columns
    if max(bottom - top, end - first) <= tile:
        yield top, bottom, first, end, weight
    elif bottom - top >= end - first:
        middle = _middle(top, bottom)
        yield from _rectangle((top, middle), columns, weight, tile)
        yield from _rectangle((middle, bottom), columns, weight, tile)
    else:
        middle = _middle(first, end)
        yield from _rectangle(rows, (first, middle), weight, tile)
        yield from _rectangle(rows, (middle, end), weight, tile)


def _middle(first: int, end: int) -> int:
    half = (end - first) // 2
    return first + (half + _STEP // 2) // _STEP * _STEP if half >= _STEP else first + half


def equal_cuts(work: Int64Array, count: int) -> Int64Array:
    """Boundaries that divide items with these amounts of work into ``count`` runs of about equal work.

    >>> equal_cuts(np.array([4, 1, 1, 1, 1]), 2)
    array([0, 1, 5])
    """
    done = np.concatenate([[0], np.cumsum(work)])
    cuts = np.searchsorted(done, np.linspace(0, done[-1], count + 1)[1:-1])
    return np.concatenate([[0], cuts, [work.size]]).astype(np.int64)


@dataclass(frozen=True, eq=False)
class Omitted:
    """Omitted pairs: optionally the diagonal, pairs whose hash is below a threshold, and pairs in compressed rows.

    Inside its tile an omitted pair gets the loss's neutral score, where cost and slope are zero, so nothing has to be
    subtracted afterwards.
    """

    diagonal: bool
    keys: UInt32Array
    threshold: np.uint32
    indptr: Int64Array
    indices: Int64Array

    @classmethod
    def of(cls, held_out: HeldOut | None, *, diagonal: bool, n: int) -> Omitted:
        """The omitted pairs of a graph of n nodes."""
        held_out = held_out or RandomPairs(0.0)
        return cls(diagonal, *held_out.hashed(n), *held_out.listed(n))

    def __bool__(self) -> bool:
        return bool(self.diagonal or self.threshold or self.indices.size)

    def mask(self, top: int, bottom: int, first: int, end: int) -> BoolArray:
        """True at the omitted pairs of the tile of rows [top, bottom) and columns [first, end)."""
        rows, columns = np.arange(top, bottom)[:, None], np.arange(first, end)[None, :]
        same = rows == columns
        mask = same & self.diagonal
        if self.threshold:
            mask |= (mixed(self.keys[rows] ^ self.keys[columns]) < self.threshold) & ~same
        if self.indices.size:
            starts = self.indptr[top : bottom + 1]
            own, listed = np.repeat(rows[:, 0], np.diff(starts)), self.indices[starts[0] : starts[-1]]
            inside = (listed >= first) & (listed < end)
            mask[own[inside] - top, listed[inside] - first] = True
        return np.asarray(mask)


SMALL = 512
"""Largest graph for which NumPy is fast enough, so that nobody has to wait for the compiler."""


@dataclass(frozen=True, eq=False)
class LaneSums:
    """A lane's contribution to the value and to the gradients by both sides, from a row of each side on."""

    value: float
    top: int
    left: FloatArray
    first: int
    right: FloatArray


@dataclass(frozen=True, eq=False)
class DrawnColumns:
    """Sampled nodes, how many nodes each of them represents, and their rows of F."""

    nodes: Int64Array
    weights: Float64Array
    factors: FloatArray


@dataclass(frozen=True, eq=False)
class RowSums:
    """The contribution of some rows to the value, and its gradient by their left side."""

    value: float
    left: FloatArray


class Kernel(Protocol):
    """Computes sums over pairs; the only part that knows the device."""

    def lane_sums(
        self,
        left: FloatArray,
        right: FloatArray,
        lane: Lane,
        links: sparse.csr_array,
        link_weight: int,
        loss: Loss,
        omitted: Omitted,
    ) -> LaneSums:
        """For scores = left · rightᵀ: the cost of the lane's tiles without links, plus what its links add."""
        ...

    def row_sums(
        self,
        left: FloatArray,
        top: int,
        drawn: DrawnColumns,
        F: FloatArray,
        graph: Graph,
        loss: Loss,
        omitted: Omitted,
    ) -> RowSums:
        """For scores = left · Fᵀ, where ``left`` starts at row ``top``: sampled pairs, and all links of these rows.

        A pair with a sampled column is charged as a non-link, times the column's weight. A link of weight w is charged
        w times as a link, minus the one non-link that the sample already accounts for.
        """
        ...


def kernel_for_all_pairs(n: int, loss: Loss, dtype: npt.DTypeLike) -> Kernel:
    """NumPy for small graphs, compiled code for others; it depends only on n, so that results are reproducible."""
    if n <= SMALL:
        from philia.objective.kernels import reference

        return reference
    from philia.objective.kernels import compiled

    compiled.prepare_lanes(type(loss), np.dtype(dtype).name)
    return compiled


def kernel_for_sampled_pairs(loss: Loss, dtype: npt.DTypeLike) -> Kernel:
    """Compiled code: graphs that are sampled are large."""
    from philia.objective.kernels import compiled

    compiled.prepare_rows(type(loss), np.dtype(dtype).name)
    return compiled

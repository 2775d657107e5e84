"""The interface of kernels: the lanes and omitted pairs they are given, the sums they return, and the choice of one.

The square of all pairs is divided into tiles, and the tiles into lanes: the pieces of one evaluation, which can run
anywhere and in any order with the same result. The division depends only on the problem, each lane sums in a fixed
order, and the sums of the lanes are added in a fixed order, so the number of threads changes no bit of the result.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

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


@dataclass(frozen=True, eq=False)
class Lane:
    """Tiles (first row, end row, first column, end column, weight) and a run of link rows [first, end)."""

    tiles: Int64Array
    link_rows: tuple[int, int]


def cut(n: int, links: sparse.csr_array, *, symmetric: bool, tile: int) -> list[Lane]:
    """Lanes of about equal work that together cover every pair once.

    If scores are symmetric, tiles below the diagonal are left out and those above it count twice.

    >>> nothing = sparse.csr_array((300, 300))
    >>> [lane.tiles.tolist() for lane in cut(300, nothing, symmetric=True, tile=200)]
    [[[0, 200, 0, 200, 1], [0, 200, 200, 300, 2], [200, 300, 200, 300, 1]]]
    """
    tiles = _tiles(n, symmetric, tile)
    count = max(1, min(LANES, len(tiles) // 4))  # at least four tiles per lane, or lanes would differ too much in work
    areas = (tiles[:, 1] - tiles[:, 0]) * (tiles[:, 3] - tiles[:, 2])
    tile_cuts = equal_cuts(areas, count)
    row_cuts = equal_cuts(np.diff(links.indptr).astype(np.int64), count)
    return [
        Lane(tiles[tile_cuts[lane] : tile_cuts[lane + 1]], (int(row_cuts[lane]), int(row_cuts[lane + 1])))
        for lane in range(count)
    ]


def _tiles(n: int, symmetric: bool, tile: int) -> Int64Array:
    starts = np.arange(0, n, tile)
    ends = np.minimum(starts + tile, n)
    i, j = np.triu_indices(starts.size) if symmetric else np.divmod(np.arange(starts.size**2), max(1, starts.size))
    weights = np.where(i == j, 1, 2) if symmetric else np.ones(i.size)
    return np.stack([starts[i], ends[i], starts[j], ends[j], weights], axis=1).astype(np.int64)


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
    """A lane's contribution to the value and to the gradients by both sides; ``left`` starts at row ``top``."""

    value: float
    top: int
    left: FloatArray
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

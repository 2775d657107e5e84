"""Lanes: the pieces of one evaluation, which can run anywhere and in any order with the same result.

The square of all pairs is divided into tiles, and the tiles into lanes. The division depends only on the problem, each
lane sums in a fixed order, and the sums of the lanes are added in a fixed order, so the number of threads changes no
bit of the result.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from philia._types import Int64Array

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

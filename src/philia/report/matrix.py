"""The matrix of links next to the matrix of probabilities, in the same coarse cells."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.special import expit

from philia._types import Float64Array, Int64Array
from philia.execution import LocalThreads
from philia.factors import CommunityFactors
from philia.graphs import Graph
from philia.plots.matrices import binned_links, by_community

_CELLS = 150
"""Cells per side of the picture: enough to see blocks on a phone, for 2 × 22,500 numbers in the page."""

_NODES = 12_000
"""Up to this many nodes, all pairs are computed (a second); larger graphs are sampled evenly from all cells."""


@dataclass(frozen=True, eq=False)
class Cells:
    """The nodes in an order, cut into cells of about equal size: node ``order[t]`` is in cell t · side // n.

    >>> Cells(np.arange(5), side=2).starts.tolist()
    [0, 3, 5]
    """

    order: Int64Array
    side: int

    @property
    def starts(self) -> Int64Array:
        """Where in the order each cell begins, followed by the number of nodes."""
        n = len(self.order)
        return -(-np.arange(self.side + 1) * n // max(self.side, 1))

    def cell(self, position: int) -> int:
        """The cell of a position in the order."""
        return position * self.side // len(self.order)

    def some(self, most: int) -> list[Int64Array]:
        """The rows in each cell, or ``most`` evenly spaced ones if there are more."""
        found = []
        for first, end in pairwise(self.starts.tolist()):
            count = min(end - first, most)
            found.append(self.order[first + (2 * np.arange(count) + 1) * (end - first) // (2 * count)])
        return found


def matrix(
    graph: Graph,
    factors: CommunityFactors,
    read: CommunityFactors | None = None,
    cells: int = _CELLS,
    nodes: int = _NODES,
) -> dict[str, Any]:
    """The section of the payload: per cell the share of linked pairs and the mean probability; and the groups.

    Groups are named after the columns ``read``, which are all of them if not given.

    >>> from philia import as_graph
    >>> found = matrix(as_graph([(0, 1), (2, 3)]), CommunityFactors.attracting(np.ones((4, 1))))
    >>> found["cells"], found["groups"]
    (4, [['B1', 0, 3]])
    """
    n, groups = graph.n_nodes, factors if read is None else read
    cut = Cells(by_community(groups), min(n, cells))
    most = max(nodes // max(cut.side, 1), 2) if n > nodes else n
    return {
        "cells": cut.side,
        "observed": binned_links(graph, cut.order, cells).astype(np.float32),
        "expected": mean_probabilities(factors, cut, most).astype(np.float32),
        "nodes": n,
        "groups": _groups(groups, cut),
        "words": _words(n, cut.side, most),
    }


def mean_probabilities(factors: CommunityFactors, cells: Cells, most: int) -> Float64Array:
    """The mean probability of a link in each cell, from at most ``most`` nodes per side.

    A node has no link with itself: the diagonal counts as 0, as it does in the shares of linked pairs.

    >>> even = CommunityFactors.attracting(np.zeros((4, 1)))
    >>> mean_probabilities(even, Cells(np.arange(4), side=2), most=4).tolist()
    [[0.25, 0.5], [0.5, 0.25]]
    """
    chosen, sizes = cells.some(most), np.diff(cells.starts)
    starts = np.cumsum([0, *map(len, chosen)])
    together = np.concatenate([np.empty(0, np.int64), *chosen])
    left, right = (side[together].astype(np.float32) for side in factors.sides)

    def from_cell(c: int) -> Float64Array:
        """The means of row c of cells, from the diagonal on."""
        count = len(chosen[c])
        P = expit(left[starts[c] : starts[c + 1]] @ right[starts[c] :].T)
        P[np.arange(count), np.arange(count)] = 0.0
        means = np.add.reduceat(P.sum(axis=0, dtype=np.float64), starts[c:-1] - starts[c]) / np.diff(starts[c:]) / count
        means[0] *= count / max(count - 1, 1) * (1 - 1 / sizes[c])  # pairs of different nodes only
        return np.asarray(means)

    found = np.zeros((cells.side, cells.side))
    for c, means in enumerate(LocalThreads().map(from_cell, range(cells.side))):
        found[c, c:] = found[c:, c] = means
    return found


def _groups(factors: CommunityFactors, cells: Cells) -> list[list[Any]]:
    """Runs of nodes with the same strongest community: its name, and the run's first and last cell.

    Nodes are ordered by the communities that attract; by those that repel only if there are no others.

    >>> factors = CommunityFactors.attracting(np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 2.0]]))
    >>> _groups(factors, Cells(by_community(factors), side=3))
    [['B1', 0, 0], ['B2', 1, 2]]
    """
    k_B = factors.counts[0]
    names = factors.names[: k_B or None]
    if not names or not len(cells.order):
        return []
    strongest = (factors.homophilous if k_B else factors.heterophilous).argmax(axis=1)[cells.order]
    starts = np.flatnonzero(np.diff(strongest, prepend=-1))
    ends = np.append(starts[1:], len(strongest)) - 1
    return [
        [names[strongest[first]], cells.cell(int(first)), cells.cell(int(last))]
        for first, last in zip(starts, ends, strict=True)
    ]


def _words(n: int, side: int, most: int) -> str:
    if side == n:
        return "Each cell is one pair of nodes. Nodes with the same strongest community are next to each other."
    few, each = n // side, -(-n // side)
    nodes = f"{few:,}" if few == each else f"{few:,} or {each:,}"
    said = (
        f"{n:,} nodes are drawn in {side} × {side} cells, with {nodes} nodes per row and column. "
        "Nodes with the same strongest community are next to each other."
    )
    if most < -(-n // side):
        said += f" Links are counted exactly; the mean probability of a cell is estimated from {most} nodes per side."
    return said

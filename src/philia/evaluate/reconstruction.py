"""How well a model reconstructs the adjacency matrix, summed block by block."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

from philia._types import BoolArray, Float64Array, IntArray
from philia.exceptions import InvalidParameterError
from philia.graphs import Graph

_Block = Callable[[slice, slice], Float64Array]
"""The expected entries of A in a slice of rows and a slice of columns."""

CLIPS = tuple(10.0**-power for power in range(12, 0, -1))
"""The clips ε that the cross-entropy is tried with, the finest first: the finest is above all rounding errors."""

_SIDE = 1024
"""Rows and columns of a block of 8 MB."""

_ABOVE_ZERO, _BELOW_ONE = 2.0**-53, 1 - 2.0**-53
"""Between these, logarithms of p and 1 - p are finite; every clip is inside."""

_TOLERANCE = {"rtol": 1e-4, "atol": 1e-6}
"""Differences between (i, j) and (j, i) that may be rounding, also of models in single precision."""


@dataclass(frozen=True)
class Reconstruction:
    """The distance between a graph's adjacency matrix A and what a model expects of it.

    ``frobenius`` is the root of the summed squared errors, and ``relative`` the same divided by the root of the sum of
    A. ``normalized`` is the sum of squared errors divided by the sum of A, which is twice the number of links; it is
    the square of ``relative``. Without links these two are infinite, or 0 where nothing is wrong.

    ``cross_entropy`` is the sum of -log p over links and of -log(1 - p) over the rest, with p clipped to [ε, 1 - ε].
    Methods that do not fit probabilities give values outside of (0, 1), for which it would be infinite, and any single
    ε favors some methods. So every ε from 10⁻¹² to 10⁻¹ is tried and the smallest sum is kept: the most favorable
    choice, for all methods alike. ``clip`` is its ε, the finest if several give the same. Values inside [ε, 1 - ε] are
    not changed.

    ``wrong`` counts the pairs of different nodes with a wrong prediction: linked for a value of at least ½, else not.

    >>> print(Reconstruction(2.0, 0.5, 0.25, 10.5, 1e-12, wrong=3))
    relative error 0.500 · cross-entropy 10.5 (clipped at 1e-12) · 3 pairs wrong
    """

    frobenius: float
    relative: float
    normalized: float
    cross_entropy: float
    clip: float
    wrong: int

    def __str__(self) -> str:
        entropy = f"cross-entropy {self.cross_entropy:,.6g} (clipped at {self.clip:.0e})"
        return f"relative error {self.relative:.3f} · {entropy} · {self.wrong:,} pairs wrong"


def reconstruction(graph: Graph, block: _Block, *, diagonal: bool = True) -> Reconstruction:
    """How far the expected entries of the adjacency matrix are from the true ones, over all ordered pairs of nodes.

    ``block(rows, columns)`` gives the entries of two slices, such as a model's ``expected_block``. They must be
    symmetric; only blocks on and above the diagonal are computed. With ``diagonal`` a node with itself counts as not
    linked; otherwise it is left out. Memory stays at a few blocks.

    >>> from philia import as_graph
    >>> path = as_graph([(0, 1), (1, 2)])
    >>> halves = reconstruction(path, lambda rows, columns: np.full((3, 3), 0.5))
    >>> halves.frobenius, halves.normalized, halves.wrong
    (1.5, 0.5625, 1)
    """
    tally = _Tally()
    for rows, columns in _upper_blocks(graph.n_nodes):
        i, j = graph.adjacency[rows, columns].nonzero()
        expected = _expected(block, rows, columns)
        if rows == columns:
            _check_symmetric(expected)
            wrong = tally.add(expected, i, j, counts=None if diagonal else ~np.eye(len(expected), dtype=bool))
            tally.wrong += int(np.count_nonzero(np.triu(wrong, k=1)))
        else:
            tally.wrong += int(np.count_nonzero(tally.add(expected, i, j, weight=2)))
    return tally.result(graph)


@dataclass
class _Tally:
    """The sums so far; of the cross-entropy, one per clip."""

    squared: float = 0.0
    entropies: Float64Array = field(default_factory=lambda: np.zeros(len(CLIPS)))
    wrong: int = 0

    def add(
        self, E: Float64Array, i: IntArray, j: IntArray, *, weight: int = 1, counts: BoolArray | None = None
    ) -> BoolArray:
        """Add the expected entries E of a block with links (i, j), those that count, and return where E is wrong."""
        wrong = E >= 0.5
        wrong[i, j] = ~wrong[i, j]
        cost = -np.log1p(-np.minimum(E, _BELOW_ONE))
        cost[i, j] = -np.log(np.maximum(E[i, j], _ABOVE_ZERO))
        E[i, j] -= 1
        if counts is not None:
            E, cost = E[counts], cost[counts]
        self.squared += weight * float(np.vdot(E, E))
        for at, clip in enumerate(CLIPS):
            # Costs rise with the error, so clipping them is clipping probabilities, without another logarithm. Each
            # range is inside the one before, so costs that were clipped can be clipped again in place.
            np.clip(cost, -math.log1p(-clip), -math.log(clip), out=cost)
            self.entropies[at] += weight * cost.sum()
        return np.asarray(wrong)

    def result(self, graph: Graph) -> Reconstruction:
        if not math.isfinite(self.squared):
            raise InvalidParameterError("some expected entries are not finite; check the fitted factors")
        total = 2 * graph.n_links
        normalized = self.squared / total if total else math.inf if self.squared else 0.0
        best = int(np.argmin(self.entropies))
        return Reconstruction(
            frobenius=math.sqrt(self.squared),
            relative=math.sqrt(normalized),
            normalized=normalized,
            cross_entropy=float(self.entropies[best]),
            clip=CLIPS[best],
            wrong=self.wrong,
        )


def _upper_blocks(n: int) -> Iterator[tuple[slice, slice]]:
    cuts = [slice(top, min(top + _SIDE, n)) for top in range(0, n, _SIDE)]
    return ((rows, columns) for at, rows in enumerate(cuts) for columns in cuts[at:])


def _expected(block: _Block, rows: slice, columns: slice) -> Float64Array:
    """A copy of the block, which may be overwritten."""
    expected = np.array(block(rows, columns), dtype=np.float64)
    shape = rows.stop - rows.start, columns.stop - columns.start
    if expected.shape != shape:
        raise InvalidParameterError(
            f"the block of {shape[0]:,} × {shape[1]:,} pairs has the shape {expected.shape}; give one entry per pair"
        )
    return expected


def _check_symmetric(expected: Float64Array) -> None:
    if not np.allclose(expected, expected.T, equal_nan=True, **_TOLERANCE):
        raise InvalidParameterError(
            "the expected entries of (i, j) and (j, i) differ, but links have no direction; give the mean of the two"
        )

"""Pairs drawn with chances in proportion to their probabilities, without a look at most of the others.

A pair is linked with probability p if a Poisson count with mean -log(1 - p) is not zero. For the sigmoid that mean is
log(1 + e^score), at most e^score, and e^score is at most u_i v_j for the nodes i and j of two groups. So for two groups
a Poisson number of pairs is drawn whose mean is sum u · sum v, i in proportion to u and j to v, and each is kept with
the true mean divided by its bound (thinning). What is left has the counts that were asked for, exactly, however loose
the bounds are. For probabilities 1 - e^-score the mean is the score, a sum of products as it stands: one for each
column. All others are left to boxes of nodes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property

import numpy as np

from philia._types import Float64Array, Int64Array
from philia.execution.local import LocalThreads, one_blas_thread
from philia.factors import LowRankFactors
from philia.factors.boxes import Boxes, DrawnPairs
from philia.objective.losses import CrossEntropy, Loss, NoisyOr
from philia.objective.rates_groups import Groups
from philia.objective.rates_shares import Shares

_AT_ONCE = 2**14
_TILE = 1024
_DENSE = 8.0  # a pair that is drawn takes as long as so many that are walked through
_STRETCHES, _STRETCH = 16, 4096


class PairRates(ABC):
    """What draws pairs of nodes, each independently with chance share · p, where p is its probability of a link.

    >>> from philia.factors import CommunityFactors
    >>> certain = CommunityFactors.attracting(np.full((50, 1), 9.0))
    >>> rates = PairRates.of(certain, CrossEntropy())
    >>> sum(len(drawn.rows) for drawn in rates.draw(np.random.default_rng(0)))
    1225
    """

    def __init__(self, factors: LowRankFactors, loss: Loss) -> None:
        self._factors, self._loss = factors, loss

    @staticmethod
    def of(factors: LowRankFactors, loss: Loss) -> PairRates:
        """The way that suits the loss."""
        if isinstance(loss, CrossEntropy):
            return _GroupRates(factors, loss)
        return _ColumnRates(factors, loss) if isinstance(loss, NoisyOr) else _BoxRates(factors, loss)

    @abstractmethod
    def draw(self, rng: np.random.Generator, share: float = 1.0) -> Iterator[DrawnPairs]:
        """The pairs drawn, each once, with their scores and chances, in several parts."""


class _BoxRates(PairRates):
    """Pairs drawn by boxes: for probabilities that may be one, where no Poisson count is large enough."""

    def draw(self, rng: np.random.Generator, share: float = 1.0) -> Iterator[DrawnPairs]:
        for drawn in Boxes(self._factors).draw(self._loss.code, rng, share=share):
            chances = share * self._loss.probability(drawn.scores)
            kept = rng.random(len(chances)) * drawn.chances < chances
            yield replace(drawn, chances=chances).kept(kept)


class _ProductRates(PairRates):
    """Pairs drawn at rates that are products: the square of all pairs is cut into parts that know nothing of another.

    A pair is in one part only, and each part has its own generator, so the number of threads changes nothing.
    """

    @property
    @abstractmethod
    def _stretches(self) -> int:
        """Into how many stretches the nodes are cut; a part has the pairs of two of them."""

    @abstractmethod
    def _draw_part(self, a: int, b: int, rng: np.random.Generator, share: float) -> Iterator[DrawnPairs]:
        """The pairs of the a-th with the b-th stretch of nodes, some of them maybe twice."""

    def draw(self, rng: np.random.Generator, share: float = 1.0) -> Iterator[DrawnPairs]:
        first, second = np.triu_indices(self._stretches)
        parts = zip(first.tolist(), second.tolist(), rng.integers(2**63, size=len(first)).tolist(), strict=True)
        looked = 0
        for drawn in LocalThreads().map(lambda part: self._part(*part, share), parts):
            looked += drawn.looked
            yield replace(drawn, looked=looked)

    def _part(self, a: int, b: int, seed: int, share: float) -> DrawnPairs:
        parts = [_NOTHING, *self._draw_part(a, b, np.random.default_rng(seed), share)]
        drawn = replace(DrawnPairs.joined(parts), looked=sum(part.looked for part in parts))
        _, once = np.unique(drawn.rows * self._factors.n_nodes + drawn.columns, return_index=True)
        return drawn.kept(once)

    def _thinned(
        self, rows: Int64Array, columns: Int64Array, bounds: Float64Array, rng: np.random.Generator, share: float
    ) -> DrawnPairs:
        """Those of the pairs drawn at the rates share · bounds that are left at the rates they should have."""
        scores = self._factors.scores(rows, columns)
        chances = share * self._loss.probability(scores)
        with np.errstate(divide="ignore"):  # what is certain has no finite rate, and is kept
            kept = rng.random(len(scores)) * (share * bounds) < -np.log1p(-chances)
        low, high = np.minimum(rows, columns), np.maximum(rows, columns)
        return DrawnPairs(low, high, scores, chances, looked=len(rows)).kept(kept)

    def _walked(
        self, rows: Int64Array, columns: Int64Array, rng: np.random.Generator, share: float
    ) -> Iterator[DrawnPairs]:
        """The same from all pairs of rows with columns, one by one; of the rows with themselves, each pair once."""
        for r in range(0, len(rows), _TILE):
            for c in range(r if rows is columns else 0, len(columns), _TILE):
                some, others = rows[r : r + _TILE], columns[c : c + _TILE]
                scores = self._factors.score_block(some, others)
                chances = share * self._loss.probability(scores)
                kept = rng.random(chances.shape) < chances
                if rows is columns and r == c:
                    kept = np.triu(kept, k=1)
                i, j = np.nonzero(kept)
                low, high = np.minimum(some[i], others[j]), np.maximum(some[i], others[j])
                yield DrawnPairs(low, high, scores[kept], chances[kept], looked=kept.size)


class _GroupRates(_ProductRates):
    """For the sigmoid: e^score is at most u_i v_j for the nodes of two groups."""

    @cached_property
    def _groups(self) -> Groups:
        with one_blas_thread():
            return Groups.of(*self._factors.sides, np.random.default_rng(0))

    @property
    def _stretches(self) -> int:
        return self._groups.stretches

    def _draw_part(self, a: int, b: int, rng: np.random.Generator, share: float) -> Iterator[DrawnPairs]:
        (left, right), g, h = self._factors.sides, self._groups.stretch(a), self._groups.stretch(b)
        u = Shares(g.weights(left, g.left, h.right), g.starts)
        v = Shares(h.weights(right, h.right, g.left), h.starts)
        rates, pairs = u.totals.T * v.totals, np.outer([*map(len, g.members)], [*map(len, h.members)])
        dense = (share * rates * _DENSE > pairs) | u.too_large.T | v.too_large
        counted = np.triu(np.ones_like(dense)) if a == b else np.ones_like(dense)
        for s, t in zip(*np.nonzero(dense & counted), strict=True):
            rows = g.members[s]
            yield from self._walked(rows, rows if a == b and s == t else h.members[t], rng, share)
        for cells in _cells(rng.poisson(np.where(counted & ~dense, share * rates, 0.0)).ravel()):
            s, t = np.divmod(cells, len(h.starts))
            # In order on one side only: that is found faster, and the pairs are as random as before.
            in_order = np.sort(cells + rng.random(len(cells))) - cells
            i, j = u.pick(t, s, rng.random(len(cells))), v.pick(s, t, in_order)
            bounds = u.weights.ravel()[i] * v.weights.ravel()[j]
            rows, columns = g.nodes[i % len(g.nodes)], h.nodes[j % len(h.nodes)]
            once = (rows < columns) | (s != t) if a == b else np.ones(len(cells), bool)
            yield self._thinned(rows[once], columns[once], bounds[once], rng, share)


class _ColumnRates(_ProductRates):
    """For 1 - e^-score: the score is at most the sum of its positive terms, one product a column."""

    @property
    def _stretches(self) -> int:
        return min(max(self._factors.n_nodes // _STRETCH, 1), _STRETCHES)

    def _draw_part(self, a: int, b: int, rng: np.random.Generator, share: float) -> Iterator[DrawnPairs]:
        nodes = np.array_split(np.arange(self._factors.n_nodes), self._stretches)
        left, right = self._factors.sides
        u, v = (
            Shares(_signs_apart(side[part]), np.zeros(1, np.int64))
            for side, part in ((left, nodes[a]), (right, nodes[b]))
        )
        rates = (u.totals * v.totals)[:, 0]
        if share * rates.sum() * _DENSE > len(nodes[a]) * len(nodes[b]):
            yield from self._walked(nodes[a], nodes[b], rng, share)
            return
        for cells in _cells(rng.poisson(share * rates)):
            i, j = (side.pick(cells, np.zeros_like(cells), rng.random(len(cells))) for side in (u, v))
            rows, columns = nodes[a][i % len(nodes[a])], nodes[b][j % len(nodes[b])]
            rows, columns = rows[rows < columns], columns[rows < columns]
            bounds = np.maximum(left[rows] * right[columns], 0).sum(axis=1)
            yield self._thinned(rows, columns, bounds, rng, share)


def _signs_apart(side: Float64Array) -> Float64Array:
    """The positive and the negative parts of the columns, each a row."""
    return np.vstack([np.maximum(side.T, 0), np.maximum(-side.T, 0)])


def _cells(counts: Int64Array) -> Iterator[Int64Array]:
    """The number of each cell as often as it is counted, some thousands at a time."""
    ends = np.cumsum(counts)
    for at in range(0, int(counts.sum()), _AT_ONCE):
        yield np.searchsorted(ends, np.arange(at, min(at + _AT_ONCE, int(ends[-1]))), side="right")


_NOTHING = DrawnPairs(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0), np.empty(0), looked=0)

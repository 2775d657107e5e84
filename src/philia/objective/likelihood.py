"""The likelihood of a graph under a fitted model: over all pairs, or from all links and a sample of the others."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Self

import numpy as np

from philia._types import Float64Array, FloatArray, Int64Array
from philia.factors import LowRankFactors
from philia.factors.boxes import DrawnPairs
from philia.graphs.graph import Graph
from philia.objective.losses import Loss
from philia.objective.rates import PairRates
from philia.objective.recipe import Recipe
from philia.pairs import HeldOut, PairSample

_ROWS, _COLUMNS = 1024, 4096
"""A block of scores takes 32 MB."""

_CHUNK = 65536
"""Pairs of a sample scored together: two rows of F for each, 50 MB with 100 columns in single precision."""

PAIRS = 2**20
"""Default number of pairs to draw: the standard error is then about a thousandth of the spread."""

_MOST_DRAWN = 2**26
"""The most pairs to draw in order to find enough held-out ones among them."""

_AT_ONCE = 2**20
"""Pairs drawn together: 16 MB of rows and columns."""

NORMAL_95 = 1.959963984540054
"""95 % of a normal distribution lies within this many standard deviations of its mean."""


def mean_log_likelihood(graph: Graph, score_block: Callable[[slice, slice], Float64Array], loss: Loss) -> float:
    """The mean log-probability of the observed links and non-links over all pairs of different nodes; 0 is perfect.

    >>> from philia import as_graph
    >>> from philia.objective import CrossEntropy
    >>> even = lambda rows, columns: np.zeros((2, 2))
    >>> round(mean_log_likelihood(as_graph([(0, 1)]), even, CrossEntropy()), 4)  # log ½
    -0.6931
    """
    n, total = graph.n_nodes, 0.0
    for rows, columns in _blocks_above(n):
        scores = score_block(rows, columns)
        above = np.arange(*rows.indices(n))[:, None] < np.arange(*columns.indices(n))
        total += float(np.where(above, loss.log_likelihood(scores, False), 0.0).sum())
        links = graph.adjacency[rows, columns].tocoo()
        once = above[links.row, links.col]
        linked = scores[links.row[once], links.col[once]]
        total += float((loss.log_likelihood(linked, True) - loss.log_likelihood(linked, False)).sum())
    return total / max(1, n * (n - 1) // 2)


def sample_loss(sample: PairSample, recipe: Recipe, F: FloatArray) -> float:
    """The weighted loss of a sample of pairs at F (n × k); minus a log-likelihood where the loss is one.

    >>> from philia import CommunityModel
    >>> recipe = CommunityModel(1, 0, background="none")._recipe()
    >>> sample = PairSample(np.array([0]), np.array([1]), np.array([True]), np.array([2.0]), n=2)
    >>> round(sample_loss(sample, recipe, np.zeros((2, 1))), 4)  # twice log 2
    1.3863
    """
    mixing, loss, total = recipe.mixing.astype(F.dtype), recipe.loss, 0.0
    for at in range(0, len(sample.rows), _CHUNK):
        part = slice(at, at + _CHUNK)
        scores = np.einsum("ij,ij->i", F[sample.rows[part]] @ mixing, F[sample.columns[part]]).astype(np.float64)
        linked, without = loss.with_link(scores)[0], loss.without_link(scores)[0]
        total += float(sample.weights[part] @ np.where(sample.linked[part], linked, without))
    return total


def _blocks_above(n: int) -> Iterator[tuple[slice, slice]]:
    """Blocks of rows and columns that together hold every pair above the diagonal, each once.

    >>> list(_blocks_above(3))
    [(slice(0, 3, None), slice(0, 3, None))]
    """
    for top in range(0, n, _ROWS):
        for first in range(top, n, _COLUMNS):
            yield slice(top, min(top + _ROWS, n)), slice(first, min(first + _COLUMNS, n))


def estimated_log_likelihood(
    graph: Graph, factors: LowRankFactors, loss: Loss, rng: np.random.Generator, pairs: int = PAIRS
) -> Estimate:
    """An unbiased estimate of the mean log-probability over all pairs of different nodes.

    Links count exactly. Other pairs are drawn more often the higher their probability, because they cost more, and each
    is weighted by one over its chance (Horvitz and Thompson). About ``pairs`` are drawn, or all if there are fewer.

    >>> from philia import as_graph
    >>> from philia.factors import CommunityFactors
    >>> from philia.objective import CrossEntropy
    >>> even = CommunityFactors.attracting(np.zeros((4, 1)))
    >>> print(estimated_log_likelihood(as_graph([(0, 1), (2, 3)]), even, CrossEntropy(), np.random.default_rng(0)))
    -0.69315 (exact)
    """
    n = graph.n_nodes
    every = max(1, n * (n - 1) // 2)
    drawn = draw_unlinked(graph, factors, loss, rng, pairs)
    costs = loss.log_likelihood(drawn.scores, False) / drawn.chances
    variance = float(np.sum(costs**2 * (1 - drawn.chances)))
    links = float(np.sum(loss.log_likelihood(factors.scores(*graph.links), True)))
    return Estimate.from_variance((links + float(np.sum(costs))) / every, variance / every**2)


def draw_unlinked(
    graph: Graph,
    factors: LowRankFactors,
    loss: Loss,
    rng: np.random.Generator,
    pairs: int,
    held_out: HeldOut | None = None,
) -> DrawnPairs:
    """About ``pairs`` non-links: half drawn uniformly from all pairs, half in proportion to their probability.

    Each pair comes with its chance of being drawn, by either half: floor + (1 - floor) · share · p. If there are fewer
    non-links, all of them are returned. With ``held_out``, only pairs that its hash holds out.

    >>> from philia import as_graph
    >>> from philia.factors import CommunityFactors
    >>> from philia.objective import CrossEntropy
    >>> even, rng = CommunityFactors.attracting(np.zeros((4, 1))), np.random.default_rng(0)
    >>> drawn = draw_unlinked(as_graph([(0, 1), (2, 3)]), even, CrossEntropy(), rng, pairs=100)
    >>> len(drawn.rows), drawn.chances.tolist()
    (4, [1.0, 1.0, 1.0, 1.0])
    """
    n = graph.n_nodes
    if held_out is not None:
        pairs = min(int(pairs / max(held_out.random_share, 1e-9)), max(pairs, _MOST_DRAWN))
    # A fitted model expects about as many links as the graph has.
    share, floor = min(pairs / (2 * max(1, graph.n_links)), 1.0), min(pairs / max(1, n * (n - 1)), 1.0)
    keys = [np.empty(0, np.int64)]
    for rows, columns in _likely_and_even(factors, loss, rng, share, floor):
        kept = np.ones(len(rows), bool) if held_out is None else held_out.contains(rows, columns)
        keys.append(rows[kept] * n + columns[kept])
    drawn = np.sort(np.concatenate(keys))
    rows, columns = np.divmod(drawn[np.diff(drawn, prepend=-1) > 0], n)
    unlinked = ~graph.linked(rows, columns)
    rows, columns = rows[unlinked], columns[unlinked]
    scores = factors.scores(rows, columns)
    chances = np.minimum(floor + (1 - floor) * share * loss.probability(scores), 1.0)
    return DrawnPairs(rows, columns, scores, chances, looked=len(rows))


def _likely_and_even(
    factors: LowRankFactors, loss: Loss, rng: np.random.Generator, share: float, floor: float
) -> Iterator[tuple[Int64Array, Int64Array]]:
    """Pairs drawn with chance share · p, and independently with chance ``floor``; some appear in both."""
    n = factors.n_nodes
    if floor == 1:
        yield np.triu_indices(n, k=1)
        return
    for drawn in PairRates.of(factors, loss).draw(rng, share):
        yield drawn.rows, drawn.columns
    # A Poisson count with mean -log(1 - floor) is at least one with probability floor.
    count = int(rng.poisson(-np.log1p(-floor) * n * (n - 1) / 2))
    for at in range(0, count, _AT_ONCE):
        rows = rng.integers(n, size=min(_AT_ONCE, count - at))
        others = (rows + rng.integers(1, n, size=len(rows))) % n
        yield np.minimum(rows, others), np.maximum(rows, others)


@dataclass(frozen=True)
class Estimate:
    """An estimated value with its 95 % interval; both ends equal the value if it is exact.

    >>> print(Estimate.from_variance(-0.5, 0.0001))
    -0.5 (95 %: -0.5196 to -0.4804)
    >>> print(Estimate.of_all(-0.5))
    -0.5 (exact)
    """

    value: float
    lower: float
    upper: float

    @classmethod
    def from_variance(cls, value: float, variance: float) -> Self:
        """An estimate whose error is approximately normal with this variance."""
        reach = NORMAL_95 * math.sqrt(variance)
        return cls(float(value), float(value - reach), float(value + reach))

    @classmethod
    def of_all(cls, value: float) -> Self:
        """An exact value, computed over all pairs."""
        return cls(float(value), float(value), float(value))

    @property
    def exact(self) -> bool:
        """Whether the value was computed rather than estimated."""
        return self.lower == self.upper

    def __str__(self) -> str:
        return f"{self.value:.5g} ({'exact' if self.exact else f'95 %: {self.lower:.4g} to {self.upper:.4g}'})"

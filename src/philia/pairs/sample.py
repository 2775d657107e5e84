"""A sample of pairs of nodes that stands for many more, by which a model is judged, and what is estimated from one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from philia._types import BoolArray, Float64Array, Int64Array
from philia.factors import Factors, row_products
from philia.graphs.graph import Graph
from philia.pairs.held_out import HeldOut, ListedPairs, seen

MOST_PAIRS = 300_000
"""Held-out pairs that are drawn at most to judge a trial: to score them with 48 columns takes about 0.15 s."""

_NON_LINKS = 4
"""Pairs without a link drawn per link: more, because their weights differ while those of links do not."""

_RATE_DRAWS = 1_000_000
"""Pairs drawn to estimate which share of all pairs is hidden: a share of a tenth is right to about 0.3 %."""


@dataclass(frozen=True, eq=False)
class PairSample:
    """Pairs of rows of a graph of ``n`` nodes, whether each is linked, and how many pairs of the graph it stands for.

    ``offsets`` are the parts of the pairs' scores that are known beforehand. Weighted sums over the sample estimate
    sums over all pairs it was drawn from.

    >>> sample = PairSample(np.array([0, 0]), np.array([1, 2]), np.array([True, False]), np.array([1.0, 2.0]), n=3)
    >>> sample.n_links, float(sample.log_likelihoods(np.zeros(2)).sum().round(3))  # three times log ½
    (1, -2.079)
    """

    rows: Int64Array
    columns: Int64Array
    linked: BoolArray
    weights: Float64Array
    n: int
    offsets: Float64Array | float = 0.0

    @classmethod
    def of_links(
        cls, n: int, links: tuple[Int64Array, Int64Array], others: tuple[Int64Array, Int64Array], weights: Float64Array
    ) -> PairSample:
        """Links, then other pairs; ``weights`` in this order.

        >>> one = np.array([0]), np.array([1])
        >>> PairSample.of_links(3, one, (np.array([0]), np.array([2])), np.array([1.0, 2.0])).linked
        array([ True, False])
        """
        linked = np.arange(len(links[0]) + len(others[0])) < len(links[0])
        return cls(np.concatenate([links[0], others[0]]), np.concatenate([links[1], others[1]]), linked, weights, n)

    @classmethod
    def every(cls, graph: Graph, held_out: HeldOut) -> PairSample:
        """All held-out pairs, each standing for itself."""
        rows, columns = held_out.pairs(graph.n_nodes)
        return cls(rows, columns, graph.linked(rows, columns), np.ones(len(rows)), graph.n_nodes)

    @classmethod
    def held_out(cls, graph: Graph, hidden: HeldOut, unknown: HeldOut | None, rng: np.random.Generator) -> PairSample:
        """The pairs in ``hidden``, without those in ``unknown``: all links, and the other pairs or a uniform sample.

        >>> from philia import as_graph
        >>> from philia.pairs import RandomPairs
        >>> graph = as_graph([(i, j) for i in range(20) for j in range(i)])
        >>> sample = PairSample.held_out(graph, RandomPairs(0.3, seed=1), None, np.random.default_rng(0))
        >>> bool(sample.linked.all())
        True
        """
        n = graph.n_nodes
        links = _without(hidden, unknown, *graph.links)
        drawn = hidden.sample(n, MOST_PAIRS, rng)
        others = _without(None, unknown, *drawn)
        free = ~graph.linked(*others)
        others = others[0][free], others[1][free]
        stands_for = 1.0
        if len(drawn[0]) == MOST_PAIRS:  # a sample: their number follows from the share of all pairs that is hidden
            some = np.sort(rng.integers(n, size=(2, _RATE_DRAWS)), axis=0)
            some = some[:, some[0] != some[1]]
            rate = len(_without(hidden, unknown, *some)[0]) / some.shape[1]
            stands_for = max(1.0, (rate * n * (n - 1) / 2 - len(links[0])) / len(others[0]))
        return cls.of_links(n, links, others, np.repeat([1.0, stands_for], [len(links[0]), len(others[0])]))

    @classmethod
    def draw(cls, graph: Graph, held_out: HeldOut | None, count: int, rng: np.random.Generator) -> PairSample:
        """At most ``count`` links, and other pairs, none of which is held out already; they stand for the whole graph.

        Links are drawn uniformly, among those whose nodes have others. Other pairs are drawn by ``drawing_chances``,
        popular nodes more often, because the likeliest of them matter most.

        >>> from philia.datasets import planted
        >>> graph = planted(400, 4, 2, degree=15, random_state=0).graph
        >>> sample = PairSample.draw(graph, None, 100, np.random.default_rng(0))
        >>> bool(graph.linked(sample.rows, sample.columns)[sample.linked].all()), sample.n_links
        (True, 100)
        """
        known = seen(graph, held_out)
        links = some_links(known, count, rng)
        others, stand_for = _non_links(graph, known, held_out, _NON_LINKS * count, rng)
        weights = np.full(links.shape[1], known.n_links / max(1, links.shape[1]))
        return cls.of_links(
            graph.n_nodes, (links[0], links[1]), (others[0], others[1]), np.concatenate([weights, stand_for])
        )

    @classmethod
    def joined(cls, samples: Sequence[PairSample]) -> PairSample:
        """The pairs of several samples of one graph, one after the other.

        >>> one = PairSample(np.array([0]), np.array([1]), np.array([True]), np.array([2.0]), n=3)
        >>> PairSample.joined([one, one]).weights
        array([2., 2.])
        """
        parts = ((s.rows, s.columns, s.linked, s.weights, np.broadcast_to(s.offsets, s.rows.shape)) for s in samples)
        rows, columns, linked, weights, offsets = map(np.concatenate, zip(*parts, strict=True))
        return cls(rows, columns, linked, weights, samples[0].n, offsets)

    @property
    def n_links(self) -> int:
        """The number of links in the sample."""
        return int(self.linked.sum())

    @property
    def spread(self) -> Float64Array:
        """The variance of each weight: of 1/p with probability p, and otherwise 0."""
        return self.weights**2 - self.weights

    def held_out_with(self, held_out: HeldOut | None, graph: Graph) -> HeldOut:
        """These pairs held out, together with those that are held out anyway."""
        own = ListedPairs.of_rows(graph, self.rows, self.columns)
        return own if held_out is None else own.union(held_out, graph)

    def subsample(self, count: int, rng: np.random.Generator) -> PairSample:
        """At most ``count`` of the pairs, half of them links, that stand for all."""
        if len(self.rows) <= count:
            return self
        links, others = np.flatnonzero(self.linked), np.flatnonzero(~self.linked)
        drawn = [rng.choice(kind, min(len(kind), count // 2), replace=False) for kind in (links, others)]
        stands_for = [len(kind) / max(1, len(part)) for kind, part in zip((links, others), drawn, strict=True)]
        at = np.concatenate(drawn)
        weights = self.weights[at] * np.repeat(stands_for, [len(part) for part in drawn])
        offsets = self.offsets if isinstance(self.offsets, float) else self.offsets[at]
        return PairSample(self.rows[at], self.columns[at], self.linked[at], weights, self.n, offsets)

    def log_likelihoods(self, scores: Float64Array) -> Float64Array:
        """The log-likelihood of each pair if its score, with its offset, is a logit; times the pair's weight."""
        scores = scores + self.offsets
        return np.asarray(self.weights * (scores * self.linked - np.logaddexp(0, scores)))

    def of_factors(self, factors: Factors) -> Float64Array:
        """The log-likelihood of each pair under these factors, times the pair's weight."""
        return self.log_likelihoods(factors.scores(self.rows, self.columns))

    def variance(self, differences: Float64Array) -> float:
        """The variance of a sum of differences, one per pair, where pairs that share a node are correlated.

        It is summed over all pairs of pairs with a common node (Aronow, Samii and Assenova, "Cluster-robust variance
        estimation for dyadic data", 2015), and is never below that of independent pairs.
        """
        own = float((differences**2).sum())
        centred = differences - differences.mean() if len(differences) else differences
        by_node = np.bincount(self.rows, centred, self.n) + np.bincount(self.columns, centred, self.n)
        return max(own, float((by_node**2).sum()) - float((centred**2).sum()))


def drawing_chances(graph: Graph) -> Float64Array:
    """The probability with which each node is drawn: half by its degree, half uniformly.

    >>> from philia import as_graph
    >>> drawing_chances(as_graph([(0, 1), (1, 2)])).round(3).tolist()
    [0.292, 0.417, 0.292]
    """
    evenly = np.full(graph.n_nodes, 1 / max(1, graph.n_nodes))
    return evenly if graph.n_links == 0 else (graph.degrees / graph.degrees.sum() + evenly) / 2


def _without(
    inside: HeldOut | None, outside: HeldOut | None, rows: Int64Array, columns: Int64Array
) -> tuple[Int64Array, Int64Array]:
    """The pairs that are in the first and not in the second."""
    kept = np.ones(len(rows), bool) if inside is None else inside.contains(rows, columns)
    if outside is not None:
        kept &= ~outside.contains(rows, columns)
    return rows[kept], columns[kept]


def some_links(graph: Graph, count: int, rng: np.random.Generator) -> Int64Array:
    """At most ``count`` links, in the order of their rows, without a list of all."""
    # Each link is stored twice, and some are dropped because a node would be left without any.
    entries = rng.choice(graph.adjacency.nnz, min(graph.adjacency.nnz, 3 * count), replace=False)
    rows = np.searchsorted(graph.adjacency.indptr, entries, side="right") - 1
    links = np.stack([rows, graph.adjacency.indices[entries].astype(np.int64)])
    links = links[:, (links[0] < links[1]) & (graph.degrees[links] > 1).all(axis=0)][:, :count]
    return links[:, np.lexsort(links[::-1])]


def _non_links(
    graph: Graph, known: Graph, held_out: HeldOut | None, count: int, rng: np.random.Generator
) -> tuple[Int64Array, Float64Array]:
    """About ``count`` pairs without a link, and how many pairs each of them stands for."""
    chances = drawing_chances(known)
    pairs = _by_weight(chances, 2 * count, rng).reshape(2, -1)
    keep = (pairs[0] != pairs[1]) & ~graph.linked(*pairs)
    if held_out is not None:
        keep &= ~held_out.contains(*pairs)
    pairs = pairs[:, keep]
    return pairs, 1 / (2 * count * chances[pairs].prod(axis=0))


def near_and_far(
    graph: Graph, known: Graph, count: int, rng: np.random.Generator
) -> tuple[Int64Array, Int64Array, Float64Array]:
    """About ``count`` different pairs without a link in ``graph``, and the chance with which each was drawn.

    Half are drawn uniformly, a quarter by the degrees of both nodes in the ``known`` part of the graph, and a quarter
    among pairs with a common neighbour there, which are few but likelier than others to be linked. This takes the same
    time whatever a model makes of the pairs.

    >>> from philia.datasets import classic
    >>> graph = classic("karate")
    >>> rows, columns, chances = near_and_far(graph, graph, 300, np.random.default_rng(0))
    >>> bool(graph.linked(rows, columns).any()), bool((rows < columns).all()), bool(chances.max() <= 1)
    (False, True, True)
    """
    n, quarter = graph.n_nodes, count / 4
    degrees, wedges = known.degrees.astype(np.float64), known.degrees.astype(np.float64) ** 2
    ways = [rng.integers(n, size=(2, rng.poisson(2 * quarter)))]
    if known.n_links:
        ways.append(_by_weight(degrees, 2 * rng.poisson(quarter), rng).reshape(2, -1))
        middles = _by_weight(wedges, rng.poisson(quarter), rng)
        ways.append(np.stack([_some_neighbours(known, middles, rng), _some_neighbours(known, middles, rng)]))
    drawn = np.sort(np.concatenate(ways, axis=1), axis=0)
    keys = np.sort((drawn[0] * n + drawn[1])[drawn[0] < drawn[1]])
    keys = keys[np.diff(keys, prepend=-1) > 0]  # np.unique takes several times as long
    rows, columns = np.divmod(keys, n)
    free = ~graph.linked(rows, columns)
    rows, columns = rows[free], columns[free]
    rates = np.full(len(rows), 4.0 / n**2)
    if known.n_links:
        rates += 2 * degrees[rows] * degrees[columns] / degrees.sum() ** 2
        rates += 2 * common_neighbours(known, rows, columns) / wedges.sum()
    # A pair that comes at a rate of r comes at least once with this chance.
    return rows, columns, -np.expm1(-quarter * rates)


def common_neighbours(graph: Graph, rows: Int64Array, columns: Int64Array) -> Float64Array:
    """The number of nodes that are linked with both nodes of each pair.

    >>> from philia import as_graph
    >>> path = as_graph([("ann", "bob"), ("bob", "cat")])
    >>> common_neighbours(path, np.array([0, 0]), np.array([1, 2])).tolist()
    [0.0, 1.0]
    """
    return row_products(graph.adjacency, rows, columns)


def _by_weight(weights: Float64Array, count: int, rng: np.random.Generator) -> Int64Array:
    up_to = np.cumsum(weights)
    return np.asarray(np.searchsorted(up_to, rng.random(count) * up_to[-1], side="right").clip(max=len(weights) - 1))


def _some_neighbours(graph: Graph, of: Int64Array, rng: np.random.Generator) -> Int64Array:
    starts = graph.adjacency.indptr
    at = starts[of] + (rng.random(len(of)) * graph.degrees[of]).astype(np.int64)
    return np.asarray(graph.adjacency.indices[at], np.int64)


NORMAL_95 = 1.959963984540054
"""The 97.5 % quantile of the normal distribution: this many standard errors to either side make 95 %."""


@dataclass(frozen=True)
class Estimate:
    """A value and the ends of its 95 % interval; both ends are the value itself if it is exact.

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
        """An exact value, over all pairs."""
        return cls(float(value), float(value), float(value))

    @classmethod
    def of_mean(cls, values: Float64Array, weights: Float64Array) -> Self:
        """The mean over all pairs that a sample stands for; their number is estimated as well.

        >>> print(Estimate.of_mean(np.array([0.0, 1.0]), np.array([1.0, 1.0])))
        0.5 (exact)
        """
        every = float(weights.sum())
        mean = float(weights @ values) / every
        return cls.from_variance(mean, float(np.sum((weights**2 - weights) * (values - mean) ** 2)) / every**2)

    @property
    def exact(self) -> bool:
        """Whether the value is exact."""
        return self.lower == self.upper

    def __str__(self) -> str:
        return f"{self.value:.5g} ({'exact' if self.exact else f'95 %: {self.lower:.4g} to {self.upper:.4g}'})"


def weighted_order(
    links: Float64Array, others: Float64Array, weights: Float64Array
) -> tuple[Estimate | None, Estimate | None]:
    """AUC and average precision from the scores of all links and of sampled other pairs with these weights.

    Both are smooth in the sums over the drawn pairs, so their variances follow from their slopes.

    >>> auc, precision = weighted_order(np.array([2.0, 0.0]), np.array([1.0]), np.array([4.0]))
    >>> auc.value, precision.value  # the other counts as four: links have precisions of 1 and of 2 in 6
    (0.5, 0.666...)
    """
    if not len(links) or not len(others):
        return None, None
    spread = weights**2 - weights  # the variance of a weight: 1/p with probability p, otherwise 0
    falling, place = np.unique(-np.concatenate([links, others]), return_inverse=True)
    at_links, at_others = place[: len(links)], place[len(links) :]
    linked = np.bincount(at_links, minlength=len(falling))
    above, before = np.cumsum(linked), np.cumsum(np.bincount(at_others, weights, minlength=len(falling)))
    beaten = ((above - linked / 2) / len(links))[at_others]
    auc = float(np.sum(weights * beaten) / np.sum(weights))
    auc_variance = float(np.sum(spread * (beaten - auc) ** 2) / np.sum(weights) ** 2)
    precision = above / np.where(above > 0, above + before, 1)
    slopes = np.cumsum((linked * precision / np.maximum(above + before, 1))[::-1])[::-1] / len(links)
    value, variance = float(np.sum(linked * precision) / len(links)), float(np.sum(spread * slopes[at_others] ** 2))
    return Estimate.from_variance(auc, auc_variance), Estimate.from_variance(value, variance)

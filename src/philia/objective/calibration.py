"""Calibration: predicted probabilities against observed rates of links, bin by bin."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from philia._types import BoolArray, Float64Array, Int64Array
from philia.factors import LowRankFactors
from philia.graphs.graph import Graph
from philia.objective.likelihood import NORMAL_95, PAIRS, draw_unlinked
from philia.objective.losses import Loss
from philia.pairs import HeldOut


@dataclass(frozen=True, eq=False)
class Calibration:
    """For bins of pairs by probability: the mean probability, the share of linked pairs, and the number of pairs.

    Bin b holds probabilities in [``edges[b]``, ``edges[b + 1]``); the last bin includes its upper edge. Every bin has
    about the same sum of probabilities, hence the same expected number of links: with bins of equal width nearly all
    pairs of a sparse graph would fall into the first, and with bins of equal size nearly all links into the last. Equal
    probabilities stay together, so there may be fewer bins than requested.

    If pairs were sampled, ``counts`` estimates the number of pairs in the graph, and ``trials`` is the effective sample
    size: the number of pairs which, if all were observed, would determine the observed share equally well. Otherwise
    the two are equal.

    >>> sure = calibrate(np.array([False, False, True, True]), np.array([0.1, 0.3, 0.6, 1.0]), bins=2)
    >>> sure.predicted.round(3).tolist(), sure.observed.round(3).tolist(), sure.counts.tolist()
    ([0.333, 1.0], [0.333, 1.0], [3, 1])
    """

    edges: Float64Array
    predicted: Float64Array
    observed: Float64Array
    counts: Int64Array
    trials: Float64Array

    @property
    def intervals(self) -> tuple[Float64Array, Float64Array]:
        """Wilson's 95 % intervals for the observed shares: lower and upper ends.

        >>> lower, upper = calibrate(np.array([False, True]), np.array([0.25, 0.25])).intervals
        >>> lower.round(2).tolist(), upper.round(2).tolist()
        ([0.09], [0.91])
        """
        z2, share = NORMAL_95**2 / np.maximum(self.trials, 1e-300), self.observed
        middle = (share + z2 / 2) / (1 + z2)
        reach = np.sqrt(z2 * share * (1 - share) + z2**2 / 4) / (1 + z2)
        return np.maximum(middle - reach, 0.0), np.minimum(middle + reach, 1.0)

    def __str__(self) -> str:
        rows = zip(self.predicted, self.observed, self.counts, strict=True)
        return "\n".join(f"predicted {p:.3g}, observed {o:.3g} of {count:,} pairs" for p, o, count in rows)


def calibrate(
    linked: BoolArray, probabilities: Float64Array, bins: int = 10, chances: Float64Array | None = None
) -> Calibration:
    """The calibration of link probabilities in at most ``bins`` bins; arrays have one entry per pair.

    If the pairs are a sample, ``chances`` holds the probability with which each was drawn, and it counts as one over
    that.

    >>> print(calibrate(np.array([False, True]), np.array([0.25, 0.25])))
    predicted 0.25, observed 0.5 of 2 pairs
    """
    order = np.argsort(probabilities)
    rising = probabilities[order]
    first = np.flatnonzero(np.append(True, rising[1:] != rising[:-1])) if len(rising) else np.empty(0, np.int64)
    weights = np.ones(len(rising)) if chances is None else 1 / chances[order]
    counts = np.add.reduceat(weights, first)
    links = np.add.reduceat(weights * linked[order], first)
    spread = np.add.reduceat(weights**2 - weights, first)  # what sampling adds to the variance of a count
    rising = rising[first]
    expected = rising * counts
    total = expected.sum()
    middle = np.cumsum(expected) - expected / 2
    number = np.minimum(middle / total * bins, bins - 1).astype(np.int64) if total else np.zeros(len(rising), np.int64)
    starts = np.flatnonzero(np.diff(number, prepend=-1))
    size = np.add.reduceat(counts, starts)
    observed = np.add.reduceat(links, starts) / size
    # The share is links / size, and only the size is uncertain: the binomial variance o (1 - o) / size grows by
    # o² spread / size². The effective size is the one whose binomial variance alone would be as large.
    blur = np.add.reduceat(spread, starts) / size * observed / np.maximum(1 - observed, 1e-12)
    return Calibration(
        edges=np.append(rising[starts], rising[-1:]),
        predicted=np.add.reduceat(expected, starts) / size,
        observed=observed,
        counts=np.rint(size).astype(np.int64),
        trials=size / (1 + blur),
    )


def estimated_calibration(
    graph: Graph,
    factors: LowRankFactors,
    loss: Loss,
    rng: np.random.Generator,
    held_out: HeldOut | None = None,
    pairs: int = PAIRS,
) -> Calibration:
    """The calibration over all pairs of different nodes, or over held-out ones: all links, and about ``pairs`` others.

    The others are drawn as for the estimate of the likelihood; if there are fewer, or a list of them, all are used.

    >>> from philia import as_graph
    >>> from philia.factors import CommunityFactors
    >>> from philia.objective import CrossEntropy
    >>> even, rng = CommunityFactors.attracting(np.zeros((4, 1))), np.random.default_rng(0)
    >>> print(estimated_calibration(as_graph([(0, 1), (2, 3)]), even, CrossEntropy(), rng))
    predicted 0.5, observed 0.333 of 6 pairs
    """
    n = graph.n_nodes
    if held_out is not None and held_out.expected(n) <= pairs:
        i, j = held_out.pairs(n)
        return calibrate(graph.linked(i, j), np.asarray(loss.probability(factors.scores(i, j))))
    drawn = draw_unlinked(graph, factors, loss, rng, pairs, held_out)
    rows, columns = graph.links
    kept = slice(None) if held_out is None else held_out.contains(rows, columns)
    links = factors.scores(rows[kept], columns[kept])
    return calibrate(
        np.repeat([True, False], [len(links), len(drawn.scores)]),
        np.asarray(loss.probability(np.concatenate([links, drawn.scores]))),
        chances=np.concatenate([np.ones(len(links)), drawn.chances]),
    )

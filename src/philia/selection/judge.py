"""Hidden pairs as judges: how likely a model finds them, and whether another finds them likelier."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from philia._types import BoolArray, Float64Array, Int64Array
from philia.factors import CommunityFactors
from philia.graphs.graph import Graph
from philia.objective import HeldOut
from philia.objective.sampled_held_out import sample_held_out

MOST_PAIRS = 300_000


@dataclass(frozen=True, eq=False)
class Judge:
    """Pairs that a fit did not see: all hidden links, and hidden pairs without a link or a sample of them.

    ``weights`` says for how many hidden pairs each one stands.

    >>> from philia import as_graph
    >>> from philia.objective import RandomPairs
    >>> graph = as_graph([(i, j) for i in range(20) for j in range(i)])
    >>> judge = Judge.of(graph, RandomPairs(0.3, seed=1), None, np.random.default_rng(0))
    >>> bool(judge.linked.all())
    True
    """

    rows: Int64Array
    columns: Int64Array
    linked: BoolArray
    weights: Float64Array
    n: int

    @classmethod
    def of(cls, graph: Graph, hidden: HeldOut, unknown: HeldOut | None, rng: np.random.Generator) -> Judge:
        """The pairs in ``hidden`` but not in ``unknown``, about which nobody knows."""
        n = graph.n_nodes
        rows, columns = graph.links
        links = _without(hidden, unknown, rows, columns)
        drawn = sample_held_out(hidden, n, MOST_PAIRS, rng)
        others = _without(None, unknown, *drawn)
        free = ~graph.linked(*others)
        others = others[0][free], others[1][free]
        stands_for = 1.0
        if len(drawn[0]) == MOST_PAIRS:  # a sample: how many there are follows from how many of all pairs are hidden
            some = np.sort(rng.integers(n, size=(2, 1_000_000)), axis=0)
            some = some[:, some[0] != some[1]]
            rate = len(_without(hidden, unknown, *some)[0]) / some.shape[1]
            stands_for = max(1.0, (rate * n * (n - 1) / 2 - len(links[0])) / len(others[0]))
        return cls(
            np.concatenate([links[0], others[0]]),
            np.concatenate([links[1], others[1]]),
            np.arange(len(links[0]) + len(others[0])) < len(links[0]),
            np.repeat([1.0, stands_for], [len(links[0]), len(others[0])]),
            n,
        )

    @classmethod
    def of_sample(cls, sample: Any, n: int) -> Judge:
        """The drawn pairs as they are."""
        return cls(sample.rows, sample.columns, sample.linked, sample.weights, n)

    @property
    def n_links(self) -> int:
        """How many hidden links there are."""
        return int(self.linked.sum())

    def log_likelihoods(self, scores: Float64Array) -> Float64Array:
        """The log-likelihood of each pair at its score, times what the pair stands for."""
        return np.asarray(self.weights * (scores * self.linked - np.logaddexp(0, scores)))

    def of_factors(self, factors: CommunityFactors) -> Float64Array:
        """The log-likelihood of each pair by these factors, times what the pair stands for."""
        return self.log_likelihoods(factors.scores(self.rows, self.columns))

    def variance(self, differences: Float64Array) -> float:
        """The variance of a sum of differences, one a pair, where pairs with a common node go together.

        Summed over all pairs of pairs with a common node (Aronow, Samii and Assenova, "Cluster-robust variance
        estimation for dyadic data", 2015); it is never below that of independent pairs here.
        """
        own = float((differences**2).sum())
        centred = differences - differences.mean() if len(differences) else differences
        by_node = np.bincount(self.rows, centred, self.n) + np.bincount(self.columns, centred, self.n)
        return max(own, float((by_node**2).sum()) - float((centred**2).sum()))


def _without(
    inside: HeldOut | None, outside: HeldOut | None, rows: Int64Array, columns: Int64Array
) -> tuple[Int64Array, Int64Array]:
    kept = np.ones(len(rows), bool) if inside is None else inside.contains(rows, columns)
    if outside is not None:
        kept &= ~outside.contains(rows, columns)
    return rows[kept], columns[kept]

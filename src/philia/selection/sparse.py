"""How much communities, common neighbours and degrees count in a sparse model, chosen by hidden links."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from philia._types import Float64Array, Int64Array
from philia.factors import row_products
from philia.fitting.sparse import SparseColumns, resources
from philia.graphs import Graph
from philia.pairs import HeldOut, PairSample, seen
from philia.pairs.sample import near_and_far, some_links, weighted_order
from philia.reading import Level
from philia.selection.selection import Selection, Step

Read = Callable[[Graph], Level]
"""How communities are read off a graph."""

_HIDDEN_SHARE, _MOST_HIDDEN = 0.1, 20_000
"""The share of links that are hidden, and their maximum: more would not make four numbers better."""

_OTHERS = 10, 300_000
"""Other pairs drawn per hidden link, and in all at least: they decide how few false links are ranked high."""

_WEIGHTS = (1.0, 2 / 3, 4 / 9, 8 / 27, 16 / 81)
"""The weights of communities that are tried. Where two nodes share a community and neighbours, the two say much of the
same; but what is read must count."""


def choose_sparse(
    graph: Graph, held_out: HeldOut | None, read: Read, rng: np.random.Generator
) -> tuple[Selection, SparseColumns]:
    """The weights of communities, common neighbours and degrees with which hidden links rank highest.

    Some links are hidden, and communities are read off the others. For each weight of the communities, the other three
    numbers are those that make the hidden pairs likeliest. The weight with the highest average precision is taken.

    >>> from philia.datasets import overlapping_cliques
    >>> from philia.reading import Effort, read_overlapping, shortest
    >>> graph = overlapping_cliques(1500, 60, random_state=0).graph
    >>> first = lambda known: shortest(known, np.random.default_rng(0), Effort(1, 0))
    >>> read = lambda known: read_overlapping(known, first(known)).default
    >>> selection, columns = choose_sparse(graph, None, read, np.random.default_rng(0))
    >>> selection.storage, columns.communities > 0, columns.neighbours >= 0
    ('sparse', True, True)
    """
    began = time.perf_counter()
    known = seen(graph, held_out)
    hidden = some_links(known, min(round(_HIDDEN_SHARE * known.n_links), _MOST_HIDDEN), rng)
    visible = _without(known, hidden)
    level = read(visible)
    sample = _sample(graph, known, visible, hidden, held_out, rng)
    features = _Features.of(visible, level, sample)
    tried = [features.fitted(weight) for weight in _WEIGHTS]
    precisions = [features.precision(columns) for columns in tried]
    best = int(np.argmax(precisions))
    pairs = float(sample.weights.sum())
    density = known.n_links / max(1.0, pairs)
    selection = Selection(
        steps=tuple(Step(0.0, len(level), 0, -features.cost(columns) / max(1.0, pairs)) for columns in tried),
        chosen=best,
        folds=1,
        share=hidden.shape[1] / max(1, known.n_links),
        links=hidden.shape[1],
        density=float(density * np.log(density) + (1 - density) * np.log1p(-density)) if 0 < density < 1 else 0.0,
        seconds=time.perf_counter() - began,
        read=len(level),
        weight=_WEIGHTS[best],
        storage="sparse",
    )
    return selection, tried[best]


def _without(graph: Graph, hidden: Int64Array) -> Graph:
    rows, columns = graph.links
    keys = hidden.min(axis=0) * graph.n_nodes + hidden.max(axis=0)
    stays = ~np.isin(rows * graph.n_nodes + columns, keys)
    return Graph.from_rows(rows[stays], columns[stays], graph.nodes)


def _sample(
    graph: Graph, known: Graph, visible: Graph, hidden: Int64Array, held_out: HeldOut | None, rng: np.random.Generator
) -> PairSample:
    """The hidden links, which stand for all that are known, and pairs without a link, which stand for all of them."""
    each, least = _OTHERS
    rows, columns, chances = near_and_far(graph, visible, max(least, each * hidden.shape[1]), rng)
    if held_out is not None:
        free = ~held_out.contains(rows, columns)
        rows, columns, chances = rows[free], columns[free], chances[free]
    stand_for = np.full(hidden.shape[1], known.n_links / max(1, hidden.shape[1]))
    weights = np.concatenate([stand_for, 1 / chances])
    return PairSample.of_links(graph.n_nodes, (hidden[0], hidden[1]), (rows, columns), weights)


@dataclass(frozen=True, eq=False)
class _Features:
    """What the pairs of a sample share: communities, neighbours, and the logarithms of their degrees."""

    sample: PairSample
    communities: Float64Array
    rest: Float64Array

    @classmethod
    def of(cls, graph: Graph, level: Level, sample: PairSample) -> _Features:
        """The features of a sample of pairs."""
        rows, columns = sample.rows, sample.columns
        B, N, logs = level.affinities, resources(graph), np.log(graph.degrees + 0.5)
        shared, allocated = (row_products(M, rows, columns) for M in (B, N))
        return cls(sample, shared, np.stack([allocated, logs[rows] + logs[columns], np.ones(len(rows))]))

    def scores(self, columns: SparseColumns) -> Float64Array:
        """The log-odds of each pair."""
        others = np.array([columns.neighbours, columns.popularity, columns.level])
        return np.asarray(columns.communities * self.communities + others @ self.rest)

    def cost(self, columns: SparseColumns) -> float:
        """Minus the log-likelihood of the pairs that the sample stands for."""
        return -float(self.sample.log_likelihoods(self.scores(columns)).sum())

    def precision(self, columns: SparseColumns) -> float:
        """The average precision of the hidden links among all pairs."""
        scores, linked = self.scores(columns), self.sample.linked
        _, precision = weighted_order(scores[linked], scores[~linked], self.sample.weights[~linked])
        return 0.0 if precision is None else precision.value

    def fitted(self, weight: float) -> SparseColumns:
        """The numbers that make the pairs likeliest, with this weight of the communities."""
        from scipy.optimize import minimize  # it takes as long to load as all of philia

        linked, weights = self.sample.linked, self.sample.weights

        def regression(x: Float64Array) -> tuple[float, Float64Array]:
            columns = SparseColumns(weight, *x)
            errors = weights * (expit(self.scores(columns)) - linked)
            return self.cost(columns), self.rest @ errors

        bounds = [(0.0, None), (None, None), (None, None)]
        begin = np.array([1.0, 0.5, -8.0])
        found = minimize(regression, begin, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": 500}).x
        return SparseColumns(weight, *found.tolist())

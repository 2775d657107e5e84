"""How much communities, common neighbours and degrees count in a sparse model, chosen by hidden links."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import scipy

from philia._types import Float64Array, Int64Array
from philia.factors.sparse import odds_of_rates, row_products
from philia.fitting.sparse import SparseColumns, resources
from philia.graphs import Graph
from philia.pairs import HeldOut, PairSample, seen
from philia.pairs.sample import near_and_far, some_links, weighted_order
from philia.reading import Level, Overlaps
from philia.selection.selection import Selection, Step

Read = Callable[[Graph], Overlaps]
"""How communities are read off a graph."""

_HIDDEN_SHARE, _MOST_HIDDEN = 0.1, 20_000
"""The share of links that are hidden, and their maximum: more would not make six numbers better."""

_OTHERS = 10, 300_000
"""Other pairs drawn per hidden link, and in all at least: they decide how few false links are ranked high."""

_SCALES = (0.001, 0.003, 0.01, 0.03, 0.1)
"""The scales of common neighbours that are tried. Below the first the curve is a logarithm wherever there are common
neighbours, and above the last nearly a straight line."""

_USUAL_SCALE = 0.03
"""The scale with which it is decided whether a single link can make a member."""

_BEGIN = np.array([2.0, 0.5, 1.0, 0.5, -8.0])
"""The other numbers to begin with, those of SparseColumns in order: between those of the tuning graphs, all of which
were reached from here."""


@dataclass(frozen=True, eq=False)
class SparseChoice:
    """What hidden links decide: how much everything counts, and whether a single link can make a member.

    >>> selection = Selection((Step(0.0, 90, 0, -0.01),), 0, 1, 0.1, 50, -0.02, 0.1, read=90, storage="sparse")
    >>> SparseChoice(selection, SparseColumns(2.0, 0.5, 1.0, 0.03, 0.5, -8.0), singles=True).selection.read
    90
    """

    selection: Selection
    columns: SparseColumns
    singles: bool


def choose_sparse(graph: Graph, held_out: HeldOut | None, read: Read, rng: np.random.Generator) -> SparseChoice:
    """The weights of communities, common neighbours and degrees with which hidden pairs are likeliest.

    Some links are hidden, and communities are read off the others, once with the nodes that have a single link with
    members and once without them. A link is no common neighbour of its own ends, so neighbours and degrees are counted
    with all links but the pair's own: in a graph with fewer links everything would count for more. Each pair counts as
    many times as it stands for others, so probabilities are those of pairs that were never seen. Of the scales with
    which hidden pairs are as likely as with the best, within one standard error, with neighbours that add or multiply,
    it is the one with which hidden links rank highest.

    >>> from philia.datasets import overlapping_cliques
    >>> from philia.reading import Effort, shortest
    >>> graph = overlapping_cliques(1500, 60, random_state=0).graph
    >>> read = lambda known: Overlaps(known, shortest(known, np.random.default_rng(0), Effort(1, 0)))
    >>> choice = choose_sparse(graph, None, read, np.random.default_rng(0))
    >>> choice.selection.storage, choice.columns.membership > 0, choice.columns.neighbours >= 0
    ('sparse', True, True)
    """
    began = time.perf_counter()
    known = seen(graph, held_out)
    hidden = some_links(known, min(round(_HIDDEN_SHARE * known.n_links), _MOST_HIDDEN), rng)
    overlaps = read(_without(known, hidden))
    sample = _sample(graph, known, hidden, held_out, rng)
    readings = [_Shared.of(known, overlaps.level(singles), sample) for singles in (False, True)]
    usual = [reading.fitted(_USUAL_SCALE, False, _BEGIN) for reading in readings]
    singles = int(np.argmax([fit.log_likelihood for fit in usual]))
    tried = [readings[singles].fitted(scale, adds, usual[singles].x) for adds in (False, True) for scale in _SCALES]
    best = _ranking_highest(tried, sample)
    pairs = max(1.0, float(sample.weights.sum()))
    density, count = known.n_links / pairs, readings[singles].count
    selection = Selection(
        steps=tuple(Step(0.0, count, 0, fit.log_likelihood / pairs) for fit in tried),
        chosen=best,
        folds=1,
        share=hidden.shape[1] / max(1, known.n_links),
        links=hidden.shape[1],
        density=float(density * np.log(density) + (1 - density) * np.log1p(-density)) if 0 < density < 1 else 0.0,
        seconds=time.perf_counter() - began,
        read=count,
        storage="sparse",
    )
    return SparseChoice(selection, tried[best].columns, bool(singles))


def unweighed(graph: Graph, held_out: HeldOut | None, level: Level, rng: np.random.Generator) -> SparseChoice:
    """What is left if the choice is interrupted: strengths as they were read, and degrees as if links were random.

    >>> from philia.datasets import classic
    >>> from philia.reading import read_levels
    >>> graph = classic("karate")
    >>> choice = unweighed(graph, None, read_levels(graph).default, np.random.default_rng(0))
    >>> choice.selection.interrupted, choice.columns.strength, choice.columns.neighbours
    (True, 1.0, 0.0)
    """
    known = seen(graph, held_out)
    columns = SparseColumns(0.0, 1.0, 0.0, 1.0, 1.0, -float(np.log(max(1, 2 * known.n_links))))
    sample = PairSample.draw(graph, held_out, _MOST_HIDDEN, rng)
    mean = float(sample.of_factors(columns.factors(known, level)).sum()) / max(1.0, float(sample.weights.sum()))
    step = Step(0.0, len(level), 0, mean)
    selection = Selection((step,), 0, 0, 0.0, 0, mean, 0.0, interrupted=True, read=len(level), storage="sparse")
    return SparseChoice(selection, columns, singles=True)


def _without(graph: Graph, hidden: Int64Array) -> Graph:
    rows, columns = graph.links
    keys = hidden.min(axis=0) * graph.n_nodes + hidden.max(axis=0)
    stays = ~np.isin(rows * graph.n_nodes + columns, keys)
    return Graph.from_rows(rows[stays], columns[stays], graph.nodes)


def _sample(
    graph: Graph, known: Graph, hidden: Int64Array, held_out: HeldOut | None, rng: np.random.Generator
) -> PairSample:
    """The hidden links, which stand for all that are known, and pairs without a link, which stand for all of them."""
    each, least = _OTHERS
    rows, columns, chances = near_and_far(graph, known, max(least, each * hidden.shape[1]), rng)
    if held_out is not None:
        free = ~held_out.contains(rows, columns)
        rows, columns, chances = rows[free], columns[free], chances[free]
    stand_for = np.full(hidden.shape[1], known.n_links / max(1, hidden.shape[1]))
    weights = np.concatenate([stand_for, 1 / chances])
    return PairSample.of_links(graph.n_nodes, (hidden[0], hidden[1]), (rows, columns), weights)


@dataclass(frozen=True, eq=False)
class _Fit:
    """The numbers that make a sample of pairs likeliest, as ``x`` and as columns, and the log-odds of each pair."""

    x: Float64Array
    columns: SparseColumns
    scores: Float64Array
    log_likelihood: float


def _ranking_highest(fits: Sequence[_Fit], sample: PairSample) -> int:
    """Of the fits that are as likely as the best, within one standard error, that with the highest precision."""
    each = [sample.log_likelihoods(fit.scores) for fit in fits]
    best, linked = max(each, key=np.sum), sample.linked

    def precision(at: int) -> float:
        if float((best - each[at]).sum()) > math.sqrt(sample.variance(best - each[at])):
            return -1.0
        scores = fits[at].scores
        _, found = weighted_order(scores[linked], scores[~linked], sample.weights[~linked])
        return 0.0 if found is None else found.value

    return max(range(len(fits)), key=precision)


@dataclass(frozen=True, eq=False)
class _Shared:
    """What the pairs of a sample share.

    ``pairs`` and ``strengths`` list the communities that pairs share: the number of the pair, and the strength; there
    are ``count`` communities. ``resources`` is Σ_z 1 / degree_z over common neighbours, ``degrees`` the sum of the
    logarithms of both degrees, to which a link between the two does not count.
    """

    sample: PairSample
    count: int
    pairs: Int64Array
    strengths: Float64Array
    resources: Float64Array
    degrees: Float64Array

    @classmethod
    def of(cls, graph: Graph, level: Level, sample: PairSample) -> _Shared:
        """What a sample of pairs shares in a graph with these communities."""
        rows, columns = sample.rows, sample.columns
        members = level.memberships.astype(np.float64)
        both = members[rows].multiply(members[columns]).tocoo()
        pairs, strengths = both.row.astype(np.int64), level.strengths[both.col]
        common = row_products(resources(graph), rows, columns)
        own, other = (np.log(graph.degrees[ends] - sample.linked + 0.5) for ends in (rows, columns))
        return cls(sample, len(level), pairs, strengths, common, own + other)

    @cached_property
    def fewer(self) -> _Shared:
        """The same sums from fewer pairs: those that share nothing are told apart by their degrees alone."""
        sample, shares = self.sample, self.resources > 0
        shares[self.pairs] = True
        others = np.flatnonzero(~shares)
        kinds = np.stack([self.degrees[others], sample.linked[others]])
        _, first, kind = np.unique(kinds, axis=1, return_index=True, return_inverse=True)
        kept = np.concatenate([np.flatnonzero(shares), others[first]])
        weights = np.concatenate([sample.weights[shares], np.bincount(kind.ravel(), sample.weights[others])])
        pairs = PairSample(sample.rows[kept], sample.columns[kept], sample.linked[kept], weights, sample.n)
        number = np.cumsum(shares) - 1
        return replace(
            self,
            sample=pairs,
            pairs=number[self.pairs],
            resources=self.resources[kept],
            degrees=self.degrees[kept],
        )

    def fitted(self, scale: float, adds: bool, begin: Float64Array) -> _Fit:
        """The numbers that make the pairs likeliest, with this scale of common neighbours."""
        from scipy.optimize import minimize  # it takes as long to load as all of philia

        few = self.fewer
        curve = np.log1p(few.resources / scale)
        per_link = max(1.0, float(self.sample.weights[self.sample.linked].sum()))

        def regression(x: Float64Array) -> tuple[float, Float64Array]:
            _, cost, slopes = few.cost(x, curve, adds)
            return cost / per_link, slopes / per_link  # costs of about one suit the solver's tolerances

        bounds = [(0.0, None), (0.0, None), (0.0, None), (None, None), (None, None)]
        found = minimize(regression, begin, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": 500}).x
        membership, strength, neighbours, popularity, level = found.tolist()
        scores, cost, _ = self.cost(found, np.log1p(self.resources / scale), adds)
        columns = SparseColumns(membership, strength, neighbours, scale, popularity, level, adds)
        return _Fit(found, columns, scores, -cost)

    def cost(self, x: Float64Array, curve: Float64Array, adds: bool) -> tuple[Float64Array, float, Float64Array]:
        """The log-odds of each pair, minus the log-likelihood of all that the sample stands for, and its slopes."""
        membership, strength, neighbours, popularity, level = x
        sample, factors = self.sample, np.exp(membership + strength * self.strengths)
        of_neighbours, alone = neighbours * curve, popularity * self.degrees + level
        raised = np.exp(of_neighbours) if adds else np.ones(len(curve))
        together = raised + np.bincount(self.pairs, factors - 1, minlength=len(curve))
        odds, slopes = odds_of_rates(np.log(together) + (0.0 if adds else of_neighbours) + alone)
        nothing, slopes_alone = odds_of_rates(alone)
        scores = alone + odds - nothing
        errors = sample.weights * (scipy.special.expit(scores) - sample.linked)
        shared = errors * slopes
        by_factor = (shared / together)[self.pairs] * factors
        of_alone = shared + errors * (1 - slopes_alone)
        by_curve = (shared * raised / together if adds else shared) @ curve
        found = by_factor.sum(), by_factor @ self.strengths, by_curve, of_alone @ self.degrees, of_alone.sum()
        return scores, -float(sample.log_likelihoods(scores).sum()), np.array(found)

"""The search for graphs too large to look at all pairs: Adam on sampled pairs, judged by a few hidden ones."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from philia._types import BoolArray, Float64Array, FloatArray, Int64Array
from philia.execution import LocalThreads, one_blas_thread
from philia.factors import Factors
from philia.graphs import Graph
from philia.models.calibrated import calibrated
from philia.models.factorization import Factorization
from philia.objective import BothPairs, HeldOut, ListedPairs, RandomPairs, Recipe, SampledPairsObjective, seen
from philia.objective.extra_pairs import with_link
from philia.objective.sampled_pairs import drawing_chances
from philia.solvers import Adam, Judge, OnIteration, Solution

HIDDEN_SHARE = 0.02
"""The share of the links that judge, if they are not too many."""

_MOST_HIDDEN, _FEWEST_HIDDEN = 50_000, 100
_NON_LINKS = 4
"""How many pairs without a link are drawn for each hidden link."""

_COLUMNS, _ROWS, _BLOCKS = 512, 1024, 8
_STEPS = (0.25, 0.08, 0.025, 0.008)
_TRIAL = 4
"""How many epochs each step size is tried for."""

_CHUNK = 65536


@dataclass(frozen=True, eq=False)
class HiddenPairs:
    """A few pairs that a search does not see, each with the number of pairs of the graph it stands for.

    Links are drawn evenly, among those whose nodes have others. Pairs without a link are drawn as columns of
    ``SampledPairsObjective`` are, popular nodes more often, because the likeliest of them decide. With the weights,
    the sum estimates the loss of the whole graph, so links and the many other pairs keep their balance.

    >>> from philia.datasets import planted
    >>> graph = planted(400, 4, 2, degree=15, random_state=0).graph
    >>> hidden = HiddenPairs.draw(graph, None, 100, np.random.default_rng(0))
    >>> bool(graph.linked(hidden.rows, hidden.columns)[hidden.linked].all()), int(hidden.linked.sum())
    (True, 100)
    """

    rows: Int64Array
    columns: Int64Array
    linked: BoolArray
    weights: Float64Array

    @classmethod
    def draw(cls, graph: Graph, held_out: HeldOut | None, count: int, rng: np.random.Generator) -> HiddenPairs:
        """``count`` links, and pairs without one, none of which is held out already."""
        known = seen(graph, held_out)
        links = np.stack(known.links)
        spare = np.flatnonzero((known.degrees[links] > 1).all(axis=0))
        chosen = links[:, np.sort(rng.choice(spare, min(count, len(spare)), replace=False))]
        others, stand_for = _non_links(graph, known, held_out, _NON_LINKS * count, rng)
        weights = np.full(chosen.shape[1], known.n_links / max(1, chosen.shape[1]))
        return cls(
            np.concatenate([chosen[0], others[0]]),
            np.concatenate([chosen[1], others[1]]),
            np.arange(chosen.shape[1] + others.shape[1]) < chosen.shape[1],
            np.concatenate([weights, stand_for]),
        )

    def beside(self, held_out: HeldOut | None, graph: Graph) -> HeldOut:
        """These pairs held out, and those that are held out anyway."""
        rows, columns = self.rows, self.columns
        if held_out is not None:
            indptr, listed = held_out.listed()
            rows = np.concatenate([rows, np.repeat(np.arange(max(0, len(indptr) - 1)), np.diff(indptr))])
            columns = np.concatenate([columns, listed])
        together = ListedPairs.of_rows(graph, rows, columns)
        by_chance = held_out.random if isinstance(held_out, BothPairs) else held_out
        return BothPairs(by_chance, together) if isinstance(by_chance, RandomPairs) else together

    def cost(self, recipe: Recipe, F: FloatArray) -> float:
        """The loss of the pairs by the factors F, weights included; minus a log-likelihood where the loss is one."""
        mixing, loss, total = recipe.mixing.astype(F.dtype), recipe.loss, 0.0
        for at in range(0, len(self.rows), _CHUNK):
            part = slice(at, at + _CHUNK)
            scores = np.einsum("ij,ij->i", F[self.rows[part]] @ mixing, F[self.columns[part]]).astype(np.float64)
            linked, without = with_link(loss, scores)[0], loss.without_link(scores)[0]
            total += float(self.weights[part] @ np.where(self.linked[part], linked, without))
        return total


def _non_links(
    graph: Graph, known: Graph, held_out: HeldOut | None, count: int, rng: np.random.Generator
) -> tuple[Int64Array, Float64Array]:
    """About so many pairs without a link, and for how many each one stands."""
    chances = drawing_chances(known)
    up_to = np.cumsum(chances)
    pairs = np.searchsorted(up_to, rng.random((2, count)) * up_to[-1], side="right").clip(max=graph.n_nodes - 1)
    keep = (pairs[0] != pairs[1]) & ~graph.linked(*pairs)
    if held_out is not None:
        keep &= ~held_out.contains(*pairs)
    pairs = pairs[:, keep]
    return pairs, 1 / (2 * count * chances[pairs].prod(axis=0))


def fit_sampled(
    model: Factorization,
    graph: Graph,
    rng: np.random.Generator,
    on_iteration: OnIteration | None = None,
    *,
    hidden_share: float = HIDDEN_SHARE,
    epochs: int | None = None,
) -> tuple[Factors, Solution]:
    """Factors of a model for a large graph, in time that grows with its links and nodes, and how the search went.

    The search begins where the model says, scaled to the graph (``calibrated``), with the longest of a few step sizes
    that helps within four epochs. A share of the links, at most 50,000, and pairs without a link are hidden; the epoch
    that predicts them best is kept, and where none does better than the first, shorter steps are tried. With
    ``hidden_share=0``, or where links are few, nothing is hidden: the search goes on for all epochs, as a search for
    the lowest loss does. Without a number of ``epochs`` there are up to 200, fewer on graphs of more than 150,000
    nodes. The solution's value is an estimate, of the pairs that were not hidden.

    >>> from philia import CommunityModel
    >>> from philia.datasets import planted
    >>> graph, model = planted(600, 4, 2, degree=20, random_state=0).graph, CommunityModel(4, 2, penalty=1.0)
    >>> model.held_out_ = None
    >>> factors, solution = fit_sampled(model, graph, np.random.default_rng(0), epochs=20)
    >>> factors.homophilous.shape, bool(solution.history[-1] < solution.history[0])
    ((600, 4), True)
    """
    recipe, n = model._recipe(), graph.n_nodes
    count = min(round(hidden_share * graph.n_links), _MOST_HIDDEN)
    drawn = HiddenPairs.draw(graph, model.held_out_, max(count, _FEWEST_HIDDEN), rng)
    hidden = drawn if count >= _FEWEST_HIDDEN else None
    objective = SampledPairsObjective(
        graph,
        recipe,
        penalty=float(model.penalty),
        diagonal=model.include_diagonal,
        held_out=model.held_out_ if hidden is None else hidden.beside(model.held_out_, graph),
        columns=_COLUMNS,
        rows=min(_ROWS, -(-n // _BLOCKS)),
        executor=LocalThreads(model.n_jobs),
    )
    judge: Judge | None = None if hidden is None else partial(hidden.cost, recipe)
    epochs = epochs or int(np.clip(3e7 / n, 40, 200))
    lower = np.repeat([g.lower_bound for g in recipe.groups], [g.width for g in recipe.groups])
    with one_blas_thread():
        start = model._start(objective.known, recipe, rng)
        start = calibrated(start, recipe, (drawn.rows, drawn.columns), drawn.linked, drawn.weights)
        search = _Search(objective, lower, rng, judge)
        step, solution = search.longest_step(start)
        if solution.reason != "interrupted":
            how = Adam(epochs, step, every=max(1, epochs // 40))
            solution = search.search(how, solution.point, on_iteration)
    F = solution.point
    return model._factors(F, recipe), replace(solution, point=recipe.point(F))


@dataclass(frozen=True, eq=False)
class _Search:
    """What all tries have in common."""

    objective: SampledPairsObjective
    lower: Float64Array
    rng: np.random.Generator
    judge: Judge | None

    def longest_step(self, start: Float64Array) -> tuple[float, Solution]:
        """The longest of some step sizes that leads to a better place than the start, and that place.

        Shorter steps may well have got further by then, but not later.
        """
        before = self._verdict(start)
        for step in _STEPS:
            solution = self._minimize(Adam(_TRIAL, step), start)
            if self._verdict(solution.point) < before or solution.reason == "interrupted":
                break
        return step, solution

    def search(self, how: Adam, start: Float64Array, on_iteration: OnIteration | None) -> Solution:
        """The best place found, with shorter steps if the judge saw nothing better than the start."""
        solution = self._minimize(how, start, on_iteration)
        for step in [step for step in _STEPS if step < how.step]:
            if self.judge is None or solution.reason == "interrupted" or self._moved(start, solution):
                break
            solution = self._minimize(replace(how, step=step), start, on_iteration)
        return solution

    def _minimize(self, how: Adam, start: Float64Array, on_iteration: OnIteration | None = None) -> Solution:
        return how.minimize(self.objective, start, self.lower, self.rng, on_iteration, self.judge)

    def _verdict(self, F: Float64Array) -> float:
        single = F.astype(np.float32)
        return self.objective.value(single, self.rng) if self.judge is None else self.judge(single)

    def _moved(self, start: Float64Array, solution: Solution) -> bool:
        return self._verdict(solution.point) < self._verdict(start)

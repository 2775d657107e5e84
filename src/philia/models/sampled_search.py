"""The search for graphs too large to look at all pairs: Adam on sampled pairs, judged by a few hidden ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from philia._types import FloatArray
from philia.execution import one_blas_thread
from philia.graphs import Graph
from philia.initialization import race
from philia.models.calibrated import calibrated
from philia.models.hidden_pairs import HiddenPairs
from philia.models.journal import Journal
from philia.models.searching import improving_on_all_pairs, work
from philia.objective import HeldOut, Recipe, SampledPairsObjective
from philia.objective.sharded_pairs import sampled_pairs_objective
from philia.solvers import LBFGSB, Adam, Judge, OnIteration, Solution, staged
from philia.solvers.by_size import MOST_WORK
from philia.solvers.solver import unless_interrupted
from philia.storage import require_memory

if TYPE_CHECKING:
    from philia.models.factorization import Factorization

AN_ENTRY = 36
"""Bytes that a search takes for each entry of F: F, its two moments, the best so far and the start in single precision,
and the end in double."""

_MOST_HIDDEN, _FEWEST_HIDDEN = 50_000, 100
_COLUMNS, _ROWS, _MOST_ROWS = 512, 1024, 2048
_FEW_BLOCKS, _MANY_BLOCKS = 8, 500
"""Blocks have 1024 rows, fewer if there were not eight of them, and more if there are hundreds: then threads wait less
for each other."""

_SHORTER = (1.0, 0.32, 0.1, 0.032)
"""The step sizes that are tried, as shares of the solver's."""

_TRIAL = 4
"""Epochs that each step size is tried for."""

_LAST, _SHORT = 2, 0.03
"""Epochs at the end that see the hidden pairs too, and the length of their steps beside that of the first."""

_VERDICTS = 100
"""How often hidden pairs are looked at in a whole search, about."""

_POLISH, _POLISHING = LBFGSB(least_fall=1e-3), 1e11
"""The solver of the last steps where all pairs can be looked at, and the work it may do: some ten seconds."""


def search_sampled_pairs(
    model: Factorization,
    graph: Graph,
    recipe: Recipe,
    solver: Adam,
    rng: np.random.Generator,
    on_iteration: OnIteration | None = None,
) -> Solution:
    """A search in time that grows with links and nodes; the solution's value is an estimate.

    It begins where the model says, scaled to the graph (``calibrated``). A share of the links (``solver.hidden``), at
    most 50,000, and pairs without a link are hidden; the epoch that predicts them best is kept. The last few epochs see
    all pairs.

    With nothing hidden, or where links are few, the lowest loss is searched for: with the longest of a few step sizes
    that helps within four epochs, and for all epochs. Then, where all pairs can be looked at, L-BFGS-B goes on for some
    seconds, as long as five of its iterations lower the loss by a thousandth.

    >>> from philia import CommunityModel
    >>> from philia.datasets import planted
    >>> graph = planted(600, 4, 2, degree=20, random_state=0).graph
    >>> model = CommunityModel(4, 2, penalty=1.0, solver=Adam(iterations=20), random_state=0).fit(graph)
    >>> model.factors_.homophilous.shape, bool(model.solution_.history[-1] < model.solution_.history[0])
    ((600, 4), True)
    """
    n, k = graph.n_nodes, len(recipe.mixing)
    require_memory(AN_ENTRY * n * k, f"a search for {k:,} columns on {n:,} nodes")
    count = min(round(solver.hidden * graph.n_links), _MOST_HIDDEN)
    drawn = HiddenPairs.draw(graph, model.held_out_, max(count, _FEWEST_HIDDEN), rng)
    hides = count >= _FEWEST_HIDDEN
    with one_blas_thread():
        unseen = drawn.beside(model.held_out_, graph) if hides else model.held_out_
        objective = sampled_objective(model, graph, recipe, unseen)
        walk = Walk(objective, rng, on_iteration, partial(drawn.cost, recipe) if hides else None, model._journal)
        solution = walk.run(
            solver,
            [
                walk.journal.start(
                    lambda: calibrated(model._start(objective.known, recipe, rng), recipe, drawn), (n, k)
                )
                for _ in range(model.n_starts)
            ],
        )
        if solution.reason == "interrupted":
            ended = solution
        elif hides:
            solution = _shortened(solution)
            ended = unless_interrupted(solution, lambda: _on_all_links(walk, solution, model, graph, solver))
        elif (an_evaluation := work(n, recipe, model.held_out_)) <= MOST_WORK:
            improved = improving_on_all_pairs(model, graph, recipe, staged(on_iteration, "on all pairs"))
            polish = replace(_POLISH, iterations=min(_POLISH.iterations, round(_POLISHING / an_evaluation)))
            begun = replace(solution, point=recipe.point(solution.point))
            polished = unless_interrupted(begun, lambda: improved(begun.point, polish))
            return polished if polished.history is begun.history else _joined(begun, polished)
        else:
            ended = solution
    ended = _shortened(ended)
    return replace(ended, point=recipe.point(ended.point).astype(np.float64))


def _on_all_links(walk: Walk, solution: Solution, model: Factorization, graph: Graph, solver: Adam) -> Solution:
    """The solution after a few short epochs that see the hidden pairs too."""
    recipe = walk.objective.recipe
    last = replace(walk, objective=sampled_objective(model, graph, recipe, model.held_out_), judge=None)
    ended = last.minimize(replace(solver, iterations=_LAST, step=_SHORT * solver.step), solution.point)
    joined = _joined(solution, ended)
    if ended.reason == "interrupted":
        return joined
    return replace(joined, reason=solution.reason, converged=solution.converged)


def sampled_objective(
    model: Factorization, graph: Graph, recipe: Recipe, held_out: HeldOut | None
) -> SampledPairsObjective:
    """The objective of the model on sampled pairs, in single precision."""
    n = graph.n_nodes
    return sampled_pairs_objective(
        graph,
        recipe,
        penalty=float(model.penalty),
        diagonal=model.include_diagonal,
        held_out=held_out,
        columns=_COLUMNS,
        rows=min(-(-n // _FEW_BLOCKS), max(_ROWS, min(n // _MANY_BLOCKS, _MOST_ROWS))),
        executor=model._executor(),
    )


@dataclass(frozen=True, eq=False)
class Walk:
    """What all stretches of a search have in common."""

    objective: SampledPairsObjective
    rng: np.random.Generator
    on_iteration: OnIteration | None
    judge: Judge | None
    journal: Journal

    def run(self, how: Adam, starts: Sequence[FloatArray]) -> Solution:
        """From the best of the starts, with the longest steps that help, to the best place found."""
        start = starts[0]
        if len(starts) > 1:
            points = [F.astype(np.float64) for F in starts]
            start = race(points, lambda F, epochs: self.minimize(replace(how, iterations=epochs), F)).point
        if self.judge is not None:  # it will notice if steps are too long
            return self.minimize(replace(how, every=max(1, how.iterations // _VERDICTS)), start)
        step, tried = self._longest_step(how.step, start)
        return (
            tried
            if tried.reason == "interrupted"
            else _joined(tried, self.minimize(replace(how, step=step), tried.point))
        )

    def minimize(self, how: Adam, start: FloatArray, stage: str = "") -> Solution:
        """A stretch of the search."""
        groups = self.objective.recipe.groups
        lower = np.repeat([g.lower_bound for g in groups], [g.width for g in groups])
        watched, notes = staged(self.on_iteration, stage), self.journal
        return self.journal.solved(
            start, lambda: how.minimize(self.objective, start, lower, self.rng, watched, self.judge, notes)
        )

    def _longest_step(self, longest: float, start: FloatArray) -> tuple[float, Solution]:
        """The longest of some step sizes that leads to a better place than the start, and that place.

        Shorter steps may well have got further by then, but not later.
        """
        for share in _SHORTER:
            step = share * longest
            solution = self.minimize(Adam(_TRIAL, step), start, f"trying steps of {step:.2g}")
            if solution.reason == "interrupted":
                break
            try:
                if self._better(solution.point, start):
                    break
            except KeyboardInterrupt:
                return step, replace(solution, reason="interrupted", converged=False)
        return step, solution

    def _better(self, F: FloatArray, than: FloatArray) -> bool:
        values = [self.objective.value(X.astype(np.float32), self.rng) for X in (F, than)]
        return values[0] < values[1]


def _shortened(solution: Solution) -> Solution:
    """The same point in the digits that it has: Adam's are single."""
    return replace(solution, point=solution.point.astype(np.float32))


def _joined(before: Solution, after: Solution) -> Solution:
    """The later of two stretches, with the way and the time of both."""
    return replace(
        after,
        history=np.concatenate([before.history[:-1], after.history]),
        evaluations=before.evaluations + after.evaluations,
        seconds=before.seconds + after.seconds,
    )

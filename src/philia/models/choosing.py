"""The settings that a model leaves open, chosen by trials on the graph itself."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from philia._types import Float64Array
from philia.execution import one_blas_thread
from philia.factors import CommunityFactors
from philia.graphs import Graph
from philia.models.journal import minimized
from philia.models.searching import solver_for, work
from philia.objective import Recipe, exact_objective
from philia.pairs import HeldOut, PairSample, seen
from philia.selection import Folds, Search, Selection, first_settings
from philia.solvers import Adam, FloorLBFGS, OnIteration, Solution, staged
from philia.solvers.by_size import is_cheap

if TYPE_CHECKING:
    from philia.models.community import CommunityModel

_TRIAL_SOLVER: Final = FloorLBFGS(keep=0.0)
"""Trials are short and begin near an end: there it reaches what L-BFGS-B does, with much less work of its own."""

_USUAL: Final = 20
"""So many columns of a kind are reckoned with where their number is open."""

AUTO: Final = "auto"
"""Not given: to be chosen."""


class HiddenPairsTrial:
    """A graph some of whose pairs are hidden, on which a model's open settings are tried.

    Small graphs are tried in double precision, so that rounding does not decide; for others single precision will do.


    >>> from philia import CommunityModel, as_graph
    >>> from philia.pairs import RandomPairs
    >>> graph = as_graph([(i, j) for i in range(9) for j in range(i)])
    >>> trial = HiddenPairsTrial(CommunityModel(random_state=0), graph, RandomPairs(0.1), np.random.default_rng(0))
    >>> trial.train(trial.start(2, 1), penalty=1.0, iterations=5).homophilous.shape
    (9, 2)
    """

    def __init__(
        self,
        model: CommunityModel,
        graph: Graph,
        hidden: HeldOut,
        rng: np.random.Generator,
        on_iteration: OnIteration | None = None,
    ) -> None:
        self.model, self.graph, self.hidden, self.rng, self.on_iteration = model, graph, hidden, rng, on_iteration
        self.interrupted = False

    def start(self, n_homophilous: int, n_heterophilous: int) -> CommunityFactors:
        """Factors before the first step."""
        model = self.model._with(n_homophilous, n_heterophilous, 0.0)
        recipe = model._recipe()
        with one_blas_thread():
            F = self.model._journal.start(
                lambda: model._start(seen(self.graph, self.hidden), recipe, self.rng),
                (self.graph.n_nodes, len(recipe.mixing)),
            )
        return model._factors(F, recipe)

    def train(self, factors: CommunityFactors, penalty: float, iterations: int) -> CommunityFactors:
        """The factors after some more steps."""
        if self.interrupted:
            return factors
        model = self.model._with(*factors.counts, penalty)
        recipe = model._recipe()
        with one_blas_thread():
            solution = self._search(model, recipe, model._columns(factors), iterations)
        self.interrupted = solution.reason == "interrupted"
        return model._factors(recipe.factors(solution.point, self.graph.n_nodes), recipe)

    def _search(self, model: CommunityModel, recipe: Recipe, F: Float64Array, iterations: int) -> Solution:
        objective = exact_objective(
            self.graph,
            recipe,
            penalty=model.penalty,
            diagonal=model.include_diagonal,
            held_out=self.hidden,
            dtype="float64"
            if is_cheap(self.graph.n_nodes, work(self.graph.n_nodes, recipe, self.hidden))
            else "float32",
            executor=model._executor(),
        )
        solver, lower = replace(_TRIAL_SOLVER, iterations=iterations), recipe.lower_bounds(self.graph.n_nodes)
        journal, function, start = self.model._journal, objective.value_and_gradient, recipe.point(F)
        return minimized(journal, solver, function, start, lower, self._watched(model))

    def _watched(self, model: CommunityModel) -> OnIteration | None:
        """Who watches is told what is being tried."""
        stage = f"trying {model.n_homophilous} + {model.n_heterophilous} communities, penalty {model.penalty:.2g}"
        return staged(self.on_iteration, stage)


def choose(
    model: CommunityModel, graph: Graph, rng: np.random.Generator, on_iteration: OnIteration | None
) -> tuple[Selection, CommunityFactors]:
    """The open settings of a model that predict hidden pairs of the graph well, and factors to go on from.

    >>> from philia import CommunityModel
    >>> from philia.datasets import planted
    >>> model = CommunityModel(random_state=0).fit(planted(200, 3, 0, degree=15, random_state=0).graph)
    >>> model.selection_.n_homophilous
    3
    """
    known = seen(graph, model.held_out_)
    if isinstance(solver_for(model.solver, graph, _nominal(model)._recipe(), model.held_out_), Adam):
        return _choose_among_sampled_pairs(model, graph, known, rng, on_iteration)
    folds = Folds.of(known)
    penalty = None if model.penalty == AUTO else float(model.penalty) * (1 - folds.share)  # trials see fewer pairs
    settings = first_settings(known, _asked(model.n_homophilous), _asked(model.n_heterophilous), penalty, rng)
    hidden = list(folds.hidden(graph, model.held_out_, rng))
    trials = [HiddenPairsTrial(model, graph, pairs, rng, on_iteration) for pairs in hidden]
    judges = [PairSample.held_out(graph, pairs, model.held_out_, rng) for pairs in hidden]
    return Search(trials, judges, rng).run(settings, folds.share)


def _choose_among_sampled_pairs(
    model: CommunityModel, graph: Graph, known: Graph, rng: np.random.Generator, on_iteration: OnIteration | None
) -> tuple[Selection, CommunityFactors]:
    from philia.models.sampled_trial import SampledPairsTrial

    trial = SampledPairsTrial(model, graph, model.held_out_, rng, on_iteration)
    penalty = None if model.penalty == AUTO else float(model.penalty) * (1 - trial.share)
    settings = first_settings(known, _asked(model.n_homophilous), _asked(model.n_heterophilous), penalty, rng)
    return Search([trial], [trial.drawn], rng).run(settings, trial.share)


def _nominal(model: CommunityModel) -> CommunityModel:
    """The model with a usual number of columns where it leaves that open."""
    asked = (_asked(model.n_homophilous), _asked(model.n_heterophilous))
    k_B, k_C = (_USUAL if count is None else count for count in asked)
    return model._with(k_B, k_C, 0.0)


def _asked(setting: Any) -> Any:
    """A setting that the user gave, or None."""
    return None if setting == AUTO else setting

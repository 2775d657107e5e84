"""The settings that a model leaves open, chosen by trials on the graph itself."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from philia.execution import LocalThreads, one_blas_thread
from philia.factors import CommunityFactors
from philia.graphs import Graph
from philia.objective import HeldOut, exact_objective, seen
from philia.selection import Folds, Search, Selection, first_settings
from philia.selection.judge import Judge
from philia.solvers import FloorLBFGS, OnIteration

if TYPE_CHECKING:
    from philia.models.community import CommunityModel

_TRIAL_SOLVER: Final = FloorLBFGS(keep=0.0)
"""Trials are short and begin near an end: there it reaches what L-BFGS-B does, with much less work of its own."""

AUTO: Final = "auto"
"""Not given: to be chosen."""


class HiddenPairsTrial:
    """A graph some of whose pairs are hidden, on which a model's open settings are tried, in single precision.

    >>> from philia import CommunityModel, as_graph
    >>> from philia.objective import RandomPairs
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
            return model._factors(model._start(seen(self.graph, self.hidden), recipe, self.rng), recipe)

    def train(self, factors: CommunityFactors, penalty: float, iterations: int) -> CommunityFactors:
        """The factors after some more steps."""
        if self.interrupted:
            return factors
        model = self.model._with(factors.homophilous.shape[1], factors.heterophilous.shape[1], penalty)
        recipe, n = model._recipe(), self.graph.n_nodes
        objective = exact_objective(
            self.graph,
            recipe,
            penalty=penalty,
            diagonal=model.include_diagonal,
            held_out=self.hidden,
            dtype="float32",
            executor=LocalThreads(model.n_jobs),
        )
        with one_blas_thread():
            solution = replace(_TRIAL_SOLVER, iterations=iterations).minimize(
                objective.value_and_gradient,
                recipe.point(model._columns(factors)),
                recipe.lower_bounds(n),
                self._watched(model),
            )
        self.interrupted = solution.reason == "interrupted"
        return model._factors(recipe.factors(solution.point, n), recipe)

    def _watched(self, model: CommunityModel) -> OnIteration | None:
        """Who watches is told what is being tried."""
        on_iteration = self.on_iteration
        if on_iteration is None:
            return None
        stage = f"trying {model.n_homophilous} + {model.n_heterophilous} communities, penalty {model.penalty:.2g}"
        return lambda progress: on_iteration(replace(progress, stage=stage))


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
    folds = Folds.of(known)
    penalty = None if model.penalty == AUTO else float(model.penalty) * (1 - folds.share)  # trials see fewer pairs
    settings = first_settings(known, _asked(model.n_homophilous), _asked(model.n_heterophilous), penalty, rng)
    hidden = list(folds.hidden(graph, model.held_out_, rng))
    trials = [HiddenPairsTrial(model, graph, pairs, rng, on_iteration) for pairs in hidden]
    judges = [Judge.of(graph, pairs, model.held_out_, rng) for pairs in hidden]
    return Search(trials, judges, rng).run(settings, folds.share)


def _asked(setting: Any) -> Any:
    """A setting that the user gave, or None."""
    return None if setting == AUTO else setting

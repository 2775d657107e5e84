"""Trials of settings on graphs too large to look at all pairs."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from philia._types import Float64Array
from philia.factors import CommunityFactors
from philia.graphs import Graph
from philia.models.calibrated import calibrated
from philia.models.choosing import HiddenPairsTrial
from philia.models.sampled_search import Walk, sampled_objective
from philia.objective import Recipe
from philia.pairs import HeldOut, PairSample
from philia.selection.search import FIRST
from philia.solvers import Adam, OnIteration, Solution

if TYPE_CHECKING:
    from philia.models.community import CommunityModel

_SHARE, _MOST = 0.1, 100_000
"""The share of the links that are hidden, if they are not more than this."""

_EPOCHS = 0.5
"""Epochs for each iteration of a search over all pairs: an epoch has many steps."""

_FIRST_STEP, _NEXT_STEP = 0.25, 0.08
"""Later trials begin where the one before ended, from where long steps would lead away first."""


class SampledPairsTrial(HiddenPairsTrial):
    """``HiddenPairsTrial`` by Adam on sampled pairs; what is hidden is a list of links and of drawn pairs.

    >>> from philia import CommunityModel
    >>> from philia.datasets import planted
    >>> graph, rng = planted(600, 4, 0, degree=20, random_state=0).graph, np.random.default_rng(0)
    >>> trial = SampledPairsTrial(CommunityModel(random_state=0), graph, None, rng)
    >>> trial.train(trial.start(4, 1), penalty=1.0, iterations=8).homophilous.shape
    (600, 4)
    """

    def __init__(
        self,
        model: CommunityModel,
        graph: Graph,
        unknown: HeldOut | None,
        rng: np.random.Generator,
        on_iteration: OnIteration | None = None,
    ) -> None:
        count = min(round(_SHARE * graph.n_links), _MOST)
        self.drawn = PairSample.draw(graph, unknown, count, rng)
        self.share = count / max(1, graph.n_links)
        super().__init__(model, graph, self.drawn.held_out_with(unknown, graph), rng, on_iteration)

    def start(self, n_homophilous: int, n_heterophilous: int) -> CommunityFactors:
        """Factors before the first step, scaled to the graph."""
        model = self.model._with(n_homophilous, n_heterophilous, 0.0)
        recipe = model._recipe()
        F = model._columns(super().start(n_homophilous, n_heterophilous))
        return model._factors(calibrated(F, recipe, self.drawn).astype(np.float64), recipe)

    def _search(self, model: CommunityModel, recipe: Recipe, F: Float64Array, iterations: int) -> Solution:
        objective = sampled_objective(model, self.graph, recipe, self.hidden)
        how = Adam(round(_EPOCHS * iterations), _FIRST_STEP if iterations == FIRST else _NEXT_STEP)
        found = Walk(objective, self.rng, self._watched(model), None, self.model._journal).minimize(how, F)
        return replace(found, point=recipe.point(found.point))

"""IeClam: communities that make links, as in BigClam, and communities that undo them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from philia._types import Float64Array
from philia.factors import CommunityFactors
from philia.fitting import Parametrization
from philia.fitting.estimator import check_counts
from philia.graphs import Graph
from philia.initialization import choose_start
from philia.models.factorization import Factorization, check_search
from philia.objective import Group, NoisyOr, Recipe
from philia.objective.losses import LEAST, Scores
from philia.objective.recipe import attracting, blocks, repelling


class ClippedNoisyOr(NoisyOr):
    """``NoisyOr`` for scores that may be negative: they count as the least score there is.

    Without a link nothing is charged below zero, with one the tangent at ``LEAST`` goes on, which is steep enough to
    keep links above it. ``moment`` is None because a sum of all scores would charge negative ones too.
    """

    moment = None  # type: ignore[assignment]

    @staticmethod
    def expected(s: Any) -> Any:
        """1 - e^-s of the clipped scores."""
        return -np.expm1(-np.maximum(s, LEAST))

    def log_likelihood(self, scores: Scores, linked: Scores | bool) -> Scores:
        """That of the clipped scores."""
        return super().log_likelihood(np.maximum(scores, LEAST), linked)


class IeClam(Factorization):
    """The probability of a link is 1 - exp(-(f_i·f_j - g_i·g_j)), with F and G nonnegative.

    Fallah et al., "IeClam: inclusive exclusive cluster affiliation model", 2024. They keep the difference positive by
    keeping each node in a cone; here it is clipped, and all pairs are fitted at once, as for the other models.

    >>> from philia.datasets import dating_app
    >>> model = IeClam(3, 1, random_state=0).fit(dating_app(90, cities=3, random_state=0).graph)
    >>> float(model.factors_.heterophilous.min()) >= 0
    True
    """

    loss = ClippedNoisyOr()
    factors_: CommunityFactors
    penalty = 0.0
    include_diagonal = False
    dtype = "float64"
    n_jobs = None

    def __init__(
        self, n_inclusive: int = 8, n_exclusive: int = 4, *, solver: Any = "lbfgsb", random_state: Any = None
    ) -> None:
        self.n_inclusive = n_inclusive
        self.n_exclusive = n_exclusive
        self.solver = solver
        self.random_state = random_state

    def parametrization(self) -> Parametrization:
        """F and G side by side."""
        return _InclusiveExclusive(self.n_inclusive, self.n_exclusive)

    def _check_parameters(self) -> None:
        check_counts(self, "n_inclusive", least=1)
        check_counts(self, "n_exclusive", least=0)
        check_search(self)


@dataclass(frozen=True)
class _InclusiveExclusive(Parametrization):
    n_inclusive: int
    n_exclusive: int

    @property
    def recipe(self) -> Recipe:
        k_F, k_G = self.n_inclusive, self.n_exclusive
        groups = Group("inclusive", k_F, lower_bound=0.0), Group("exclusive", k_G, lower_bound=0.0)
        return Recipe(groups, blocks(attracting(k_F), repelling(k_G)), IeClam.loss)

    def start(self, graph: Graph, rng: np.random.Generator) -> Float64Array:
        F, _ = choose_start("spectral")(graph, self.n_inclusive, 0, 0.0, rng)
        everything = float((F.sum(axis=0) ** 2).sum())
        F = F * np.sqrt(2 * graph.n_links / everything)  # scores that add up to the links, as BigClam begins
        # G begins small, so that links begin above zero, and at random, because at zero it would have no slope.
        G = 0.1 * F.mean() * rng.uniform(size=(graph.n_nodes, self.n_exclusive))
        return np.hstack([F, G])

    def columns(self, factors: CommunityFactors) -> Float64Array:
        return factors.columns

    def factors(self, F: Float64Array) -> CommunityFactors:
        inclusive, exclusive = (self.recipe.columns_of(name, F) for name in ("inclusive", "exclusive"))
        return CommunityFactors(inclusive, exclusive, np.zeros(len(F)))

"""IeClam: communities that make links, as in BigClam, and communities that prevent them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from philia._types import Float64Array, Node
from philia.explain import ScoreExplanation
from philia.explain.links import factor_in_words
from philia.factors import ConeFactors
from philia.fitting import Parametrization
from philia.fitting.estimator import check_counts, check_is_fitted
from philia.graphs import Graph
from philia.initialization import Start, choose_start
from philia.models.factorization import Factorization, check_search
from philia.objective import Group, NoisyOr, Recipe
from philia.objective.recipe import swapped
from philia.solvers import AnySolver


class IeClam(Factorization):
    """Inclusive and exclusive communities: the probability of a link is 1 - exp(-(t_i·t_j - s_i·s_j)), with |s| ≤ t.

    Zilberg and Levie, "PieClam: a universal graph autoencoder based on overlapping inclusive and exclusive
    communities", ICML 2025. Each community has an inclusive entry t and an exclusive entry s per node. Two nodes with
    the same s are less likely to be linked, two with opposite ones more likely. The authors keep |s| ≤ t, entry by
    entry, a cone in which the difference of the products cannot be negative. In the coordinates (t - s) / √2 and
    (t + s) / √2 the cone is what is nonnegative, so it is a lower bound like any other here, and the likelihood of all
    pairs takes O(links · k) as in ``BigClam``, which is the case s = 0.

    Their solver takes fixed steps up the gradient; this one is that of the other models.

    Parameters
    ----------
    n_communities
        The number of communities; each node has two numbers per community.
    penalty
        Regularization strength, the weight of |T|² + |S|²; 0 by default.
    start
        As in ``CommunityModel``: attracting columns are the start of T, repelling ones that of S, cut off at the cone.
    solver
        "auto", "lbfgsb", "floor", "adam" or a solver object, as in ``CommunityModel``.
    include_diagonal
        Whether a node's missing link to itself counts.
    random_state, dtype, n_jobs, executor
        As in ``CommunityModel``.

    >>> from philia import IeClam
    >>> from philia.datasets import dating_app
    >>> model = IeClam(3, random_state=0).fit(dating_app(90, cities=3, random_state=0).graph)
    >>> T, S = model.factors_.inclusive, model.factors_.exclusive
    >>> bool((abs(S) <= T).all()), sorted({community.kind for community in model.communities()})
    (True, ['heterophilous', 'homophilous'])
    """

    loss = NoisyOr()
    factors_: ConeFactors

    def __init__(
        self,
        n_communities: int = 8,
        *,
        penalty: float = 0.0,
        start: str | Start = "spectral",
        solver: str | AnySolver = "auto",
        include_diagonal: bool = False,
        random_state: Any = None,
        dtype: str = "float64",
        n_jobs: int | None = None,
        executor: Any = None,
    ) -> None:
        self.n_communities = n_communities
        self.penalty = penalty
        self.start = start
        self.solver = solver
        self.include_diagonal = include_diagonal
        self.random_state = random_state
        self.dtype = dtype
        self.n_jobs = n_jobs
        self.executor = executor

    def parametrization(self) -> Parametrization:
        """F = [U V], each side of a community meeting the other."""
        return _TwoSides(self.n_communities, self.start)

    def explain(self, u: Node, v: Node) -> ScoreExplanation:
        """Why a link between the two nodes is likely or unlikely: what each community does to the chance of none."""
        check_is_fitted(self)
        return self._explained(self.factors_.terms, u, v)

    def _effect(self, strength: float) -> str:
        return f"chance of no link {factor_in_words(-strength)}"

    def _check_parameters(self) -> None:
        check_counts(self, "n_communities", least=1)
        check_search(self)


@dataclass(frozen=True)
class _TwoSides(Parametrization):
    count: int
    begin: str | Start

    @property
    def recipe(self) -> Recipe:
        groups = Group("first", self.count, lower_bound=0.0), Group("second", self.count, lower_bound=0.0)
        return Recipe(groups, swapped(2 * self.count), IeClam.loss)

    def start(self, graph: Graph, rng: np.random.Generator) -> Float64Array:
        T, S = choose_start(self.begin)(graph, self.count, self.count, 0.0, rng)
        S = np.minimum(S, T)
        everything = float((T.sum(axis=0) ** 2).sum() - (S.sum(axis=0) ** 2).sum())
        # Scores that add up to the links, as BigClam begins; S ≤ T, but with S = T everywhere they would all be zero.
        scale = np.sqrt(2 * graph.n_links / everything) if everything > 0 else 0.0
        return np.asarray(np.hstack([T - S, T + S]) * scale / np.sqrt(2))

    def columns(self, factors: ConeFactors) -> Float64Array:
        return np.hstack([factors.first, factors.second])

    def factors(self, F: Float64Array) -> ConeFactors:
        return ConeFactors(self.recipe.columns_of("first", F), self.recipe.columns_of("second", F))

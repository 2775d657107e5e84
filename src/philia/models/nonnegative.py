"""The base of BigClam, SymNMF and soft clustering: scores F Fᵀ with nonnegative F."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from philia._types import Float64Array, Node
from philia.explain import ScoreExplanation
from philia.factors import CommunityFactors
from philia.fitting import Parametrization
from philia.fitting.estimator import check_counts, check_is_fitted
from philia.graphs import Graph
from philia.initialization import Start, choose_start
from philia.models.factorization import Factorization, check_search
from philia.objective import Group, Loss, Recipe
from philia.objective.recipe import attracting
from philia.solvers import AnySolver


class NonnegativeFactorization(Factorization):
    """Overlapping attracting communities; subclasses differ in their loss.

    Parameters
    ----------
    n_communities
        The number of columns of F.
    penalty
        Regularization strength, the weight of |F|²; 0 by default.
    start
        "spectral" (from leading eigenvectors), "uniform" (random), another name or a function as in ``CommunityModel``;
        it is scaled so that initial scores match the density of the graph.
    solver
        "auto", "lbfgsb", "floor", "adam" or a solver object, as in ``CommunityModel``.
    include_diagonal
        Whether a node's missing link to itself counts.
    random_state, dtype, n_jobs, executor
        As in ``CommunityModel``.

    >>> from philia import SymNMF
    >>> issubclass(SymNMF, NonnegativeFactorization)
    True
    """

    factors_: CommunityFactors

    def __init__(
        self,
        n_communities: int = 8,
        *,
        penalty: float = 0.0,
        start: str | Start = "spectral",
        solver: str | AnySolver = "auto",
        include_diagonal: bool = True,
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
        """F itself, every column an attracting community."""
        return _NonnegativeColumns(self.n_communities, self.loss, self.start)

    def explain(self, u: Any, v: Node | None = None) -> ScoreExplanation:
        """Why the two nodes have their score: what each community adds to it."""
        check_is_fitted(self)
        return self._explained(self.factors_.terms, u, v)

    def _check_parameters(self) -> None:
        check_counts(self, "n_communities", least=1)
        check_search(self)


@dataclass(frozen=True)
class _NonnegativeColumns(Parametrization):
    count: int
    loss: Loss
    begin: str | Start

    @property
    def recipe(self) -> Recipe:
        return Recipe((Group("homophilous", self.count, lower_bound=0.0),), attracting(self.count), self.loss)

    def start(self, graph: Graph, rng: np.random.Generator) -> Float64Array:
        B, _ = choose_start(self.begin)(graph, self.count, 0, 0.0, rng)
        return np.asarray(B * np.sqrt(_fitting_scale(graph, B, self.loss.moment or 1)))

    def columns(self, factors: CommunityFactors) -> Float64Array:
        return factors.homophilous

    def factors(self, F: Float64Array) -> CommunityFactors:
        return CommunityFactors.attracting(F)


def _fitting_scale(graph: Graph, F: Float64Array, moment: int) -> float:
    """The factor at which the scores F Fᵀ best match the graph: in their sum, or in squared error."""
    if moment == 1:
        links, everything = 2.0 * graph.n_links, float((F.sum(axis=0) ** 2).sum())
    else:
        links, everything = float((F * (graph.adjacency @ F)).sum()), float(((F.T @ F) ** 2).sum())
    return links / everything if everything > 0 else 0.0

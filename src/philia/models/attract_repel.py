"""Attract-repel: least squares off the diagonal, with factors of any sign."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from philia._types import Float64Array, Node
from philia.exceptions import InvalidParameterError
from philia.explain import ScoreExplanation
from philia.factors import SignedFactors
from philia.fitting import Parametrization
from philia.fitting.estimator import check_counts, check_is_fitted
from philia.graphs import Graph
from philia.graphs.spectrum import leading_ends
from philia.models.factorization import Factorization, check_search
from philia.objective import Group, Loss, Recipe, SquaredError
from philia.objective.recipe import attracting, blocks, repelling
from philia.solvers import AnySolver


class AttractRepel(Factorization):
    """A ≈ D + B Bᵀ - C Cᵀ with a diagonal D and factors of any sign, by least squares.

    Peysakhovich and Bottou, "An attract-repel decomposition of undirected networks", 2021. D is free, so the diagonal
    is fitted without error and the rest is least squares over pairs of different nodes. The search starts from the
    leading eigenvectors, which would be the solution if the diagonal counted.

    Parameters
    ----------
    n_homophilous, n_heterophilous
        The number of columns of B and of C.
    penalty
        Regularization strength, the weight of |B|² + |C|²; 0 by default.
    solver, random_state, dtype, n_jobs, executor
        As in ``CommunityModel``.

    >>> from philia import AttractRepel
    >>> square = [("ann", "bob"), ("bob", "cat"), ("cat", "dan"), ("dan", "ann")]
    >>> AttractRepel(1, 1, random_state=0).fit(square).predict_proba([("ann", "bob"), ("ann", "cat")]).round(2).tolist()
    [1.0, 0.0]
    """

    loss = SquaredError()
    include_diagonal = False
    factors_: SignedFactors

    def __init__(
        self,
        n_homophilous: int = 8,
        n_heterophilous: int = 4,
        *,
        penalty: float = 0.0,
        solver: str | AnySolver = "auto",
        random_state: Any = None,
        dtype: str = "float64",
        n_jobs: int | None = None,
        executor: Any = None,
    ) -> None:
        self.n_homophilous = n_homophilous
        self.n_heterophilous = n_heterophilous
        self.penalty = penalty
        self.solver = solver
        self.random_state = random_state
        self.dtype = dtype
        self.n_jobs = n_jobs
        self.executor = executor

    def diagonal(self) -> Float64Array:
        """The diagonal of D (n), which cancels the entries of each node with itself."""
        P, N = self.factors_.positive, self.factors_.negative
        return np.asarray((N**2).sum(axis=1) - (P**2).sum(axis=1))

    def repulsion(self) -> float:
        """The share of repulsion in what was fitted, from 0 to 1: what the decomposition was proposed to measure.

        B Bᵀ - C Cᵀ is divided into its positive and its negative eigenvalues, because columns of B and C may cancel in
        part; the share is that of the negative ones in the sum of all squares. A network in which opposites attract has
        more of it than one in which friends of friends are friends.

        >>> from philia import AttractRepel
        >>> bipartite = [(i, 5 + j) for i in range(5) for j in range(5)]
        >>> cliques = [(i, j) for first in (0, 5) for i in range(first, first + 5) for j in range(first, i)]
        >>> for links in (bipartite, cliques):
        ...     print(round(AttractRepel(2, 1, random_state=0).fit(links).repulsion(), 1))
        0.5
        0.0
        """
        check_is_fitted(self)
        P, N = self.factors_.positive, self.factors_.negative
        _, R = np.linalg.qr(np.hstack([P, N]))
        values = np.linalg.eigvalsh((R * np.repeat([1.0, -1.0], (P.shape[1], N.shape[1]))) @ R.T)
        squares = values**2
        total = float(squares.sum())
        return float(squares[values < 0].sum()) / total if total else 0.0

    def parametrization(self) -> Parametrization:
        """F = [B C], of any sign."""
        return _SignedColumns(self.n_homophilous, self.n_heterophilous, self.loss)

    def explain(self, u: Any, v: Node | None = None) -> ScoreExplanation:
        """Why the two nodes have their score: what each community adds to it."""
        check_is_fitted(self)
        return self._explained(self.factors_.terms, u, v)

    def _check_parameters(self) -> None:
        check_counts(self, "n_homophilous", "n_heterophilous", least=0)
        check_search(self)
        if self.n_homophilous + self.n_heterophilous == 0:
            raise InvalidParameterError("both numbers of columns are 0; ask for at least one")


@dataclass(frozen=True)
class _SignedColumns(Parametrization):
    n_homophilous: int
    n_heterophilous: int
    loss: Loss

    @property
    def recipe(self) -> Recipe:
        k_B, k_C = self.n_homophilous, self.n_heterophilous
        groups = Group("homophilous", k_B), Group("heterophilous", k_C)
        return Recipe(groups, blocks(attracting(k_B), repelling(k_C)), self.loss)

    def start(self, graph: Graph, rng: np.random.Generator) -> Float64Array:
        # Where eigenvectors run out, columns start small and at random: at zero they would have no slope.
        F = 1e-2 * rng.standard_normal((graph.n_nodes, self.n_homophilous + self.n_heterophilous))
        upper, lower = leading_ends(graph, self.n_homophilous, self.n_heterophilous, rng, scaled=False)
        for first, (values, vectors), sign in ((0, upper, 1), (self.n_homophilous, lower, -1)):
            F[:, first : first + len(values)] += vectors * np.sqrt(np.maximum(sign * values, 0))
        return F

    def columns(self, factors: SignedFactors) -> Float64Array:
        return np.hstack([factors.positive, factors.negative])

    def factors(self, F: Float64Array) -> SignedFactors:
        return SignedFactors(self.recipe.columns_of("homophilous", F), self.recipe.columns_of("heterophilous", F))

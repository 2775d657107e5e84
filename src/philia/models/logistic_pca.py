"""Logistic PCA: two vectors of any sign a node."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from philia._types import Float64Array
from philia.exceptions import InvalidParameterError
from philia.explain.communities import odds_effect
from philia.explain.rules import DOUBLED
from philia.factors import LogisticFactors
from philia.fitting import Parametrization
from philia.fitting.estimator import check_counts
from philia.graphs import Graph
from philia.models.factorization import Factorization, check_search
from philia.objective import CrossEntropy, Group, Loss, Recipe
from philia.objective.recipe import one_way
from philia.solvers import AnySolver


class LogisticPCA(Factorization):
    """Link probabilities sigmoid(x_i·y_j) with factors of any sign: more expressive, but not interpretable.

    Chanpuriya, Musco, Sotiropoulos and Tsourakakis, "Node embeddings and exact low-rank representations of complex
    networks", NeurIPS 2020. Both directions of every pair are fitted; a pair's score is the mean of the two logits.

    Parameters
    ----------
    n_columns
        The number of columns of X and of Y; each node has twice as many numbers.
    penalty
        Regularization strength, the weight of |X|² + |Y|²; 0 by default.
    start
        Where entries begin, at random: "scaled" between ±1/√n_columns, so that every logit begins between ±1, or
        "unit" between ±1, as the authors' do.
    solver, include_diagonal, random_state, dtype, n_jobs, executor
        As in ``CommunityModel``.

    >>> from philia import LogisticPCA
    >>> path = [("ann", "bob"), ("bob", "cat"), ("cat", "dan")]
    >>> LogisticPCA(3, random_state=0).fit(path).predict_proba([("ann", "bob"), ("ann", "dan")]).round(2).tolist()
    [1.0, 0.0]
    """

    loss = CrossEntropy()
    factors_: LogisticFactors

    telling = DOUBLED

    def __init__(
        self,
        n_columns: int = 8,
        *,
        penalty: float = 0.0,
        start: str = "scaled",
        solver: str | AnySolver = "auto",
        include_diagonal: bool = True,
        random_state: Any = None,
        dtype: str = "float64",
        n_jobs: int | None = None,
        executor: Any = None,
    ) -> None:
        self.n_columns = n_columns
        self.penalty = penalty
        self.start = start
        self.solver = solver
        self.include_diagonal = include_diagonal
        self.random_state = random_state
        self.dtype = dtype
        self.n_jobs = n_jobs
        self.executor = executor

    def parametrization(self) -> Parametrization:
        """F = [X Y], scored one way: x_i·y_j."""
        return _LogisticColumns(self.n_columns, self.loss, _SIZES[self.start](self.n_columns))

    def _effect(self, typical: float) -> str:
        return odds_effect(typical)

    def _check_parameters(self) -> None:
        check_counts(self, "n_columns", least=1)
        check_search(self)
        if self.start not in _SIZES:
            raise InvalidParameterError(f"start is {self.start!r}; use {' or '.join(map(repr, _SIZES))}")


_SIZES: dict[Any, Callable[[int], float]] = {"scaled": lambda count: count**-0.5, "unit": lambda _: 1.0}
"""The largest entry of each start, by the number of columns."""


@dataclass(frozen=True)
class _LogisticColumns(Parametrization):
    count: int
    loss: Loss
    size: float

    @property
    def recipe(self) -> Recipe:
        return Recipe((Group("left", self.count), Group("right", self.count)), one_way(2 * self.count), self.loss)

    def start(self, graph: Graph, rng: np.random.Generator) -> Float64Array:
        return rng.uniform(-self.size, self.size, size=(graph.n_nodes, 2 * self.count))

    def columns(self, factors: LogisticFactors) -> Float64Array:
        return np.hstack([factors.left, factors.right])

    def factors(self, F: Float64Array) -> LogisticFactors:
        return LogisticFactors(self.recipe.columns_of("left", F), self.recipe.columns_of("right", F))

"""The one search that all factorisation models share: scores = F M Fᵀ, a loss over all pairs, a solver."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import Any, Literal, Self

import numpy as np

from philia._types import Float64Array
from philia.execution import LocalThreads, one_blas_thread
from philia.factors import Factors
from philia.graphs import Graph
from philia.initialization import race
from philia.models.files import KeptModel
from philia.models.link_model import LinkModel
from philia.objective import Recipe, exact_objective, seen
from philia.solvers import OnIteration, Solution, Solver, as_solver, shortened


class Factorization(LinkModel):
    """A model fitted by minimising a loss over all pairs of nodes.

    It is a recipe (its columns, mixing and loss), a start, and the factors that its fitted columns are read as.

    >>> from philia import CommunityModel
    >>> model = CommunityModel(1, 1, penalty=0.1, random_state=0).fit([("ann", "bob"), ("bob", "cat"), ("cat", "dan")])
    >>> model.solution_.converged
    True
    """

    penalty: float | Literal["auto"]
    solver: str | Solver
    include_diagonal: bool
    dtype: str
    n_jobs: int | None
    n_starts: int = 1
    penalty_: float

    @abstractmethod
    def _recipe(self) -> Recipe:
        """The model's row of the table."""

    @abstractmethod
    def _start(self, graph: Graph, recipe: Recipe, rng: np.random.Generator) -> Float64Array:
        """F (n × k) before the first step."""

    @abstractmethod
    def _factors(self, F: Float64Array, recipe: Recipe) -> Factors:
        """The factors that fitted columns are read as."""

    @abstractmethod
    def _columns(self, factors: Any) -> Float64Array:
        """F again, from the factors: the inverse of ``_factors``."""

    def _learn(
        self, graph: Graph, rng: np.random.Generator, on_iteration: OnIteration | None
    ) -> tuple[Factors, Solution]:
        recipe = self._recipe()
        objective = exact_objective(
            graph,
            recipe,
            penalty=self.penalty,
            diagonal=self.include_diagonal,
            held_out=self.held_out_,
            dtype=self.dtype,
            executor=LocalThreads(self.n_jobs),
        )
        lower, solver = recipe.lower_bounds(graph.n_nodes), as_solver(self.solver)

        def improved(point: Float64Array, iterations: int) -> Solution:
            shorter = shortened(solver, iterations)
            return shorter.minimize(objective.value_and_gradient, point, lower, on_iteration)

        with one_blas_thread():
            known = seen(graph, self.held_out_)
            starts = [recipe.point(self._start(known, recipe, rng)) for _ in range(self.n_starts)]
            first = race(starts, improved) if self.n_starts > 1 else None
            if first is not None and first.reason == "interrupted":
                solution = first
            else:
                start = starts[0] if first is None else first.point
                solution = solver.minimize(objective.value_and_gradient, start, lower, on_iteration)
        return self._factors(recipe.factors(solution.point, graph.n_nodes), recipe), solution

    @classmethod
    def _restored(cls, kept: KeptModel) -> Self:
        model = super()._restored(kept)
        model.penalty_ = kept.chosen.get("penalty", model.penalty)  # files once held no other than the one asked for
        settled = model._settled()
        point = settled._recipe().point(settled._columns(kept.factors))
        model.solution_ = replace(kept.solution, point=point)
        return model

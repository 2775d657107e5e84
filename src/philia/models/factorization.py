"""The one search that all factorisation models share: scores = F M Fᵀ, a loss over all pairs, a solver."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from dataclasses import replace
from typing import Any, Literal, Self

import numpy as np

from philia._types import Float64Array
from philia.execution import Executor, as_executor, opened
from philia.factors import Factors
from philia.graphs import Graph
from philia.models.files import KeptModel
from philia.models.link_model import LinkModel
from philia.models.searching import search
from philia.objective import Recipe
from philia.solvers import AnySolver, OnIteration, Solution


class Factorization(LinkModel):
    """A model fitted by minimising a loss over all pairs of nodes.

    It is a recipe (its columns, mixing and loss), a start, and the factors that its fitted columns are read as.

    >>> from philia import CommunityModel
    >>> model = CommunityModel(1, 1, penalty=0.1, random_state=0).fit([("ann", "bob"), ("bob", "cat"), ("cat", "dan")])
    >>> model.solution_.converged
    True
    """

    penalty: float | Literal["auto"]
    solver: str | AnySolver
    include_diagonal: bool
    dtype: str
    n_jobs: int | None
    executor: Any = None
    n_starts: int = 1
    penalty_: float
    _place: Executor | None = None

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
        solution = search(self, graph, recipe, rng, on_iteration)
        return self._factors(recipe.factors(solution.point, graph.n_nodes), recipe), solution

    def _executor(self) -> Executor:
        """Where the model computes."""
        return as_executor(self.executor, self.n_jobs) if self._place is None else self._place

    @contextmanager
    def _working(self) -> Iterator[None]:
        if self._place is not None:  # part of a larger work, which opened it
            yield
            return
        with opened(self.executor, self.n_jobs) as self._place:
            try:
                yield
            finally:
                del self._place

    def __sklearn_clone__(self) -> Self:
        """An unfitted model that computes at the same place: places are not copied, and stay open while in use."""
        fresh: Self = super(Factorization, copy(self)).__sklearn_clone__()
        fresh.executor = self.executor
        if self._place is not None:
            fresh._place = self._place
        return fresh

    def __getstate__(self) -> dict[str, Any]:
        """All but the place: it belongs to this process, so that a pickled model computes on threads again."""
        state = {name: value for name, value in super().__getstate__().items() if name != "_place"}
        return {**state, "executor": None}

    @classmethod
    def _restored(cls, kept: KeptModel) -> Self:
        model = super()._restored(kept)
        penalty = kept.chosen.get("penalty", model.penalty)  # files once held no other than the one asked for
        if type(penalty) not in (int, float) or not 0 <= penalty < np.inf:
            raise ValueError(f"the chosen penalty is {penalty!r}, not a finite number of at least 0")
        model.penalty_ = penalty
        settled = model._settled()
        recipe, columns = settled._recipe(), settled._columns(kept.factors)
        if columns.shape[1] != len(recipe.mixing):
            raise ValueError(f"the factors have {columns.shape[1]} columns, and the settings {len(recipe.mixing)}")
        model.solution_ = replace(kept.solution, point=recipe.point(columns))
        return model

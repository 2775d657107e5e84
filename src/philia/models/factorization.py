"""Models fitted by minimizing a loss over all pairs: scores = F M Fᵀ."""

from __future__ import annotations

import logging
import numbers
from abc import abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from dataclasses import replace
from typing import Any, Literal, Self

import numpy as np

from philia.exceptions import InvalidParameterError
from philia.execution import Executor, as_executor, one_blas_thread, opened
from philia.factors import Factors
from philia.fitting import AllPairs, Parametrization, Problem, SampledPairs, solver_for
from philia.fitting.journal import Journal
from philia.graphs import Graph
from philia.models.files import KeptModel
from philia.models.link_model import LinkModel
from philia.objective import Recipe
from philia.solvers import Adam, AnySolver, BySize, OnIteration, Solution, Solver, as_solver

_LOG = logging.getLogger("philia")


class Factorization(LinkModel):
    """A model fitted by minimizing a loss over all pairs of nodes: scores = F M Fᵀ.

    A subclass says what its columns are (``parametrization``): a recipe, a start, and the factors they are read as.

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
    _open_executor: Executor | None = None

    @abstractmethod
    def parametrization(self) -> Parametrization:
        """The columns of F that the model's settings ask for."""

    def recipe(self) -> Recipe:
        """The groups of columns with their mixing matrix and loss, which is a row in the table of models."""
        return self.parametrization().recipe

    def _learn(
        self, graph: Graph, rng: np.random.Generator, journal: Journal, on_iteration: OnIteration | None
    ) -> tuple[Factors, Solution]:
        """The paper's Algorithm 2, for any recipe: its lines 3 to 5 are the problem's objective, 6 and 7 the solver."""
        problem, solver = self._posed(self.parametrization(), float(self.penalty), graph, rng, journal, on_iteration)
        if isinstance(solver, Adam) and isinstance(as_solver(self.solver), BySize):
            _LOG.info(
                "%s nodes have %s pairs, too many to look at all: links are counted, other pairs sampled "
                "(the solver 'lbfgsb' would look at all). First a start is computed.",
                f"{graph.n_nodes:,}",
                f"{graph.n_nodes * (graph.n_nodes - 1) / 2:.2g}",
            )
        solution = problem.search(solver, self.n_starts)
        return problem.parametrization.factors(solution.point), solution

    def _posed(
        self,
        parametrization: Parametrization,
        penalty: float,
        graph: Graph,
        rng: np.random.Generator,
        journal: Journal,
        on_iteration: OnIteration | None,
    ) -> tuple[Problem, Solver | Adam]:
        """The problem that a fit solves, and the solver for it, which decides whether all pairs are looked at."""
        solver = solver_for(self.solver, graph, parametrization.recipe, self.held_out_)
        kind = SampledPairs if isinstance(solver, Adam) else AllPairs
        problem = kind(
            graph=graph,
            parametrization=parametrization,
            penalty=penalty,
            rng=rng,
            held_out=self.held_out_,
            diagonal=self.include_diagonal,
            dtype=self.dtype,
            executor=self._executor(),
            journal=journal,
            on_iteration=on_iteration,
        )
        return problem, solver

    def _executor(self) -> Executor:
        """The executor in use: the open one, or a new one from the settings."""
        return as_executor(self.executor, self.n_jobs) if self._open_executor is None else self._open_executor

    @contextmanager
    def _working(self) -> Iterator[None]:
        if self._open_executor is not None:  # opened by a caller that makes several fits
            yield
            return
        # Limiting BLAS takes as long as a short run of a small problem, so it is done once for all of them.
        with one_blas_thread(), opened(self.executor, self.n_jobs) as self._open_executor:
            try:
                yield
            finally:
                del self._open_executor

    def __sklearn_clone__(self) -> Self:
        """An unfitted copy with the same executor, which is shared and stays open while in use."""
        fresh = super(Factorization, copy(self)).__sklearn_clone__()
        fresh.executor = self.executor
        if self._open_executor is not None:
            fresh._open_executor = self._open_executor
        return fresh

    def __getstate__(self) -> dict[str, Any]:
        """Everything except the executor, which belongs to this process; a pickled model computes on threads again."""
        state = {name: value for name, value in vars(self).items() if name != "_open_executor"}
        return {**state, "executor": None}

    @classmethod
    def _restored(cls, kept: KeptModel) -> Self:
        model = super()._restored(kept)
        penalty = kept.chosen.get("penalty", model.penalty)  # files once held no other than the one asked for
        if type(penalty) not in (int, float) or not 0 <= penalty < np.inf:
            raise ValueError(f"the chosen penalty is {penalty!r}, not a finite number of at least 0")
        model.penalty_ = penalty
        if "sparse" in kept.chosen:  # there is no F
            return model
        parametrization = model._settled().parametrization()
        columns, expected = parametrization.columns(kept.factors), len(parametrization.recipe.mixing)
        if columns.shape[1] != expected:
            raise ValueError(f"the factors have {columns.shape[1]} columns, and the settings {expected}")
        model.solution_ = replace(kept.solution, point=columns)
        return model


def check_search(model: Any, *, auto: bool = False) -> None:
    """Check the settings that every factorization has: penalty, precision and threads."""
    penalty = 0.0 if auto and model.penalty == "auto" else model.penalty
    if not isinstance(penalty, numbers.Real) or not 0 <= float(penalty) < np.inf:
        or_auto = ', or "auto"' if auto else ""
        raise InvalidParameterError(f"penalty is {penalty!r}; it must be a number, 0 or more{or_auto}")
    if model.dtype not in ("float32", "float64", np.float32, np.float64):
        raise InvalidParameterError(f"dtype is {model.dtype!r}; use 'float64' or 'float32'")
    threads = model.n_jobs
    if threads is not None and (not isinstance(threads, numbers.Integral) or threads == 0):
        raise InvalidParameterError(f"n_jobs is {threads!r}; use a number of threads, or None or -1 for all cores")

"""What a fit solves: a graph, the columns of F that are searched for, and the pairs that count.

Algorithm 2 of the paper is ``solution = problem.solve(problem.start(), solver)``. A smaller question about the same
graph, as in the choice of the number of communities, is the same problem ``narrowed`` or ``resized``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final, Self

import numpy as np

from philia._types import Float64Array, FloatArray
from philia.execution import Executor, one_blas_thread
from philia.factors import Factors
from philia.fitting.journal import Journal, NoJournal, minimized
from philia.graphs import Graph
from philia.initialization import race
from philia.objective import AllPairsObjective, Recipe, SmallObjective, exact_objective
from philia.objective.all_pairs import SmallPairs, has_closed_form, is_small, sweeps
from philia.pairs import HeldOut, seen
from philia.solvers import (
    LBFGSB,
    Adam,
    AnySolver,
    BySize,
    FloorLBFGS,
    OnIteration,
    Solution,
    Solver,
    adam_for,
    as_solver,
    shortened,
    staged,
)
from philia.solvers.catalog import descent_for, is_cheap
from philia.solvers.solver import unless_interrupted

_NO_JOURNAL: Final = NoJournal()

_LAST_SHARE: Final = 0.15
"""The share of iterations with which a run settles in its own precision: they find the last digits."""


_OF_PAIRS: Final = ("known", "pairs")
"""What a problem computes once, from its pairs alone."""


class Parametrization(ABC):
    """The columns of F: how they make scores (a recipe), where they start, and the factors they are read as.

    >>> from philia import BigClam
    >>> [group.name for group in BigClam(2).parametrization().recipe.groups]
    ['homophilous']
    """

    @property
    @abstractmethod
    def recipe(self) -> Recipe:
        """The groups of columns with their mixing matrix and loss, which is a row in the table of models."""

    @abstractmethod
    def start(self, graph: Graph, rng: np.random.Generator) -> Float64Array:
        """F (n × k) before the first step."""

    @abstractmethod
    def factors(self, F: Float64Array) -> Factors:
        """The factors that fitted columns are read as."""

    @abstractmethod
    def columns(self, factors: Any) -> Float64Array:
        """F again, from the factors: the inverse of ``factors``."""

    def resized(self, n_homophilous: int, n_heterophilous: int) -> Parametrization:
        """The same with other numbers of communities, where the model has two kinds of them."""
        raise TypeError(f"{type(self).__name__} has no communities of two kinds")


@dataclass(frozen=True, eq=False, kw_only=True)
class Problem(ABC):
    """Minimise the loss over the pairs of a graph that are not held out, plus penalty · |F|², within F's bounds.

    It knows where to compute (``executor``), where to record what was computed (``journal``), where chance comes from
    (``rng``) and whom to tell about progress. ``dtype=None`` takes double precision where that is cheap, and single
    precision otherwise.

    >>> from philia import CommunityModel, as_graph
    >>> columns, rng = CommunityModel(1, 1).parametrization(), np.random.default_rng(0)
    >>> problem = AllPairs(graph=as_graph([(0, 1), (1, 2)]), parametrization=columns, penalty=1.0, rng=rng)
    >>> problem.resized(2, 0, 0.5).start().shape, problem.start().shape
    ((3, 5), (3, 5))
    """

    graph: Graph
    parametrization: Parametrization
    penalty: float
    rng: np.random.Generator
    held_out: HeldOut | None = None
    diagonal: bool = False
    dtype: Any = np.float64
    executor: Executor | None = None
    journal: Journal = _NO_JOURNAL
    on_iteration: OnIteration | None = None

    @property
    def recipe(self) -> Recipe:
        """The groups of columns with their mixing matrix and loss."""
        return self.parametrization.recipe

    @cached_property
    def known(self) -> Graph:
        """The graph without the links that are held out."""
        return seen(self.graph, self.held_out)

    def start(self) -> Any:
        """F (n × k) before the first step; several calls give several starts."""
        shape = (self.graph.n_nodes, len(self.recipe.mixing))
        with one_blas_thread():
            found: FloatArray = self.journal.start(self._begin, shape)
        return found

    def _begin(self) -> Any:
        return self.parametrization.start(self.known, self.rng)

    @abstractmethod
    def solve(self, F: FloatArray, solver: Any, stage: str = "") -> Solution:
        """One run of a solver from F; the solution's point is a matrix like F. ``stage`` labels its progress."""

    @abstractmethod
    def search(self, solver: Any, n_starts: int = 1) -> Solution:
        """The whole search: from the best of several starts to the end."""

    def settle(self, solver: Any) -> Solution:
        """The search of a fit that begins where trials ended."""
        return self.search(solver)

    @abstractmethod
    def trial_solver(self, iterations: int, *, first: bool) -> Any:
        """The solver for a short run of a trial: the first, from a start, or one from where another run ended."""

    def narrowed(self, held_out: HeldOut) -> Self:
        """The same problem with these pairs held out."""
        return replace(self, held_out=held_out)

    def resized(self, n_homophilous: int, n_heterophilous: int, penalty: float) -> Self:
        """The same problem with other numbers of communities and another penalty."""
        parametrization = self.parametrization.resized(n_homophilous, n_heterophilous)
        if parametrization is self.parametrization and penalty == self.penalty:
            return self
        return self.with_columns(parametrization, penalty)

    def with_columns(self, parametrization: Parametrization, penalty: float) -> Self:
        """The same problem with other columns."""
        return self._on_same_pairs(parametrization=parametrization, penalty=penalty)

    def _on_same_pairs(self, **changes: Any) -> Self:
        """The problem with changes that leave its pairs as they are; what it knows of them is not computed again."""
        other = replace(self, **changes)
        vars(other).update({name: vars(self)[name] for name in _OF_PAIRS if name in vars(self)})
        return other


class AllPairs(Problem):
    """The problem with every pair looked at in every step.

    >>> from philia import CommunityModel, as_graph
    >>> columns = CommunityModel(1, 1).parametrization()
    >>> graph, rng = as_graph([("ann", "bob"), ("bob", "cat")]), np.random.default_rng(0)
    >>> problem = AllPairs(graph=graph, parametrization=columns, penalty=0.1, rng=rng)
    >>> problem.solve(problem.start(), solver_for("auto", graph, columns.recipe, None)).converged
    True
    """

    @property
    def precision(self) -> np.dtype[Any]:
        """The precision of an evaluation."""
        dtype, n = self.dtype, self.graph.n_nodes
        if dtype is None:  # where a run is cheap, rounding must not decide
            dtype = np.float64 if is_cheap(n, work(n, self.recipe, self.held_out)) else np.float32
        found: np.dtype[Any] = np.dtype(dtype)
        return found

    @cached_property
    def pairs(self) -> SmallPairs | None:
        """The pairs that count, where a single call evaluates all of them."""
        if not is_small(self.graph, self.recipe):
            return None
        return SmallPairs(self.graph, diagonal=self.diagonal, held_out=self.held_out)

    @cached_property
    def objective(self) -> AllPairsObjective | SmallObjective:
        """The loss over all pairs with its gradient, in closed form where there is one."""
        return exact_objective(
            self.graph,
            self.recipe,
            penalty=self.penalty,
            diagonal=self.diagonal,
            held_out=self.held_out,
            dtype=self.precision,
            pairs=self.pairs,
            executor=self.executor,
        )

    def solve(self, F: FloatArray, solver: Solver, stage: str = "") -> Solution:
        """One run of a solver from F."""
        with one_blas_thread():
            return self._as_matrix(self._minimized(self.recipe.point(F.astype(np.float64, copy=False)), solver, stage))

    def search(self, solver: Solver, n_starts: int = 1) -> Solution:
        """A run from the start, or from the one of several that wins the race."""
        starts = [self.start() for _ in range(n_starts)]
        if n_starts == 1:
            return self.solve(starts[0], solver)
        points = [self.recipe.point(F) for F in starts]
        with one_blas_thread():
            won = race(points, lambda point, iterations: self._minimized(point, shortened(solver, iterations)))
            if won.reason != "interrupted":
                won = unless_interrupted(won, lambda: self._minimized(won.point, solver))
            return self._as_matrix(won)

    def settle(self, solver: Solver) -> Solution:
        """The search of a fit that begins where trials ended, most of the way as trials go.

        That is above a floor in single precision, or, where a single call evaluates all pairs, until the gradient
        vanishes, or until no step lowers the loss: then L-BFGS-B tries to go on.
        """
        trial = self._on_same_pairs(dtype=None)
        begin, end = solver, shortened(solver, _LAST_SHARE)
        if isinstance(solver, LBFGSB) and self.pairs is not None:
            trial, end = self, solver
            begin = FloorLBFGS(solver.iterations, solver.memory, 0.0, 0.0, solver.gradient_tolerance)
        elif not isinstance(solver, FloorLBFGS) or trial.precision == self.precision:
            return self.search(solver)
        begun = trial.search(begin)
        if begun.reason == "interrupted" or (trial is self and begun.reason.endswith("vanished")):
            return begun
        with one_blas_thread():
            ended = self.polish(begun, end, "last iterations")
        # Where rounding hides every descent, L-BFGS-B finds no step either, and calls that a failure.
        level = begun.value - ended.value <= LBFGSB.value_tolerance * abs(begun.value)
        return begun if trial is self and begun.converged and not ended.converged and level else ended

    def polish(self, begun: Solution, solver: Solver, stage: str) -> Solution:
        """The end of a run that goes on from another problem's solution; that solution if Ctrl-C comes first."""
        begun = replace(begun, point=self.recipe.point(begun.point))
        ended = unless_interrupted(begun, lambda: self._minimized(begun.point, solver, stage))
        return self._as_matrix(ended if ended.history is begun.history else joined(begun, ended))

    def trial_solver(self, iterations: int, *, first: bool) -> Solver:
        """Trials are short and begin near their end, where this one gets as far as L-BFGS-B with less overhead.

        They are not ended sooner where the loss falls slowly: a small penalty shows its harm in the last iterations.
        """
        return FloorLBFGS(iterations, keep=0.0)

    def _minimized(self, point: Float64Array, solver: Solver, stage: str = "") -> Solution:
        """A run of the solver on the vector that it moves."""
        watched = staged(self.on_iteration, stage) if stage else self.on_iteration
        bounds = self.recipe.lower_bounds(self.graph.n_nodes)
        return minimized(self.journal, solver, self.objective.function, point, bounds, watched)

    def _as_matrix(self, solution: Solution) -> Solution:
        return replace(solution, point=self.recipe.factors(solution.point, self.graph.n_nodes))


def joined(before: Solution, after: Solution) -> Solution:
    """The second of two runs, with the history and the time of both."""
    return replace(
        after,
        history=np.concatenate([before.history[:-1], after.history]),
        evaluations=before.evaluations + after.evaluations,
        seconds=before.seconds + after.seconds,
    )


def solver_for(solver: str | AnySolver, graph: Graph, recipe: Recipe, held_out: HeldOut | None) -> Solver | Adam:
    """The solver that a model's setting stands for on this graph; Adam asks for sampled pairs.

    >>> from philia import CommunityModel, as_graph
    >>> solver_for("auto", as_graph([(0, 1)]), CommunityModel(1, 1).recipe(), None).iterations
    2000
    """
    n = graph.n_nodes
    if solver == "adam":
        return adam_for(n)
    found = as_solver(solver)
    if not isinstance(found, BySize):
        return found
    if sweeps(graph, recipe, held_out):
        return descent_for(n, work(n, recipe, held_out))
    return found.solver(n, work(n, recipe, held_out))


def work(n: int, recipe: Recipe, held_out: HeldOut | None) -> float:
    """The number of multiplications in one evaluation over all pairs of n nodes, up to a constant.

    >>> from philia import BigClam, CommunityModel
    >>> [work(1000, m.recipe(), None) for m in (BigClam(2), CommunityModel(1, 1, background="none"))]
    [2000, 2000000]
    """
    return n * len(recipe.mixing) * (1 if has_closed_form(n, recipe, held_out) else n)

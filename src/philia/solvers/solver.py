"""The interface of solvers: from a function with its gradient, a start and bounds to a solution."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Any, Protocol

import numpy as np

from philia._types import Float64Array

ValueAndGradient = Callable[[Float64Array], tuple[float, Float64Array]]


@dataclass(frozen=True, eq=False)
class CompiledFunction:
    """A function for which no Python is needed: ``code(x, gradient, data)`` returns the value and fills the gradient.

    Solvers may call it like any other function. One that is compiled too calls ``code`` instead.

    >>> def bowl(x, gradient, data):
    ...     gradient[:] = 2 * (x - data)
    ...     return float(((x - data) ** 2).sum())
    >>> CompiledFunction(bowl, np.ones(2))(np.zeros(2))
    (2.0, array([-2., -2.]))
    """

    code: Callable[[Float64Array, Float64Array, Any], float]
    data: Any

    def __call__(self, point: Float64Array) -> tuple[float, Float64Array]:
        """The value and the gradient at a point."""
        gradient = np.empty_like(point)
        return self.code(point, gradient, self.data), gradient


@dataclass(frozen=True, eq=False)
class SweptFunction:
    """A function that knows where it is least in each of its variables.

    ``sweep`` returns the value at a point, and a new point in which each variable in turn was set to where it is least.

    >>> square = SweptFunction(lambda x: (float(x @ x), 2 * x), lambda x: (float(x @ x), np.zeros_like(x)))
    >>> square(np.ones(2)), square.sweep(np.ones(2))
    ((2.0, array([2., 2.])), (2.0, array([0., 0.])))
    """

    value_and_gradient: ValueAndGradient
    sweep: Callable[[Float64Array], tuple[float, Float64Array]]

    def __call__(self, point: Float64Array) -> tuple[float, Float64Array]:
        """The value and the gradient at a point."""
        return self.value_and_gradient(point)


@dataclass(frozen=True)
class Progress:
    """The state of a running solver, for progress displays.

    >>> Progress(iteration=3, iterations=200, value=12.5, seconds=0.1).iteration
    3
    """

    iteration: int
    iterations: int
    value: float
    seconds: float
    stage: str = ""
    """The current stage, if the fit is part of a longer search."""
    share: float | None = None
    """The share of the longer search that is done, as far as it can be foreseen."""


OnIteration = Callable[[Progress], None]


def staged(on_iteration: OnIteration | None, stage: str) -> OnIteration | None:
    """Label progress reports with the current stage.

    >>> staged(lambda progress: print(progress.stage), "a trial")(Progress(1, 2, 3.0, 0.1))
    a trial
    """
    return None if on_iteration is None else lambda progress: on_iteration(replace(progress, stage=stage))


@dataclass(frozen=True, eq=False)
class Solution:
    """The best point found, its value, and the reason why the search ended.

    ``history`` holds the value at the start and after every iteration.

    >>> history = np.array([9.0, 4.0, 1.0])
    >>> print(Solution(np.zeros(2), 1.0, history, evaluations=3, seconds=0.2, reason="interrupted", converged=False))
    interrupted after 2 iterations, 0.2 s, at 1
    """

    point: Float64Array
    value: float
    history: Float64Array
    evaluations: int
    seconds: float
    reason: str
    converged: bool

    @property
    def iterations(self) -> int:
        """Number of iterations."""
        return max(0, len(self.history) - 1)  # the search may be interrupted before the first evaluation

    def __str__(self) -> str:
        return f"{self.reason} after {self.iterations} iterations, {self.seconds:.1f} s, at {self.value:,.6g}"


def unless_interrupted(before: Solution, improve: Callable[[], Solution]) -> Solution:
    """The improved solution; if it is interrupted before its first evaluation, the earlier one, marked as interrupted.

    >>> def stopped():
    ...     raise KeyboardInterrupt
    >>> before = Solution(np.zeros(2), 1.0, np.array([1.0]), 1, 0.2, "converged", converged=True)
    >>> unless_interrupted(before, stopped).reason
    'interrupted'
    """
    try:
        after = improve()
        if len(after.history):
            return after
    except KeyboardInterrupt:
        if not len(before.history):
            raise
    return replace(before, reason="interrupted", converged=False)


class Solver(Protocol):
    """Minimizes a function; it knows bounds and gradients, never graphs."""

    def minimize(
        self,
        function: ValueAndGradient,
        start: Float64Array,
        lower_bound: Float64Array,
        on_iteration: OnIteration | None = None,
    ) -> Solution:
        """The best point found at or above ``lower_bound``; Ctrl-C ends the search and returns the best so far."""
        ...


def shortened(solver: Any, iterations: float) -> Solver:
    """The same solver with at most this many iterations, or this fraction of its own if below 1; at least one.

    A solver without a limit of iterations is returned unchanged.

    >>> from philia.solvers import LBFGSB
    >>> shortened(LBFGSB(memory=5), 20)
    LBFGSB(iterations=20, memory=5, value_tolerance=2.2e-09, gradient_tolerance=1e-05, least_fall=0.0)
    >>> shortened(LBFGSB(), 0.5).iterations
    100
    """
    counts = is_dataclass(solver) and any(field.name == "iterations" for field in fields(solver))
    if not counts:
        whole: Solver = solver
        return whole
    least = round(solver.iterations * iterations) if iterations < 1 else int(iterations)
    shorter: Solver = replace(solver, iterations=max(1, least))
    return shorter


@dataclass
class Record:
    """What every running solver keeps: the best point so far, the history, and the time."""

    function: ValueAndGradient
    iterations: int
    on_iteration: OnIteration | None = None
    history: list[float] = field(default_factory=list)
    evaluations: int = 0
    best: Float64Array | None = None
    best_value: float = np.inf
    began: float = field(default_factory=time.perf_counter)

    def __call__(self, point: Float64Array) -> tuple[float, Float64Array]:
        """Evaluate the function, and keep the point if it is the best."""
        value, gradient = self.function(point)
        self.evaluations += 1
        if self.best is None or value < self.best_value:
            self.best, self.best_value = point.copy(), value
        if not self.history:
            self.history.append(value)
        return value, gradient

    def stepped(self, value: float) -> None:
        """Record the end of an iteration and report progress."""
        self.history.append(value)
        if self.on_iteration is not None:
            self.on_iteration(Progress(len(self.history) - 1, self.iterations, value, self.seconds))

    @property
    def seconds(self) -> float:
        """Seconds since the start."""
        return time.perf_counter() - self.began

    def solution(self, start: Float64Array, reason: str, *, converged: bool) -> Solution:
        """The solution at the best point, or at the start if nothing was evaluated."""
        point = start if self.best is None else self.best
        return Solution(
            point, self.best_value, np.array(self.history), self.evaluations, self.seconds, reason, converged
        )

"""L-BFGS above lower bounds: SciPy's with exact bounds, as the paper uses it, and one that stays above a floor."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from philia._types import Float64Array, FloatArray
from philia.solvers.solver import CompiledFunction, OnIteration, Record, Solution, ValueAndGradient

if TYPE_CHECKING:
    from scipy.optimize import OptimizeResult

_LOOK_BACK = 5
"""Iterations over which ``least_fall`` is measured, because single ones vary."""

_STOPPED = 99
"""SciPy's status for a search that the callback stopped."""


@dataclass(frozen=True)
class LBFGSB:
    """Limited-memory BFGS with exact bounds; SciPy's defaults except for the number of iterations.

    It also stops if the last five iterations lowered the value by less than the fraction ``least_fall``.

    >>> import numpy as np
    >>> bowl = lambda x: (float(((x - [1, -2]) ** 2).sum()), 2 * (x - [1, -2]))
    >>> solution = LBFGSB().minimize(bowl, start=np.ones(2), lower_bound=np.zeros(2))
    >>> solution.point.tolist(), solution.reason
    ([1.0, 0.0], 'converged: the gradient vanished')
    """

    iterations: int = 200
    memory: int = 10
    value_tolerance: float = 2.2e-9
    gradient_tolerance: float = 1e-5
    least_fall: float = 0.0

    def minimize(
        self,
        function: ValueAndGradient,
        start: Float64Array,
        lower_bound: Float64Array,
        on_iteration: OnIteration | None = None,
    ) -> Solution:
        """The best point found at or above ``lower_bound``."""
        from scipy.optimize import Bounds, minimize  # it takes as long to load as all of philia

        record = Record(function, self.iterations, on_iteration)

        def stepped(intermediate_result: OptimizeResult) -> None:
            record.stepped(float(intermediate_result.fun))
            if self._slow(record.history):
                raise StopIteration

        options = {
            "maxiter": self.iterations,
            "maxcor": self.memory,
            "ftol": self.value_tolerance,
            "gtol": self.gradient_tolerance,
        }
        try:
            result = minimize(
                record,
                start,
                method="L-BFGS-B",
                jac=True,
                bounds=Bounds(lower_bound),
                callback=stepped,
                options=options,
            )
        except KeyboardInterrupt:
            return record.solution(start, "interrupted", converged=False)
        reason = _in_words(result, record.history)
        return record.solution(start, reason, converged=reason.startswith("converged"))

    def _slow(self, history: list[float]) -> bool:
        return len(history) > _LOOK_BACK and history[-1 - _LOOK_BACK] - history[-1] < self.least_fall * abs(history[-1])


def _level(history: list[float]) -> bool:
    """Whether the last decrease is mere rounding: then no line search can find a lower value."""
    return len(history) > 1 and history[-2] - history[-1] <= LBFGSB.value_tolerance * abs(history[-1])


def _in_words(result: OptimizeResult, history: list[float]) -> str:
    if result.status == _STOPPED:
        return "stopped where steps no longer lowered the value by much"
    if result.status == 1:
        return "stopped at the limit of iterations"
    if result.status != 0 and not _level(history):
        return f"stopped because the line search failed ({result.message})"
    return (
        "converged: the gradient vanished"
        if "GRADIENT" in str(result.message).upper()
        else "converged: the loss stopped decreasing"
    )


Steps = deque[tuple[FloatArray, FloatArray, float]]
"""The last steps, each with the change of the gradient and the product of the two, which is the curvature."""

_ENDS = (
    "converged: no step along the gradient lowers the value",
    "converged: the loss stopped decreasing",
    "stopped at the limit of iterations",
    "converged: the gradient vanished",
)
"""Why a search above a floor ended."""

_CURVED = 1e-12
"""The least curvature, relative to |y|², of a step that the inverse Hessian uses: below, it is rounding or negative."""


@dataclass(frozen=True)
class FloorLBFGS:
    """Limited-memory BFGS whose steps stay above a floor; it has less overhead than L-BFGS-B on large problems.

    A projection would put entries on the bound, and at zero the products of a factorization have no slope, so they
    would stay there. With x ← max(x - t d, lower + keep · (x - lower)) no entry reaches the bound. With ``keep=0`` the
    floor is the bound itself, and entries held there rest: faster from a good start, worse from a random one. It ends
    where every entry could move less than ``gradient_tolerance`` against the gradient, within its bound.

    >>> import numpy as np
    >>> bowl = lambda x: (float(((x - [1, -2]) ** 2).sum()), 2 * (x - [1, -2]))
    >>> solution = FloorLBFGS().minimize(bowl, start=np.ones(2), lower_bound=np.zeros(2))
    >>> np.round(solution.point, 6).tolist()
    [1.0, 0.0]
    """

    iterations: int = 200
    memory: int = 10
    keep: float = 0.5
    value_tolerance: float = 2.2e-9
    gradient_tolerance: float = 0.0

    def minimize(
        self,
        function: ValueAndGradient,
        start: Float64Array,
        lower_bound: Float64Array,
        on_iteration: OnIteration | None = None,
    ) -> Solution:
        """The best point found above ``lower_bound``."""
        record = Record(function, self.iterations, on_iteration)
        search = self._compiled if in_one_call(self, function) else self._search
        try:
            reason = search(record, np.maximum(start, lower_bound), lower_bound)
        except KeyboardInterrupt:
            reason = "interrupted"
        return record.solution(start, reason, converged=reason.startswith("converged"))

    def _compiled(self, record: Record, x: Float64Array, lower: Float64Array) -> str:
        """The same search in one call, which is told of when it has ended."""
        from philia.solvers.compiled import run  # it needs numba, which takes long to import

        function = record.function
        assert isinstance(function, CompiledFunction)
        tolerances = self.value_tolerance, self.gradient_tolerance
        found = run(function, x, lower, self.iterations, self.memory, self.keep, tolerances, _CURVED)
        record.best, record.best_value, history, record.evaluations, end = found
        record.history.append(float(history[0]))
        for value in history[1:].tolist():
            record.stepped(value)
        return _ENDS[end]

    def _search(self, record: Record, x: Float64Array, lower: Float64Array) -> str:
        value, gradient = record(x)
        pairs: Steps = deque(maxlen=self.memory)
        while len(record.history) <= self.iterations:
            direction = _direction(gradient, pairs, free=(x > lower) | (gradient < 0))
            step = self._step(record, x, value, gradient, direction, lower, first=not pairs)
            if step is None and pairs:  # the curvature was misleading: discard it and try the gradient
                pairs.clear()
                continue
            if step is None:
                return _ENDS[0]
            new, new_value, new_gradient = step
            s, y = new - x, new_gradient - gradient
            curvature = float(s @ y)
            if curvature > _CURVED * float(y @ y):
                pairs.append((s, y, curvature))
            fall = (value - new_value) / max(abs(value), abs(new_value), 1.0)
            x, value, gradient = new, new_value, new_gradient
            record.stepped(value)
            if fall <= self.value_tolerance:
                return _ENDS[1]
            if np.abs(np.minimum(gradient, x - lower)).max(initial=0.0) < self.gradient_tolerance:
                return _ENDS[3]
        return _ENDS[2]

    def _step(
        self,
        record: Record,
        x: Float64Array,
        value: float,
        gradient: Float64Array,
        direction: FloatArray,
        lower: Float64Array,
        *,
        first: bool,
    ) -> tuple[Float64Array, float, Float64Array] | None:
        """Backtracking: the first of ever shorter steps that lowers the value enough; None if there is none."""
        length = min(1.0, 1.0 / max(float(np.abs(gradient).sum()), 1e-300)) if first else 1.0
        floor = self.keep * x + (1 - self.keep) * lower
        for _ in range(30):  # down to a billionth of the step
            new = np.maximum(x - length * direction, floor)
            promised = float(gradient @ (new - x))
            if promised >= 0:
                return None
            new_value, new_gradient = record(new)
            if new_value <= value + 1e-4 * promised:  # the usual constant of Armijo's condition
                return new, new_value, new_gradient
            length *= 0.5 if not first else 0.1
        return None


def in_one_call(solver: Any, function: ValueAndGradient) -> bool:
    """Whether a search takes one call of compiled code, so that nobody sees its evaluations.

    >>> in_one_call(FloorLBFGS(), CompiledFunction(print, None)), in_one_call(LBFGSB(), print)
    (True, False)
    """
    return isinstance(solver, FloorLBFGS) and isinstance(function, CompiledFunction)


def _direction(gradient: Float64Array, pairs: Steps, free: npt.NDArray[np.bool_]) -> FloatArray:
    """The quasi-Newton direction in the free entries; the others stay."""
    if free.all():
        return quasi_newton_direction(gradient, pairs)
    among_free = ((s * free, y * free) for s, y, _ in pairs)
    curved = [(s, y, float(s @ y)) for s, y in among_free]
    return quasi_newton_direction(
        gradient * free, deque(pair for pair in curved if pair[2] > _CURVED * float(pair[1] @ pair[1]))
    )


def quasi_newton_direction(gradient: FloatArray, pairs: Steps) -> FloatArray:
    """The inverse Hessian estimated from the last steps, applied to the gradient.

    >>> step, change = np.array([1.0, 0.0]), np.array([4.0, 0.0])  # a curvature of 4 along the first axis
    >>> quasi_newton_direction(np.array([8.0, 2.0]), deque([(step, change, 4.0)])).tolist()
    [2.0, 0.5]
    """
    direction = gradient.copy()
    weights = []
    for s, y, curvature in reversed(pairs):
        weight = float(s @ direction) / curvature
        direction -= weight * y
        weights.append(weight)
    if pairs:
        s, y, curvature = pairs[-1]
        direction *= curvature / float(y @ y)
    for (s, y, curvature), weight in zip(pairs, reversed(weights), strict=True):
        direction += (weight - float(y @ direction) / curvature) * s
    return direction

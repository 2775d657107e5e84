"""SciPy's L-BFGS-B, as the paper uses it."""

from __future__ import annotations

from dataclasses import dataclass

from scipy.optimize import Bounds, OptimizeResult, minimize

from philia._types import Float64Array
from philia.solvers.solver import OnIteration, Record, Solution, ValueAndGradient

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
        else "converged: the value no longer fell"
    )

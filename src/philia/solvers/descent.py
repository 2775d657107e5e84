"""Coordinate descent, for functions that know where they are least in each of their variables."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from philia._types import Float64Array
from philia.solvers.solver import OnIteration, Record, Solution, SweptFunction, ValueAndGradient


@dataclass(frozen=True)
class CoordinateDescent:
    """Sweeps over all variables, each set in turn to where the function is least in it, until the value settles.

    Only a ``SweptFunction`` has such sweeps, and it keeps its own bounds.

    >>> bowl = lambda x: (float(((x - [1, -2]) ** 2).sum()), 2 * (x - [1, -2]))
    >>> solution = CoordinateDescent().minimize(
    ...     SweptFunction(bowl, lambda x: (bowl(x)[0], np.array([1.0, 0.0]))), np.ones(2), lower_bound=np.zeros(2)
    ... )
    >>> solution.point.tolist(), solution.reason
    ([1.0, 0.0], 'converged: the loss stopped decreasing')
    """

    iterations: int = 200
    value_tolerance: float = 1e-6

    def minimize(
        self,
        function: ValueAndGradient,
        start: Float64Array,
        lower_bound: Float64Array,
        on_iteration: OnIteration | None = None,
    ) -> Solution:
        """The best point found at or above ``lower_bound``."""
        assert isinstance(function, SweptFunction)
        record = Record(function.sweep, self.iterations, on_iteration)
        try:
            reason = self._search(record, np.maximum(start, lower_bound))
        except KeyboardInterrupt:
            reason = "interrupted"
        return record.solution(start, reason, converged=reason.startswith("converged"))

    def _search(self, record: Record, x: Float64Array) -> str:
        value, swept = record(x)
        for _ in range(self.iterations):
            before, (value, swept) = value, record(swept)
            record.stepped(value)
            if before - value <= self.value_tolerance * max(abs(before), 1.0):
                return "converged: the loss stopped decreasing"
        return "stopped at the limit of iterations"

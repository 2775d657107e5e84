"""Slow, short and obviously right: one new node at a time, by SciPy, from the formula as it is written."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import Bounds, minimize

from philia._types import BoolArray, Float64Array


@dataclass(frozen=True)
class NewNode:
    """2 · sum over seen j of log(1 + e^s_j) - A_j s_j, with s_j = f M f_j, and penalties · f²; only ``free`` moves."""

    F: Float64Array
    M: Float64Array
    row: Float64Array
    free: BoolArray
    linked: BoolArray
    seen: BoolArray
    penalties: Float64Array
    lower: Float64Array

    def cost(self, values: Float64Array) -> tuple[float, Float64Array]:
        """The cost of the row with these values in its free entries, and its gradient by them."""
        f = self.row.copy()
        f[self.free] = values
        s = self.F @ self.M @ f
        value = 2 * (np.logaddexp(0, s) - self.linked * s)[self.seen].sum()
        slopes = 2 * np.where(self.seen, 1 / (1 + np.exp(-s)) - self.linked, 0.0) @ self.F @ self.M
        own = self.penalties[self.free]
        return float(value + (own * values**2).sum()), slopes[self.free] + 2 * own * values

    def residual(self, values: Float64Array) -> float:
        """How far the values are from optimal."""
        slope = self.cost(values)[1]
        return float(np.abs(values - np.maximum(values - slope, self.lower[self.free])).max(initial=0.0))

    def best(self) -> tuple[Float64Array, float]:
        """The free values of least cost, and that cost."""
        found = minimize(
            self.cost,
            np.maximum(self.lower, 0.1)[self.free],
            jac=True,
            method="L-BFGS-B",
            bounds=Bounds(self.lower[self.free]),
            options={"maxiter": 20_000, "maxfun": 100_000, "ftol": 1e-16, "gtol": 1e-10},
        )
        return found.x, float(found.fun)

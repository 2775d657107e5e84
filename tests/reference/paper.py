"""The paper's Algorithm 2, line by line: dense, slow, and with the gradient written out."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize

from philia._types import Float64Array


def algorithm_2(
    A: Float64Array, k_B: int, k_C: int, penalty: float, rng: np.random.Generator, iterations: int = 200
) -> tuple[Float64Array, Float64Array, float]:
    """B, C and the loss R that SciPy's L-BFGS-B finds with its defaults, from the paper's random start."""
    n = len(A)
    start = [rng.uniform(0, 1 / np.sqrt(k), size=(n, k)) for k in (k_B, k_C)]

    def factors(point: Float64Array) -> tuple[Float64Array, Float64Array]:
        return point[: n * k_B].reshape(n, k_B), point[n * k_B :].reshape(n, k_C)

    def loss(point: Float64Array) -> tuple[float, Float64Array]:
        B, C = factors(point)
        P = 1 / (1 + np.exp(-(B @ B.T - C @ C.T)))
        R = -(A * np.log(P) + (1 - A) * np.log(1 - P)).sum() + penalty * ((B**2).sum() + (C**2).sum())
        slopes = 2 * (P - A) @ B + 2 * penalty * B, -2 * (P - A) @ C + 2 * penalty * C
        return float(R), np.concatenate([slope.ravel() for slope in slopes])

    first = np.concatenate([columns.ravel() for columns in start])
    found = minimize(
        loss, first, jac=True, method="L-BFGS-B", bounds=[(0, None)] * len(first), options={"maxiter": iterations}
    )
    return *factors(found.x), float(found.fun)

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import nnls

from philia._types import Float64Array, Int64Array
from philia.solvers.projected_newton import minimize_rows


class LeastSquares:
    """|A x - b|² for a right side b a row."""

    def __init__(self, A: Float64Array, b: Float64Array) -> None:
        self.A, self.b = A, b

    def values_and_gradients(self, rows: Int64Array, X: Float64Array) -> tuple[Float64Array, Float64Array]:
        errors = X @ self.A.T - self.b[rows]
        return (errors**2).sum(axis=1), 2 * errors @ self.A

    def hessians(self, rows: Int64Array, X: Float64Array) -> Float64Array:
        return np.broadcast_to(2 * self.A.T @ self.A, (len(rows), self.A.shape[1], self.A.shape[1]))


@given(st.integers(0, 2**32 - 1), st.integers(1, 8), st.integers(1, 5))
def test_nonnegative_least_squares_problems_are_solved_row_by_row(seed: int, k: int, count: int) -> None:
    rng = np.random.default_rng(seed)
    A, b = rng.standard_normal((3 * k, k)), rng.standard_normal((count, 3 * k))
    found = minimize_rows(LeastSquares(A, b), rng.random((count, k)), np.zeros(k))
    assert found.residuals.max() < 1e-7
    np.testing.assert_allclose(found.points, [nnls(A, row)[0] for row in b], atol=1e-6)


def test_without_bounds_one_step_suffices() -> None:
    rng = np.random.default_rng(0)
    A, b = rng.standard_normal((9, 3)), rng.standard_normal((4, 9))
    found = minimize_rows(LeastSquares(A, b), np.zeros((4, 3)), np.full(3, -np.inf))
    assert found.steps <= 2
    np.testing.assert_allclose(found.points, np.linalg.lstsq(A, b.T)[0].T)


def test_rows_that_start_at_the_minimum_stay_there() -> None:
    found = minimize_rows(LeastSquares(np.eye(2), np.array([[1.0, -1.0]])), np.array([[1.0, 0.0]]), np.zeros(2))
    assert found.steps == 0
    assert found.points.tolist() == [[1.0, 0.0]]

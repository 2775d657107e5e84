"""Projected Newton: many small convex problems with lower bounds, solved side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from philia._types import BoolArray, Float64Array, Int64Array

_LARGEST_BAND = 1e-3
"""Largest distance from its bound at which an entry can count as held there (Bertsekas' ε)."""


class _RowFunctions(Protocol):
    """One smooth, strictly convex function per row, independent of other rows."""

    def values_and_gradients(self, rows: Int64Array, X: Float64Array) -> tuple[Float64Array, Float64Array]:
        """The function of each row at the corresponding row of X, and its gradient."""
        ...

    def hessians(self, rows: Int64Array, X: Float64Array) -> Float64Array:
        """The matrix of second derivatives of each row (rows × k × k)."""
        ...


@dataclass(frozen=True, eq=False)
class RowSolution:
    """The minimum of each row, its residual, and the number of steps of the slowest row.

    ``residuals`` holds the largest entry of |x - max(x - gradient, bound)| per row, which is zero at the minimum.

    >>> RowSolution(np.zeros((2, 3)), np.array([0.0, 1e-9]), steps=4).residuals.tolist()
    [0.0, 1e-09]
    """

    points: Float64Array
    residuals: Float64Array
    steps: int


def minimize_rows(
    functions: _RowFunctions,
    start: Float64Array,
    lower_bound: Float64Array,
    tolerance: float = 1e-8,
    steps: int = 200,
) -> RowSolution:
    """The minimum of each row's function above the bound, by projected Newton steps on rows that have not converged.

    An entry at its bound whose slope would push it beyond stays; Newton's step is taken in the others, and shortened
    until the value falls (Bertsekas, "Projected Newton methods for optimization problems with simple constraints",
    1982). A row has converged at a residual of at most ``tolerance``, or if rounding lets no step lower its value.

    >>> class Bowls:
    ...     def values_and_gradients(self, rows, X):
    ...         return ((X - [1, -2]) ** 2).sum(axis=1), 2 * (X - [1, -2])
    ...     def hessians(self, rows, X):
    ...         return np.broadcast_to(2 * np.eye(2), (len(rows), 2, 2))
    >>> minimize_rows(Bowls(), np.ones((1, 2)), np.zeros(2)).points
    array([[1., 0.]])
    """
    X = np.maximum(start, lower_bound)
    values, gradients = functions.values_and_gradients(np.arange(len(X)), X)
    residuals = _residuals(X, gradients, lower_bound)
    moving = residuals > tolerance
    taken = 0
    while moving.any() and taken < steps:
        taken += 1
        rows = np.flatnonzero(moving)
        held = (X[rows] - lower_bound <= np.minimum(residuals[rows], _LARGEST_BAND)[:, None]) & (gradients[rows] > 0)
        directions = _directions(functions.hessians(rows, X[rows]), gradients[rows], held)
        moved = _search(functions, rows, X, values, gradients, directions, held, lower_bound)
        residuals[rows] = _residuals(X[rows], gradients[rows], lower_bound)
        moving[rows] = moved & (residuals[rows] > tolerance)
    return RowSolution(X, residuals, taken)


def _residuals(X: Float64Array, gradients: Float64Array, lower: Float64Array) -> Float64Array:
    return np.asarray(np.abs(X - np.maximum(X - gradients, lower)).max(axis=1, initial=0.0))


def _directions(hessians: Float64Array, gradients: Float64Array, held: BoolArray) -> Float64Array:
    """Newton's direction in the free entries of each row; held entries go straight to their bound."""
    k = gradients.shape[1]
    diagonal = np.arange(k)
    curvature = hessians[:, diagonal, diagonal]
    hessians = np.where(held[:, :, None] | held[:, None, :], 0.0, hessians)
    hessians[:, diagonal, diagonal] = curvature
    return np.asarray(np.linalg.solve(hessians, gradients[:, :, None])[:, :, 0])


def _search(
    functions: _RowFunctions,
    rows: Int64Array,
    X: Float64Array,
    values: Float64Array,
    gradients: Float64Array,
    directions: Float64Array,
    held: BoolArray,
    lower: Float64Array,
) -> BoolArray:
    """Backtracking: move each row by the first of ever shorter steps that lowers its value enough; which rows moved."""
    moved = np.zeros(len(rows), dtype=bool)
    length = 1.0
    for _ in range(40):  # down to 1e-12 of the step
        left = np.flatnonzero(~moved)
        if not left.size:
            break
        at, d = rows[left], directions[left]
        old, slope = X[at], gradients[at]
        new = np.maximum(old - length * d, lower)
        promised = (slope * np.where(held[left], old - new, length * d)).sum(axis=1)
        new_values, new_gradients = functions.values_and_gradients(at, new)
        # Near the minimum the decrease is below the rounding of the value, which must not prevent the last steps.
        rounding = 1e-13 * (1 + np.abs(values[at]))
        lower_enough = new_values <= values[at] - 1e-4 * np.maximum(promised, 0) + rounding
        won = at[lower_enough]
        X[won], values[won], gradients[won] = new[lower_enough], new_values[lower_enough], new_gradients[lower_enough]
        moved[left[lower_enough]] = True
        length *= 0.5
    return moved

"""Mixing matrices M of scores = F M Fᵀ, built from blocks."""

from __future__ import annotations

import numpy as np
from scipy.linalg import block_diag

from philia._types import Float64Array


def attracting(width: int) -> Float64Array:
    """Columns that raise the score of nodes that share them: +1 on the diagonal."""
    return np.eye(width)


def repelling(width: int) -> Float64Array:
    """Columns that lower the score of nodes that share them: -1 on the diagonal."""
    return -np.eye(width)


def one_way(width: int) -> Float64Array:
    """The first half of the columns multiplies the second half, but not the reverse: F = [X Y] gives X Yᵀ.

    >>> one_way(2)
    array([[0., 1.],
           [0., 0.]])
    """
    half = np.eye(width // 2)
    return np.kron(np.array([[0.0, 1.0], [0.0, 0.0]]), half)


def meeting_ones(width: int) -> Float64Array:
    """A column of ones followed by columns that multiply it both ways: one such column a gives the score a_i + a_j.

    >>> meeting_ones(1)
    array([[0., 1.],
           [1., 0.]])
    """
    mixing = np.zeros((1 + width, 1 + width))
    mixing[0, 1:] = mixing[1:, 0] = 1
    return mixing


def blocks(*matrices: Float64Array) -> Float64Array:
    """A block-diagonal matrix; blocks of width zero are dropped."""
    kept = [matrix for matrix in matrices if matrix.size]
    return np.asarray(block_diag(*kept), dtype=np.float64) if kept else np.empty((0, 0))

"""Slow, short and obviously right: the objective with n × n matrices, as the paper writes it."""

from __future__ import annotations

import numpy as np

from philia._types import BoolArray, Float64Array


def probabilities(F: Float64Array, M: Float64Array) -> Float64Array:
    scores = F @ M @ F.T
    return np.asarray(1 / (1 + np.exp(-scores)))


def cross_entropy(A: Float64Array, F: Float64Array, M: Float64Array, seen: BoolArray) -> tuple[float, Float64Array]:
    """R = -sum(A log P + (1 - A) log(1 - P)) over the seen ordered pairs, and its gradient by F."""
    P = probabilities(F, M)
    value = -(A * np.log(P) + (1 - A) * np.log(1 - P))[seen].sum()
    D = np.where(seen, P - A, 0.0)
    return float(value), D @ F @ M.T + D.T @ F @ M


def squared_error(A: Float64Array, F: Float64Array, M: Float64Array, seen: BoolArray) -> tuple[float, Float64Array]:
    """sum (A - S)² over the seen ordered pairs, and its gradient by F."""
    S = F @ M @ F.T
    D = np.where(seen, 2 * (S - A), 0.0)
    return float(((A - S) ** 2)[seen].sum()), D @ F @ M.T + D.T @ F @ M


def noisy_or(A: Float64Array, F: Float64Array, M: Float64Array, seen: BoolArray) -> tuple[float, Float64Array]:
    """R = -sum(A log P + (1 - A) log(1 - P)) with P = 1 - exp(-S), and its gradient by F."""
    S = F @ M @ F.T
    P = 1 - np.exp(-S)
    value = -(A * np.log(np.where(A > 0, P, 1.0)) - (1 - A) * S)[seen].sum()
    D = np.where(seen, 1 - A / np.where(A > 0, P, 1.0), 0.0)
    return float(value), D @ F @ M.T + D.T @ F @ M


def divergence(A: Float64Array, F: Float64Array, M: Float64Array, seen: BoolArray) -> tuple[float, Float64Array]:
    """sum A log(A/S) - A + S over the seen ordered pairs, and its gradient by F."""
    S = F @ M @ F.T
    value = (S - A - A * np.log(np.where(A > 0, S, 1.0)))[seen].sum()
    D = np.where(seen, 1 - A / np.where(A > 0, S, 1.0), 0.0)
    return float(value), D @ F @ M.T + D.T @ F @ M


LOSSES = {
    "CrossEntropy": cross_entropy,
    "SquaredError": squared_error,
    "NoisyOr": noisy_or,
    "Divergence": divergence,
}


def weighted(
    loss: str, A: Float64Array, W: Float64Array, F: Float64Array, M: Float64Array, seen: BoolArray
) -> tuple[float, Float64Array]:
    """The loss and gradient in which the pairs of weight w, taken together, count w times."""
    parts = [(w, *LOSSES[loss](A, F, M, seen & (w == W))) for w in np.unique(W)]
    value = sum(w * value for w, value, _ in parts)
    gradient = np.sum([w * gradient for w, _, gradient in parts], axis=0)
    return float(value), gradient

"""Slow, short and obviously right: textbook updates for the models that others fit in their own way."""

from __future__ import annotations

import numpy as np

from philia._types import Float64Array


def symnmf_by_multiplication(A: Float64Array, H: Float64Array, steps: int) -> Float64Array:
    """H ← H (½ + ½ AH / HHᵀH): the multiplicative update of A ≈ HHᵀ, which never raises the squared error."""
    for _ in range(steps):
        H = H * (0.5 + 0.5 * (A @ H) / np.maximum(H @ (H.T @ H), 1e-12))
    return H


def soft_clustering_by_multiplication(
    A: Float64Array, H: Float64Array, strengths: Float64Array, steps: int
) -> tuple[Float64Array, Float64Array]:
    """The alternating updates of Yu, Yu and Tresp for A ≈ HΛHᵀ: columns of H sum to one, Λ carries the weight."""
    for _ in range(steps):
        ratio = A / np.maximum((H * strengths) @ H.T, 1e-300)
        H = H * (ratio @ (H * strengths))
        H = H / np.maximum(H.sum(axis=0), 1e-300)
        ratio = A / np.maximum((H * strengths) @ H.T, 1e-300)
        strengths = strengths * np.einsum("ic,ij,jc->c", H, ratio, H)
        strengths = strengths * A.sum() / strengths.sum()
    return H, strengths


def divergence(A: Float64Array, S: Float64Array) -> float:
    """sum of a log(a/s) - a + s over all entries."""
    logs = np.where(A > 0, A * np.log(np.where(A > 0, A, 1.0) / np.maximum(S, 1e-300)), 0.0)
    return float((logs - A + S).sum())

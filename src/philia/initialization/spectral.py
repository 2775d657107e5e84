"""A start from leading eigenvectors, rotated by varimax.

Leading positive eigenvalues of the adjacency matrix belong to groups that attract, negative ones to groups that repel.
Their eigenvectors span the groups' indicators but mix them; a varimax rotation, which makes columns as sparse as they
can be, unmixes them (Rohe and Zeng, "Vintage factor analysis with varimax performs statistical inference", 2023). A
negative eigenvector has one group on each side of zero, so it gives two columns.
"""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
from scipy import linalg

from philia._types import Float64Array, FloatArray, Int64Array
from philia.execution import LocalThreads
from philia.graphs.graph import Graph
from philia.graphs.spectrum import leading_ends
from philia.initialization.uniform import uniform

_TELLING = 50_000
"""Rows that are enough to find the rotation of all."""

_ROUNDING = 1e-6
"""Entries below this share of a column's largest are zeros up to rounding."""

Bits = TypeVar("Bits", bound=np.floating[Any])


def spectral(
    graph: Graph, n_homophilous: int, n_heterophilous: int, baseline: float, rng: np.random.Generator
) -> tuple[Float64Array, Float64Array]:
    """B from rotated leading eigenvectors, C from the two sides of the most negative ones, on top of the uniform start.

    The random part stays because the leading eigenvectors of a sparse graph may be zero at most of its nodes, and the
    gradient vanishes there.

    A baseline of zero means that the model has a background, which already explains the degrees. Then the eigenvectors
    are those of the degree-normalized matrix, and small, so that they do not disturb the background.
    """
    B, C = uniform(graph, n_homophilous, n_heterophilous, baseline, rng)
    counts = n_homophilous, -(-n_heterophilous // 2)
    upper, lower = leading_ends(graph, *counts, rng, scaled=baseline == 0, run=LocalThreads().map)
    attracting = _skewed(varimax(_sized(*upper, counts[0])))
    np.maximum(attracting, 0, out=attracting)
    opposing = _skewed(_sized(-lower[0], lower[1], counts[1]))
    sides = np.stack([np.maximum(opposing, 0), np.maximum(-opposing, 0)], axis=2).reshape(graph.n_nodes, -1)
    sides = sides[:, :n_heterophilous]
    if baseline == 0:
        B += _scaled(attracting, 0.5)
        C += _scaled(sides, 0.5)
        return B, C
    depth = np.sqrt(-np.log(np.clip(graph.density, 1e-12, 0.5)))
    everybody = 0.8 * np.sqrt(max(-baseline, 0.0) / max(1, n_heterophilous))
    B += _scaled(attracting, 1.0)
    C += _scaled(sides, depth / 2)
    C += everybody
    return B, C


def varimax(X: npt.NDArray[Bits], iterations: int = 100, tolerance: float = 1e-6) -> npt.NDArray[Bits]:
    """X rotated so that its columns are as sparse as possible (Kaiser's criterion).

    For many rows the rotation is found from the longest rows, which dominate the criterion, and as many others at even
    distances.

    >>> groups = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    >>> mixed = groups @ np.array([[0.8, 0.6], [-0.6, 0.8]])
    >>> np.abs(varimax(mixed)).round(2).tolist()
    [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]
    """
    n, k = X.shape
    if k < 2 or n == 0:
        return X
    telling = X if n <= _TELLING else X[_telling_rows(X)]
    rotation = _rotation(telling.astype(np.float64, copy=False), iterations, tolerance)
    return np.asarray(X @ rotation.astype(X.dtype, copy=False))


def _telling_rows(X: FloatArray) -> Int64Array:
    """The longest rows and as many others at even distances."""
    half = _TELLING // 2
    longest = np.argpartition(np.einsum("ij,ij->i", X, X), len(X) - half)[-half:]
    return np.union1d(longest, np.linspace(0, len(X) - 1, half).astype(np.int64))


def _rotation(X: Float64Array, iterations: int, tolerance: float) -> Float64Array:
    turned, reached = X, -np.inf
    for _ in range(iterations):
        squares = (turned**2).mean(axis=0)
        # The last term is constant over rotations but makes the criterion convex, so that every step to the polar
        # factor of the gradient is an ascent.
        U, _, Vt = linalg.svd(X.T @ (turned**3 - turned * squares + turned * squares.max()))
        rotation = np.asarray(U @ Vt)
        turned = X @ rotation
        spread = float((turned**2).var(axis=0).sum())
        if spread <= reached * (1 + tolerance):
            break
        reached = spread
    return rotation


def _sized(values: Float64Array, vectors: FloatArray, count: int) -> FloatArray:
    """Eigenvectors times the roots of their eigenvalues; zeros where they are negative or run out."""
    columns = np.zeros((len(vectors), count), vectors.dtype)
    np.multiply(vectors, np.sqrt(np.maximum(values, 0)), out=columns[:, : len(values)], casting="same_kind")
    return columns


def _skewed(X: npt.NDArray[Bits]) -> npt.NDArray[Bits]:
    """Each column, in place, with the sign that makes its few large entries positive."""
    X *= np.where((X**3).sum(axis=0, dtype=np.float64) < 0, -1, 1).astype(X.dtype)
    return X


def _scaled(X: npt.NDArray[Bits], size: float) -> npt.NDArray[Bits]:
    """Columns, in place, scaled so that their positive entries have this root mean square."""
    zero = _ROUNDING * X.max(axis=0, initial=0.0)
    positive = np.maximum((zero < X).sum(axis=0), 1)
    norms = np.sqrt((X**2).sum(axis=0, dtype=np.float64) / positive)
    X *= (size / np.where(norms > 0, norms, 1.0)).astype(X.dtype)
    return X

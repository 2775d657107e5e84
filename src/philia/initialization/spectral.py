"""A start from the spectrum: eigenvectors turned until they look like groups.

Leading positive eigenvalues of the adjacency matrix belong to groups that attract, negative ones to groups that repel.
Their eigenvectors span the groups' indicators but mix them; a varimax rotation, which makes columns as sparse as they
can be, unmixes them (Rohe and Zeng, "Vintage factor analysis with varimax performs statistical inference", 2023). A
negative eigenvector has one group on each side of zero, so it gives two columns.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
from scipy import linalg

from philia._types import Float64Array
from philia.graphs.graph import Graph
from philia.graphs.spectrum import leading_eigenpairs, leading_scaled_eigenpairs
from philia.initialization.uniform import uniform


def spectral(
    graph: Graph, n_homophilous: int, n_heterophilous: int, baseline: float, rng: np.random.Generator
) -> tuple[Float64Array, Float64Array]:
    """B from rotated leading eigenvectors, C from the two sides of the most negative ones, on top of the uniform start.

    Chance stays in the sum because the leading eigenvectors of a sparse graph may say nothing about most of its nodes:
    with the spectrum alone those would start at zero, where products have no slope.

    A baseline of zero means that the model has a background of its own, which already knows what the degrees explain.
    Then the eigenvectors are those of the matrix scaled by the degrees, and small, so that the background is not pushed
    away.
    """
    B, C = uniform(graph, n_homophilous, n_heterophilous, baseline, rng)
    eigenpairs = leading_scaled_eigenpairs if baseline == 0 else leading_eigenpairs
    attracting = np.maximum(_skewed(varimax(_leading(eigenpairs, graph, n_homophilous, rng, "largest"))), 0)
    opposing = _skewed(_leading(eigenpairs, graph, -(-n_heterophilous // 2), rng, "smallest"))
    sides = np.stack([np.maximum(opposing, 0), np.maximum(-opposing, 0)], axis=2).reshape(graph.n_nodes, -1)
    sides = sides[:, :n_heterophilous]
    if baseline == 0:
        return B + _scaled(attracting, 0.5), C + _scaled(sides, 0.5)
    depth = np.sqrt(-np.log(np.clip(graph.density, 1e-12, 0.5)))
    everybody = 0.8 * np.sqrt(max(-baseline, 0.0) / max(1, n_heterophilous))
    return B + _scaled(attracting, 1.0), C + _scaled(sides, depth / 2) + everybody


def varimax(X: Float64Array, iterations: int = 100, tolerance: float = 1e-6) -> Float64Array:
    """X turned by the rotation that makes its columns as sparse as possible (Kaiser's criterion).

    >>> groups = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    >>> mixed = groups @ np.array([[0.8, 0.6], [-0.6, 0.8]])
    >>> np.abs(varimax(mixed)).round(2).tolist()
    [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]
    """
    n, k = X.shape
    if k < 2 or n == 0:
        return X
    turned, reached = X, -np.inf
    for _ in range(iterations):
        squares = (turned**2).mean(axis=0)
        # The last term does not change the criterion, whose maximum over rotations is sought, but makes it convex: then
        # every step towards the polar factor of the gradient is a step up.
        U, _, Vt = linalg.svd(X.T @ (turned**3 - turned * squares + turned * squares.max()))
        turned = X @ (U @ Vt)
        spread = float((turned**2).var(axis=0).sum())
        if spread <= reached * (1 + tolerance):
            break
        reached = spread
    return turned


def _leading(
    eigenpairs: Callable[..., tuple[Float64Array, Float64Array]],
    graph: Graph,
    count: int,
    rng: np.random.Generator,
    end: Literal["largest", "smallest"],
) -> Float64Array:
    """Eigenvectors at one end of the spectrum, times the roots of their eigenvalues; zeros where they run out."""
    columns = np.zeros((graph.n_nodes, count))
    values, vectors = eigenpairs(graph, count, end, rng, tolerance=1e-4)
    sizes = np.maximum(values if end == "largest" else -values, 0)
    columns[:, : len(values)] = vectors * np.sqrt(sizes)
    return columns


def _skewed(X: Float64Array) -> Float64Array:
    """Each column with the sign that puts its few large entries above zero."""
    return X * np.where((X**3).sum(axis=0) < 0, -1.0, 1.0)


def _scaled(X: Float64Array, size: float) -> Float64Array:
    """Columns scaled so that their positive entries have this root mean square."""
    positive = np.maximum((X > 0).sum(axis=0), 1)
    norms = np.sqrt((X**2).sum(axis=0) / positive)
    return X * (size / np.where(norms > 0, norms, 1.0))

"""Leading eigenvectors of the adjacency matrix."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from scipy import linalg, sparse
from scipy.sparse.linalg import LinearOperator, eigsh

from philia._types import Float64Array
from philia.graphs.graph import Graph

_DENSE = 150
"""Up to this many nodes the whole spectrum is cheaper than an iteration for a part of it."""

End = Literal["largest", "smallest", "extreme"]
_KEYS = {
    "largest": lambda values: -values,
    "smallest": lambda values: values,
    "extreme": lambda values: -np.abs(values),
}
_ARPACK = {"largest": "LA", "smallest": "SA", "extreme": "LM"}


def leading_eigenpairs(
    graph: Graph, count: int, end: End, rng: np.random.Generator, tolerance: float = 0.0
) -> tuple[Float64Array, Float64Array]:
    """Eigenvalues at one end of the spectrum, or the largest by size, with their eigenvectors; best first.

    Fewer than ``count`` come back if the graph has fewer nodes; of a large graph at most n/4.

    >>> from philia import as_graph
    >>> path = as_graph([(0, 1), (1, 2)])
    >>> leading_eigenpairs(path, 1, "smallest", np.random.default_rng(0))[0].round(3).tolist()
    [-1.414]
    """
    n = graph.n_nodes
    count = min(count, n if n <= _DENSE else n // 4)
    if count == 0 or graph.n_links == 0:
        return np.zeros(count), np.eye(n, count)
    return _leading(graph.adjacency.astype(np.float64), count, end, rng, tolerance)


def leading_residual_eigenpairs(
    graph: Graph, count: int, end: End, rng: np.random.Generator, tolerance: float = 0.0
) -> tuple[Float64Array, Float64Array]:
    """The same for what degrees alone do not explain: D^-½ (A - d dᵀ / 2m) D^-½ with D the degrees plus their mean.

    Without the division the first eigenvectors of a graph with a few very popular nodes are about those nodes; the mean
    in it keeps nodes with a link or two from being the next ones (Qin and Rohe, "Regularized spectral clustering under
    the degree-corrected stochastic blockmodel", 2013).

    >>> from philia import as_graph
    >>> two = as_graph([(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5)])
    >>> leading_residual_eigenpairs(two, 1, "largest", np.random.default_rng(0))[1][:, 0].round(1) ** 2
    array([0.16, 0.16, 0.16, 0.16, 0.16, 0.16])
    """
    n = graph.n_nodes
    count = min(count, n if n <= _DENSE else n // 4)
    if count == 0 or graph.n_links == 0:
        return np.zeros(count), np.eye(n, count)
    A, d = graph.adjacency.astype(np.float64), graph.degrees.astype(np.float64)
    w = 1 / np.sqrt(d + d.mean())
    popular = w * d / np.sqrt(d.sum())
    scaled = sparse.dia_array((w[None, :], [0]), shape=(n, n))
    normal = (scaled @ A @ scaled).tocsr()
    if n <= _DENSE:
        return _leading(normal.toarray() - np.outer(popular, popular), count, end, rng, tolerance)
    residual = LinearOperator((n, n), matvec=lambda x: normal @ x - popular * (popular @ x), dtype=np.float64)
    return _leading(residual, count, end, rng, tolerance)


def _leading(
    matrix: Any, count: int, end: End, rng: np.random.Generator, tolerance: float
) -> tuple[Float64Array, Float64Array]:
    n = matrix.shape[0]
    if n <= _DENSE:
        values, vectors = linalg.eigh(matrix.toarray() if sparse.issparse(matrix) else matrix)
    else:
        values, vectors = eigsh(matrix, k=count, which=_ARPACK[end], v0=rng.standard_normal(n), tol=tolerance)
    order = np.argsort(_KEYS[end](values), kind="stable")[:count]
    return values[order], vectors[:, order]

"""Leading eigenvectors of the adjacency matrix."""

from __future__ import annotations

from typing import Literal

import numpy as np
from scipy import linalg, sparse
from scipy.sparse.linalg import eigsh

from philia._types import Float64Array, FloatArray
from philia.graphs.graph import Graph
from philia.graphs.scaled_adjacency import Map, ScaledAdjacency
from philia.graphs.spectrum_ends import both_ends

_DENSE = 150
"""Up to this many nodes the whole spectrum is cheaper than an iteration for a part of it."""

_LARGE = 50_000
"""Above this many nodes a start makes do with two digits, both ends from one space; ARPACK's take several times as
long."""

_TWO_DIGITS = 1e-2

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


def leading_scaled_eigenpairs(
    graph: Graph, count: int, end: End, rng: np.random.Generator, tolerance: float = 0.0
) -> tuple[Float64Array, Float64Array]:
    """The same for D^-½ A D^-½ with D the degrees plus their mean, in which all nodes weigh about the same.

    Without the division the first eigenvectors of a graph with a few very popular nodes are about those nodes; the mean
    in it keeps nodes with a link or two from being the next ones (Qin and Rohe, "Regularized spectral clustering under
    the degree-corrected stochastic blockmodel", 2013).

    >>> from philia import as_graph
    >>> star = as_graph([(0, leaf) for leaf in range(1, 9)])
    >>> leading_scaled_eigenpairs(star, 1, "largest", np.random.default_rng(0))[0].round(2).tolist()
    [0.54]
    """
    n = graph.n_nodes
    count = min(count, n if n <= _DENSE else n // 4)
    if count == 0 or graph.n_links == 0:
        return np.zeros(count), np.eye(n, count)
    weights = _evening_weights(graph)
    scaled = sparse.dia_array((weights[None, :], [0]), shape=(n, n))
    return _leading((scaled @ graph.adjacency.astype(np.float64) @ scaled).tocsr(), count, end, rng, tolerance)


def leading_ends(
    graph: Graph, largest: int, smallest: int, rng: np.random.Generator, *, scaled: bool, run: Map = map
) -> tuple[tuple[Float64Array, FloatArray], tuple[Float64Array, FloatArray]]:
    """Eigenpairs at both ends of the spectrum, so many of each, exact enough to begin a search with; best first.

    The matrix is that of ``leading_scaled_eigenpairs`` or of ``leading_eigenpairs``. Eigenvectors of a large graph come
    in 32 bits and to about two digits, fewer where eigenvalues crowd. ``run``, which is used for large graphs only,
    runs pieces of the work as ``map`` does.

    >>> from philia import as_graph
    >>> path = as_graph([(0, 1), (1, 2)])
    >>> (top, _), (bottom, _) = leading_ends(path, 1, 1, np.random.default_rng(0), scaled=False)
    >>> float(top[0].round(3)), float(bottom[0].round(3))
    (1.414, -1.414)
    """
    if graph.n_nodes > _LARGE and graph.n_links:
        weights = _evening_weights(graph) if scaled else np.ones(graph.n_nodes)
        upper, lower = both_ends(ScaledAdjacency(graph, weights, run), largest, smallest, rng, _TWO_DIGITS)
        return (upper.values, upper.vectors), (lower.values, lower.vectors)
    pairs = leading_scaled_eigenpairs if scaled else leading_eigenpairs
    return pairs(graph, largest, "largest", rng, 1e-4), pairs(graph, smallest, "smallest", rng, 1e-4)


def _evening_weights(graph: Graph) -> Float64Array:
    return np.asarray(1 / np.sqrt(graph.degrees + graph.degrees.mean()))


def _leading(
    matrix: sparse.csr_array, count: int, end: End, rng: np.random.Generator, tolerance: float
) -> tuple[Float64Array, Float64Array]:
    n = matrix.shape[0]
    if n <= _DENSE:
        values, vectors = linalg.eigh(matrix.toarray())
    else:
        values, vectors = eigsh(matrix, k=count, which=_ARPACK[end], v0=rng.standard_normal(n), tol=tolerance)
    order = np.argsort(_KEYS[end](values), kind="stable")[:count]
    return values[order], vectors[:, order]

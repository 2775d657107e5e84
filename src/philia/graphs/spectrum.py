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

_SMALL = 2000
"""Up to this many nodes eigenvectors are cheap to all digits; beyond, a start makes do with four."""

_APART = 1e-6
"""How far apart equal eigenvalues are moved."""

End = Literal["largest", "smallest", "extreme"]
_KEYS = {
    "largest": lambda values: -values,
    "smallest": lambda values: values,
    "extreme": lambda values: -np.abs(values),
}
_ARPACK = {"largest": "LA", "smallest": "SA", "extreme": "LM"}


def leading_eigenpairs(
    graph: Graph, count: int, end: End, rng: np.random.Generator
) -> tuple[Float64Array, Float64Array]:
    """Eigenvalues at one end of the spectrum, or the largest by size, with their eigenvectors; best first.

    Fewer than ``count`` come back if the graph has fewer nodes; of a large graph at most n/4.

    >>> from philia import as_graph
    >>> path = as_graph([(0, 1), (1, 2)])
    >>> leading_eigenpairs(path, 1, "smallest", np.random.default_rng(0))[0].round(3).tolist()
    [-1.414]
    """
    return _leading(graph.adjacency.astype(np.float64), graph.n_links, count, end, rng, tolerance=0.0)


def leading_ends(
    graph: Graph, largest: int, smallest: int, rng: np.random.Generator, *, scaled: bool, run: Map = map
) -> tuple[tuple[Float64Array, FloatArray], tuple[Float64Array, FloatArray]]:
    """Eigenpairs at both ends of the spectrum, exact enough to begin a search with; best first.

    The matrix is A, or with ``scaled`` D^-½ A D^-½ with D the degrees plus their mean, in which all nodes weigh about
    the same. Without the division the first eigenvectors of a graph with a few very popular nodes are about those
    nodes; the mean in it keeps nodes with a link or two from being the next ones (Qin and Rohe, "Regularized spectral
    clustering under the degree-corrected stochastic blockmodel", 2013).

    Equal eigenvalues are moved apart by a millionth, differently for every node: otherwise rounding would choose among
    their eigenvectors, and a symmetric graph would be fitted differently on every processor. Fewer than were asked for
    come back if the graph has fewer nodes. Eigenvectors of a large graph come in 32 bits and to about two digits, fewer
    where eigenvalues crowd. ``run``, which is used for large graphs only, runs pieces of the work as ``map`` does.

    >>> from philia import as_graph
    >>> path = as_graph([(0, 1), (1, 2)])
    >>> (top, _), (bottom, _) = leading_ends(path, 1, 1, np.random.default_rng(0), scaled=False)
    >>> float(top[0].round(3)), float(bottom[0].round(3))
    (1.414, -1.414)
    """
    weights = _evening_weights(graph) if scaled and graph.n_links else np.ones(graph.n_nodes)
    if graph.n_nodes > _LARGE and graph.n_links:
        upper, lower = both_ends(ScaledAdjacency(graph, weights, run), largest, smallest, rng, _TWO_DIGITS)
        return (upper.values, upper.vectors), (lower.values, lower.vectors)
    scaling = _diagonal(weights)
    apart = _diagonal(_APART * np.random.default_rng(0).random(graph.n_nodes))
    matrix = (scaling @ graph.adjacency.astype(np.float64) @ scaling + apart).tocsr()
    tolerance = 1e-10 if graph.n_nodes <= _SMALL else 1e-4
    return (
        _leading(matrix, graph.n_links, largest, "largest", rng, tolerance),
        _leading(matrix, graph.n_links, smallest, "smallest", rng, tolerance),
    )


def _diagonal(values: Float64Array) -> sparse.dia_array:
    return sparse.dia_array((values[None, :], [0]), shape=(len(values), len(values)))


def _evening_weights(graph: Graph) -> Float64Array:
    return np.asarray(1 / np.sqrt(graph.degrees + graph.degrees.mean()))


def _leading(
    matrix: sparse.csr_array, n_links: int, count: int, end: End, rng: np.random.Generator, tolerance: float
) -> tuple[Float64Array, Float64Array]:
    n = matrix.shape[0]
    count = min(count, n if n <= _DENSE else n // 4)
    if count == 0 or n_links == 0:
        return np.zeros(count), np.eye(n, count)
    if n <= _DENSE:
        values, vectors = linalg.eigh(matrix.toarray())
    else:
        values, vectors = eigsh(matrix, k=count, which=_ARPACK[end], v0=rng.standard_normal(n), tol=tolerance)
    order = np.argsort(_KEYS[end](values), kind="stable")[:count]
    return values[order], vectors[:, order]

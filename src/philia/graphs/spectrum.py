"""Leading eigenvectors of the adjacency matrix."""

from __future__ import annotations

from typing import Literal

import numpy as np
from scipy import linalg
from scipy.sparse.linalg import eigsh

from philia._types import Float64Array
from philia.graphs.graph import Graph

_DENSE = 400
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
    matrix = graph.adjacency.astype(np.float64)
    if n <= _DENSE:
        values, vectors = linalg.eigh(matrix.toarray())
    else:
        values, vectors = eigsh(matrix, k=count, which=_ARPACK[end], v0=rng.standard_normal(n), tol=tolerance)
    order = np.argsort(_KEYS[end](values), kind="stable")[:count]
    return values[order], vectors[:, order]

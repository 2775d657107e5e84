"""The number of detectable communities, from the signs of the eigenvalues of the Bethe Hessian."""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import ArpackNoConvergence, eigsh

from philia.graphs.graph import Graph


def detectable(graph: Graph, most: int, rng: np.random.Generator) -> tuple[int, int]:
    """The numbers of assortative and disassortative groups that are detectable, each at most ``most``.

    These are the negative eigenvalues of the Bethe Hessian (r² - 1) I - r A + D with r = ±√(mean excess degree). Those
    for +r count groups with many links inside (Le and Levina, "Estimating the number of communities by spectral
    methods", 2015), those for -r directions in which links are avoided. The first is a good estimate of the number of
    attracting groups; the second is not one of repelling groups, because each may appear in many directions.

    >>> from philia.datasets import planted
    >>> detectable(planted(500, 5, 0, random_state=0).graph, 20, np.random.default_rng(0))
    (5, 0)
    """
    n, degrees = graph.n_nodes, graph.degrees.astype(np.float64)
    if n < 3 or not graph.n_links:
        return 0, 0
    r = np.sqrt(max((degrees**2).sum() / degrees.sum() - 1, 1.0))
    A = graph.adjacency.astype(np.float64)
    diagonal = sparse.dia_array(((degrees + r**2 - 1)[None, :], [0]), shape=(n, n))
    return _negative(diagonal - r * A, most, rng), _negative(diagonal + r * A, most, rng)


def _negative(matrix: sparse.spmatrix, most: int, rng: np.random.Generator) -> int:
    """The number of negative eigenvalues, counted up to ``most``."""
    n = matrix.shape[0]
    if n <= 200:
        return min(most, int((np.linalg.eigvalsh(matrix.toarray()) < 0).sum()))
    count = 8
    while True:  # most graphs have few, so few are computed first
        count = min(count, most, n - 2)
        try:
            values = eigsh(matrix.tocsr(), count, which="SA", tol=1e-3, v0=rng.random(n), return_eigenvectors=False)
        except ArpackNoConvergence as error:
            values = error.eigenvalues
        found = int((values < 0).sum())
        if found < count or count in (most, n - 2):
            return found
        count *= 3

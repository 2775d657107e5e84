"""The best approximation of the adjacency matrix by one of low rank."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from philia.factors import Factors, SignedFactors
from philia.graphs import Graph
from philia.graphs.spectrum import leading_eigenpairs
from philia.models.checks import check_counts
from philia.models.link_model import LinkModel
from philia.objective import SquaredError
from philia.pairs import seen
from philia.solvers import OnIteration, Solution


class SVD(LinkModel):
    """The k eigenvectors with the largest eigenvalues by size, positive and negative ones kept apart.

    No other matrix of this rank is nearer to the adjacency matrix in the squared error. The method cannot leave pairs
    out: held-out links are hidden from it, but it takes every held-out pair for one without a link. It ignores weights.

    Parameters
    ----------
    n_columns
        The number of eigenvectors; of a graph of more than 400 nodes at most a quarter of them.
    random_state
        A seed for the start of the iteration.

    >>> from philia import SVD
    >>> model = SVD(2, random_state=0).fit([("ann", "bob"), ("cat", "dan"), ("ann", "dan"), ("bob", "cat")])
    >>> model.factors_.positive.shape[1], model.factors_.negative.shape[1]
    (1, 1)
    """

    loss = SquaredError()
    factors_: SignedFactors

    def __init__(self, n_columns: int = 12, *, random_state: Any = None) -> None:
        self.n_columns = n_columns
        self.random_state = random_state

    def _learn(
        self, graph: Graph, rng: np.random.Generator, on_iteration: OnIteration | None
    ) -> tuple[Factors, Solution]:
        began = time.perf_counter()
        known = seen(graph, self.held_out_)
        values, vectors = leading_eigenpairs(known, self.n_columns, "extreme", rng)
        columns = vectors * np.sqrt(np.abs(values))
        factors = SignedFactors(columns[:, values > 0], columns[:, values < 0])
        error = 2.0 * known.n_links - float((values**2).sum())
        solution = Solution(np.empty(0), error, np.array([error]), 0, time.perf_counter() - began, "solved", True)
        return factors, solution

    def _check_parameters(self) -> None:
        check_counts(self, "n_columns", least=1)

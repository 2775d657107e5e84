"""The best low-rank approximation of the adjacency matrix."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from philia.factors import Factors, SignedFactors
from philia.fitting.estimator import check_counts
from philia.fitting.journal import Journal
from philia.graphs import Graph
from philia.graphs.spectrum import leading_eigenpairs
from philia.models.link_model import LinkModel
from philia.objective import SquaredError
from philia.pairs import seen
from philia.solvers import OnIteration, Solution


class SVD(LinkModel):
    """The k eigenvectors with the largest absolute eigenvalues, positive and negative ones kept apart.

    No other matrix of this rank has a smaller squared error. The method cannot leave pairs out: held-out links are
    removed, so it sees every held-out pair as a non-link. Weights are ignored.

    Parameters
    ----------
    n_columns
        The number of eigenvectors; for graphs with more than 400 nodes, at most a quarter of the nodes.
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
        self, graph: Graph, rng: np.random.Generator, journal: Journal, on_iteration: OnIteration | None
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

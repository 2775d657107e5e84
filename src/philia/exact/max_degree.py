"""The paper's theorem by the largest degree, in whole numbers: 2c + 1 columns on each side of the logistic form.

Node q stands at an even number x_q, and f_v(t) = -∏ (t - x_q + 1)(t - x_q - 1) over the neighbours q of v. A factor
pair is negative at its own q and positive at every other node, so f_v is positive exactly at the neighbours. Nothing
needs to be small enough, and no node has to win over another.
"""

from __future__ import annotations

import numpy as np

from philia._types import Int64Array
from philia.exact.one_sided import OneSidedPolynomials
from philia.exact.polynomials import SignPolynomials
from philia.exact.representation import Integers
from philia.graphs import Graph


def by_max_degree(graph: Graph) -> SignPolynomials:
    """Polynomials with two roots around each neighbour: 4c + 2 columns with both terms, c the largest degree.

    >>> from philia import as_graph
    >>> by_max_degree(as_graph([("ann", "bob"), ("bob", "cat")])).community_columns
    10
    """
    points = 2 * np.arange(graph.n_nodes, dtype=np.int64) + 2
    starts, neighbours = graph.adjacency.indptr.astype(np.int64), graph.adjacency.indices
    no_weights = np.zeros(graph.n_nodes, dtype=np.int64)
    leading = np.full(graph.n_nodes, -1, dtype=np.int8)
    return SignPolynomials(points, 2 * starts, fenced(points, neighbours), leading, no_weights, "max degree")


def by_max_degree_one_sided(graph: Graph) -> OneSidedPolynomials:
    """The same polynomials, one term a score: 2c + 1 columns in the logistic form.

    >>> from philia import as_graph
    >>> by_max_degree_one_sided(as_graph([("ann", "bob"), ("bob", "cat")])).logistic_columns
    5
    """
    return OneSidedPolynomials(by_max_degree(graph))


def fenced(points: Integers, neighbours: Int64Array) -> Int64Array:
    """A root on either side of the point of each listed node; sorted if the points are."""
    return np.asarray((points[neighbours][:, None] + np.array([-1, 1])).ravel(), dtype=np.int64)

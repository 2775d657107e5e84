"""The paper's theorem by the largest degree, in integers: 2c + 1 columns on each side of the logistic form.

Node q stands at an even number x_q, and f_v(t) = -∏ (t - x_q + 1)(t - x_q - 1) over the neighbours q of v. A pair of
factors is negative at its own q and positive at every other node, so f_v is positive exactly at the neighbours. No
parameter has to be small enough, and no node's term has to outweigh another's.
"""

from __future__ import annotations

import numpy as np

from philia.exact.polynomials import (
    ONE_SIDED,
    OneSidedPolynomials,
    SignPolynomials,
    even_points,
    is_polynomials,
    roots_around,
)
from philia.exact.representation import Construction, Representation, Theorem
from philia.graphs import Graph


def by_max_degree(graph: Graph) -> SignPolynomials:
    """Polynomials with two roots around each neighbour: 4c + 2 columns with both terms, c the largest degree.

    >>> from philia import as_graph
    >>> by_max_degree(as_graph([("ann", "bob"), ("bob", "cat")])).community_columns
    10
    """
    points = even_points(graph.n_nodes)
    starts, neighbours = graph.adjacency.indptr.astype(np.int64), graph.adjacency.indices
    no_weights = np.zeros(graph.n_nodes, dtype=np.int64)
    leading = np.full(graph.n_nodes, -1, dtype=np.int8)
    return SignPolynomials(points, 2 * starts, roots_around(points, neighbours), leading, no_weights, MAX_DEGREE.name)


def by_max_degree_one_sided(graph: Graph) -> OneSidedPolynomials:
    """The same polynomials with one term per score: 2c + 1 columns in the logistic form.

    >>> from philia import as_graph
    >>> by_max_degree_one_sided(as_graph([("ann", "bob"), ("bob", "cat")])).logistic_columns
    5
    """
    return OneSidedPolynomials(by_max_degree(graph))


def _is_one_sided(found: Representation) -> bool:
    return isinstance(found, OneSidedPolynomials)


MAX_DEGREE = Construction(
    "max degree",
    Theorem(
        "at most 4c + 2 columns with both terms; c is the largest degree (the paper's theorem, made symmetric)",
        lambda graph, _: 4 * int(graph.degrees.max(initial=0)) + 2,
        is_polynomials,
    ),
    lambda graph, _: [by_max_degree(graph)],
    "4c + 2 columns, c the largest degree",
)

MAX_DEGREE_ONE_SIDED = Construction(
    MAX_DEGREE.name + ONE_SIDED,
    Theorem(
        "at most 2c + 1 columns on each side; c is the largest degree (the paper's theorem)",
        lambda graph, _: 2 * int(graph.degrees.max(initial=0)) + 1,
        _is_one_sided,
    ),
    lambda graph, _: [by_max_degree_one_sided(graph)],
)

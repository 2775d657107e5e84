"""Theorem A: 4d + 1 columns, where d is the degeneracy, and Theorem A′: 4D + 2 columns of much shorter numbers.

**Theorem A.** In an order in which every node has at most d earlier neighbours P(v), node number i stands at the point
x = 4 · 16^(n-i), and f_v(t) = -∏ (t - x_q / 4)(t - 4 x_q) over q in P(v), divided by ∏ x_q². So f_v = -∏ φ(t / x_q),
φ(z) = (1 - 4z)(1 - z/4). Now φ(1) = -9/4, and φ(16^m) ≥ 1 and 0 < φ(16^-m) < 1 for m ≥ 1. Hence for i earlier than v,
f_v(x_i) is positive if and only if i is in P(v), and then it is more than 1.63, because ∏ φ(16^-m) over m ≥ 1 is more
than 0.725. At nodes later than v, f_v is between -1 and 0. So on a link the positive term wins; without one both are
negative. All constant terms are -1, which saves a column. x_q² are powers of two, so dividing by them is a weight 2^e.

**Theorem A′.** All nodes with at most D remaining links go at once, again and again; P(v) holds the neighbours of v
that go with it or later, at most D. f_v has two roots around each of them, as by the largest degree. On a link between
nodes of different levels the term of the one that goes later is wrong, and weights let the earlier one win.
"""

from __future__ import annotations

import numpy as np

from philia._types import Int64Array
from philia.exact.polynomials import SignPolynomials, even_points, is_polynomials, roots_around, winning_exponents
from philia.exact.representation import Construction, Integers, Theorem
from philia.exceptions import InvalidParameterError
from philia.graphs import Graph, degeneracy, degeneracy_order


def by_degeneracy(graph: Graph) -> SignPolynomials:
    """Polynomials with two roots for each earlier neighbour: 4d + 1 columns, d the degeneracy, of very long numbers.

    >>> from philia import as_graph
    >>> by_degeneracy(as_graph([("hub", "ann"), ("hub", "bob"), ("hub", "cat")])).community_columns
    5
    """
    n = graph.n_nodes
    rank = np.empty(n, dtype=np.int64)
    rank[degeneracy_order(graph)] = np.arange(n)
    starts, earlier = _neighbours(graph, rank, later=False)
    owners, powers = np.repeat(np.arange(n), np.diff(starts)), 4 * (n - 1 - rank)
    points = _powers_of_two(powers + 2)
    below, above = powers[earlier], powers[earlier] + 4
    sorting = np.lexsort((np.concatenate([below, above]), np.concatenate([owners, owners])))
    roots = _powers_of_two(np.concatenate([below, above])[sorting])
    totals = np.concatenate([[0], np.cumsum(powers[earlier] + 2)])
    exponents = -2 * np.diff(totals[starts])
    return SignPolynomials(points, 2 * starts, roots, np.full(n, -1, np.int8), exponents, DEGENERACY.name)


def by_levels(graph: Graph, most: int | None = None) -> SignPolynomials:
    """Polynomials with two roots around each neighbour that goes no earlier: 4D + 2 columns of short numbers.

    ``most`` is D, at least the degeneracy, which is the default. A larger one takes fewer levels and fewer bits.

    >>> from philia import as_graph
    >>> by_levels(as_graph([("hub", "ann"), ("hub", "bob"), ("hub", "cat")])).community_columns
    6
    """
    n, adjacency = graph.n_nodes, graph.adjacency
    _, level, starts, kept = levels(graph, most)
    points = even_points(n)
    roots, leading = roots_around(points, kept), np.full(n, -1, dtype=np.int8)
    rows = adjacency.indptr.astype(np.int64), adjacency.indices.astype(np.int64)
    exponents = winning_exponents(rows, (points, 2 * starts, roots, leading), np.argsort(level, kind="stable"))
    return SignPolynomials(points, 2 * starts, roots, leading, exponents, LEVELS.name)


def levels(graph: Graph, most: int | None) -> tuple[int, Int64Array, Int64Array, Int64Array]:
    """D, the level at which each node goes, and P(v) of every node in compressed rows, for Theorem A′."""
    least = degeneracy(graph)
    most = least if most is None else most
    if most < least:
        raise InvalidParameterError(f"most={most} is less than the degeneracy of the graph; give {least} or more")
    level, left = np.full(graph.n_nodes, -1, dtype=np.int64), graph.degrees.copy()
    adjacency = graph.adjacency.astype(np.int64)
    current = 0
    while (level < 0).any():
        going = (level < 0) & (left <= most)
        level[going] = current
        left -= adjacency @ going.astype(np.int64)
        current += 1
    return most, level, *_neighbours(graph, level, later=True)


def _neighbours(graph: Graph, rank: Int64Array, *, later: bool) -> tuple[Int64Array, Int64Array]:
    """The neighbours of each node of a lower rank, or of the same or a higher one, in compressed rows."""
    rows, neighbours = np.repeat(np.arange(graph.n_nodes), graph.degrees), graph.adjacency.indices.astype(np.int64)
    kept = (rank[neighbours] >= rank[rows]) == later
    return np.concatenate([[0], np.cumsum(np.bincount(rows[kept], minlength=graph.n_nodes))]), neighbours[kept]


def _powers_of_two(exponents: Int64Array) -> Integers:
    """2 to the power of each exponent, as Python integers; equal ones share one object, because there are many."""
    powers = [1 << exponent for exponent in range(int(exponents.max(initial=-1)) + 1)]
    found = np.empty(exponents.size, dtype=object)
    found[:] = [powers[exponent] for exponent in exponents]
    return found


DEGENERACY = Construction(
    "degeneracy",
    Theorem(
        "at most 4d + 1 columns; d is the degeneracy (Theorem A)",
        lambda graph, _: 4 * degeneracy(graph) + 1,
        is_polynomials,
    ),
    lambda graph, _: [by_degeneracy(graph)],
    "4d + 1 columns, d the degeneracy, of very long numbers",
)

LEVELS = Construction(
    "levels",
    Theorem(
        "at most 4D + 2 columns if no more than D links are left to a node when it goes (Theorem A′)",
        lambda graph, found: max(4 * degeneracy(graph) + 2, found.logistic_columns),
        is_polynomials,
    ),
    lambda graph, _: [by_levels(graph)],
    "4d + 2 columns of shorter numbers",
)

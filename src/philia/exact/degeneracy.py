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

**Theorem A′ on a circle**, in floats: 4D + 2 columns on each side of the logistic form, if they can be proved right.
With the same levels and the same P(v), the nodes stand on a circle, equally spaced and in random order, node q at the
angle t_q, and

    f_v(t) = -∏ (cos h - cos(t - t_q)) over q in P(v), with h = 2π / (n √2).

A factor is negative at its own q and positive at all other nodes, so f_v is positive at the nodes of P(v) and negative
at all others. It is a sum of 1, cos kt and sin kt up to k = D, which are all bounded by 1, while the powers of points
on a line range from 1 to nᴰ: that is why floats are enough here. A score is G_v f_v(t_u) + G_u f_u(t_v), with weights G
that let the node that goes earlier win on a link.

Near a node of P(v) a factor is about 10 / n², so there is a limit: about D = 6 for one or two thousand nodes. Whether
the signs are right is proved for the floats as they are, so it does not matter how they were computed.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from philia._types import Float64Array, Int64Array
from philia.exact.polynomials import SignPolynomials, even_points, is_polynomials, roots_around, winning_exponents
from philia.exact.products import FloatLogistic, wrong_scores
from philia.exact.representation import Construction, Integers, Representation, Theorem
from philia.exceptions import InvalidParameterError
from philia.graphs import Graph, degeneracy, degeneracy_order

_EXTREMES = 1e-280, 1e280
"""Weights outside of this range come from too many levels: scores would leave the range of floats."""

_ROUNDING = 1e-20
"""Coefficients below this are rounding errors, as those of a row add up to 1; weights could make them denormal."""

_NO_ZERO = 1e-300
"""Stands for a right term that is 0, which no weight can let win; the quick check then refuses the candidate."""


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
    _, level, starts, kept = _levels(graph, most)
    points = even_points(n)
    roots, leading = roots_around(points, kept), np.full(n, -1, dtype=np.int8)
    rows = adjacency.indptr.astype(np.int64), adjacency.indices.astype(np.int64)
    exponents = winning_exponents(rows, (points, 2 * starts, roots, leading), np.argsort(level, kind="stable"))
    return SignPolynomials(points, 2 * starts, roots, leading, exponents, LEVELS.name)


def _levels(graph: Graph, most: int | None) -> tuple[int, Int64Array, Int64Array, Int64Array]:
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


def circle_candidates(
    graph: Graph, most: int | None = None, *, tries: int = 8, random_state: int = 0
) -> Iterator[FloatLogistic]:
    """Floats with 4D + 2 columns from several random orders of the nodes, whose computed signs are right.

    ``most`` is D, at least the degeneracy, which is the default. Each candidate still has to be certified.
    """
    most, level, starts, kept = _levels(graph, most)
    rng = np.random.default_rng(random_state)
    for _ in range(tries):
        angles = np.linspace(0, 2 * np.pi, graph.n_nodes, endpoint=False)[rng.permutation(graph.n_nodes)]
        X = _waves(angles, most)
        Y = _coefficients(angles, starts, kept, most)
        with np.errstate(over="ignore", invalid="ignore"):
            weights = _weights(graph, level, X, Y)
        if not _EXTREMES[0] < weights.min(initial=1) <= weights.max(initial=1) < _EXTREMES[1]:
            continue
        Y *= weights[:, None]
        found = FloatLogistic(np.hstack([X, Y]), np.hstack([Y, X]), CIRCLE.name)
        if not wrong_scores(graph, found.left, found.right, stop=True):
            yield found


def _waves(angles: Float64Array, degree: int) -> Float64Array:
    """1, cos t, …, cos Dt, sin t, …, sin Dt at each angle (n × 2D + 1)."""
    turns = np.outer(angles, np.arange(degree + 1))
    return np.hstack([np.cos(turns), np.sin(turns[:, 1:])])


def _coefficients(angles: Float64Array, starts: Int64Array, kept: Int64Array, degree: int) -> Float64Array:
    """The coefficients of f_v by wave (n × 2D + 1), from 2D + 1 of its values; sizes add up to 1 in each row."""
    n, samples = angles.size, np.linspace(0, 2 * np.pi, 2 * degree + 1, endpoint=False)
    h = 2 * np.pi / (n * np.sqrt(2))
    owners = np.repeat(np.arange(n), np.diff(starts))
    values = np.full((n, samples.size), -1.0)
    np.multiply.at(values, owners, np.cos(h) - np.cos(samples - angles[kept][:, None]))
    waves = _waves(samples, degree)
    found = values @ waves * (2 / samples.size)
    found[:, 0] /= 2
    found /= np.abs(found).sum(axis=1, keepdims=True)
    return np.where(np.abs(found) < _ROUNDING, 0.0, found)


def _weights(graph: Graph, level: Int64Array, X: Float64Array, Y: Float64Array) -> Float64Array:
    """Powers of two, from the last level down, with which the earlier node wins by a factor of 2 on every link."""
    weights = np.ones(graph.n_nodes)
    i, j = graph.links
    early, late = np.where(level[i] < level[j], i, j), np.where(level[i] < level[j], j, i)
    right, wrong = (np.abs(np.einsum("ij,ij->i", Y[v], X[u])) for v, u in ((early, late), (late, early)))
    for going in range(int(level.max(initial=0)) - 1, -1, -1):
        here = (level[early] == going) & (level[late] > going)
        needed = np.zeros(graph.n_nodes)
        np.maximum.at(needed, early[here], 2 * weights[late[here]] * wrong[here] / np.maximum(right[here], _NO_ZERO))
        weights[needed > 0] = 2 ** np.ceil(np.log2(needed[needed > 0]))
    return weights


def _is_symmetric_product(found: Representation) -> bool:
    """Whether the sides are [X Y] and [Y X], so that scores are X Yᵀ + Y Xᵀ."""
    if not isinstance(found, FloatLogistic) or found.logistic_columns % 2:
        return False
    half = found.logistic_columns // 2
    swapped = np.hstack([found.right[:, half:], found.right[:, :half]])
    return np.array_equal(found.left, swapped)


CIRCLE = Construction(
    "circle",
    Theorem(
        "at most 4D + 2 columns if no more than D links are left to a node when it goes (Theorem A′ in floats)",
        lambda graph, found: max(4 * degeneracy(graph) + 2, found.logistic_columns),
        _is_symmetric_product,
    ),
    lambda graph, _: circle_candidates(graph),
    "X Yᵀ in floats, for sparse graphs",
)

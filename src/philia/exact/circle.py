"""Theorem A′ on a circle, in floats: 4D + 2 columns on each side of the logistic form, if they can be proved right.

All nodes with at most D links among those left go at once, again and again, and P(v) has the neighbours of v that go
with it or later, as in :mod:`philia.exact.degeneracy`. The nodes stand on a circle, equally spaced and in an order of
chance, node q at the angle t_q, and

    f_v(t) = -∏ (cos h - cos(t - t_q)) over q in P(v), with h = 2π / (n √2).

A factor is negative at its own q and positive at all other nodes, so f_v is positive at the nodes of P(v) and negative
at all others. It is a sum of 1, cos kt and sin kt up to k = D, which are all bounded by 1, while the powers of a line
reach from 1 to nᴰ: this is what lets floats do. A score is G_v f_v(t_u) + G_u f_u(t_v), with weights G that let the
node that goes earlier win on a link.

Near a node of P(v) a factor is about 10 / n², so there is a limit: about D = 6 for one or two thousand nodes. Whether
the signs are right is proved for the floats as they are, so how they were computed does not matter.
"""

from __future__ import annotations

import numpy as np

from philia._types import Float64Array, Int64Array
from philia.exact.certified import Certified, certified
from philia.exact.degeneracy import rounds_of_removal, some_neighbours
from philia.exact.floats import FloatLogistic, wrong_scores
from philia.exceptions import InvalidParameterError, NotExactError
from philia.graphs import Graph, degeneracy


def by_circle(graph: Graph, most: int | None = None, *, tries: int = 8, random_state: int = 0) -> Certified | None:
    """Certified floats with 4D + 2 columns whose signs are the graph; None if no order of several gave any.

    ``most`` is D, at least the degeneracy, which it is if not given.

    >>> from philia import as_graph
    >>> ring = as_graph([(i, (i + 1) % 50) for i in range(50)])
    >>> by_circle(ring).certificate.columns
    10
    """
    least = degeneracy(graph)
    most = least if most is None else most
    if most < least:
        raise InvalidParameterError(f"most={most} is less than the degeneracy of the graph; give {least} or more")
    level = rounds_of_removal(graph, most)
    starts, kept = some_neighbours(graph, level, later=True)
    rng = np.random.default_rng(random_state)
    for _ in range(tries):
        angles = np.linspace(0, 2 * np.pi, graph.n_nodes, endpoint=False)[rng.permutation(graph.n_nodes)]
        X = _waves(angles, most)
        Y = _coefficients(angles, starts, kept, most)
        with np.errstate(over="ignore", invalid="ignore"):
            weights = _weights(graph, level, X, Y)
        if not 1e-280 < weights.min(initial=1) <= weights.max(initial=1) < 1e280:  # too many levels for floats
            continue
        Y *= weights[:, None]
        found = FloatLogistic(np.hstack([X, Y]), np.hstack([Y, X]), "circle")
        if wrong_scores(graph, found.left, found.right, stop=True):  # a quick look before the proof
            continue
        try:
            return certified(graph, found)
        except NotExactError:
            continue
    return None


def _waves(angles: Float64Array, degree: int) -> Float64Array:
    """1, cos t, …, cos Dt, sin t, …, sin Dt at each angle (n × 2D + 1)."""
    turns = np.outer(angles, np.arange(degree + 1))
    return np.hstack([np.cos(turns), np.sin(turns[:, 1:])])


def _coefficients(angles: Float64Array, starts: Int64Array, kept: Int64Array, degree: int) -> Float64Array:
    """What each wave has in each f_v (n × 2D + 1), by its values at 2D + 1 places; sizes add up to 1 in each row."""
    n, places = angles.size, np.linspace(0, 2 * np.pi, 2 * degree + 1, endpoint=False)
    h = 2 * np.pi / (n * np.sqrt(2))
    owners = np.repeat(np.arange(n), np.diff(starts))
    values = np.full((n, places.size), -1.0)
    np.multiply.at(values, owners, np.cos(h) - np.cos(places - angles[kept][:, None]))
    waves = _waves(places, degree)
    found = values @ waves * (2 / places.size)
    found[:, 0] /= 2
    found /= np.abs(found).sum(axis=1, keepdims=True)
    return np.where(np.abs(found) < 1e-20, 0.0, found)  # rounding errors, which weights could make too small for floats


def _weights(graph: Graph, level: Int64Array, X: Float64Array, Y: Float64Array) -> Float64Array:
    """Powers of two, from the last level down, that let the node that goes earlier win twice over on every link."""
    weights = np.ones(graph.n_nodes)
    i, j = graph.links
    early, late = np.where(level[i] < level[j], i, j), np.where(level[i] < level[j], j, i)
    right, wrong = (np.abs(np.einsum("ij,ij->i", Y[v], X[u])) for v, u in ((early, late), (late, early)))
    for going in range(int(level.max(initial=0)) - 1, -1, -1):
        here = (level[early] == going) & (level[late] > going)
        needed = np.zeros(graph.n_nodes)
        np.maximum.at(needed, early[here], 2 * weights[late[here]] * wrong[here] / np.maximum(right[here], 1e-300))
        weights[needed > 0] = 2 ** np.ceil(np.log2(needed[needed > 0]))
    return weights

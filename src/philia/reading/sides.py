"""The two sides of a network in which links only run across: women and events, users and things.

Whether there are sides is a fact about the links and needs no search. Trees have sides too, and so have most networks
with few links, so sides count only if they make the description shorter. It is that of ``philia.reading.length`` with
two groups whose strengths are not positive.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from philia._types import Float64Array, Int64Array
from philia.graphs import Graph
from philia.reading.length import RIDGE, DescriptionLength


def two_sides(graph: Graph) -> Int64Array | None:
    """The side of each node, 0 or 1, if no link runs inside a side; -1 outside of the largest connected part.

    What is not connected could be turned around, so only one part has sides. The larger side is 0.

    >>> from philia import as_graph
    >>> two_sides(as_graph([("ann", "tea"), ("bob", "tea"), ("cid", "tea"), ("tom", "ham")])).tolist()
    [0, 1, 0, 0, -1, -1]
    >>> two_sides(as_graph([(0, 1), (1, 2), (2, 0)])) is None
    True
    """
    from scipy.sparse.csgraph import connected_components  # it takes long to load

    n, A = graph.n_nodes, graph.adjacency
    if not graph.n_links:
        return None
    # A walk in this graph changes sides with every link, so a node meets its double only if a ring has an odd length.
    doubled = sparse.block_array([[None, A], [A, None]], format="csr")
    part = connected_components(doubled, directed=False)[1]
    if (part[:n] == part[n:]).any():
        return None
    first = np.minimum(part[:n], part[n:])
    largest = int(np.bincount(first).argmax())
    inside, sides = first == largest, (part[:n] != first).astype(np.int64)
    if 2 * np.count_nonzero(sides[inside]) > np.count_nonzero(inside):
        sides = 1 - sides
    return np.where(inside, sides, -1)


def real_sides(graph: Graph) -> Int64Array | None:
    """The two sides, if telling them makes the description of the links shorter; otherwise None.

    >>> from philia import as_graph
    >>> complete, path = [(i, 9 - j) for i in range(5) for j in range(5)], [(i, i + 1) for i in range(9)]
    >>> real_sides(as_graph(complete)).tolist(), real_sides(as_graph(path)) is None
    ([0, 0, 0, 0, 0, 1, 1, 1, 1, 1], True)
    """
    sides = two_sides(graph)
    return None if sides is None or sides_save(DescriptionLength(graph), sides) <= 0 else sides


def sides_save(measure: DescriptionLength, sides: Int64Array) -> float:
    """By how many nats two sides make the description shorter than one without groups."""
    from scipy.optimize import minimize  # it takes long to load

    k = len(measure.counts)
    inside = [_pairs(np.bincount(measure.classes[sides == c], minlength=k)) for c in (0, 1)]
    x = measure.popularity[:, None] + measure.popularity

    def cost(point: Float64Array) -> float:
        s, strengths = point[0], point[1:]
        total = float((measure.pairs * np.logaddexp(0, x + s)).sum() - s * measure.m)
        for pairs, v in zip(inside, strengths, strict=True):
            less = np.logaddexp(0, x + s - v) - np.logaddexp(0, x + s)
            total += float((pairs * less).sum()) + RIDGE * v**2
        return total

    level = measure.none.level
    none = cost(np.array([level, 0.0, 0.0]))
    found = minimize(cost, [level, 2.0, 2.0], method="L-BFGS-B", bounds=[(None, None), (0, None), (0, None)])
    sizes = np.bincount(sides + 1)
    return float(none - found.fun - 2 * measure.per_group - measure.code(sizes) + measure.code(np.array([measure.n])))


def _pairs(members: Int64Array) -> Float64Array:
    """The pairs of members by class, half of them in each triangle."""
    found = np.outer(members, members) / 2
    found[np.diag_indices_from(found)] -= members / 2
    return np.asarray(found)

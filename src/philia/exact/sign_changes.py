"""Theorem B: as many columns as the rows of the adjacency matrix change their sign along a good line of nodes.

The nodes stand on a line and are taken away. When v goes, f_v gets one root between any two neighbours on the line,
among those still there, at which the row of v differs; so f_v has the right sign at v and at all that are still there,
and its degree is the number of sign changes. It may be wrong at nodes that went before. But their own polynomials are
right at v, and weights 2^e, chosen from the last node to the first, make these win. With S sign changes at most, this
takes 2 (S + 1) columns, and S is at most twice the degeneracy whatever the line: a node of at most d links has at most
2d sign changes.

Which nodes can go with at most S sign changes does not depend on the order, for fewer nodes never have more changes. So
all that can go do so at once, in rounds. Nodes of one round are right at each other and need not win; there are far
fewer rounds than nodes, and so the weights are much smaller than if nodes went one by one.
"""

from __future__ import annotations

import numpy as np

from philia._types import Int64Array
from philia.exact.logarithms import logarithm_table
from philia.exact.orders import Elimination, found_order
from philia.exact.polynomials import SignPolynomials
from philia.exact.representation import Int8Array
from philia.graphs import Graph


def by_sign_changes(graph: Graph, elimination: Elimination | None = None, *, random_state: int = 0) -> SignPolynomials:
    """Polynomials along a line of nodes, the given one or one that is looked for: 2 (S + 1) columns.

    >>> from philia.datasets import classic
    >>> by_sign_changes(classic("karate")).community_columns <= 12
    True
    """
    from philia.exact.compiled import along
    from philia.exact.compiled_signs import place_roots, prepare_construction

    line = found_order(graph, random_state=random_state) if elimination is None else elimination
    prepare_construction()
    order, n = line.order, graph.n_nodes
    adjacency = graph.adjacency
    rows = along(adjacency.indptr.astype(np.int64), adjacency.indices.astype(np.int64), order)
    starts, roots, leading, rounds = place_roots(*rows, line.most)
    points = 2 * np.arange(n, dtype=np.int64) + 2
    exponents = weighed(rows, (points, starts, roots, leading), np.argsort(rounds, kind="stable"))
    place = np.empty(n, dtype=np.int64)
    place[order] = np.arange(n)
    counts = np.diff(starts)[place]
    entries = np.repeat(starts[:-1][place] - np.cumsum(counts) + counts, counts) + np.arange(roots.size)
    ends = np.concatenate([[0], np.cumsum(counts)])
    return SignPolynomials(points[place], ends, roots[entries], leading[place], exponents[place], "sign changes")


def weighed(
    rows: tuple[Int64Array, Int64Array],
    polynomials: tuple[Int64Array, Int64Array, Int64Array, Int8Array],
    removal: Int64Array,
) -> Int64Array:
    """Exponents with which a node's term beats the wrong terms of all that are removed later."""
    from philia.exact.compiled_signs import dominating_exponents, prepare_construction

    prepare_construction()
    points, _, roots, _ = polynomials
    table = logarithm_table(int(points.max(initial=2)) + int(roots.max(initial=0)) + 1)
    exponents: Int64Array = dominating_exponents(removal, rows, polynomials, table)
    return exponents

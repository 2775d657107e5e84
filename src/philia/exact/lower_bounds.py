"""How many columns a graph needs at least, proved by a few of its rows.

**Three.** In V diag(W) Vᵀ with V ≥ 0, one repelling column is never enough for a graph with a link. Let z be that
column and P_i the attracting part of row i, both times the roots of their weights. A node is not linked with itself, so
|P_i|² < z_i², and P_i·P_j ≤ |P_i| |P_j| < z_i z_j for every pair: no score is positive. So there are two repelling
columns, and at least one that attracts.

**Four.** With three columns M_ij = p_i p_j - q_i q_j - r_i r_j, all p, q, r ≥ 0. Multiply rows by positive numbers,
which changes no sign, so that p + s = 1 with s = (q + r) / √2. With w = (q - r) / √2 and ρ = w² + 2 s - 1,

    2 M_ij = (w_i - w_j)² - ρ_i - ρ_j:

nodes stand on a line, and are linked if they are far enough from each other. Let i, j and k, l be linked, but neither
j, k nor l, i, where j = k is allowed. Add both inequalities of each kind: (w_i - w_j)² + (w_k - w_l)² is more than the
sum of all four ρ, and (w_j - w_k)² + (w_l - w_i)² is less. So (w_i - w_k)(w_l - w_j) > 0: i is to the right of k if and
only if l is to the right of j. If a chain of such conclusions leads from "i is to the right of k" to "k is to the right
of i", three columns are not enough.

**Radon.** Take m nodes, and read every row of the graph along them, +1 for a link and -1 for none. If every pattern of
signs appears there, up to negation and but for the constant one, then at least m columns are needed. With fewer, the
rows of V of these nodes would satisfy ∑ λ_i V_i = 0 for some λ that is not zero. It has entries of both signs, because
V ≥ 0 and no row of V is zero. Take the node u whose row has the signs of λ, or of -λ, where λ is not zero: then
∑ λ_i M_ui is not zero, but it should be. As there are 2^(m-1) - 1 patterns, m is at most 1 + log₂(n + 1).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from philia._types import Int64Array, Node
from philia.exact.representation import Int8Array
from philia.graphs import Graph

_ENTRIES = 1 << 24
"""Entries of the rows among which nodes are looked for: those of the largest degrees, whose signs vary the most."""

_MOST, _LEAST = 400, 32
"""The most and the fewest of these rows."""

_FEW_LINKS = 1000
"""With more links, conclusions from pairs of links are not drawn: their number grows with the square."""

_STARTS, _WORK = 64, 1 << 26
"""First nodes that are tried, and the entries that may be looked at for each further node of all of them."""


@dataclass(frozen=True)
class LeastColumns:
    """A number of nonnegative columns below which no exact representation exists, and the nodes that prove it.

    ``witness`` has the nodes along which rows have all patterns of signs; it is empty if there is another reason.

    >>> LeastColumns(3, ())
    LeastColumns(columns=3, witness=())
    """

    columns: int
    witness: tuple[Node, ...]


def least_columns(graph: Graph) -> LeastColumns:
    """The best lower bound on nonnegative columns that a greedy search finds; it holds for every representation.

    >>> from philia.datasets import classic
    >>> least_columns(classic("karate")).columns
    4
    """
    if not graph.n_links:
        return LeastColumns(min(graph.n_nodes, 1), ())
    candidates = np.argsort(-graph.degrees, kind="stable")[:_MOST]
    lines, linked = _linked(graph, candidates)
    while candidates.size * linked.size > _ENTRIES and candidates.size > _LEAST:
        candidates = candidates[: candidates.size // 2]
        lines, linked = _linked(graph, candidates)
    rows = lines[:, linked].toarray()
    starts = min(max(_WORK // rows.size, 1), _STARTS, candidates.size)
    found = max((_grown(rows, start) for start in range(starts)), key=len)
    if len(found) <= _SIMPLE:
        return LeastColumns(_SIMPLE + _has_no_order(graph), ())
    return LeastColumns(len(found), tuple(graph.nodes.pick(candidates[found])))


_SIMPLE = 3
"""What every graph with a link needs."""


def _has_no_order(graph: Graph) -> bool:
    """Whether no order of the nodes on a line allows for three columns; only told for graphs with few links.

    >>> from philia import as_graph
    >>> rings = [as_graph([(i, (i + 1) % n) for i in range(n)]) for n in (4, 5)]
    >>> [_has_no_order(ring) for ring in rings]
    [False, True]
    """
    if graph.n_links > _FEW_LINKS:
        return False
    ends, n = np.stack(graph.links), graph.n_nodes
    i, j = np.hstack([ends, ends[::-1]])
    unlinked = ~graph.adjacency[np.unique(i)][:, np.unique(i)].toarray().astype(bool)
    rank = np.searchsorted(np.unique(i), np.arange(n))
    i, j, n = rank[i], rank[j], unlinked.shape[0]
    one, other = np.nonzero(unlinked[np.ix_(j, i)] & unlinked[np.ix_(i, j)])
    right_of, then = i[one] * n + i[other], j[other] * n + j[one]
    joined = sparse.coo_array((np.ones(one.size, np.int8), (right_of, then)), shape=(n * n, n * n))
    parts = connected_components(joined, directed=False)[1].reshape(n, n)
    return bool((parts == parts.T)[~np.eye(n, dtype=bool)].any())


def _linked(graph: Graph, candidates: Int64Array) -> tuple[sparse.csr_array, Int64Array]:
    """The links of some nodes, one row for each, and the nodes at their other ends; all others have constant rows."""
    lines = graph.adjacency[candidates].astype(np.int8)
    return lines, np.unique(lines.indices)


def _grown(rows: Int8Array, start: int) -> list[int]:
    """Some of ``rows`` along which all patterns appear: one more at a time, that with which the rarest is common."""
    found, codes = [start], rows[start].astype(np.int64)
    while True:
        rarest = [_rarest(2 * codes + one, len(found) + 1) for one in rows]
        best = int(np.argmax(rarest))
        if not rarest[best]:
            return found
        found.append(best)
        codes = 2 * codes + rows[best]


def _rarest(codes: Int64Array, length: int) -> int:
    """How often the rarest pattern of this length appears, up to negation and without the constant one.

    >>> _rarest(np.array([0b01, 0b10, 0b11]), 2)
    2
    """
    counts = np.bincount(codes, minlength=1 << length)
    return int((counts + counts[::-1])[1 : 1 << length - 1].min())

"""How densely the members of each community are linked, and how densely they would be if only degrees mattered."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from philia._types import Float64Array, Int64Array
from philia.graphs import Graph

_ROWS = 2**16
_DEGREES = 1024


@dataclass(frozen=True)
class Inside:
    """Links and pairs among the members of one community, and the links that their degrees alone would lead to.

    >>> Inside(links=6, pairs=12, expected_links=3.0).ratio
    2.0
    """

    links: int
    pairs: int
    expected_links: float

    @property
    def density(self) -> float:
        """The share of pairs of members that are linked; 0 without a pair."""
        return self.links / max(self.pairs, 1)

    @property
    def expected(self) -> float:
        """The same if only degrees mattered."""
        return self.expected_links / max(self.pairs, 1)

    @property
    def ratio(self) -> float | None:
        """How many times as dense as expected; None where nothing is expected."""
        return self.links / self.expected_links if self.expected_links else None


def look_inside(graph: Graph, memberships: sparse.csc_array) -> list[Inside]:
    """What is inside each community, given who is a member (n × communities, ones in compressed columns).

    >>> from philia import as_graph
    >>> both = sparse.csc_array(np.array([[1], [1], [1], [0]]))
    >>> look_inside(as_graph([("a", "b"), ("b", "c"), ("c", "d")]), both)[0]
    Inside(links=2, pairs=3, expected_links=1.333...)
    """
    sizes = np.diff(memberships.indptr).astype(np.int64)
    links, expected = links_inside(graph, memberships), expected_inside(graph.degrees, memberships)
    return [
        Inside(int(found), int(size) * (int(size) - 1) // 2, float(should))
        for found, size, should in zip(links, sizes, expected, strict=True)
    ]


def links_inside(graph: Graph, memberships: sparse.csc_array) -> Int64Array:
    """The number of links between members of each community: one pass over the links for all communities.

    >>> from philia import as_graph
    >>> links_inside(as_graph([(0, 1), (1, 2)]), sparse.csc_array(np.array([[1, 0], [1, 1], [0, 1]]))).tolist()
    [1, 1]
    """
    total = np.zeros(memberships.shape[1])
    member = memberships.toarray().astype(np.float32)  # numbers of neighbours are whole, and far below 2²⁴
    for at in range(0, graph.n_nodes, _ROWS):
        rows = slice(at, at + _ROWS)
        total += ((graph.adjacency[rows].astype(np.float32) @ member) * member[rows]).sum(axis=0, dtype=np.float64)
    return np.asarray(total / 2).round().astype(np.int64)


def expected_inside(degrees: Int64Array, memberships: sparse.csc_array) -> Float64Array:
    """The links inside each community if two nodes were linked with probability d_i · d_j / (2 · links), at most 1.

    This is the configuration model: links are cut in two, and their halves joined anew by chance. It needs no fit, so
    what it says is not the model's own opinion of itself, as the background would be, which is fitted beside the
    communities and gives way to them. Nodes of one degree are alike, so pairs of degrees are summed, not of nodes.

    >>> expected_inside(np.array([1, 2, 1]), sparse.csc_array(np.array([[1], [1], [0]]))).tolist()
    [0.5]
    """
    k, ends = memberships.shape[1], int(degrees.sum())
    if not ends or not k:
        return np.zeros(k)
    distinct, group = np.unique(degrees, return_inverse=True)
    grouping = sparse.csr_array((np.ones(len(degrees)), (group, np.arange(len(degrees)))))
    counts = np.asarray((grouping @ memberships).toarray(), dtype=np.float64)  # degrees × communities
    total = np.zeros(k)
    for at in range(0, len(distinct), _DEGREES):
        rows = slice(at, at + _DEGREES)
        chances = np.minimum(np.outer(distinct[rows], distinct / ends), 1.0)
        total += (counts[rows] * (chances @ counts)).sum(axis=0)
    with_itself = np.minimum(distinct * (distinct / ends), 1.0) @ counts
    return np.asarray((total - with_itself) / 2)

"""How many forests it takes to cover a graph, exactly, with proofs that can be checked.

Write n_S and m_S for the number of nodes of a part S and of links inside it. Two theorems turn counting into directing
links.
Hakimi: given numbers c_v, the links can be directed so that no node v receives more than c_v of them if and only if
no S has more links inside than its c_v add up to. Nash-Williams: k forests can cover all links if and only if no
nonempty S has m_S > k (n_S - 1).

**Pseudoarboricity**, p, is the least k such that no node has to receive more than k links; by Hakimi it is the maximum
of m_S / n_S, rounded up. The search begins with the degeneracy order, in which no node has more than d earlier
neighbours, and bisects the interval from d/2 to d. For each k, paths from nodes with room to nodes with too many links
are reversed. If that gets stuck, the nodes that lead to those with too many are an S with m_S > k n_S, because all
links to them come from them and each receives k or more.

**Arboricity** is p or p + 1. It is at least p, as m_S / (n_S - 1) > m_S / n_S. It is at most p + 1: parts of more than
p nodes have m_S ≤ p n_S ≤ (p + 1)(n_S - 1), and smaller ones have no more than n_S (n_S - 1) / 2 links. And it is p if
and only if for every node r the links can be directed so that r receives none and the others at most p: by Hakimi this
says that no S with r in it has m_S > p (n_S - 1), and every nonempty S has some r in it.

So each r in turn is relieved of the links it receives, again by reversing paths. If that fails, the nodes that lead to
r are an S with m_S > p (n_S - 1). If it succeeds, no such S contains r, and r is removed. So is every node with p links
or fewer, which no smallest such S contains, since S without it would do. What is left keeps its directions for the
next r.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from philia.graphs.degeneracy import peeled

if TYPE_CHECKING:
    from philia._types import Int64Array, Node
    from philia.graphs.graph import Graph

    Rows = tuple[Int64Array, Int64Array, Int64Array]


@dataclass(frozen=True, eq=False)
class Orientation:
    """A direction for each link: link t points from row ``tails[t]`` to row ``heads[t]``.

    >>> Orientation(tails=np.array([0, 0]), heads=np.array([1, 2])).most_received
    1
    """

    tails: Int64Array
    heads: Int64Array

    @property
    def most_received(self) -> int:
        """The largest number of links that point to the same node."""
        return int(np.bincount(self.heads).max(initial=0))


@dataclass(frozen=True, eq=False)
class Pseudoarboricity:
    """The least ``value`` such that links can be directed with no node receiving more, and two proofs.

    ``upper`` is such a direction of all links. ``lower`` names nodes with more than value - 1 links per node among
    them, too many for a smaller value.

    >>> from philia import as_graph
    >>> found = pseudoarboricity(as_graph([("ann", "bob"), ("bob", "cat"), ("cat", "ann"), ("cat", "dan")]))
    >>> found.value, found.upper.most_received, found.lower
    (1, 1, ('ann', 'bob', 'cat'))
    """

    value: int
    lower: tuple[Node, ...]
    upper: Orientation


@dataclass(frozen=True, eq=False)
class Arboricity:
    """The least number of forests that cover all links, as ``value``, and the proof.

    ``lower`` names n_S nodes with more than (value - 1)(n_S - 1) links among them, too many for fewer forests.
    ``upper`` directs all links so that no node receives more than p, the pseudoarboricity, which alone proves that
    p + 1 forests are enough. If ``value`` is p, each node was tested by the method above; a proof that stands on
    its own are the forests themselves, from :func:`philia.graphs.forests`.

    >>> from philia import as_graph
    >>> found = arboricity(as_graph([("ann", "bob"), ("bob", "cat"), ("cat", "ann"), ("cat", "dan")]))
    >>> found.value, found.lower, found.upper.most_received
    (2, ('ann', 'bob', 'cat'), 1)
    """

    value: int
    lower: tuple[Node, ...]
    upper: Orientation


def pseudoarboricity(graph: Graph) -> Pseudoarboricity:
    """The least k such that each link can get a direction with at most k links pointing to any node, with proofs.

    Equivalently, the largest number of links per node in any part of the graph, rounded up.

    >>> from itertools import combinations
    >>> from philia import as_graph
    >>> pseudoarboricity(as_graph(list(combinations(range(6), 2)))).value
    3
    """
    balanced = _balance(graph)
    return Pseudoarboricity(balanced.most, _names(graph, balanced.dense), balanced.orientation(graph))


def arboricity(graph: Graph) -> Arboricity:
    """The exact number of forests needed to cover all links, with proofs.

    >>> from itertools import combinations
    >>> from philia import as_graph
    >>> arboricity(as_graph(list(combinations(range(7), 2)))).value
    4
    """
    from philia.graphs.kernels import find_dense

    balanced = _balance(graph)
    most, heads, received = balanced.most, balanced.heads, balanced.received
    denser = find_dense(balanced.rows, heads.copy(), received.copy(), most, balanced.order)
    upper = balanced.orientation(graph)
    if denser.size:
        return Arboricity(most + 1, _names(graph, denser), upper)
    return Arboricity(most, _names(graph, balanced.dense), upper)


@dataclass(frozen=True, eq=False)
class _Balanced:
    """Links directed so that no node receives more than ``most``, and nodes too dense for ``most - 1``."""

    most: int
    dense: Int64Array
    rows: Rows
    heads: Int64Array
    received: Int64Array
    order: Int64Array

    def orientation(self, graph: Graph) -> Orientation:
        i, j = graph.links
        return Orientation(i + j - self.heads, self.heads)


def _balance(graph: Graph) -> _Balanced:
    from philia.graphs.kernels import prepare_search, settle, settle_scratch

    prepare_search()
    order, cores = peeled(graph)
    rows, heads = _numbered(graph), _heads_of(graph, order)
    received = np.bincount(heads, minlength=graph.n_nodes)
    high = int(cores.max(initial=0))
    # In the innermost core every node has at least ``high`` links, so at least high / 2 links per node: the value is at
    # least half of ``high``, rounded up.
    low, dense = (high + 1) // 2 - 1, np.flatnonzero(cores >= max(high, 1))
    search = settle_scratch(graph.n_nodes)
    while high - low > 1:
        middle = (low + high) // 2
        full = np.flatnonzero(received > middle)
        stuck = settle(rows, heads, received, np.full(graph.n_nodes, middle), full, search)
        if stuck.size:
            low, dense = middle, stuck
        else:
            high = middle
    return _Balanced(high, dense, rows, heads, received, order)


def _numbered(graph: Graph) -> Rows:
    """The adjacency in compressed rows, with the number of the link, as in ``graph.links``, at each entry."""
    i, j = graph.links
    numbers = sparse.coo_array((np.arange(1, i.size + 1), (i, j)), shape=graph.adjacency.shape).tocsr()
    both = (numbers + numbers.T).tocsr()
    both.sort_indices()
    return both.indptr.astype(np.int64), both.indices.astype(np.int64), both.data - 1


def _heads_of(graph: Graph, order: Int64Array) -> Int64Array:
    """Each link pointing to the end that was peeled first, which had at most as many links left as the degeneracy."""
    rank = np.empty_like(order)
    rank[order] = np.arange(order.size)
    i, j = graph.links
    return np.where(rank[i] < rank[j], i, j)


def _names(graph: Graph, rows: Int64Array) -> tuple[Node, ...]:
    return tuple(graph.nodes.pick(np.sort(rows)))

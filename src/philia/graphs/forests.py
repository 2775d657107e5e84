"""All links of a graph in as few forests as possible: the proof that its arboricity is no larger.

Nash-Williams: k forests can hold all links if no part of n_S nodes has more than k (n_S - 1) links inside. The
:func:`arboricity` is the least such k; here the k forests are made.

**Nodes with few links** wait. One with k links or fewer can be added to k forests at any time, each link in a
different one: it is attached to every tree by a single link and closes no cycle. So such nodes are removed, repeatedly,
and added back in the opposite order. What is left has core numbers above k, and is often small.

**The remaining links** are placed one by one. A link with its ends in different trees of some forest goes there. Else
every forest has a path between its ends, and the link may replace any link on the path, which then has to be placed in
turn. The search is breadth first from the new link, until it reaches one with room in some forest; but a link of forest
i only looks at forest i + 1, cyclically. That is enough. Suppose that no link reached has room, and write L_i for the
links reached in forest i. Nodes joined by L_i are joined by L_(i+1) as well, and so on cyclically, so all of them join
the same nodes S: there are n_S - 1 in each forest and, with the new link, k (n_S - 1) + 1 inside S. That is too many
for k forests. So if k is the arboricity, the search always succeeds. Roskind and Tarjan search like this.

The path found is a shortest one, so no link on it could replace one further along. Hence the moves, done from the end
of the path to its beginning, do not interfere: where a link arrives, the path between its ends is still the one seen.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from philia.exceptions import InvalidParameterError
from philia.graphs.arboricity import arboricity
from philia.graphs.degeneracy import peeled
from philia.storage import require_memory

if TYPE_CHECKING:
    from philia._types import Int64Array, Pair
    from philia.graphs.graph import Graph

_STEPS = 20_000_000
"""Steps of the compiled search at a time, a fraction of a second, after which Python can handle Ctrl-C."""

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
"""2^64 divided by the golden ratio: its multiples modulo 2^64 are evenly scattered."""


@dataclass(frozen=True, eq=False)
class Forests:
    """Every link of a graph in one of ``count`` forests: link t, as in ``graph.links``, is in ``of_link[t]``.

    Forests are numbered from 0, those with the most links first.

    >>> from philia import as_graph
    >>> graph = as_graph([("ann", "bob"), ("bob", "cat"), ("cat", "ann"), ("cat", "dan")])
    >>> found = forests(graph)
    >>> found.count, found.sizes.tolist()
    (2, [3, 1])
    >>> found.check(graph)
    """

    of_link: Int64Array
    count: int

    @property
    def sizes(self) -> Int64Array:
        """The number of links of each forest."""
        return np.bincount(self.of_link, minlength=self.count)

    def links(self, graph: Graph) -> list[list[Pair]]:
        """The links of each forest, as pairs of names.

        >>> from philia import as_graph
        >>> triangle = as_graph([("ann", "bob"), ("bob", "cat"), ("cat", "ann")])
        >>> Forests(np.array([0, 1, 0]), count=2).links(triangle)
        [[('ann', 'bob'), ('bob', 'cat')], [('ann', 'cat')]]
        """
        i, j = graph.links
        held = [np.flatnonzero(self.of_link == t) for t in range(self.count)]
        return [list(zip(graph.nodes.pick(i[t]), graph.nodes.pick(j[t]), strict=True)) for t in held]

    def check(self, graph: Graph) -> None:
        """Raise an error unless every link of the graph is in one of the forests and no forest has a cycle.

        This is independent of the search: a tree is connected and has one link fewer than nodes.

        >>> from philia import as_graph
        >>> triangle = as_graph([("ann", "bob"), ("bob", "cat"), ("cat", "ann")])
        >>> Forests(np.array([0, 0, 0]), count=1).check(triangle)
        Traceback (most recent call last):
        philia.exceptions.InvalidParameterError: forest 0 has a cycle: 3 of its links join only 3 nodes; ...
        """
        i, j = graph.links
        if self.of_link.shape != i.shape:
            raise InvalidParameterError(
                f"the forests hold {self.of_link.size:,} links and the graph has {i.size:,}; pass their graph"
            )
        if not i.size:
            return
        if self.of_link.min() < 0 or self.of_link.max() >= self.count:
            raise InvalidParameterError(
                f"links are in forests {self.of_link.min()} to {self.of_link.max()}; with {self.count} forests, "
                f"numbers from 0 to {self.count - 1} are expected"
            )
        from scipy.sparse.csgraph import connected_components  # it takes long to load

        # With a copy of each node per forest, all forests together have to be one large forest.
        apart = self.of_link * graph.n_nodes
        copies, ends = np.unique(np.concatenate([apart + i, apart + j]), return_inverse=True)
        one, other = np.split(ends, 2)
        joined = sparse.coo_array((np.ones(i.size, np.int8), (one, other)), shape=(copies.size, copies.size))
        _, part = connected_components(joined.tocsr(), directed=False)
        nodes, links = np.bincount(part), np.bincount(part[one])
        if (links >= nodes).any():
            wrong = int((links >= nodes).argmax())
            forest = copies[(part == wrong).argmax()] // graph.n_nodes
            raise InvalidParameterError(
                f"forest {forest} has a cycle: {links[wrong]:,} of its links join only {nodes[wrong]:,} nodes; "
                "make the forests with philia.graphs.forests"
            )


def forests(graph: Graph) -> Forests:
    """All links in as few forests as possible; their number is the arboricity.

    >>> from itertools import combinations
    >>> from philia import as_graph
    >>> everyone_knows_everyone = as_graph(list(combinations(range(6), 2)))
    >>> forests(everyone_knows_everyone).sizes.tolist()
    [5, 5, 5]
    """
    count = arboricity(graph).value
    order, cores = peeled(graph)
    rank = np.empty_like(order)
    rank[order] = np.arange(order.size)
    i, j = graph.links
    first = np.where(rank[i] < rank[j], i, j)
    waits = cores[first] <= count
    of_link = np.empty(i.size, np.int64)
    of_link[waits] = _counted(first[waits])
    of_link[~waits] = _placed(i[~waits], j[~waits], count)
    by_size = np.argsort(-np.bincount(of_link, minlength=count), kind="stable")
    number = np.empty(count, np.int64)
    number[by_size] = np.arange(count)
    return Forests(number[of_link], count)


def _counted(values: Int64Array) -> Int64Array:
    """How many equal values come before each value.

    >>> _counted(np.array([7, 5, 7, 7])).tolist()
    [0, 0, 1, 2]
    """
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    before = np.empty_like(values)
    before[order] = np.arange(values.size) - np.searchsorted(ordered, ordered)
    return before


def _placed(i: Int64Array, j: Int64Array, count: int) -> Int64Array:
    """The forest of each link, for links that ``count`` forests can hold."""
    if not i.size:
        return i
    from philia.graphs.kernels import NONE, bare_trees, forest_scratch, place_links, prepare_forests

    rows, ends = np.unique(np.concatenate([i, j]), return_inverse=True)
    m, n = i.size, rows.size
    require_memory(32 * count * n + 64 * m, f"a search for {count:,} forests of {m:,} links")
    prepare_forests()
    # In their order, links that share a node would fill the first forests around it, where later links find no room. In
    # a scattered order almost all find room at once.
    links = np.argsort(np.arange(m, dtype=np.uint64) * _GOLDEN)
    one, other = np.split(ends, 2)
    trees, forest, search = bare_trees(count, n), np.full(m, NONE), forest_scratch(count, n, m)
    at = 0
    while at < m:
        at = place_links((one, other), links, at, _STEPS, trees, forest, search)
        if at == NONE:
            raise RuntimeError(
                f"{count} forests cannot hold all links, although that is the arboricity; please report this"
            )
    return forest

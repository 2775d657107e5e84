"""An order of the nodes that follows from the links alone, whatever order the nodes of a file are in."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy import sparse

from philia._types import Int64Array
from philia.graphs.graph import Graph
from philia.graphs.nodes import Nodes

Colors = npt.NDArray[np.uint64]

_ROUNDS = 64
"""The most rounds of new colors. Colors travel one link per round; few networks are wider, and a chain needs n / 2."""

_CHOICES = 16
"""How often one of several equal nodes is chosen. Twins need no choice, and few networks need more than five."""


def canonical(graph: Graph) -> tuple[Graph, Int64Array]:
    """The graph with its nodes numbered in an order that its links determine, and the row that each had before.

    Nodes are sorted by colors. In each round a node's color becomes a hash of its own and its neighbours', until no
    more nodes are told apart (Weisfeiler and Leman). Nodes that still have the same color are alike in most networks:
    exchanging them, and all that hangs on them, changes nothing. So one of them is chosen, in each connected piece of
    such nodes, and the colors of the others follow. Names and weights do not count, and are left behind.

    >>> from philia import as_graph
    >>> one = as_graph([("ann", "bob"), ("bob", "cat"), ("cat", "ann"), ("cat", "dan"), ("dan", "eve")])
    >>> other = as_graph([("eve", "dan"), ("cat", "dan"), ("bob", "ann"), ("cat", "ann"), ("bob", "cat")])
    >>> bool((canonical(one)[0].adjacency != canonical(other)[0].adjacency).nnz)
    False
    """
    adjacency = graph.adjacency
    colors = _told_apart(adjacency, _numbered_twins(adjacency))
    for _ in range(_CHOICES):
        chosen = _one_per_piece(adjacency, colors)
        if not len(chosen):
            break
        turns = np.arange(1, len(chosen) + 1).astype(np.uint64)
        colors[chosen] = _mixed(np.add(colors[chosen], turns))
        colors = _told_apart(adjacency, colors)
    order = np.argsort(colors, kind="stable")
    place = np.argsort(order)
    rows, columns = graph.links
    return Graph.from_rows(place[rows], place[columns], Nodes.numbered(graph.n_nodes)), order


def _told_apart(adjacency: sparse.csr_array, colors: Colors) -> Colors:
    """Colors that depend on how the graph looks from each node, with the colors that nodes have already."""
    before = _different(colors)
    for _ in range(_ROUNDS):
        colors = _mixed(colors * np.uint64(3) + _sums(adjacency, _mixed(colors)))
        now = _different(colors)
        if now == before:
            break
        before = now
    return colors


def _different(colors: Colors) -> int:
    """How many colors there are. Of a million, ``np.unique`` counts by hashing, which takes a hundred times as long."""
    return int(np.count_nonzero(np.diff(np.sort(colors)))) + 1


def _numbered_twins(adjacency: sparse.csr_array) -> Colors:
    """Numbers from 0 for nodes with the same neighbours, which are alike for certain; 0 for all others."""
    own = _mixed(np.arange(adjacency.shape[0], dtype=np.uint64))
    apart = _sums(adjacency, own)
    numbers = np.zeros(len(own), np.uint64)
    for neighbours in (apart, apart + own):  # of twins that are not linked, and of those that are
        order = np.argsort(neighbours, kind="stable")
        first = np.append(True, np.diff(neighbours[order]) != 0)[: len(own)]
        at = np.arange(len(own))
        numbers[order] += (at - np.maximum.accumulate(np.where(first, at, 0))).astype(np.uint64)
    return numbers


def _one_per_piece(adjacency: sparse.csr_array, colors: Colors) -> Int64Array:
    """One of the nodes that are not told apart from others, in each connected piece of at least two of them."""
    ranks, counts = np.unique(colors, return_inverse=True, return_counts=True)[1:]
    alike = np.flatnonzero(counts[ranks.ravel()] > 1)
    among = sparse.csr_array(adjacency[alike][:, alike])
    linked = alike[np.diff(among.indptr) > 0]
    if not len(linked):
        return np.empty(0, np.int64)
    from scipy.sparse.csgraph import connected_components  # it takes long to load

    pieces = connected_components(adjacency[linked][:, linked], directed=False)[1]
    order = np.lexsort((colors[linked], pieces))
    firsts = linked[order[np.append(True, np.diff(pieces[order]) != 0)]]
    return np.asarray(firsts[np.argsort(colors[firsts], kind="stable")], np.int64)


def _sums(adjacency: sparse.csr_array, values: Colors) -> Colors:
    """The sum of the values of each node's neighbours; it does not depend on their order, and overflows."""
    sums = np.append(np.uint64(0), np.cumsum(values[adjacency.indices], dtype=np.uint64))
    return np.asarray(sums[adjacency.indptr[1:]] - sums[adjacency.indptr[:-1]])


def _mixed(bits: Colors) -> Colors:
    """A 64-bit hash in which every input bit affects all output bits (the finalizer of SplitMix64)."""
    bits = bits + np.uint64(0x9E3779B97F4A7C15)
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(bits ^ (bits >> np.uint64(31)))

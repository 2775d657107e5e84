"""Core numbers and the degeneracy of a graph, which measure its densest part."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from philia._types import Int64Array
    from philia.graphs.graph import Graph


def core_numbers(graph: Graph) -> Int64Array:
    """The core number of each node, in row order: the largest k for which the node is in the k-core.

    The k-core is what remains when nodes with fewer than k links are removed repeatedly. The time is linear in the
    number of links.

    >>> from philia import as_graph
    >>> triangle_with_a_tail = as_graph([("ann", "bob"), ("bob", "cat"), ("cat", "ann"), ("cat", "dan")])
    >>> core_numbers(triangle_with_a_tail).tolist()
    [2, 2, 2, 1]
    """
    return peeled(graph)[1]


def degeneracy(graph: Graph) -> int:
    """The largest core number: every part of the graph has a node with at most that many links inside the part.

    >>> from philia import as_graph
    >>> degeneracy(as_graph([("ann", "bob"), ("bob", "cat"), ("cat", "ann"), ("cat", "dan")]))
    2
    """
    return int(core_numbers(graph).max(initial=0))


def degeneracy_order(graph: Graph) -> Int64Array:
    """The rows of all nodes ordered so that no node has more earlier neighbours than the degeneracy.

    >>> from philia import as_graph
    >>> star = as_graph([("hub", "ann"), ("hub", "bob"), ("hub", "cat")])
    >>> star.nodes.pick(degeneracy_order(star))
    ['hub', 'cat', 'bob', 'ann']
    """
    return peeled(graph)[0][::-1].copy()


def peeled(graph: Graph) -> tuple[Int64Array, Int64Array]:
    """The rows in the order in which nodes are removed, always one of least degree first, and the core numbers."""
    from philia.graphs.kernels import peel, prepare_peeling

    prepare_peeling()
    adjacency = graph.adjacency
    order, cores = peel(adjacency.indptr.astype(np.int64), adjacency.indices.astype(np.int64))
    return order, cores

"""Parts of a network that make up a dataset: the whole, the largest component, or the largest communities."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from philia._types import Node
from philia.graphs import Graph, Nodes

Communities = dict[str, list[Node]]
Part = Callable[[Graph, Communities], tuple[Graph, Communities]]


def whole(graph: Graph, communities: Communities) -> tuple[Graph, Communities]:
    """Everything in the files."""
    return graph, communities


def largest_component(graph: Graph, communities: Communities) -> tuple[Graph, Communities]:
    """The largest connected component, and the members of each community in it.

    >>> from philia.graphs import as_graph
    >>> largest_component(as_graph([(1, 2), (2, 3), (8, 9)]), {"odd": [1, 3, 9], "far": [8]})
    (Graph(3 nodes, 2 links), {'odd': [1, 3]})
    """
    from scipy.sparse.csgraph import connected_components  # takes longer to load than everything else here

    labels = connected_components(graph.adjacency, directed=False)[1]
    kept = induced(graph, np.flatnonzero(labels == np.bincount(labels).argmax()))
    inside = {label: [node for node in members if node in kept.nodes] for label, members in communities.items()}
    return kept, {label: members for label, members in inside.items() if members}


def largest_communities(count: int) -> Part:
    """The part with only the largest communities, and the nodes that are in any of them.

    Of equally large communities the earlier one counts as larger; two with the same members count as two.

    >>> from philia.graphs import as_graph
    >>> graph = as_graph([(1, 2), (2, 3), (3, 4)])
    >>> largest_communities(1)(graph, {"few": [1, 2], "many": [2, 3, 4]})
    (Graph(3 nodes, 2 links), {'many': [2, 3, 4]})
    """

    def part(graph: Graph, communities: Communities) -> tuple[Graph, Communities]:
        largest = sorted(communities, key=lambda label: -len(communities[label]))[:count]
        kept = {label: communities[label] for label in communities if label in largest}
        members = {node for listed in kept.values() for node in listed}
        return induced(graph, np.sort(graph.nodes.rows(members))), kept

    return part


def induced(graph: Graph, rows: npt.NDArray[np.int64]) -> Graph:
    """The subgraph of some rows; ``changes`` stays that of the whole graph.

    >>> from philia.graphs import as_graph
    >>> induced(as_graph([("ann", "bob"), ("bob", "cat")]), np.array([1, 2])).nodes
    Nodes(2: 'bob', 'cat')
    """
    new = np.full(graph.n_nodes, -1)
    new[rows] = np.arange(len(rows))
    i, j = (new[ends] for ends in graph.links)
    inside = (i >= 0) & (j >= 0)
    weights = None if graph.link_weights is None else graph.link_weights[inside]
    return Graph.from_rows(i[inside], j[inside], Nodes(graph.nodes.pick(rows)), graph.changes, weights)

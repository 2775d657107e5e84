"""A graph that grows: more links, and the nodes they bring."""

from __future__ import annotations

import numpy as np

from philia._types import Float64Array
from philia.graphs.graph import Graph
from philia.graphs.nodes import Nodes


def grown(graph: Graph, more: Graph) -> Graph:
    """The graph with the nodes and links of another, matched by name; its own nodes keep their rows.

    New nodes follow in the order of the other graph. A link that both have is a repeated one: it is merged and
    counted, and if one of the graphs has weights they are added.

    >>> from philia import as_graph
    >>> grown(as_graph([("ann", "bob"), ("bob", "cat")]), as_graph([("bob", "ann"), ("ann", "zoe")]))
    Graph(4 nodes, 3 links; 1 repeated link merged)
    """
    nodes = Nodes([*graph.nodes, *(name for name in more.nodes if name not in graph.nodes)])
    here = nodes.rows(more.nodes)
    ends = [np.concatenate([own, here[other]]) for own, other in zip(graph.links, more.links, strict=True)]
    weighted = graph.weights is not None or more.weights is not None
    weights = np.concatenate([_weights(graph), _weights(more)]) if weighted else None
    return Graph.from_rows(ends[0], ends[1], nodes, graph.changes + more.changes, weights)


def _weights(graph: Graph) -> Float64Array:
    weights = graph.link_weights
    return np.ones(graph.n_links) if weights is None else weights

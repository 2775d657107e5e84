"""Graphs of which everybody knows how many communities they have."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np

from philia.graphs import Graph, Nodes


def shuffled(graph: Any, seed: int) -> Graph:
    """A graph of networkx without its loops, its nodes numbered in a random order."""
    graph = nx.convert_node_labels_to_integers(nx.Graph(graph))
    graph.remove_edges_from(list(nx.selfloop_edges(graph)))
    n = graph.number_of_nodes()
    ends = np.random.default_rng(seed).permutation(n)[np.array(list(graph.edges), np.int64).reshape(-1, 2)]
    return Graph.from_rows(ends[:, 0], ends[:, 1], Nodes.numbered(n))


def two_cliques(joined: bool) -> Any:
    """Cliques of six and of five nodes, apart or joined by a link."""
    graph = nx.disjoint_union(nx.complete_graph(6), nx.complete_graph(5))
    if joined:
        graph.add_edge(0, 6)
    return graph


def planted(groups: int, size: int, seed: int, inside: float = 0.5, across: float = 0.02) -> Graph:
    """Groups of equal size, the nodes of each of which follow each other."""
    rng = np.random.default_rng(seed)
    labels = np.repeat(np.arange(groups), size)
    chances = np.where(labels[:, None] == labels, inside, across)
    rows, columns = np.nonzero(np.triu(rng.random(chances.shape) < chances, k=1))
    return Graph.from_rows(rows, columns, Nodes.numbered(len(labels)))

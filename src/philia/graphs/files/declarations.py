"""What files declare: nodes and links by their ids, and numbers of nodes in a header, which may be wrong."""

from __future__ import annotations

from typing import Any

import numpy as np

from philia._types import Node
from philia.exceptions import GraphFileError
from philia.graphs.graph import Graph
from philia.graphs.links import graph_from_rows
from philia.graphs.nodes import Nodes
from philia.graphs.weights import check_weights, weight_value
from philia.storage import Source

_ISOLATED = 2_000_000
"""Nodes without links that a header may announce, besides one per byte of the file: 50 MB of memory or so."""


class DeclaredGraph:
    """Nodes and links as a file declares them, in any order, until the graph is complete."""

    def __init__(self) -> None:
        self.directed = False
        self._rows: dict[Node, int] = {}
        self._names: list[Node | None] = []
        self._links: list[tuple[Node, Node]] = []
        self._directed: list[bool] = []
        self._weights: list[float] = []

    def add_node(self, key: Node, name: Node | None = None) -> None:
        """Declare a node with its id and, if it has one, its name."""
        if key in self._rows:
            raise GraphFileError(f"the node {key!r} is declared twice; every node needs an id of its own")
        self._rows[key] = len(self._rows)
        self._names.append(name)

    def add_link(self, source: Node, target: Node, directed: bool, weight: Any = None) -> None:
        """Declare a link between two ids."""
        self._links.append((source, target))
        self._directed.append(directed)
        value = 1.0 if weight is None else weight_value(weight)
        self._weights.append(1.0 if value != value else value)  # a weight that is not a number is ignored

    def names(self) -> list[Node]:
        """The node names: those declared if every node has one and no two are equal, otherwise the ids."""
        if None not in self._names and len(set(self._names)) == len(self._names):
            return self._names
        return list(self._rows)

    def graph(self, nodes: Nodes, *, keep_weights: bool = False) -> Graph:
        """The graph, with these names, in the order in which the nodes were declared."""
        first, second = (self._ends(end) for end in (0, 1))
        # An undirected link counts in both directions, so that one file may have links of both kinds.
        both = ~np.array(self._directed, np.bool_)
        weights = np.array(self._weights, np.float64)
        if both.all():
            return graph_from_rows(first, second, nodes, weights=weights, keep_weights=keep_weights)
        both &= first != second
        arcs = (np.concatenate([first, second[both]]), np.concatenate([second, first[both]]))
        if keep_weights:  # half per direction, since the two directions are added up
            check_weights(first, second, nodes, weights)
            weights = np.where(both, weights / 2, weights)
        weights = np.concatenate([weights, weights[both]])
        return graph_from_rows(*arcs, nodes, directed=True, weights=weights, keep_weights=keep_weights)

    def _ends(self, end: int) -> Any:
        try:
            return np.fromiter((self._rows[link[end]] for link in self._links), np.int64, len(self._links))
        except KeyError as error:
            raise GraphFileError(f"a link ends at {error.args[0]!r}, but no such node is declared") from None


def check_nodes(source: Source, nodes: int, entries: int) -> None:
    """Refuse a number of nodes, announced by a header, that the links of the file come nowhere near.

    Nodes without links take no room in a file, but they do in memory, so a few bytes could ask for all of it.
    """
    isolated, most = nodes - 2 * entries, _ISOLATED + source.size
    if nodes < 0:
        raise GraphFileError(f"the file announces {nodes:,} nodes; the number of nodes is 0 or more")
    if isolated > most:
        raise GraphFileError(
            f"the file announces {nodes:,} nodes but has entries for {2 * entries:,} at most, so {isolated:,} nodes "
            f"would have no link; at most {most:,} such nodes are read from a file of this size. Correct the number, "
            "or leave those nodes out; if you need them, pass a sparse matrix that has them to philia.as_graph"
        )

"""Graphs whose files declare nodes and links apart, by ids, and may give a node a name beside its id."""

from __future__ import annotations

from typing import Any

import numpy as np

from philia._types import Node
from philia.exceptions import GraphFileError
from philia.graphs.graph import Graph
from philia.graphs.links import graph_from_rows
from philia.graphs.nodes import Nodes
from philia.graphs.weights import check_weights, weight_value


class DeclaredGraph:
    """Nodes and links as they are found in a file, in any order, until the graph is asked for."""

    def __init__(self) -> None:
        self.directed = False
        self._rows: dict[Node, int] = {}
        self._names: list[Node | None] = []
        self._links: list[tuple[Node, Node]] = []
        self._directed: list[bool] = []
        self._weights: list[float] = []

    def add_node(self, key: Node, name: Node | None = None) -> None:
        """A node with its id and, if it has one, its name."""
        if key in self._rows:
            raise GraphFileError(f"the node {key!r} is declared twice; every node needs an id of its own")
        self._rows[key] = len(self._rows)
        self._names.append(name)

    def add_link(self, source: Node, target: Node, directed: bool, weight: Any = None) -> None:
        """A link between two ids."""
        self._links.append((source, target))
        self._directed.append(directed)
        value = 1.0 if weight is None else weight_value(weight)
        self._weights.append(1.0 if value != value else value)  # what is not a number is no weight

    def names(self) -> list[Node]:
        """What the nodes are called: by their names if every node has one of its own, otherwise by their ids."""
        if None not in self._names and len(set(self._names)) == len(self._names):
            return self._names
        return list(self._rows)

    def graph(self, nodes: Nodes, *, keep_weights: bool = False) -> Graph:
        """The graph, its nodes called as told, in the order in which they were declared."""
        first, second = (self._ends(end) for end in (0, 1))
        # A link without direction is one in both, so that the two kinds may stand in one file.
        both = ~np.array(self._directed, np.bool_)
        weights = np.array(self._weights, np.float64)
        if both.all():
            return graph_from_rows(first, second, nodes, weights=weights, keep_weights=keep_weights)
        both &= first != second
        arcs = (np.concatenate([first, second[both]]), np.concatenate([second, first[both]]))
        if keep_weights:  # half of it for each direction, since those of both will be added
            check_weights(first, second, nodes, weights)
            weights = np.where(both, weights / 2, weights)
        weights = np.concatenate([weights, weights[both]])
        return graph_from_rows(*arcs, nodes, directed=True, weights=weights, keep_weights=keep_weights)

    def _ends(self, end: int) -> Any:
        try:
            return np.fromiter((self._rows[link[end]] for link in self._links), np.int64, len(self._links))
        except KeyError as error:
            raise GraphFileError(f"a link ends at {error.args[0]!r}, but no such node is declared") from None

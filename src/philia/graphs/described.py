"""A graph with columns that describe its nodes and links, for export to other libraries and programs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from philia.exceptions import InvalidParameterError
from philia.graphs.frames import Column, Frame, library
from philia.graphs.graph import Graph

_RESERVED = {"node": ("node", "name"), "link": ("source", "target", "weight")}
"""Reserved column names, for nodes and for links."""


@dataclass(frozen=True, eq=False)
class DescribedGraph:
    """A graph with further columns: one value per node, in the order of ``graph.nodes``, or per link.

    ``model.described()`` makes one; :func:`philia.write_graph` writes it to a GEXF or GraphML file. ``colour_by`` names
    the text column by which nodes are coloured there.

    >>> from philia import as_graph
    >>> graph = as_graph([("ann", "bob"), ("bob", "cat")])
    >>> described = DescribedGraph(graph, {"age": [31, 45, 28]}, {"years": [3, 1]})
    >>> described.to_networkx().nodes["bob"], described.to_networkx().edges["cat", "bob"]
    ({'age': 45}, {'years': 1})
    >>> described.to_igraph().vs["name"]
    ['ann', 'bob', 'cat']
    >>> described.nodes.to_pandas().columns.tolist(), described.links.to_polars().columns
    (['node', 'age'], ['source', 'target', 'years'])
    """

    graph: Graph
    node_columns: Mapping[str, Column] = field(default_factory=dict)
    link_columns: Mapping[str, Column] = field(default_factory=dict)
    colour_by: str | None = None

    def __post_init__(self) -> None:
        _check(self.node_columns, self.graph.n_nodes, "node")
        _check(self.link_columns, self.graph.n_links, "link")
        if self.colour_by is not None and self.colour_by not in self.node_columns:
            raise InvalidParameterError(
                f"colour_by is {self.colour_by!r}; choose one of the node columns: {', '.join(self.node_columns)}"
            )

    @property
    def nodes(self) -> Frame:
        """One row per node: its name in the column "node", then the further columns."""
        return Frame({"node": list(self.graph.nodes), **self.node_columns})

    @property
    def links(self) -> Frame:
        """One row per link: the names in "source" and "target", the weight if any, then the further columns."""
        source, target = (self.graph.nodes.pick(rows) for rows in self.graph.links)
        return Frame({"source": source, "target": target, **self.all_link_columns()})

    def all_link_columns(self) -> dict[str, Column]:
        """The link columns, preceded by the weights if there are any."""
        weights = self.graph.link_weights
        return {**({} if weights is None else {"weight": weights}), **self.link_columns}

    def to_networkx(self) -> Any:
        """A ``networkx.Graph`` with the same names; columns become attributes of nodes and links."""
        made = library("networkx").Graph()
        made.add_nodes_from(zip(self.graph.nodes, _attributes(self.node_columns, self.graph.n_nodes), strict=True))
        source, target = (self.graph.nodes.pick(rows) for rows in self.graph.links)
        attributes = _attributes(self.all_link_columns(), self.graph.n_links)
        made.add_edges_from(zip(source, target, attributes, strict=True))
        return made

    def to_igraph(self) -> Any:
        """An ``igraph.Graph`` with the names in the attribute "name"; columns become attributes."""
        rows, columns = self.graph.links
        ends = list(zip(rows.tolist(), columns.tolist(), strict=True))
        made = library("igraph").Graph(n=self.graph.n_nodes, edges=ends)
        made.vs["name"] = list(self.graph.nodes)
        for name, values in self.node_columns.items():
            made.vs[name] = plain(values)
        for name, values in self.all_link_columns().items():
            made.es[name] = plain(values)
        return made


def plain(values: Column) -> list[Any]:
    """The values of a column as Python objects.

    >>> import numpy as np
    >>> plain(np.array([1.5, 2.0])), plain(("a", "b"))
    ([1.5, 2.0], ['a', 'b'])
    """
    return values.tolist() if hasattr(values, "tolist") else list(values)


def _attributes(columns: Mapping[str, Column], count: int) -> Any:
    """One dictionary per row."""
    names = list(columns)
    rows = zip(*(plain(values) for values in columns.values()), strict=True) if names else ((),) * count
    return (dict(zip(names, row, strict=True)) for row in rows)


def _check(columns: Mapping[str, Column], count: int, what: str) -> None:
    for name, values in columns.items():
        if name in _RESERVED[what]:
            raise InvalidParameterError(f"a {what} column is called {name!r}, which is reserved; choose another name")
        if len(values) != count:
            raise InvalidParameterError(
                f"the column {name!r} has {len(values):,} values, but there are {count:,} {what}s; give one per {what}"
            )

"""The graph everything else works on: undirected, without self-loops, and with names."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
import numpy.typing as npt
from scipy import sparse

from philia._text import advising, html_table, no_attribute
from philia._types import BoolArray, Float64Array, Int64Array, Node
from philia.exceptions import InvalidGraphError
from philia.graphs.nodes import Nodes
from philia.graphs.weights import check_total


@dataclass(frozen=True)
class Changes:
    """Counts of what was dropped or merged to make a simple graph of the input."""

    loops: int = 0
    duplicates: int = 0
    directions: int = 0
    weights: int = 0

    def __add__(self, other: Changes) -> Changes:
        return Changes(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))

    def __bool__(self) -> bool:
        return any(getattr(self, f.name) for f in fields(self))

    def only(self, name: str) -> Changes:
        """One of the counts alone.

        >>> print(Changes(loops=2, weights=1).only("weights"))
        1 weight dropped
        """
        return Changes(**{name: getattr(self, name)})

    def __str__(self) -> str:
        """The changes in words.

        >>> print(Changes(loops=2, weights=1))
        2 self-loops dropped, 1 weight dropped
        """
        parts = [
            _counted(self.loops, "self-loop", "dropped"),
            _counted(self.duplicates, "repeated link", "merged"),
            _counted(self.directions, "direction", "dropped"),
            _counted(self.weights, "weight", "dropped"),
        ]
        return ", ".join(filter(None, parts)) or "nothing was changed"


def _counted(count: int, noun: str, verb: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'} {verb}" if count else ""


_HABITS = {
    "edges": "graph.links has the rows of both ends, graph.to_networkx().edges their names",
    "degree": "graph.degrees has the number of links of each node, in the order of graph.nodes",
    "has_edge": "graph.has_link(u, v) tells",
    "has_node": "node in graph tells",
    "adj": "graph.neighbours(node) has the names of its neighbours, graph.adjacency is the matrix",
    "subgraph": "graph.to_networkx().subgraph(nodes) has it, and philia.as_graph converts it back",
    "copy": "a graph never changes, so no copy is needed",
    "is_directed": "graphs of philia never are; graph.changes counts directions that were dropped",
    "to_numpy": "graph.adjacency.toarray() is the matrix",
    "to_scipy": "graph.adjacency is the matrix",
    "to_numpy_array": "graph.adjacency.toarray() is the matrix",
    "shape": "graph.adjacency.shape, or graph.n_nodes and graph.n_links",
    "vs": "graph.to_igraph().vs has the nodes of igraph, graph.nodes those of philia",
    "es": "graph.to_igraph().es has the links of igraph, graph.links those of philia",
    **dict.fromkeys(("number_of_nodes", "order", "vcount", "num_nodes", "n"), "graph.n_nodes counts the nodes"),
    **dict.fromkeys(("number_of_edges", "size", "ecount", "num_edges", "m"), "graph.n_links counts the links"),
    **dict.fromkeys(
        ("edge_list", "edgelist", "to_edgelist", "get_edgelist"), "graph.to_networkx().edges has the pairs of names"
    ),
    **dict.fromkeys(
        ("A", "matrix", "toarray", "todense"), "graph.adjacency is the matrix, graph.adjacency.toarray() dense"
    ),
    **dict.fromkeys(
        ("largest_component", "connected_components", "components"),
        "networkx.connected_components(graph.to_networkx()) has them",
    ),
    **dict.fromkeys(
        ("add_edge", "add_edges_from", "add_node", "remove_node", "remove_edge"),
        "a graph never changes; change a graph of networkx, and philia.as_graph converts it",
    ),
    "to_pandas": "philia.graphs.DescribedGraph(graph).links.to_pandas() has a row per link",
}
"""What users of other libraries write from habit, and what there is instead."""


@dataclass(frozen=True, eq=False)
class Graph:
    """An undirected graph with named nodes.

    ``adjacency`` is a symmetric, read-only 0/1 matrix in compressed rows with an empty diagonal and sorted indices.
    Make a graph with :func:`philia.as_graph` or :func:`philia.read_graph`, which check their input and count what they
    change. ``weights`` is None unless weights were asked for; then it is a read-only array with one number per entry of
    ``adjacency``, the confidence or count of that link, and None again if all are 1.

    >>> from philia import as_graph
    >>> graph = as_graph([("ann", "bob"), ("bob", "cat"), ("bob", "ann"), ("cat", "cat")])
    >>> graph
    Graph(3 nodes, 2 links; 1 self-loop dropped, 1 repeated link merged)
    >>> graph.neighbours("bob"), len(graph), list(graph), "ann" in graph
    (['ann', 'cat'], 3, ['ann', 'bob', 'cat'], True)
    """

    adjacency: sparse.csr_array
    nodes: Nodes
    changes: Changes = field(default_factory=Changes)
    weights: Float64Array | None = None

    if not TYPE_CHECKING:  # type checkers should know that there are no such names

        def __getattr__(self, name: str) -> NoReturn:
            raise no_attribute(self, name, _HABITS)

    @classmethod
    def from_rows(
        cls,
        rows: npt.NDArray[Any],
        columns: npt.NDArray[Any],
        nodes: Nodes,
        changes: Changes | None = None,
        weights: Float64Array | None = None,
    ) -> Graph:
        """A graph from two equally long arrays of row numbers, one entry per link; loops and repetitions are counted.

        The weights of a repeated link are added, and their total has to stay within 1e150.

        >>> Graph.from_rows(np.array([0, 1, 1]), np.array([1, 0, 1]), Nodes.numbered(2))
        Graph(2 nodes, 1 link; 1 self-loop dropped, 1 repeated link merged)
        """
        n = len(nodes)
        loop = rows == columns
        loops = int(np.count_nonzero(loop))
        if loops:
            rows, columns = rows[~loop], columns[~loop]
            weights = None if weights is None else weights[~loop]
        low, high = np.minimum(rows, columns), np.maximum(rows, columns)
        index = np.int32 if n < 2**31 else np.int64
        values = np.ones(low.size, np.int8) if weights is None else weights
        upper = sparse.coo_array((values, (low.astype(index), high.astype(index))), shape=(n, n)).tocsr()
        upper.sum_duplicates()
        if weights is not None:
            merged = upper.tocoo()
            check_total(merged.row, merged.col, nodes, merged.data)
        totals = None if weights is None or (upper.data == 1).all() else _frozen((upper + upper.T).tocsr()).data
        upper.data = np.ones(upper.nnz, np.int8)  # sums of repetitions may overflow eight bits, so they are not used
        adjacency = (upper + upper.T).tocsr()
        found = Changes(loops=loops, duplicates=int(low.size - upper.nnz))
        return cls(_frozen(adjacency), nodes, found + (changes or Changes()), totals)

    def __len__(self) -> int:
        """The number of nodes."""
        return len(self.nodes)

    def __bool__(self) -> bool:
        return True  # a graph without nodes is a graph

    def __iter__(self) -> Iterator[Node]:
        """The names of the nodes, in row order."""
        return iter(self.nodes)

    def __contains__(self, node: object) -> bool:
        return node in self.nodes

    @property
    def n_nodes(self) -> int:
        """The number of nodes."""
        return len(self.nodes)

    @property
    def n_links(self) -> int:
        """The number of links."""
        return int(self.adjacency.nnz // 2)

    @property
    def density(self) -> float:
        """The share of all pairs of nodes that are linked."""
        pairs = self.n_nodes * (self.n_nodes - 1) / 2
        return self.n_links / pairs if pairs else 0.0

    @cached_property
    def degrees(self) -> Int64Array:
        """The number of neighbours of each node, in row order."""
        return np.asarray(np.diff(self.adjacency.indptr), dtype=np.int64)

    @property
    def links(self) -> tuple[Int64Array, Int64Array]:
        """Each link once, as an array of rows and one of columns, with row < column."""
        rows, above = self._entries_above()
        return rows[above].astype(np.int64), self.adjacency.indices[above].astype(np.int64)

    @property
    def link_weights(self) -> Float64Array | None:
        """The weight of each link, in the order of ``links``; None if all are 1.

        >>> from philia import as_graph
        >>> as_graph([("ann", "bob", 2.5), ("bob", "cat")], weights=True).link_weights
        array([2.5, 1. ])
        """
        if self.weights is None:
            return None
        return np.asarray(self.weights[self._entries_above()[1]])

    def neighbours(self, node: Node) -> list[Node]:
        """The names of the nodes that ``node`` is linked to, in row order."""
        row = self.nodes.row(node)
        return self.nodes.pick(self.adjacency.indices[self.adjacency.indptr[row] : self.adjacency.indptr[row + 1]])

    neighbors = neighbours  # as others spell it

    def has_link(self, u: Node, v: Node) -> bool:
        """Whether the two nodes are linked."""
        return bool(self.linked(np.array([self.nodes.row(u)]), np.array([self.nodes.row(v)]))[0])

    def linked(self, rows: npt.NDArray[Any], columns: npt.NDArray[Any]) -> BoolArray:
        """Whether each pair (rows[t], columns[t]) is linked.

        >>> from philia import as_graph
        >>> as_graph([(0, 1), (1, 2)]).linked(np.array([0, 0]), np.array([1, 2])).tolist()
        [True, False]
        """
        return stored(self.adjacency, rows, columns)

    def renamed(self, names: Nodes) -> Graph:
        """The same graph with other names."""
        if len(names) != self.n_nodes:
            raise InvalidGraphError(
                f"the graph has {self.n_nodes:,} nodes but {len(names):,} names were given; give one per node"
            )
        names.check_unique()
        return replace(self, nodes=names)

    def to_networkx(self) -> Any:
        """The same graph as a ``networkx.Graph``, with names and weights; :func:`philia.as_graph` converts it back.

        >>> from philia import as_graph
        >>> as_graph([("ann", "bob"), ("bob", "cat")]).to_networkx().edges
        EdgeView([('ann', 'bob'), ('bob', 'cat')])
        """
        from philia.graphs.described import DescribedGraph  # imported here, since it needs Graph

        return DescribedGraph(self).to_networkx()

    def to_igraph(self) -> Any:
        """The same graph as an ``igraph.Graph``, with names in the attribute "name", and weights.

        >>> from philia import as_graph
        >>> as_graph([("ann", "bob"), ("bob", "cat")]).to_igraph().vs["name"]
        ['ann', 'bob', 'cat']
        """
        from philia.graphs.described import DescribedGraph

        return DescribedGraph(self).to_igraph()

    def __deepcopy__(self, memo: Any) -> Graph:
        """Itself: a graph never changes, and scikit-learn copies the settings of estimators again and again."""
        return self

    def _entries_above(self) -> tuple[npt.NDArray[Any], BoolArray]:
        """The row of each entry of the adjacency matrix, and whether the entry is above the diagonal."""
        indices = self.adjacency.indices
        rows = np.repeat(np.arange(self.n_nodes, dtype=indices.dtype), self.degrees)
        return rows, np.asarray(rows < indices)

    def _repr_html_(self) -> str:
        said = f"density {self.density:.3g}; {self.changes}"
        return html_table(["nodes", "links"], [(f"{self.n_nodes:,}", f"{self.n_links:,}")], said)

    def __repr__(self) -> str:
        nodes = f"{self.n_nodes:,} node{'' if self.n_nodes == 1 else 's'}"
        links = f"{self.n_links:,} link{'' if self.n_links == 1 else 's'}"
        weighted = "" if self.weights is None else ", weighted"
        return f"Graph({nodes}, {links}{weighted}{f'; {self.changes}' if self.changes else ''})"


Graph.__init__ = advising("philia.as_graph(links) makes a graph")(Graph.__init__)  # type: ignore[method-assign]


def grown(graph: Graph, more: Graph) -> Graph:
    """The graph with the nodes and links of another added, matched by name; its own nodes keep their rows.

    New nodes follow in the order of the other graph. A link that both have counts as repeated: it is merged and
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


def stored(matrix: sparse.csr_array, rows: npt.NDArray[Any], columns: npt.NDArray[Any]) -> BoolArray:
    """Whether each entry (rows[t], columns[t]) is stored in a matrix with sorted indices.

    All entries are found at once, each by binary search in its row, so no array of the size of the matrix is needed.

    >>> stored(sparse.csr_array(np.eye(3)), np.array([0, 1]), np.array([0, 2])).tolist()
    [True, False]
    """
    rows, columns = np.broadcast_arrays(rows, columns)
    if not matrix.nnz or not rows.size:
        return np.zeros(rows.shape, dtype=bool)
    indices = matrix.indices
    starts, ends = (matrix.indptr[rows + side].astype(np.int64) for side in (0, 1))
    at = starts - 1  # the last entry of the row known to be at or left of the column
    for power in reversed(range(int((ends - starts).max()).bit_length())):
        probe = at + (1 << power)
        at = np.where((probe < ends) & (indices[np.minimum(probe, indices.size - 1)] <= columns), probe, at)
    return np.asarray((at >= starts) & (indices[at] == columns))


def _frozen(matrix: sparse.csr_array) -> sparse.csr_array:
    matrix.sort_indices()
    for array in (matrix.data, matrix.indices, matrix.indptr):
        array.flags.writeable = False
    return matrix

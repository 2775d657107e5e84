"""The communities of nodes and the probabilities of links, as columns beside the graph."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import sparse

from philia._types import BoolArray, Float64Array, Int64Array
from philia.explain.communities import Communities, memberships_of, rows_of
from philia.graphs.described import DescribedGraph
from philia.graphs.frames import Column
from philia.graphs.graph import Graph

_COLUMNS = 100
"""Communities that get a column each: of thousands, nearly all numbers would be 0."""


def describe(
    graph: Graph, popularity: Float64Array, communities: Communities, probabilities: Float64Array
) -> DescribedGraph:
    """The graph with its communities as columns of nodes, and the fitted probability of each link.

    A node has the names of its communities, separated by spaces, its main community, its popularity if the model has
    one, and its membership in each community, 0 if it is no member; of more than 100 communities, which would be as
    many columns, it has only the names. The main community is the attracting one with its largest affinity, or share of
    links if that is the membership, or the repelling one if it is in no other. Nodes are colored by it.

    >>> from philia import as_graph
    >>> from philia.explain import find_communities
    >>> from philia.factors import CommunityFactors
    >>> graph = as_graph([("ann", "bob"), ("bob", "cat")])
    >>> factors = CommunityFactors(np.array([[2.0], [2.0], [0.0]]), np.array([[0.0], [1.5], [1.5]]), np.zeros(3))
    >>> described = describe(graph, factors.background, find_communities(graph, factors, 0.5), np.array([0.9, 0.6]))
    >>> described.nodes.to_pandas()
      node communities main_community   B1   C1
    0  ann          B1             B1  1.0  0.0
    1  bob       B1 C1             B1  1.0  1.0
    2  cat          C1             C1  0.0  1.0
    """
    names = [community.name for community in communities]
    strengths = np.array([community.strength for community in communities])
    V = _memberships(graph, communities)
    # A share of links says by itself where a node belongs; an affinity is a membership times √strength.
    scales = np.ones(len(names)) if communities.shares else np.sqrt(np.abs(strengths))
    said: dict[str, Column] = {
        "communities": [" ".join(names[at] for at in _row(V, row)[0]) for row in range(graph.n_nodes)],
        "main_community": _main(names, V, scales, strengths > 0),
    }
    if popularity.any():
        said["popularity"] = popularity
    if len(names) <= _COLUMNS:
        said |= {name: V[:, [at]].toarray().ravel() for at, name in enumerate(names)}
    return DescribedGraph(graph, said, {"probability": probabilities}, colour_by="main_community")


def _memberships(graph: Graph, communities: Communities) -> sparse.csr_array:
    """Memberships that are not 0 (n × communities), sorted by community within each row."""
    rows = [rows_of(community.members, graph.nodes) for community in communities]
    values = [memberships_of(community.members) for community in communities]
    columns = np.repeat(np.arange(len(rows)), [len(some) for some in rows])
    entries = np.concatenate([np.empty(0), *values]), (np.concatenate([np.empty(0, np.int64), *rows]), columns)
    V = sparse.csr_array(sparse.coo_array(entries, shape=(graph.n_nodes, len(rows))))
    V.eliminate_zeros()
    V.sort_indices()
    return V


def _row(V: sparse.csr_array, row: int) -> tuple[Int64Array, Float64Array]:
    own = slice(V.indptr[row], V.indptr[row + 1])
    return V.indices[own], V.data[own]


def _main(names: Sequence[str], V: sparse.csr_array, scales: Float64Array, attracts: BoolArray) -> list[str]:
    # Attracting communities come before repelling ones: their members are drawn together by a layout.
    most = float((V.data * scales[V.indices]).max(initial=0.0)) + 1
    found = []
    for row in range(V.shape[0]):
        columns, values = _row(V, row)
        ranks = values * scales[columns] + most * attracts[columns]
        found.append(names[columns[ranks.argmax()]] if len(columns) else "")
    return found

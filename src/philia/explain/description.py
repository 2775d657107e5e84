"""The communities of nodes and the probabilities of links, as columns beside the graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from philia._types import BoolArray, Float64Array
from philia.explain.communities import Communities, memberships_of, rows_of
from philia.factors import CommunityFactors
from philia.graphs.described import DescribedGraph
from philia.graphs.frames import Column
from philia.graphs.graph import Graph


def describe(
    graph: Graph, factors: CommunityFactors, communities: Communities, probabilities: Float64Array
) -> DescribedGraph:
    """The graph with its communities as columns of nodes, and the fitted probability of each link.

    A node has the names of its communities, separated by spaces, its main community, its popularity if the model has
    one, and its membership in each community, 0 if it is no member. The main community is the attracting one with its
    largest affinity, or share of links if that is the membership, or the repelling one if it is in no other. Nodes are
    colored by it.

    >>> from philia import as_graph
    >>> from philia.explain import find_communities
    >>> graph = as_graph([("ann", "bob"), ("bob", "cat")])
    >>> factors = CommunityFactors(np.array([[2.0], [2.0], [0.0]]), np.array([[0.0], [1.5], [1.5]]), np.zeros(3))
    >>> described = describe(graph, factors, find_communities(graph, factors, 0.5), np.array([0.9, 0.6]))
    >>> described.nodes.to_pandas()
      node communities main_community   B1   C1
    0  ann          B1             B1  1.0  0.0
    1  bob       B1 C1             B1  1.0  1.0
    2  cat          C1             C1  0.0  1.0
    """
    names = [community.name for community in communities]
    strengths = np.array([community.strength for community in communities])
    V = np.zeros((graph.n_nodes, len(names)))
    for at, community in enumerate(communities):
        V[rows_of(community.members, graph.nodes), at] = memberships_of(community.members)
    member = V > 0
    # A share of links says by itself where a node belongs; an affinity is a membership times √strength.
    scales = 1.0 if communities.shares else np.sqrt(np.abs(strengths))
    said: dict[str, Column] = {
        "communities": _listed(names, member),
        "main_community": _main(names, member, V * scales, strengths > 0),
    }
    if factors.background.any():
        said["popularity"] = factors.background
    said |= {name: np.ascontiguousarray(V[:, at]) for at, name in enumerate(names)}
    return DescribedGraph(graph, said, {"probability": probabilities}, colour_by="main_community")


def _listed(names: Sequence[str], member: BoolArray) -> list[str]:
    """The names of the communities of each node, separated by spaces."""
    texts: list[list[str]] = [[] for _ in member]
    for name, column in zip(names, member.T, strict=True):
        for row in np.flatnonzero(column):
            texts[row].append(name)
    return [" ".join(text) for text in texts]


def _main(names: Sequence[str], member: BoolArray, affinities: Float64Array, attracts: Any) -> list[str]:
    if not names:
        return [""] * len(member)
    # Attracting communities come before repelling ones: their members are drawn together by a layout.
    ranks = np.where(member, np.where(attracts, affinities + affinities.max(initial=0.0) + 1, affinities), -1.0)
    best = ranks.argmax(axis=1)
    return [names[at] if member[row, at] else "" for row, at in enumerate(best)]

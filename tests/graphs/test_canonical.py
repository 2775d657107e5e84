"""The canonical order of the nodes: the same for every order in which they come."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.reading.graphs import shuffled

from philia.datasets import classic
from philia.graphs.canonical import canonical

SYMMETRIC = {
    "six equal pieces and three of another kind": nx.disjoint_union_all(
        [nx.path_graph(5)] * 6 + [nx.circular_ladder_graph(4)] * 3
    ),
    "cliques in a ring": nx.ring_of_cliques(10, 5),
    "a prism, whose neighbours are not all alike": nx.circular_ladder_graph(3),
    "a tree": nx.balanced_tree(2, 5),
    "a grid": nx.grid_2d_graph(6, 6),
    "a cycle": nx.cycle_graph(40),
    "a long path": nx.path_graph(150),
    "two sides": nx.complete_bipartite_graph(7, 7),
    "a star beside nodes without links": nx.disjoint_union(nx.star_graph(6), nx.empty_graph(3)),
}


def same(graph: Any, seeds: tuple[int, int]) -> bool:
    """Whether the canonical graphs of two orders of the nodes have the same links."""
    one, other = (canonical(shuffled(graph, seed))[0].adjacency for seed in seeds)
    return bool((one != other).nnz == 0)


@pytest.mark.parametrize("name", SYMMETRIC)
def test_equal_nodes_of_symmetric_graphs_are_ordered_alike(name: str) -> None:
    assert all(same(SYMMETRIC[name], (0, seed)) for seed in range(1, 5))


@given(st.integers(1, 40), st.floats(0, 0.3), st.integers(0, 10**6))
def test_the_order_of_random_graphs_does_not_depend_on_that_of_their_rows(n: int, density: float, seed: int) -> None:
    assert same(nx.gnp_random_graph(n, density, seed=seed), (seed + 1, seed + 2))


@pytest.mark.parametrize("name", ["karate", "les_miserables"])
def test_rows_lead_back_to_the_nodes(name: str) -> None:
    graph = classic(name)
    found, rows = canonical(graph)
    assert sorted(rows) == list(range(graph.n_nodes))
    for u, v in zip(*found.links, strict=True):
        assert graph.adjacency[rows[u], rows[v]]
    assert found.n_links == graph.n_links


def test_nodes_that_are_told_apart_only_far_away_are_told_apart() -> None:
    # Two long arms: one of them ends in a fork.
    arms = nx.path_graph(41)
    arms.add_edge(0, "a")
    arms.add_edge(0, "b")
    assert same(arms, (3, 4))
    assert len(np.unique(canonical(shuffled(arms, 3))[1])) == 43

"""Lower bounds: the witness shows all patterns, and no representation that was ever found has fewer columns."""

from __future__ import annotations

from itertools import permutations, product
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from philia.datasets import classic
from philia.exact import exact_community, fit_exact, least_columns
from philia.graphs import Graph, as_graph
from tests.exact.kinds import KINDS, made


def shattered(graph: Graph, nodes: tuple[Any, ...]) -> bool:
    """Whether rows have all patterns along the nodes, up to negation, without the constant ones."""
    A = graph.adjacency.toarray()[:, graph.nodes.rows(nodes)]
    seen = {tuple(row) for row in A.tolist()} | {tuple(row) for row in (1 - A).tolist()}
    return all(pattern in seen for pattern in product((0, 1), repeat=len(nodes)) if 0 < sum(pattern) < len(nodes))


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(sorted(KINDS)), st.integers(1, 40), st.integers(0, 10**6))
def test_the_witness_shows_every_pattern(kind: str, n: int, seed: int) -> None:
    graph = made(kind, n, seed)
    found = least_columns(graph)
    assert found.columns in ([len(found.witness)] if found.witness else [3, 4] if graph.n_links else [1])
    assert shattered(graph, found.witness)


def test_a_graph_that_was_built_to_show_every_pattern_needs_that_many_columns() -> None:
    links = [(f"row {bits}", node) for bits in range(1, 2**4) for node in range(5) if bits >> node & 1]
    assert least_columns(as_graph(links)).columns >= 5


@pytest.mark.parametrize("name", ["karate", "davis", "florentine", "les_miserables"])
def test_no_representation_has_fewer_columns(name: str) -> None:
    graph = classic(name)
    assert 3 <= least_columns(graph).columns <= exact_community(graph).certificate.columns


def test_small_graphs_are_fitted_with_as_few_columns_as_they_need() -> None:
    graphs = [as_graph(graph) for graph in nx.graph_atlas_g() if 2 <= len(graph) <= 4 and graph.size()]
    for graph in graphs:
        assert least_columns(graph).columns == 3
        assert fit_exact(graph, 3) is not None


def has_order(graph: Graph) -> bool:
    """Whether some order of the nodes allows for three columns, as far as all pairs of links tell."""
    A, n = graph.adjacency.toarray() > 0, graph.n_nodes
    links = [(i, j) for i in range(n) for j in range(n) if A[i, j]]
    asked = [(i, j, k, m) for i, j in links for k, m in links if not A[j, k] and not A[m, i]]
    return any(all((w[i] - w[k]) * (w[m] - w[j]) > 0 for i, j, k, m in asked) for w in permutations(range(n)))


def test_four_columns_are_asked_for_where_no_order_of_the_nodes_allows_for_three() -> None:
    drawn = [graph for graph in nx.graph_atlas_g() if graph.size()]
    some = [graph for graph in drawn if len(graph) <= 5] + [graph for graph in drawn if len(graph) == 6][::12]
    four = 0
    for graph in map(as_graph, some):
        assert least_columns(graph).columns == (3 if has_order(graph) else 4)
        four += not has_order(graph)
    assert four > 1


def test_paths_may_take_three_columns_but_long_rings_and_most_trees_need_four() -> None:
    assert least_columns(as_graph(nx.path_graph(24))).columns == 3
    for graph in (
        nx.cycle_graph(8),
        nx.balanced_tree(2, 4),
        nx.convert_node_labels_to_integers(nx.grid_2d_graph(4, 4)),
    ):
        apart = as_graph([*graph.edges, ("ann", "bob")])
        assert least_columns(apart).columns == 4


def test_graphs_without_links_need_one_column_and_without_nodes_none() -> None:
    apart = Graph.from_rows(np.array([], dtype=int), np.array([], dtype=int), made("empty", 3, 0).nodes)
    assert least_columns(apart).columns == 1
    assert least_columns(made("empty", 0, 0)).columns == 0


def test_the_ring_of_five_nodes_takes_three_repelling_columns_and_one_that_attracts() -> None:
    ring = as_graph(nx.cycle_graph(5))
    assert least_columns(ring).columns == 4
    assert fit_exact(ring, (1, 3)) is not None

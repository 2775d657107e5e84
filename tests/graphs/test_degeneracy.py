from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from tests.strategies import graphs, random_graph

from philia.graphs import Graph, as_graph, core_numbers, degeneracy, degeneracy_order


def earlier_neighbours(graph: Graph, order: np.ndarray[tuple[int], np.dtype[np.int64]]) -> list[int]:
    """How many neighbours of each node stand before it, in row order."""
    place = np.argsort(order)
    A = graph.adjacency.toarray() == 1
    return [int((place[A[row]] < place[row]).sum()) for row in range(graph.n_nodes)]


@given(graphs())
def test_core_numbers_are_those_of_networkx(graph: Graph) -> None:
    expected = nx.core_number(nx.from_scipy_sparse_array(graph.adjacency))
    assert core_numbers(graph).tolist() == [expected[row] for row in range(graph.n_nodes)]


@given(graphs())
def test_no_node_has_more_earlier_neighbours_than_the_degeneracy(graph: Graph) -> None:
    order = degeneracy_order(graph)
    assert sorted(order.tolist()) == list(range(graph.n_nodes))
    assert max(earlier_neighbours(graph, order)) == degeneracy(graph)


@pytest.mark.parametrize(
    ("graph", "expected"),
    [
        (nx.path_graph(6), 1),
        (nx.star_graph(9), 1),
        (nx.cycle_graph(5), 2),
        (nx.complete_graph(6), 5),
        (nx.complete_bipartite_graph(3, 8), 3),
        (nx.grid_2d_graph(4, 5), 2),
        (nx.empty_graph(4), 0),
        (nx.Graph([(0, 1), (2, 2)]), 1),
    ],
)
def test_the_degeneracy_of_known_graphs(graph: nx.Graph, expected: int) -> None:
    assert degeneracy(as_graph(graph)) == expected


def test_a_graph_without_nodes_has_degeneracy_zero() -> None:
    empty = random_graph(0, 0.5, 0)
    assert (degeneracy(empty), core_numbers(empty).size, degeneracy_order(empty).size) == (0, 0, 0)


def test_the_graph_is_not_changed() -> None:
    graph = random_graph(30, 0.3, 0)
    before = graph.adjacency.toarray()
    core_numbers(graph)
    np.testing.assert_array_equal(graph.adjacency.toarray(), before)

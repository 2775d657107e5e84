"""Arboricity against Nash-Williams' formula over all parts of a small graph, and its proofs checked on their own."""

from __future__ import annotations

import math
from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.strategies import graphs, random_graph

from philia.graphs import (
    Arboricity,
    Graph,
    Orientation,
    Pseudoarboricity,
    arboricity,
    as_graph,
    degeneracy,
    pseudoarboricity,
)


def links_inside(graph: Graph, part: tuple[int, ...]) -> int:
    return int(graph.adjacency[list(part)][:, list(part)].nnz) // 2


def parts(graph: Graph, smallest: int) -> list[tuple[int, ...]]:
    sizes = range(smallest, graph.n_nodes + 1)
    return [part for size in sizes for part in combinations(range(graph.n_nodes), size)]


def brute_arboricity(graph: Graph) -> int:
    return max((math.ceil(links_inside(graph, part) / (len(part) - 1)) for part in parts(graph, 2)), default=0)


def brute_pseudoarboricity(graph: Graph) -> int:
    return max((math.ceil(links_inside(graph, part) / len(part)) for part in parts(graph, 1)), default=0)


@st.composite
def tiny_graphs(draw: st.DrawFn) -> Graph:
    n = draw(st.integers(1, 7))
    pairs = list(combinations(range(n), 2))
    linked = draw(st.lists(st.booleans(), min_size=len(pairs), max_size=len(pairs)))
    chosen = [pair for pair, drawn in zip(pairs, linked, strict=True) if drawn]
    return as_graph(nx.from_edgelist(chosen, nx.empty_graph(n)))


def directs_every_link_once(graph: Graph, upper: Orientation) -> bool:
    directed = {frozenset(link) for link in zip(upper.tails.tolist(), upper.heads.tolist(), strict=True)}
    linked = {frozenset(link) for link in zip(*(ends.tolist() for ends in graph.links), strict=True)}
    return directed == linked and len(upper.heads) == len(linked)


def check_proofs(graph: Graph, p: Pseudoarboricity, a: Arboricity) -> None:
    """Everything that the two results claim, from the graph alone."""
    S = tuple(graph.nodes.rows(p.lower).tolist())
    assert links_inside(graph, S) > (p.value - 1) * len(S) or not graph.n_links
    T = tuple(graph.nodes.rows(a.lower).tolist())
    assert links_inside(graph, T) > (a.value - 1) * (len(T) - 1) or not graph.n_links
    for upper in (p.upper, a.upper):
        assert directs_every_link_once(graph, upper)
        assert upper.most_received == p.value
    assert a.value in (p.value, p.value + 1)


@given(tiny_graphs())
def test_arboricity_is_the_maximum_over_all_parts_of_a_small_graph(graph: Graph) -> None:
    p, a = pseudoarboricity(graph), arboricity(graph)
    assert (p.value, a.value) == (brute_pseudoarboricity(graph), brute_arboricity(graph))
    check_proofs(graph, p, a)


@given(graphs())
def test_the_proofs_hold_and_the_degeneracy_agrees(graph: Graph) -> None:
    p, a, d = pseudoarboricity(graph), arboricity(graph), degeneracy(graph)
    check_proofs(graph, p, a)
    assert a.value <= d <= max(2 * a.value - 1, 0)


@pytest.mark.parametrize("n", range(1, 14))
def test_a_complete_graph_needs_half_as_many_forests_as_nodes(n: int) -> None:
    graph = as_graph(nx.complete_graph(n))
    assert arboricity(graph).value == (math.ceil(n / 2) if n > 1 else 0)
    assert pseudoarboricity(graph).value == math.ceil((n - 1) / 2)


@pytest.mark.parametrize(
    ("graph", "expected"),
    [
        (nx.path_graph(9), 1),
        (nx.random_labeled_tree(40, seed=0), 1),
        (nx.disjoint_union(nx.path_graph(3), nx.star_graph(4)), 1),
        (nx.cycle_graph(3), 2),
        (nx.cycle_graph(30), 2),
        (nx.grid_2d_graph(5, 5), 2),
        (nx.complete_bipartite_graph(4, 6), math.ceil(24 / 9)),
        (nx.petersen_graph(), 2),
        (nx.disjoint_union(nx.complete_graph(7), nx.empty_graph(50)), 4),
    ],
)
def test_the_arboricity_of_known_graphs(graph: nx.Graph, expected: int) -> None:
    found = as_graph(graph)
    assert arboricity(found).value == expected
    check_proofs(found, pseudoarboricity(found), arboricity(found))


@pytest.mark.parametrize("n", [0, 1, 5])
def test_a_graph_without_links_needs_no_forest(n: int) -> None:
    found = arboricity(random_graph(n, 0.0, 0))
    assert (found.value, found.lower, found.upper.most_received) == (0, (), 0)


def test_the_dense_part_is_found_where_it_was_hidden() -> None:
    hidden = nx.relabel_nodes(nx.complete_graph(9), lambda node: f"dense {node}")
    tree = nx.relabel_nodes(nx.random_labeled_tree(300, seed=1), lambda node: f"tree {node}")
    together = nx.union(hidden, tree)
    together.add_edge("dense 0", "tree 0")
    found = arboricity(as_graph(together))
    assert found.value == 5
    assert set(found.lower) == set(hidden)


def test_a_part_one_link_too_dense_for_its_pseudoarboricity_is_recognized() -> None:
    """2 (n - 1) links fit into two forests; one link more does not, although every node may still receive two."""
    two_paths = nx.Graph([(step * i % 11, step * (i + 1) % 11) for step in (1, 2) for i in range(10)])
    assert two_paths.number_of_edges() == 2 * (11 - 1)
    assert arboricity(as_graph(two_paths)).value == 2
    denser = as_graph(nx.Graph([*two_paths.edges, (0, 5)]))
    assert (pseudoarboricity(denser).value, arboricity(denser).value) == (2, 3)


def test_results_do_not_change_from_call_to_call() -> None:
    graph = random_graph(200, 0.1, 3)
    first, second = arboricity(graph), arboricity(graph)
    np.testing.assert_array_equal(first.upper.heads, second.upper.heads)
    assert (first.value, first.lower) == (second.value, second.lower)

"""Forests: as many as Nash-Williams' formula says, with every link in one of them and no cycle in any."""

from __future__ import annotations

import math
from itertools import chain, product

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.real_data import DATA, NEEDS_DATA
from tests.strategies import graphs, random_graph

from philia._types import Int64Array
from philia.datasets import classic, load
from philia.exceptions import InvalidParameterError
from philia.graphs import Forests, Graph, Nodes, arboricity, as_graph, forests, kernels
from philia.graphs.kernels import NONE, bare_trees, forest_scratch, place_links

SMALL = nx.graph_atlas_g()
"""All graphs of up to seven nodes, each once up to the names of the nodes."""


def nash_williams(network: nx.Graph) -> int:
    """The arboricity by its formula, over all parts of two nodes or more: a row of 0 and 1 each."""
    if len(network) < 2:
        return 0
    parts = np.array([part for part in product([0, 1], repeat=len(network)) if sum(part) > 1])
    links = ((parts @ nx.to_numpy_array(network)) * parts).sum(axis=1) / 2
    return int(np.ceil(links / (parts.sum(axis=1) - 1)).max())


def are_forests(network: nx.Graph, found: list[list[tuple[object, object]]]) -> bool:
    """Whether the lists of links, together, are those of the network, each once, and no list has a cycle."""
    listed = [frozenset(link) for links in found for link in links]
    once = len(listed) == network.size() and set(listed) == {frozenset(link) for link in network.edges}
    return once and all(nx.is_forest(nx.Graph(links)) for links in found if links)


def check(graph: Graph) -> Forests:
    """The forests, after everything that they claim was looked at from the graph alone."""
    found = forests(graph)
    assert found.count == arboricity(graph).value == len(found.sizes)
    assert are_forests(nx.Graph(graph.adjacency), found.links(graph.renamed(Nodes.numbered(graph.n_nodes))))
    assert found.sizes.sum() == graph.n_links
    assert (np.diff(found.sizes) <= 0).all()
    assert (found.sizes > 0).all(), "fewer forests would have been enough"
    found.check(graph)
    return found


def test_the_forests_of_every_graph_of_up_to_seven_nodes_are_as_few_as_the_formula_says() -> None:
    for network in SMALL:
        graph = as_graph(network)
        found = forests(graph)
        assert found.count == nash_williams(network)
        assert are_forests(network, found.links(graph))


@given(graphs())
def test_forests_of_random_graphs(graph: Graph) -> None:
    check(graph)


@st.composite
def full_forests(draw: st.DrawFn) -> Graph:
    """Several spanning trees on the same nodes: hardly a place in any forest is free, so links have to move."""
    n, k = draw(st.integers(2, 60)), draw(st.integers(1, 6))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    trees = [rng.permutation(n) for _ in range(k)]
    reach = draw(st.sampled_from([1, 3, n]))  # 1: paths; n: any earlier node may be the next one's neighbour
    before = [[rng.integers(max(0, at - reach), at) for at in range(1, n)] for _ in range(k)]
    one = np.concatenate([tree[1:] for tree in trees])
    other = np.concatenate([tree[np.array(at, int)] for tree, at in zip(trees, before, strict=True)])
    return Graph.from_rows(one, other, Nodes.numbered(n))


@given(full_forests())
def test_forests_of_graphs_with_hardly_a_link_to_spare(graph: Graph) -> None:
    check(graph)


@pytest.mark.parametrize("n", [2, 3, 12, 13, 40, 41])
def test_a_complete_graph_of_an_even_number_of_nodes_falls_into_spanning_trees(n: int) -> None:
    found = check(as_graph(nx.complete_graph(n)))
    assert found.count == math.ceil(n / 2)
    assert n % 2 or found.sizes.tolist() == [n - 1] * (n // 2)


@pytest.mark.parametrize(
    "network",
    [
        nx.star_graph(9),
        nx.cycle_graph(30),
        nx.grid_2d_graph(7, 7),
        nx.complete_bipartite_graph(9, 14),
        nx.hypercube_graph(6),
        nx.random_regular_graph(7, 60, seed=1),
        nx.barabasi_albert_graph(200, 4, seed=1),
        nx.connected_caveman_graph(6, 9),
        nx.lollipop_graph(15, 40),
        nx.disjoint_union_all([nx.complete_graph(7), nx.complete_graph(10), nx.path_graph(20), nx.empty_graph(5)]),
    ],
    ids=str,
)
def test_forests_of_many_kinds_of_graphs(network: nx.Graph) -> None:
    check(as_graph(network))


@pytest.mark.parametrize("name", ["karate", "davis", "florentine", "les_miserables"])
def test_forests_of_classic_networks(name: str) -> None:
    check(classic(name))


@NEEDS_DATA
@pytest.mark.parametrize(
    ("name", "count"), [("amazon", 5), ("youtube", 17), ("ppi", 25), ("email", 28), ("pos", 43), ("blog", 99)]
)
def test_forests_of_real_networks(name: str, count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PHILIA_DATA", str(DATA))
    graph = load(name).graph
    found = forests(graph)
    assert found.count == count
    found.check(graph)


@pytest.mark.parametrize("n", [0, 1, 5])
def test_a_graph_without_links_falls_into_no_forest(n: int) -> None:
    graph = random_graph(n, 0.0, 0)
    found = check(graph)
    assert (found.count, found.of_link.size, found.links(graph)) == (0, 0, [])


def test_a_forest_stays_whole() -> None:
    found = check(as_graph(nx.disjoint_union(nx.random_labeled_tree(30, seed=1), nx.path_graph(4))))
    assert found.sizes.tolist() == [32]


def test_links_come_back_by_name() -> None:
    graph = as_graph([("ann", "bob"), ("bob", "cat"), ("cat", "ann"), ("cat", "dan")])
    listed = forests(graph).links(graph)
    assert set(chain.from_iterable(listed)) == {("ann", "bob"), ("ann", "cat"), ("bob", "cat"), ("cat", "dan")}


def test_forests_do_not_change_from_call_to_call() -> None:
    graph = random_graph(120, 0.3, 3)
    np.testing.assert_array_equal(forests(graph).of_link, forests(graph).of_link)


def test_check_refuses_a_cycle_wherever_it_is() -> None:
    graph = random_graph(40, 0.4, 5)
    found = check(graph)
    moved = found.of_link.copy()
    full = int((found.sizes == graph.n_nodes - 1).argmax())
    moved[(moved != full).argmax()] = full  # one link more than a spanning tree has
    with pytest.raises(InvalidParameterError, match=rf"forest {full} has a cycle: 40 of its links join only 40 nodes"):
        Forests(moved, found.count).check(graph)


def test_check_refuses_other_graphs_and_forests_that_are_not_there() -> None:
    graph = random_graph(20, 0.4, 5)
    found = forests(graph)
    with pytest.raises(InvalidParameterError, match="pass their graph"):
        found.check(random_graph(21, 0.4, 5))
    for number in (-1, found.count):
        wrong = found.of_link.copy()
        wrong[0] = number
        with pytest.raises(InvalidParameterError, match="are expected"):
            Forests(wrong, found.count).check(graph)


def dealt(graph: Graph, count: int, steps: int) -> tuple[Int64Array, int]:
    """The forests of all links in their own order, a few steps at a time, and where it ended."""
    ends, m = graph.links, graph.n_links
    trees, forest, search = bare_trees(count, graph.n_nodes), np.full(m, NONE), forest_scratch(count, graph.n_nodes, m)
    at = 0
    while NONE < at < m:
        at = place_links(ends, np.arange(m), at, steps, trees, forest, search)
    return forest, at


@given(full_forests())
def test_interruptions_and_the_order_of_links_do_no_harm(graph: Graph) -> None:
    count = arboricity(graph).value
    forest, _ = dealt(graph, count, steps=1)
    np.testing.assert_array_equal(forest, dealt(graph, count, steps=10**9)[0])
    Forests(forest, count).check(graph)


@given(full_forests())
def test_no_room_is_found_exactly_where_there_is_none(graph: Graph) -> None:
    """With one forest less, the links that got a place still are in forests, and one of the others is told."""
    fewer = arboricity(graph).value - 1
    if fewer:
        forest, at = dealt(graph, fewer, steps=10**9)
        assert at == NONE
        found = nx.Graph(list(zip(*(ends[forest == 0].tolist() for ends in graph.links), strict=True)))
        assert nx.is_forest(found)


def test_too_few_forests_are_reported_as_a_bug(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels, "place_links", lambda *_: NONE)
    with pytest.raises(RuntimeError, match="report"):
        forests(random_graph(30, 0.5, 1))

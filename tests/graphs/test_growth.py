from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.strategies import graphs

from philia import as_graph
from philia.graphs import Graph, Nodes
from philia.graphs.graph import grown


def named_links(graph: Graph) -> set[frozenset[object]]:
    return {frozenset(graph.nodes.pick(np.array(pair))) for pair in zip(*graph.links, strict=True)}


@given(graphs(12), graphs(12), st.integers(0, 12))
def test_a_grown_graph_has_the_nodes_and_links_of_both(first: Graph, second: Graph, shift: int) -> None:
    second = second.renamed(Nodes(np.arange(second.n_nodes)[::-1] + shift))
    both = grown(first, second)
    assert both.nodes[: first.n_nodes] == list(first.nodes)
    assert set(both.nodes) == {*first.nodes, *second.nodes}
    assert named_links(both) == named_links(first) | named_links(second)
    assert both.changes.duplicates == len(named_links(first) & named_links(second))


def test_weights_are_added_and_a_link_without_one_weighs_one() -> None:
    weighted, plain = as_graph([("a", "b", 2.5)], weights=True), as_graph([("b", "a"), ("b", "c")])
    for both in (grown(weighted, plain), grown(plain, weighted)):
        weights = both.link_weights
        assert weights is not None
        assert sorted(weights.tolist()) == [1.0, 3.5]

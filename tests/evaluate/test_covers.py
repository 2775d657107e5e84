from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from philia import as_graph
from philia.evaluate import Cover, as_cover, compare_communities, omega_index, overlapping_nmi, trivial_covers
from philia.evaluate.covers import incidence
from philia.exceptions import InvalidParameterError
from philia.explain import Communities, Community
from philia.graphs import Nodes
from tests.strategies import random_graph

AB, C = frozenset("ab"), frozenset("c")


@pytest.mark.parametrize(
    "given",
    [
        {"B1": ["a", "b"], "B2": ["c"]},
        [{"a", "b"}, {"c"}],
        (("a", "b", "a"), ("c",)),
        (iter(members) for members in (["b", "a"], ["c"])),
        Cover((AB, C)),
    ],
)
def test_communities_are_read_in_every_form(given: Any) -> None:
    assert as_cover(given).sets == (AB, C)


def test_the_communities_of_a_model_are_a_cover() -> None:
    pair = Community("B1", "homophilous", 2.0, {"a": 1.0, "b": 0.6}, threshold=0.5)
    assert as_cover(Communities((pair,), "any", Nodes("abc"), ())).sets == (AB,)


def test_names_from_an_array_are_the_same_nodes() -> None:
    assert as_cover([np.array([3, 5])]).sets == (frozenset({3, 5}),)


def test_empty_communities_are_left_out_and_counted_and_repeated_ones_are_kept() -> None:
    cover = as_cover([["a", "b"], [], ["a", "b"], []])
    assert cover == Cover((AB, AB), empty=2)
    assert cover.sizes == (2, 2)
    assert cover.covered == AB


@pytest.mark.parametrize("given", ["abc", 7, None])
def test_what_is_no_list_of_communities_is_refused(given: Any) -> None:
    with pytest.raises(InvalidParameterError, match="where communities are expected; give the nodes of each"):
        as_cover(given)


@pytest.mark.parametrize("given", [["ann", "bob"], [0, 1, 1], {"ann": 0}, [[["a"]]]])
def test_what_is_no_community_is_refused(given: Any) -> None:
    with pytest.raises(InvalidParameterError, match="where the nodes of a community are expected; give their names"):
        as_cover(given)


def test_the_nodes_are_those_of_either_cover_unless_told() -> None:
    assert incidence([{"a", "b"}], [{"b", "c"}]).n_nodes == 3
    graph = as_graph([("a", "b"), ("b", "c"), ("c", "d")])
    for nodes in (graph, "abcd", list("abcd"), 4):
        assert incidence([{"a", "b"}], [{"b", "c"}], nodes).n_nodes == 4
        assert omega_index([{"a", "b"}], [{"b", "c"}], nodes) == pytest.approx(-0.2)


def test_members_that_are_no_nodes_are_named() -> None:
    with pytest.raises(InvalidParameterError, match="'z' is in a community but not among the 3 nodes, as are 0 others"):
        overlapping_nmi([{"a", "z"}], [{"b"}], nodes="abc")
    with pytest.raises(InvalidParameterError, match="2 nodes were announced, but the communities have 3"):
        overlapping_nmi([{"a", "b"}], [{"c"}], nodes=2)


def test_trivial_covers_are_everybody_and_the_components() -> None:
    graph = random_graph(12, 0.1, seed=3)
    trivial = trivial_covers(graph)
    assert trivial["one community of all nodes"] == [set(range(12))]
    parts = trivial["connected components"]
    assert sum(map(len, parts)) == 12
    for u, v in zip(*graph.links, strict=True):
        assert any({int(u), int(v)} <= part for part in parts)
    assert len(parts) > 1
    assert compare_communities(parts, parts, graph).omega == 1


def test_a_graph_without_nodes_has_no_trivial_communities() -> None:
    empty = as_graph(np.zeros((0, 0)))
    assert trivial_covers(empty) == {"one community of all nodes": [], "connected components": []}

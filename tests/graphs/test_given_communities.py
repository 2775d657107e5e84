"""Communities from cdlib, igraph and networkx are accepted wherever communities are."""

from __future__ import annotations

import warnings
from contextlib import redirect_stdout
from functools import cache
from importlib import import_module
from io import StringIO
from pathlib import Path
from typing import Any

import igraph
import networkx
import pytest

from philia import CommunityModel, read_communities, write_communities
from philia.datasets import dating_app
from philia.evaluate import compare_communities
from philia.exceptions import InvalidParameterError
from philia.graphs import as_communities, as_graph

CLUBS = [["ann", "bob", "cat"], ["cat", "dan"]]


@cache
def cdlib() -> Any:
    """cdlib without its remarks about packages that it could use."""
    with warnings.catch_warnings(), redirect_stdout(StringIO()):
        warnings.simplefilter("ignore")
        return import_module("cdlib")


def test_a_node_clustering_of_cdlib_is_accepted_wherever_communities_are(tmp_path: Path) -> None:
    clustering = cdlib().NodeClustering(CLUBS, graph=None, overlap=True)
    assert as_communities(clustering) == {0: CLUBS[0], 1: CLUBS[1]}
    assert compare_communities(clustering, CLUBS).f1 == 1
    assert compare_communities(CLUBS, clustering).nmi_lfk == pytest.approx(1)
    write_communities(clustering, tmp_path / "clubs.csv")
    assert read_communities(tmp_path / "clubs.csv") == {0: CLUBS[0], 1: CLUBS[1]}


def test_communities_of_a_model_go_to_cdlib_and_come_back() -> None:
    graph = dating_app(n=60, cities=2, random_state=0).graph
    found = CommunityModel(2, 1, penalty=0.5, random_state=0).fit(graph).communities()
    clustering = found.to_cdlib(graph)
    assert clustering.overlap
    assert clustering.graph.number_of_edges() == graph.n_links
    back = {frozenset(members) for members in as_communities(clustering).values()}
    assert back == {frozenset(members) for members in found.as_sets().values() if members}
    assert found.to_cdlib().graph is None


def test_numbers_of_igraph_become_the_names_of_its_graph() -> None:
    graph = as_graph([("ann", "bob"), ("cat", "dan")]).to_igraph()
    parts = graph.connected_components()
    assert as_communities(parts) == {0: ["ann", "bob"], 1: ["cat", "dan"]}
    assert as_communities(igraph.VertexCover(graph, [[0, 1, 2], [2, 3]])) == {0: CLUBS[0], 1: CLUBS[1]}
    assert as_communities(igraph.Graph([(0, 1)]).connected_components()) == {0: [0, 1]}


def test_communities_of_networkx_and_of_a_model_are_accepted() -> None:
    graph = networkx.Graph([("ann", "bob"), ("cat", "dan")])
    assert {*map(frozenset, as_communities(networkx.connected_components(graph)).values())} == {
        frozenset({"ann", "bob"}),
        frozenset({"cat", "dan"}),
    }
    found = CommunityModel(1, 0, penalty=0.1, random_state=0).fit(as_graph([("ann", "bob"), ("cat", "dan")]))
    assert as_communities(found.communities()).keys() == {community.name for community in found.communities()}


@pytest.mark.parametrize("wrong", ["ann", 7, None, [["ann"], 3], ["ann", "bob"], {"red": None}])
def test_anything_without_communities_is_refused(wrong: Any) -> None:
    with pytest.raises(InvalidParameterError, match=r"expected .*; give"):
        as_communities(wrong)

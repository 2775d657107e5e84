"""The communities and probabilities of a model as columns of the graph."""

from __future__ import annotations

from pathlib import Path

import networkx
import numpy as np
import pytest

from philia import CommunityModel, write_graph
from philia.datasets import dating_app
from philia.models import MODELS, LinkModel
from tests.strategies import random_graph

APP = dating_app(n=90, cities=3, random_state=0)


@pytest.fixture(scope="module")
def model() -> CommunityModel:
    return CommunityModel(3, 1, penalty=1, random_state=0).fit(APP.graph)


@pytest.mark.parametrize("rule", [None, "split", 0.5])
def test_the_columns_are_those_of_the_communities_by_the_same_rule(
    model: CommunityModel, rule: str | float | None
) -> None:
    found = model.communities(rule)
    frame = model.described(rule).nodes.to_pandas().set_index("node")
    for node in APP.graph.nodes:
        row, mine = frame.loc[node], found.of(node)
        assert set(row["communities"].split()) == set(mine)
        assert all(row[name] == share for name, share in mine.items())
        assert row["main_community"] in (mine or {"": 0})


def test_the_main_community_attracts_if_any_does_and_has_the_largest_affinity(
    model: CommunityModel,
) -> None:
    found = {community.name: community for community in model.communities()}
    described = model.described().nodes.columns
    for mine, main in zip(described["communities"], described["main_community"], strict=True):
        attracting = [name for name in mine.split() if found[name].kind == "homophilous"]
        assert main in (attracting or mine.split() or [""])
    for node, main in zip(APP.graph.nodes, described["main_community"], strict=True):
        shares = {
            n: v * found[n].strength ** 0.5 for n, v in model.communities().of(node).items() if n[0] == main[:1] == "B"
        }
        assert not shares or shares[main] == max(shares.values())


def test_links_have_the_probability_that_the_model_gives_them(model: CommunityModel) -> None:
    graph = model.described().to_networkx()
    pairs = list(graph.edges)
    given = [graph.edges[pair]["probability"] for pair in pairs]
    np.testing.assert_allclose(given, model.predict_proba(pairs), rtol=1e-12)


def test_a_file_for_gephi_has_one_number_per_community_and_one_color_per_main_community(
    model: CommunityModel, tmp_path: Path
) -> None:
    write_graph(model.described(), tmp_path / "app.gexf")
    read = networkx.read_gexf(tmp_path / "app.gexf", node_type=int)
    found = model.communities()
    for node in APP.graph.nodes:
        assert [read.nodes[node][c.name] for c in found] == [c.members.get(node, 0.0) for c in found]
    pairs = {(data["main_community"], tuple(data["viz"]["color"].values())) for _, data in read.nodes(data=True)}
    assert len(pairs) == len({main for main, _ in pairs}) == len({colour for _, colour in pairs})


def test_a_data_frame_has_one_row_per_community_with_its_stability_once_measured() -> None:
    model = CommunityModel(3, 1, penalty=1, random_state=0).fit(APP.graph)
    found = model.communities()
    frame = found.to_pandas()
    assert frame["community"].tolist() == [community.name for community in found]
    assert frame["size"].tolist() == [len(community) for community in found]
    assert "stability" not in frame
    model.stability(fits=1)
    assert model.communities().to_polars()["stability"].to_list() == [c.stability for c in model.communities()]


@pytest.mark.parametrize("name", MODELS)
def test_every_model_describes_its_graph_and_has_one_row_of_features_per_node(name: str) -> None:
    graph = random_graph(30, 0.2, seed=0)
    model: LinkModel = MODELS[name](random_state=0).fit(graph)
    described = model.described()
    assert len(described.nodes) == 30
    assert len(described.links) == graph.n_links
    features = model.features()
    assert features.dtype == np.float64
    assert features.shape[0] == 30
    assert features.shape[1] >= 1
    assert np.isfinite(features).all()


def test_features_of_a_community_model_are_b_c_and_the_popularity() -> None:
    graph = random_graph(30, 0.2, seed=0)
    model = CommunityModel(2, 1, penalty=0.5, random_state=0).fit(graph)
    factors = model.factors_
    expected = np.hstack([factors.homophilous, factors.heterophilous, factors.background[:, None]])
    np.testing.assert_array_equal(model.features(), expected)
    assert CommunityModel(2, 1, penalty=0.5, background="none", random_state=0).fit(graph).features().shape == (30, 3)

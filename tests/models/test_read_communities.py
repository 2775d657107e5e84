"""Communities that a model reads off its graph before it fits the rest."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from philia import CommunityModel, as_graph, load
from philia.datasets import classic, planted
from philia.exceptions import ModelFileError
from philia.graphs import Graph, Nodes
from philia.pairs import seen
from philia.reading import read_levels
from philia.solvers import LBFGSB
from tests.strategies import random_graph, weighed

GRAPH = planted(120, 3, 0, degree=12, attraction=5, overlap=0, random_state=0).graph
QUICK = LBFGSB(iterations=20)


@pytest.fixture(scope="module")
def model() -> CommunityModel:
    return CommunityModel(random_state=0, solver=QUICK).fit(GRAPH)


def attracting(model: CommunityModel) -> dict[str, set[Any]]:
    return {c.name: set(c.members) for c in model.communities() if c.kind == "homophilous"}


def test_what_a_model_reads_is_the_default_level_of_its_graph(model: CommunityModel) -> None:
    level = model.level()
    assert level is not None
    assert attracting(model) == level.as_sets() == read_levels(GRAPH).default.as_sets()
    assert len(level) == 3
    assert model.hierarchy().default.as_sets() == level.as_sets()
    assert model.selection_ is not None
    assert model.selection_.read == 3


def test_memberships_are_shares_of_links_and_strengths_those_of_the_description(model: CommunityModel) -> None:
    level = model.level()
    assert level is not None
    for c, community in enumerate(model.communities()[:3]):
        rows = GRAPH.nodes.rows(community.members)
        np.testing.assert_array_equal(list(community.members.values()), level.shares.toarray()[rows, c])
        assert community.strength == level.strengths[c]
        assert community.threshold == min(community.members.values())


def test_the_first_columns_of_the_factors_are_those_that_were_read(model: CommunityModel) -> None:
    level, k = model.level(), model.factors_.counts[0]
    assert level is not None
    np.testing.assert_array_equal(model.factors_.homophilous[:, :3], level.affinities.toarray())
    assert model.selection_ is not None
    assert model.selection_.n_homophilous == k
    assert tuple(model.communities().finer) == model.factors_.names[3:k]


def test_a_rule_reads_the_columns_instead(model: CommunityModel) -> None:
    by_rule = model.communities("nearest")
    assert len([c for c in by_rule if c.kind == "homophilous"]) == model.factors_.counts[0]
    assert not by_rule.finer


@pytest.mark.parametrize("settings", [{"random_state": 5}, {"random_state": None}, {"n_jobs": 1}, {"dtype": "float32"}])
def test_any_seed_and_any_number_of_threads_reads_the_same(model: CommunityModel, settings: dict[str, Any]) -> None:
    other = CommunityModel(**{"random_state": 0, "solver": QUICK, **settings}).fit(GRAPH)
    assert other.read_ is not None
    np.testing.assert_array_equal(other.read_, model.read_)
    assert attracting(other) == attracting(model)


def test_a_loaded_model_has_the_same_communities(model: CommunityModel, tmp_path: Path) -> None:
    model.save(tmp_path / "model.safetensors")
    again = load(tmp_path / "model.safetensors")
    assert isinstance(again, CommunityModel)
    np.testing.assert_array_equal(again.read_, model.read_)
    assert str(again.communities()) == str(model.communities())
    assert again.partition() == model.partition()
    assert str(again.hierarchy()) == str(model.hierarchy())


def test_a_model_that_read_nothing_is_loaded_as_one(tmp_path: Path) -> None:
    CommunityModel(2, 1, penalty=1, random_state=0, solver=QUICK).fit(GRAPH).save(tmp_path / "model.safetensors")
    assert load(tmp_path / "model.safetensors").read_ is None  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "wrong",
    [np.zeros(3, np.int64), np.zeros(120), np.full(120, -2), np.full(120, 99), np.zeros((120, 1), np.int64)],
    ids=["short", "not whole", "below -1", "a column that is not there", "a matrix"],
)
def test_a_file_with_strange_read_communities_is_refused(
    model: CommunityModel, tmp_path: Path, wrong: np.ndarray, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model, "read_", wrong)
    model.save(tmp_path / "model.safetensors")
    with pytest.raises(ModelFileError):
        load(tmp_path / "model.safetensors")


def test_labels_partition_and_fit_predict_agree(model: CommunityModel) -> None:
    labels, names = model.labels_, list(attracting(model))
    assert model.partition() == {
        name: set(np.flatnonzero(labels == c).tolist()) for c, name in enumerate(names) if (labels == c).any()
    }
    again = CommunityModel(random_state=0, solver=QUICK).fit_predict(GRAPH)
    np.testing.assert_array_equal(again, labels)
    for node in GRAPH.nodes:
        mine = {name: share for name, share in model.communities().of(node).items() if name in names}
        if mine:
            assert mine[names[labels[GRAPH.nodes.row(node)]]] == max(mine.values())
        else:
            assert labels[GRAPH.nodes.row(node)] == -1


def test_a_given_number_is_partitioned_as_well() -> None:
    labels = CommunityModel(3, 0, penalty=1, random_state=0, solver=QUICK).fit_predict(GRAPH)
    assert set(labels.tolist()) <= {-1, 0, 1, 2}
    assert len(set(labels.tolist()) - {-1}) == 3


def test_a_graph_without_communities_has_nobody_in_any() -> None:
    model = CommunityModel(random_state=0, solver=QUICK).fit(random_graph(60, 0.1, 0))
    assert model.partition() == {}
    assert set(model.labels_.tolist()) == {-1}
    assert model.level() is not None
    assert len(model.hierarchy().default) == 0


def test_held_out_links_do_not_change_what_is_read() -> None:
    first = CommunityModel(random_state=0, solver=QUICK).fit(GRAPH, held_out=0.3)
    hidden = first.held_out_
    assert hidden is not None
    rows, columns = hidden.pairs(GRAPH.n_nodes)
    known = seen(GRAPH, hidden)
    one_end, other_end = (np.concatenate(both) for both in zip(known.links, (rows, columns), strict=True))
    other = Graph.from_rows(one_end, other_end, Nodes.numbered(GRAPH.n_nodes))
    second = CommunityModel(random_state=0, solver=QUICK).fit(other, held_out=hidden)
    np.testing.assert_array_equal(first.read_, second.read_)
    np.testing.assert_array_equal(first.read_, read_levels(known).default.labels)
    one, two = first.level(), second.level()
    assert one is not None
    assert two is not None
    np.testing.assert_array_equal(one.shares.toarray(), two.shares.toarray())
    assert str(first.hierarchy()) == str(second.hierarchy())


@pytest.mark.parametrize(
    "settings",
    [{"n_homophilous": 3}, {"background": "constant"}, {"background": "none"}, {"solver": "adam"}],
    ids=str,
)
def test_a_model_that_cannot_read_does_not(settings: dict[str, Any]) -> None:
    model = CommunityModel(**{"n_heterophilous": 0, "penalty": 1, "random_state": 0, **settings}).fit(GRAPH)
    assert model.read_ is None
    assert model.level() is None
    assert not model.communities().finer


def test_weights_switch_reading_off() -> None:
    model = CommunityModel("auto", 0, penalty=1, random_state=0, solver=QUICK).fit(weighed(classic("karate"), 0))
    assert model.graph_.weights is not None
    assert model.read_ is None
    assert model.selection_ is not None
    assert model.selection_.read == 0


def test_a_second_fit_forgets_what_the_first_read() -> None:
    model = CommunityModel("auto", 0, penalty=1, random_state=0, solver=QUICK).fit(GRAPH)
    assert len(attracting(model)) == 3
    model.fit(classic("karate"))
    assert len(attracting(model)) == 2
    assert model.hierarchy()[0].labels.shape == (34,)


@pytest.fixture
def cliques() -> CommunityModel:
    links = [(f"{c}{i}", f"{c}{j}") for c in "abcd" for i in range(6) for j in range(i)]
    links += [(f"{c}0", f"{d}1") for c, d in zip("abcd", "bcda", strict=True)]
    return CommunityModel("auto", 0, penalty=1, random_state=0, solver=QUICK).fit(as_graph(links))


def test_new_nodes_join_the_community_of_their_links_and_the_others_stay(cliques: CommunityModel) -> None:
    before = attracting(cliques)
    mine = cliques.partition()
    home = next(name for name, members in mine.items() if "b2" in members)
    cliques.partial_fit([("zoe", "b2"), ("zoe", "b3"), ("zoe", "b4"), ("zoe", "d2"), ("yan", "zoe")])
    after = cliques.partition()
    assert "zoe" in after[home]
    assert not any("yan" in members for members in attracting(cliques).values())
    assert {name: members - {"zoe", "yan"} for name, members in after.items()} == mine
    assert attracting(cliques).keys() == before.keys()
    assert cliques.labels_.shape == (26,)


def test_a_model_without_communities_grows(tmp_path: Path) -> None:
    model = CommunityModel("auto", 0, penalty=1, random_state=0, solver=QUICK).fit([(i, i + 1) for i in range(12)])
    model.partial_fit([(12, 13), (13, 14)])
    assert model.read_ is not None
    assert model.read_.tolist() == [-1] * 15
    model.save(tmp_path / "model.safetensors")
    assert str(load(tmp_path / "model.safetensors").communities()) == str(model.communities())


def test_stability_measures_what_was_read_on_other_links(cliques: CommunityModel) -> None:
    found = cliques.stability(fits=2)
    assert [c.name for c in found.communities][:4] == ["B1", "B2", "B3", "B4"]
    assert all(c.score > 0.8 for c in found.communities)
    assert all(c.stability is not None for c in cliques.communities())
    assert "a2" in str(cliques.explain("a2", "a3"))


def test_refits_of_a_model_that_read_see_fewer_pairs_each_time_others(
    cliques: CommunityModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    hidden, fit = [], CommunityModel.fit

    def watched(self: CommunityModel, X: Any, **told: Any) -> CommunityModel:
        hidden.append(told["held_out"])
        return fit(self, X, **told)

    monkeypatch.setattr(CommunityModel, "fit", watched)
    cliques.stability(fits=2)
    shares = [len(pairs.pairs(24)[0]) / (24 * 23 / 2) for pairs in hidden]
    assert shares == pytest.approx([0.1, 0.1], abs=0.07)
    assert hidden[0].pairs(24)[0].tolist() != hidden[1].pairs(24)[0].tolist()


def test_a_description_of_the_graph_has_the_communities_that_were_read(model: CommunityModel) -> None:
    columns = model.described().nodes.columns
    for c, community in enumerate(model.communities()):
        np.testing.assert_array_equal(
            columns[community.name], [community.members.get(node, 0.0) for node in GRAPH.nodes], err_msg=f"column {c}"
        )
    listed = [set(text.split()) for text in columns["communities"]]
    assert listed == [set(model.communities().of(node)) for node in GRAPH.nodes]

"""Which communities are there at all: tests on pairs that they were not found from."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
from scipy.special import expit

from philia import CommunityModel, load
from philia.datasets import classic, dating_app, planted
from philia.exceptions import InvalidParameterError, ModelFileError
from philia.explain import CommunitySignificance, Significance
from philia.explain.significance import significance_folds, with_background
from philia.graphs import Graph
from philia.pairs import PairSample, seen
from philia.reading.search import shortest_with
from philia.solvers import LBFGSB
from philia.storage.tensors import read_arrays, write_arrays
from tests.reading.graphs import shuffled

QUICK = LBFGSB(iterations=20)
KARATE = [degree for _, degree in nx.karate_club_graph().degree()]


def forced(graph: Graph, count: int) -> list[float]:
    """The z of this many communities that are read off a graph, whether they are there or not; [] if none are found."""
    model = CommunityModel(0, 0, penalty=1, random_state=0, solver=QUICK).fit(graph)
    found = shortest_with(graph, count, np.random.default_rng(0))
    if found is None:
        return []
    model.read_ = found.labels
    return [community.z for community in model.significance().communities]


@pytest.fixture
def karate() -> CommunityModel:
    return CommunityModel("auto", 0, penalty=1, random_state=0, solver=QUICK).fit(classic("karate"))


def test_both_sides_of_the_karate_club_are_confirmed(karate: CommunityModel) -> None:
    found = karate.significance()
    assert [community.name for community in found.communities] == ["B1", "B2"]
    assert all(community.real for community in found.communities)
    assert karate.communities().left_out == {}
    assert "; z = " in str(karate.communities())


def test_planted_communities_of_both_kinds_are_confirmed() -> None:
    app = dating_app(n=120, cities=3, random_state=0)
    found = CommunityModel(3, 2, penalty=1, random_state=0).fit(app.graph).significance(folds=4)
    assert [community.real for community in found.communities] == [True] * 5
    assert [np.sign(community.z) for community in found.communities] == [1, 1, 1, -1, -1]


@pytest.mark.parametrize("kind", ["the degrees of karate", "Erdős-Rényi"])
def test_communities_that_are_forced_on_a_random_graph_are_not_confirmed(kind: str) -> None:
    z = []
    for seed in range(4):
        made = (
            nx.configuration_model(KARATE, seed=seed) if "karate" in kind else nx.gnp_random_graph(60, 0.1, seed=seed)
        )
        z += forced(shuffled(made, seed), 2)
    assert len(z) >= 6
    assert max(z) < 2.5
    assert abs(np.mean(z)) < 1


@pytest.mark.slow
def test_communities_forced_on_many_random_graphs_are_rarely_confirmed() -> None:
    z = []
    for seed in range(20, 40):
        even = shuffled(nx.gnp_random_graph(100, 0.08, seed=seed), seed)
        uneven = shuffled(nx.configuration_model(KARATE, seed=seed), seed)
        z += [*forced(even, 2), *forced(even, 4), *forced(uneven, 2), *forced(uneven, 4)]
    assert len(z) > 160
    assert np.mean(np.array(z) >= 2.5) <= 0.02
    assert abs(np.mean(z)) < 0.3


@pytest.mark.slow
def test_planted_groups_are_confirmed_with_nothing_told() -> None:
    model = CommunityModel(random_state=0).fit(planted(300, 4, 2, degree=15, random_state=0).graph)
    assert all(community.real for community in model.significance().communities)
    assert len(model.communities()) == 6


def test_every_known_link_is_hidden_once_and_no_pair_that_is_held_out_anyway() -> None:
    graph = classic("karate")
    model = CommunityModel(0, 0, penalty=1, random_state=0).fit(graph, held_out=0.2)
    hidden: list[tuple[int, int]] = []
    for sample, _ in significance_folds(graph, model.held_out_, 5, np.random.default_rng(0)):
        assert model.held_out_ is not None
        assert not model.held_out_.contains(sample.rows, sample.columns).any()
        hidden += zip(sample.rows[sample.linked].tolist(), sample.columns[sample.linked].tolist(), strict=True)
    assert len(hidden) == len(set(hidden))
    known = set(zip(*map(list, graph.links), strict=True))
    assert len(hidden) < len(known)
    assert set(hidden) < known


def hidden_parts(graph: Graph) -> list[tuple[Graph, PairSample]]:
    return [(seen(graph, hidden), sample) for sample, hidden in
            significance_folds(graph, None, 5, np.random.default_rng(0))]  # fmt: skip


def test_popularity_alone_expects_as_many_hidden_links_as_there_are() -> None:
    samples = with_background(hidden_parts(classic("karate")))
    expected = sum(float((sample.weights * expit(sample.offsets)).sum()) for sample in samples)
    assert expected == pytest.approx(sum(sample.n_links for sample in samples))


def test_popularity_counts_where_degrees_are_real_and_not_where_they_are_chance() -> None:
    """Hubs stay popular; in a random graph, nodes with many visible links have no more hidden ones than others."""
    even = nx.gnp_random_graph(200, 0.05, seed=0)
    uneven = nx.barabasi_albert_graph(200, 5, seed=0)
    spreads = [
        np.mean([np.std(np.asarray(sample.offsets)) for sample in with_background(hidden_parts(shuffled(graph, 0)))])
        for graph in (even, uneven)
    ]
    assert spreads[0] < 0.1
    assert spreads[1] > 0.5


def given(graph: Graph, n_homophilous: int, n_heterophilous: int) -> list[float]:
    model = CommunityModel(n_homophilous, n_heterophilous, penalty=1, random_state=0, solver=QUICK).fit(graph)
    return [community.z for community in model.significance().communities]


@pytest.mark.slow
def test_given_communities_that_repel_are_rarely_confirmed_on_random_graphs() -> None:
    z = []
    for seed in range(12):
        z += given(shuffled(nx.gnp_random_graph(100, 0.08, seed=seed), seed), 0, 2)
        z += given(shuffled(nx.configuration_model(KARATE, seed=seed), seed), 0, 2)
    assert len(z) >= 40
    assert np.mean(np.array(z) <= -2.5) <= 0.07
    assert abs(np.mean(z)) < 0.4


def chance(name: str = "B1", z: float = 0.7) -> Significance:
    return Significance(10, (CommunitySignificance(name, "homophilous", 0.1, 0.2, z),))


def test_what_may_be_chance_is_left_out_and_shown_on_request(karate: CommunityModel) -> None:
    karate.significance_ = chance()
    found = karate.communities()
    assert [community.name for community in found] == ["B2"]
    assert found.left_out == {"B1": "not distinguishable from chance, z = 0.7"}
    assert set(karate.labels_.tolist()) == {-1, 0}
    assert list(karate.partition()) == ["B2"]
    everything = karate.communities(everything=True)
    assert [community.name for community in everything] == ["B1", "B2"]
    assert "z = 0.7, not distinguishable from chance" in str(everything)


def test_another_fit_forgets_the_significance(karate: CommunityModel) -> None:
    karate.significance(folds=2)
    karate.heterophily()
    karate.fit(classic("karate"))
    assert karate.significance_ is None
    assert karate.heterophily_ is None


def test_a_file_keeps_significance_and_heterophily(karate: CommunityModel, tmp_path: Path) -> None:
    karate.significance(folds=2), karate.heterophily()
    karate.save(tmp_path / "model.safetensors")
    again = load(tmp_path / "model.safetensors")
    assert isinstance(again, CommunityModel)
    assert again.significance_ == karate.significance_
    assert again.heterophily_ == karate.heterophily_
    assert str(again.communities()) == str(karate.communities())


def test_a_file_without_significance_is_read_as_before(karate: CommunityModel, tmp_path: Path) -> None:
    karate.save(tmp_path / "model.safetensors")
    arrays, header = read_arrays(tmp_path / "model.safetensors")
    del header["significance"], header["heterophily"]
    write_arrays(tmp_path / "model.safetensors", arrays, header)
    again = load(tmp_path / "model.safetensors")
    assert isinstance(again, CommunityModel)
    assert again.significance_ is None
    assert again.heterophily_ is None


ONE = {"name": "B1", "kind": "homophilous", "strength": 1.0, "error": 0.1, "z": 9.0}


@pytest.mark.parametrize(
    "wrong",
    [
        {"significance": 3},
        {"significance": {"folds": 3}},
        {"significance": {"folds": -1, "communities": []}},
        {"significance": {"folds": 3, "communities": "B1"}},
        {"significance": {"folds": 3, "communities": [ONE | {"z": "9"}]}},
        {"significance": {"folds": 3, "communities": [ONE | {"z": 1e999}]}},
        {"significance": {"folds": 3, "communities": [ONE | {"error": -0.1}]}},
        {"significance": {"folds": 3, "communities": [ONE | {"kind": ["homophilous"]}]}},
        {"significance": {"folds": 3, "communities": [ONE | {"name": "B99"}]}},
        {"significance": {"folds": 3, "communities": [ONE | {"name": 1}]}},
        {"significance": {"folds": 3, "communities": [7]}},
        {"heterophily": [1, 2, 3]},
        {"heterophily": {"value": 1.0, "lower": None, "upper": 2.0}},
        {"heterophily": {"value": 1.0}},
    ],
    ids=str,
)
def test_a_file_with_a_strange_significance_is_refused(
    karate: CommunityModel, tmp_path: Path, wrong: dict[str, Any]
) -> None:
    karate.save(tmp_path / "model.safetensors")
    arrays, header = read_arrays(tmp_path / "model.safetensors")
    write_arrays(tmp_path / "model.safetensors", arrays, {**header, **wrong})
    with pytest.raises(ModelFileError):
        load(tmp_path / "model.safetensors")


@pytest.mark.parametrize("folds", [1, 0, 2.0, True])
def test_fewer_than_two_parts_are_refused(karate: CommunityModel, folds: Any) -> None:
    with pytest.raises(InvalidParameterError, match="whole number, 2 or more"):
        karate.significance(folds)
    with pytest.raises(InvalidParameterError, match="whole number, 2 or more"):
        karate.heterophily(folds)


def test_a_network_without_repelling_communities_is_not_heterophilous(karate: CommunityModel) -> None:
    assert karate.heterophily().value == 0
    assert karate.heterophily().exact


def test_progress_is_told_part_by_part(karate: CommunityModel) -> None:
    told: list[tuple[int, int]] = []
    karate.significance(folds=3, on_fit=lambda done, asked: told.append((done, asked)))
    assert told == [(1, 3), (2, 3), (3, 3)]


def test_ctrl_c_leaves_no_significance(karate: CommunityModel) -> None:
    def stop(done: int, asked: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        karate.significance(on_fit=stop)
    assert karate.significance_ is None


def test_refits_of_a_model_that_read_keep_its_number_of_communities(monkeypatch: pytest.MonkeyPatch) -> None:
    model = CommunityModel(random_state=0, solver=QUICK).fit(planted(90, 3, 2, degree=12, random_state=1).graph)
    own = model.level()
    assert own is not None
    fitted, fit = [], CommunityModel.fit

    def watched(self: CommunityModel, X: Any, **told: Any) -> CommunityModel:
        fitted.append(fit(self, X, **told))
        return self

    monkeypatch.setattr(CommunityModel, "fit", watched)
    model.significance(folds=2)
    assert [other.factors_.counts for other in fitted] == [model.factors_.counts] * len(fitted)
    assert model.factors_.counts[1] == 0 or len(fitted) == 2

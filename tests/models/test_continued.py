"""Fits that begin where another ended: on a changed graph, and with links that come later."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from philia import BigClam, CommunityModel, as_graph, load
from philia.datasets import dating_app
from philia.exceptions import InvalidParameterError
from philia.fitting.community import Background
from philia.graphs import Graph, Nodes
from philia.models import FromModel
from philia.pairs import ListedPairs, RandomPairs
from philia.solvers import LBFGSB, FloorLBFGS
from tests.strategies import random_graph


@pytest.fixture(scope="module")
def graph() -> Graph:
    return dating_app(n=150, cities=3, random_state=0).graph


@pytest.fixture(scope="module")
def earlier(graph: Graph) -> CommunityModel:
    return CommunityModel(3, 2, penalty=1.0, random_state=0).fit(graph)


def changed(graph: Graph, share: float, seed: int) -> Graph:
    """The graph with this share of its links replaced by others."""
    rng = np.random.default_rng(seed)
    rows, columns = graph.links
    kept = rng.random(rows.size) >= share
    more = rng.integers(0, graph.n_nodes, (2, int((~kept).sum())))
    return Graph.from_rows(np.append(rows[kept], more[0]), np.append(columns[kept], more[1]), graph.nodes)


def steps_to(history: np.ndarray, value: float) -> int:
    return int(np.argmax(history <= value)) if (history <= value).any() else len(history)


@pytest.mark.parametrize("background", ["none", "constant", "popularity"])
def test_on_the_same_graph_a_fit_begins_at_the_value_the_earlier_ended_at(graph: Graph, background: Background) -> None:
    model = CommunityModel(3, 2, penalty=1.0, background=background, random_state=0).fit(graph)
    again = clone(model).set_params(start=FromModel(model)).fit(graph)
    # The mean popularity is the level's, which costs nothing: a start may be a little better than where a fit stopped.
    assert again.solution_.history[0] == pytest.approx(model.solution_.value, rel=1e-4)
    assert again.solution_.history[0] <= model.solution_.value * (1 + 1e-12)


def test_on_a_changed_graph_fewer_steps_reach_as_low_a_value(graph: Graph, earlier: CommunityModel) -> None:
    other = changed(graph, 0.05, seed=1)
    cold = clone(earlier).fit(other)
    warm = clone(earlier).set_params(start=FromModel(earlier)).fit(other)
    assert warm.solution_.value <= cold.solution_.value * 1.001
    goal = cold.solution_.value * 1.005
    assert 2 * steps_to(warm.solution_.history, goal) < steps_to(cold.solution_.history, goal)


def test_nodes_are_matched_by_name_and_new_ones_begin_at_their_places(earlier: CommunityModel) -> None:
    names = [f"new {row}" if row >= 140 else int(row) for row in range(150)]
    order = np.random.default_rng(0).permutation(150)[:100]
    rows, columns = earlier.graph_.links
    links = [(names[u], names[v]) for u, v in zip(rows.tolist(), columns.tolist(), strict=True)]
    kept = {names[row] for row in order}
    other = as_graph([(u, v) for u, v in links if u in kept and v in kept])
    found = FromModel(earlier).factors(other, 3, 2, np.random.default_rng(0))
    old_B = earlier.factors_.homophilous
    for row, name in enumerate(other.nodes):
        if isinstance(name, int):
            np.testing.assert_array_equal(found.homophilous[row], old_B[name])
    new = [row for row, name in enumerate(other.nodes) if isinstance(name, str)]
    assert new
    place = {
        other.nodes[row]: [name for name in other.neighbours(other.nodes[row]) if isinstance(name, int)] for row in new
    }
    gone = [name for name in range(150) if name not in other.nodes]
    placed = earlier.place(place, dict.fromkeys(place, gone))
    np.testing.assert_allclose(found.homophilous[new], placed.factors.homophilous, atol=1e-6)


def test_nodes_without_a_link_to_an_earlier_one_begin_at_the_mean(earlier: CommunityModel) -> None:
    found = FromModel(earlier).factors(as_graph([(0, 1), ("x", "y")]), 3, 2, np.random.default_rng(0))
    mean = earlier.factors_.heterophilous.mean(axis=0)
    np.testing.assert_allclose(found.heterophilous[2:], np.tile(mean, (2, 1)))
    strangers = FromModel(earlier).factors(as_graph([("x", "y")]), 3, 2, np.random.default_rng(0))
    np.testing.assert_allclose(strangers.heterophilous, np.tile(mean, (2, 1)))


def test_the_number_of_columns_is_the_new_models(graph: Graph, earlier: CommunityModel) -> None:
    larger = CommunityModel(5, 3, penalty=1.0, start=FromModel(earlier), random_state=0).fit(graph)
    assert larger.factors_.homophilous.shape == (150, 5)
    found = FromModel(earlier).factors(graph, 2, 0, np.random.default_rng(0))
    strongest = np.sort(np.argsort(-earlier.factors_.homophilous.max(axis=0))[:2])
    np.testing.assert_array_equal(found.homophilous, earlier.factors_.homophilous[:, strongest])
    assert found.heterophilous.shape == (150, 0)


def test_settings_with_an_earlier_model_are_cloned_and_saved(
    graph: Graph, earlier: CommunityModel, tmp_path: Path
) -> None:
    model = CommunityModel(3, 2, penalty=1.0, start=FromModel(earlier), solver=LBFGSB(iterations=3))
    assert clone(model).start is model.start
    assert "FromModel(CommunityModel(" in repr(model.start)
    model.fit(graph).save(tmp_path / "model.safetensors")
    again = load(tmp_path / "model.safetensors")
    assert again.get_params()["start"] == "spectral"
    np.testing.assert_array_equal(again.predict_proba([(0, 1)]), model.predict_proba([(0, 1)]))


def test_a_start_is_not_moved_by_a_later_fit(graph: Graph) -> None:
    model = CommunityModel(2, 1, penalty=1.0, random_state=0).fit(graph)
    start, before = FromModel(model), model.factors_.homophilous
    model.fit(random_graph(20, 0.2, seed=1))
    found = start.factors(graph, 2, 1, np.random.default_rng(0))
    np.testing.assert_array_equal(found.homophilous, before)


def test_only_fitted_community_models_are_begun_from(graph: Graph, earlier: CommunityModel) -> None:
    with pytest.raises(NotFittedError):
        FromModel(CommunityModel())
    with pytest.raises(InvalidParameterError, match="BigClam"):
        FromModel(BigClam(2, solver=LBFGSB(iterations=2)).fit(graph))
    with pytest.raises(InvalidParameterError, match=r"FromModel\(model\)"):
        CommunityModel(3, 2, penalty=1.0, start=earlier).fit(graph)  # type: ignore[arg-type]


def test_links_that_come_later_are_added_and_fitted(graph: Graph) -> None:
    model = CommunityModel(3, 2, penalty=1.0, random_state=0).fit(graph)
    settings = model.get_params()
    friends = graph.neighbours(0)
    result = model.partial_fit([("zoe", friend) for friend in friends])
    assert result is model
    assert model.get_params() == settings
    assert model.graph_.nodes[:150] == graph.nodes[:150]
    assert model.graph_.neighbours("zoe") == friends
    assert model.graph_.n_links == graph.n_links + len(friends)
    assert model.solution_.iterations <= 20
    assert model.n_features_in_ == 151
    full = clone(model).fit(model.graph_)
    assert model.solution_.value <= full.solution_.value * 1.01
    others = [name for name in graph.nodes if name != 0]
    zoe, twin = (model.predict_proba([(name, other) for other in others]) for name in ("zoe", 0))
    assert np.corrcoef(zoe, twin)[0, 1] > 0.95


def test_partial_fit_is_fit_where_there_is_none_and_goes_on_with_links_that_are_there(graph: Graph) -> None:
    one = CommunityModel(2, 1, penalty=1.0, solver=LBFGSB(iterations=9), random_state=0)
    two = clone(one)
    one.partial_fit(graph)
    two.fit(graph)
    np.testing.assert_array_equal(one.factors_.homophilous, two.factors_.homophilous)
    before = one.solution_.value
    known = (0, graph.neighbours(0)[0])
    one.partial_fit([known], iterations=5)
    assert one.graph_.n_links == graph.n_links
    assert one.solution_.iterations <= 5
    assert one.solution_.value < before
    with pytest.raises(InvalidParameterError, match="1 or more"):
        one.partial_fit([known], iterations=0)


def test_what_is_changed_stays_counted(graph: Graph) -> None:
    model = CommunityModel(1, 1, penalty=1.0, solver=FloorLBFGS(iterations=3), random_state=0)
    model.fit([("ann", "bob"), ("bob", "cat"), ("cat", "cat"), ("bob", "ann")])
    model.partial_fit([("ann", "bob"), ("zoe", "zoe"), ("zoe", "ann")], iterations=2)
    assert model.graph_.n_links == 3
    assert (model.graph_.changes.loops, model.graph_.changes.duplicates) == (2, 2)


def test_held_out_pairs_stay_the_same_pairs(graph: Graph) -> None:
    model = CommunityModel(2, 1, penalty=1.0, solver=LBFGSB(iterations=3), random_state=0).fit(graph, held_out=0.2)
    before = model.held_out_
    assert isinstance(before, RandomPairs)
    rows, columns = before.pairs(150)
    model.partial_fit([("zoe", 0), ("max", 1)])
    assert model.held_out_ == before
    after = set(zip(*(side.tolist() for side in before.pairs(152)), strict=True))
    assert {pair for pair in after if max(pair) < 150} == set(zip(rows.tolist(), columns.tolist(), strict=True))

    model = CommunityModel(2, 1, penalty=1.0, solver=LBFGSB(iterations=3), random_state=0).fit(
        graph, held_out=[(3, 7), (1, 2)]
    )
    model.partial_fit([("zoe", 0)])
    assert isinstance(model.held_out_, ListedPairs)
    assert list(zip(*(side.tolist() for side in model.held_out_.pairs(151)), strict=True)) == [(1, 2), (3, 7)]


def test_a_held_out_link_does_not_reach_a_fit_that_goes_on(graph: Graph) -> None:
    found = []
    for links in ([("zoe", 0), ("zoe", 1)], [("zoe", 0), ("zoe", 1), (3, 7)]):
        model = CommunityModel(2, 1, penalty=1.0, solver=LBFGSB(iterations=5), random_state=0).fit(
            graph, held_out=[(3, 7)]
        )
        found.append(model.partial_fit(links).factors_.homophilous)
    np.testing.assert_array_equal(found[0], found[1])


def test_weights_of_a_weighted_graph_are_kept() -> None:
    weighted = as_graph([("ann", "bob", 2.0), ("bob", "cat", 3.0)], weights=True)
    model = CommunityModel(1, 1, penalty=1.0, solver=LBFGSB(iterations=2), random_state=0).fit(weighted)
    model.partial_fit([("bob", "ann", 5.0), ("cat", "zoe")])
    assert model.graph_.link_weights is not None
    assert model.graph_.link_weights.tolist() == [7.0, 3.0, 1.0]
    assert model.graph_.nodes == Nodes(["ann", "bob", "cat", "zoe"])

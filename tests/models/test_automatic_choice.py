from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

from philia import CommunityModel, as_graph, load
from philia.datasets import Planted, classic, planted
from philia.evaluate import best_match_f1
from philia.exceptions import InvalidParameterError
from philia.graphs import Graph, Nodes
from philia.pairs import RandomPairs
from philia.solvers import LBFGSB
from tests.strategies import random_graph


@pytest.fixture(scope="module")
def truth() -> Planted:
    return planted(240, 4, 0, degree=16, attraction=5, overlap=0.1, random_state=3)


@pytest.fixture(scope="module")
def chosen(truth: Planted) -> CommunityModel:
    return CommunityModel(random_state=0).fit(truth.graph)


def _selection(model: CommunityModel) -> Any:
    assert model.selection_ is not None
    return model.selection_


def test_planted_communities_are_counted_and_found(truth: Planted, chosen: CommunityModel) -> None:
    selection = _selection(chosen)
    assert selection.read == 4
    assert selection.n_homophilous >= 4  # columns beside them, which make probabilities better, are counted too
    assert selection.n_heterophilous <= 1
    found = [set(c.members) for c in chosen.communities() if c.kind == "homophilous"]
    assert len(found) == 4
    assert best_match_f1(found, truth.homophilous) > 0.9


def test_groups_that_repel_are_found_as_well() -> None:
    both = planted(240, 3, 2, degree=20, attraction=4, repulsion=4, overlap=0, random_state=1)
    model = CommunityModel(random_state=0).fit(both.graph)
    assert abs(_selection(model).read - 3) <= 1
    assert 1 <= _selection(model).n_heterophilous <= 3


def test_the_choice_is_the_fewest_communities_within_one_standard_error(chosen: CommunityModel) -> None:
    selection = _selection(chosen)
    assert selection.choice in selection.steps
    assert selection.best.log_likelihood - selection.choice.log_likelihood <= selection.choice.error + 1e-12
    assert selection.choice.log_likelihood > selection.density
    assert chosen.penalty_ == selection.penalty
    assert chosen.factors_.counts[0] == selection.n_homophilous


def test_the_choice_says_what_and_why(chosen: CommunityModel) -> None:
    said = str(_selection(chosen))
    assert said.startswith("4 communities that attract")
    assert "To read: with these 4 communities the links have the shortest description. To predict: " in said
    marked = [line for line in _selection(chosen).table().splitlines() if line.startswith(">")]
    assert len(marked) == 1


@pytest.mark.parametrize(
    "given",
    [{"n_homophilous": 3}, {"n_heterophilous": 2}, {"penalty": 1.5}, {"n_homophilous": 2, "n_heterophilous": 1}],
)
def test_what_is_given_is_not_chosen(truth: Planted, given: dict[str, Any]) -> None:
    model = CommunityModel(random_state=0, solver=LBFGSB(iterations=30), **given).fit(truth.graph)
    for name, value in given.items():
        assert getattr(_selection(model), name) == pytest.approx(value)


def test_with_everything_given_nothing_is_searched(truth: Planted) -> None:
    model = CommunityModel(2, 1, penalty=1, random_state=0, solver=LBFGSB(iterations=3)).fit(truth.graph)
    assert model.selection_ is None
    assert model.penalty_ == 1


def test_the_same_seed_gives_the_same_choice_whatever_the_threads(truth: Planted, chosen: CommunityModel) -> None:
    again = CommunityModel(random_state=0, n_jobs=1).fit(truth.graph)
    assert [step.log_likelihood for step in _selection(again).steps] == [
        step.log_likelihood for step in _selection(chosen).steps
    ]
    assert (again.factors_.homophilous == chosen.factors_.homophilous).all()


def test_pure_chance_gets_no_better_than_its_density_and_few_communities() -> None:
    graph = random_graph(150, 0.1, 0)
    model = CommunityModel(random_state=0).fit(graph, held_out=0.1)
    assert _selection(model).choice.n_communities <= 2
    rows, columns = RandomPairs(0.1, model.held_out_.seed).pairs(150)  # type: ignore[union-attr]
    linked = graph.linked(rows, columns)
    p = linked.mean()
    reached = np.mean(model.loss.log_likelihood(model.factors_.scores(rows, columns), linked))
    assert reached > 1.05 * (p * np.log(p) + (1 - p) * np.log1p(-p))


@pytest.mark.parametrize("held_out", [0.2, [(0, 5), (3, 9), (2, 11)]])
def test_hidden_links_do_not_touch_the_choice(held_out: Any) -> None:
    graph = planted(60, 2, 0, degree=8, random_state=0).graph  # small: several folds
    first = CommunityModel(random_state=0, solver=LBFGSB(iterations=20)).fit(graph, held_out=held_out)
    hidden = first.held_out_
    assert hidden is not None
    rows, columns = hidden.pairs(60)
    seen_rows, seen_columns = (ends[~hidden.contains(*graph.links)] for ends in graph.links)
    other = Graph.from_rows(
        np.concatenate([seen_rows, rows]), np.concatenate([seen_columns, columns]), Nodes.numbered(60)
    )
    second = CommunityModel(random_state=0, solver=LBFGSB(iterations=20)).fit(other, held_out=hidden)
    third = CommunityModel(random_state=0, solver=LBFGSB(iterations=20)).fit(graph, held_out=hidden)
    assert _selection(second).steps == _selection(third).steps
    assert (second.factors_.homophilous == third.factors_.homophilous).all()


def test_unknown_pairs_may_be_given_by_a_function() -> None:
    graph = classic("karate")
    by_function = CommunityModel(2, 1, penalty=1, random_state=0).fit(graph, held_out=lambda u, v: (u < 3) & (v < 3))
    by_list = CommunityModel(2, 1, penalty=1, random_state=0).fit(graph, held_out=[(0, 1), (0, 2), (1, 2)])
    assert (by_function.factors_.homophilous == by_list.factors_.homophilous).all()
    with pytest.raises(InvalidParameterError, match="must return an array of booleans"):
        CommunityModel(2, 1, penalty=1).fit(graph, held_out=lambda u, v: 1)


@pytest.mark.parametrize("links", [[(0, 1)], [(0, 1), (1, 2), (0, 2)], [(i, i + 1) for i in range(7)]])
def test_the_smallest_graphs_can_be_fitted(links: list[tuple[int, int]]) -> None:
    model = CommunityModel(random_state=0).fit(as_graph(links))
    assert np.isfinite(model.score())


@pytest.mark.parametrize("nodes", [1, 2, 12])
def test_a_graph_without_links_can_be_fitted(nodes: int) -> None:
    nobody = np.empty(0, np.int64)
    graph = Graph.from_rows(nobody, nobody, Nodes.numbered(nodes))
    model = CommunityModel(random_state=0).fit(graph)
    assert np.isfinite(model.score())
    if nodes > 1:
        assert model.predict_proba([(0, nodes - 1)])[0] < 0.2


def test_a_file_keeps_the_choice(tmp_path: Path, chosen: CommunityModel) -> None:
    chosen.save(tmp_path / "model.safetensors")
    back = load(tmp_path / "model.safetensors")
    assert isinstance(back, CommunityModel)
    assert back.selection_ == chosen.selection_
    assert back.penalty_ == chosen.penalty_
    assert back.n_homophilous == "auto"
    assert (back.factors_.homophilous == chosen.factors_.homophilous).all()


def test_settings_stay_what_they_were(chosen: CommunityModel) -> None:
    assert chosen.get_params()["n_homophilous"] == "auto"
    assert clone(chosen).get_params() == chosen.get_params()


def test_ctrl_c_during_the_search_keeps_what_was_found(truth: Planted) -> None:
    steps = 0

    def stop(_: object) -> None:
        nonlocal steps
        steps += 1
        if steps == 70:
            raise KeyboardInterrupt

    model = CommunityModel(random_state=0).fit(truth.graph, on_iteration=stop)
    assert model.solution_.reason == "interrupted"
    assert _selection(model).interrupted
    assert "interrupted" in str(_selection(model))
    assert np.isfinite(model.score())


@pytest.mark.parametrize("wrong", [{"n_homophilous": "many"}, {"penalty": "some"}, {"n_heterophilous": 1.5}])
def test_only_numbers_and_auto_are_taken(wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidParameterError, match='or "auto"'):
        CommunityModel(**wrong).fit(classic("karate"))

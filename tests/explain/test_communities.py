from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from philia import CommunityModel, SymNMF
from philia.datasets import classic, dating_app
from philia.exceptions import InvalidParameterError
from philia.explain import find_communities
from philia.factors import CommunityFactors
from philia.graphs import Nodes
from tests import sparse_models
from tests.strategies import random_graph

GRAPH = random_graph(6, 0.4, seed=1).renamed(Nodes("abcdef"))
BAR = float(np.sqrt(-np.log(1 - GRAPH.density)))


def factors(B: list[list[float]], C: list[list[float]] | None = None) -> CommunityFactors:
    return CommunityFactors(np.array(B).T, np.array(C).T if C else np.empty((6, 0)), np.zeros(6))


def test_members_by_density_have_an_affinity_above_its_threshold() -> None:
    found = find_communities(GRAPH, factors([[2.0, BAR, BAR * 0.99, 0, 0, 0], [0, 3.0, 3.0, 0, 0, 0]]), "density")
    assert found.as_sets() == {"B1": {"a", "b"}, "B2": {"b", "c"}}
    assert found.of("b") == {"B2": 1.0, "B1": pytest.approx(BAR / 2)}
    assert found.n_unassigned == 3
    assert found.of("f") == {}


def test_if_no_node_reaches_the_threshold_the_column_mean_decides() -> None:
    found = find_communities(GRAPH, factors([[BAR / 2, BAR / 2, BAR / 9, 0, 0, 0]]), "density")
    assert found.as_sets() == {"B1": {"a", "b"}}


def test_members_of_repelling_communities_are_above_the_column_mean() -> None:
    column = [2 * BAR, 2 * BAR, 2 * BAR, 6 * BAR, 6 * BAR, 6 * BAR]
    found = find_communities(GRAPH, factors([column], [column]), "density")
    assert found.as_sets() == {"B1": set("abcdef"), "C1": {"d", "e", "f"}}


def test_a_column_that_hardly_changes_the_odds_is_left_out() -> None:
    found = find_communities(GRAPH, factors([[0.01, 0.02, 0, 0, 0, 0], [2.0, 2.0, 0, 0, 0, 0]]), "nearest")
    assert [community.name for community in found] == ["B2"]
    assert found.left_out == {"B1": "changes no probability"}


def test_a_membership_can_be_given_instead() -> None:
    half = find_communities(GRAPH, factors([[2.0, 1.0, 0.9, 0, 0, 0]]), rule=0.5)
    assert half.as_sets() == {"B1": {"a", "b"}}
    for wrong in ("half", 0.0, 1.5, True):
        with pytest.raises(InvalidParameterError, match="'split' or a membership"):
            find_communities(GRAPH, factors([[1.0] * 6]), rule=wrong)


def test_empty_and_repeated_communities_are_left_out_and_named() -> None:
    row = [2.0, 2.0, 0, 0, 0, 0]
    found = find_communities(GRAPH, factors([row, [0.0] * 6, row], [row]))
    assert [community.name for community in found] == ["B1", "C1"]
    assert found.left_out == {"B2": "empty", "B3": "the same members as B1"}
    assert "2 left out: B2 (empty), B3 (the same members as B1)" in str(found)


def test_a_complete_graph_still_has_communities() -> None:
    complete = random_graph(6, 1.0, seed=0)
    found = find_communities(complete, factors([[2.0, 1.0, 1.0, 0, 0, 0]]), "density")
    assert found[0].members


ALL = [2.0] * 6
FEW = [2.0, 2.0, 2.0, 0, 0, 0]


def test_a_part_of_a_community_that_adds_little_is_left_out() -> None:
    weak = [0.5, 0.5, 0.5, 0, 0, 0]
    found = find_communities(GRAPH, factors([weak, ALL]), "nearest")
    assert [community.name for community in found] == ["B2"]
    assert found.left_out == {"B1": "part of B2, and adds little to it"}


def test_a_part_of_a_community_that_doubles_the_odds_again_is_shown() -> None:
    assert [community.name for community in find_communities(GRAPH, factors([FEW, ALL]), "nearest")] == ["B1", "B2"]


def test_a_part_of_a_community_of_the_other_kind_is_shown() -> None:
    weak = [0.5, 0.5, 0.5, 0, 0, 0]
    assert [c.name for c in find_communities(GRAPH, factors([ALL], [weak]), "nearest")] == ["B1", "C1"]


def test_the_strongest_of_those_with_the_same_members_is_kept() -> None:
    found = find_communities(GRAPH, factors([FEW, [3 * value for value in FEW], FEW]), "nearest")
    assert [community.name for community in found] == ["B2"]
    assert found.left_out == dict.fromkeys(("B1", "B3"), "the same members as B2")


def test_a_single_node_is_no_community() -> None:
    found = find_communities(GRAPH, factors([[5.0, 0.1, 0, 0, 0, 0]]), "nearest")
    assert not len(found)
    assert found.left_out == {"B1": "a single member"}
    assert str(found).endswith("1 left out: B1 (a single member)")


COLUMNS = st.lists(
    st.lists(st.sampled_from([0.0, 0.01, 0.5, 1.0, 3.0]), min_size=6, max_size=6), min_size=1, max_size=5
)


@given(COLUMNS, COLUMNS, st.sampled_from(["links", "nearest", "odds", "density", "split", 0.3]))
def test_every_column_is_shown_or_left_out_and_no_two_that_are_shown_say_the_same(
    B: list[list[float]], C: list[list[float]], rule: str | float
) -> None:
    given_columns = factors(B, C)
    found = find_communities(GRAPH, given_columns, rule)
    names = [community.name for community in found]
    assert sorted([*names, *found.left_out]) == sorted(given_columns.names)
    sets = [(community.kind, frozenset(community.members)) for community in found]
    assert len(set(sets)) == len(sets)
    for community in found:
        assert len(community) > 1
        assert abs(community.strength) >= 1e-3
        whole = [c for c in found if c.kind == community.kind and set(community.members) < set(c.members)]
        assert not whole or abs(community.typical) >= np.log(2)
    for reason in found.left_out.values():
        of = [name for name in given_columns.names if f" {name}" in reason]
        assert all(name in names for name in of)


def test_models_without_odds_show_parts_of_communities() -> None:
    model = SymNMF(3, random_state=0).fit(GRAPH)
    assert not any("adds little" in reason for reason in model.communities().left_out.values())


def test_everything_is_shown_on_request() -> None:
    model = CommunityModel(8, 1, penalty=1, random_state=0).fit(GRAPH)
    every, tidy = model.communities("nearest", everything=True), model.communities("nearest")
    assert {c.name for c in every} - {c.name for c in tidy} == set(tidy.left_out) - set(every.left_out)
    assert set(every.left_out.values()) <= {"empty"}


@pytest.mark.parametrize(
    "model",
    [
        lambda: CommunityModel(random_state=0).fit(dating_app(120, cities=3, random_state=0)),
        lambda: CommunityModel(random_state=0).fit(classic("karate")),  # finer columns refine its communities
        lambda: CommunityModel(2, 1, penalty=1, random_state=0).fit(classic("karate")),
        sparse_models.hidden,
    ],
    ids=["read", "refined", "given", "sparse"],
)
def test_a_community_does_what_explain_says_of_two_typical_members(model: Callable[[], CommunityModel]) -> None:
    fitted = model()
    for community in fitted.communities()[:3]:
        parts = [
            next((r.log_odds for r in fitted.explain(u, v).reasons if r.community == community.name), 0.0)
            for u, v in combinations(community, 2)
        ]
        assert community.typical == pytest.approx(np.median(parts), rel=0.3)
        assert community.odds_factor == pytest.approx(np.exp(community.typical))

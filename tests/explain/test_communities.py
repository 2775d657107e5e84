from __future__ import annotations

import numpy as np
import pytest

from philia.exceptions import InvalidParameterError
from philia.explain import find_communities
from philia.factors import CommunityFactors
from philia.graphs import Nodes
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

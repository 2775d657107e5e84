from __future__ import annotations

import numpy as np
import pytest

from philia import as_graph
from philia.datasets import planted
from philia.graphs import Graph, Nodes
from philia.selection.plan import detectable
from tests.strategies import random_graph


@pytest.mark.parametrize("groups", [1, 4, 9])
def test_groups_that_stand_out_are_counted(groups: int) -> None:
    graph = planted(600, groups, 0, degree=25, attraction=4, overlap=0, random_state=1).graph
    assert detectable(graph, 30, np.random.default_rng(0)) == (groups, 0)


def test_a_large_graph_and_a_small_one_are_counted_alike() -> None:
    graph = planted(190, 3, 0, degree=20, attraction=5, overlap=0, random_state=1).graph
    twice = Graph.from_rows(
        np.concatenate([graph.links[0], graph.links[0] + 190]),
        np.concatenate([graph.links[1], graph.links[1] + 190]),
        Nodes.numbered(380),
    )  # the second is too large for all eigenvalues, and has each of them twice
    one, two = (detectable(g, 30, np.random.default_rng(0))[0] for g in (graph, twice))
    assert two == 2 * one


def test_no_more_are_counted_than_asked_for() -> None:
    graph = planted(600, 9, 0, degree=25, overlap=0, random_state=1).graph
    assert detectable(graph, 5, np.random.default_rng(0))[0] == 5


def test_chance_has_one_group_at_most() -> None:
    assert detectable(random_graph(500, 0.05, 0), 30, np.random.default_rng(0))[0] <= 1


def test_graphs_with_next_to_nothing_in_them_have_no_groups() -> None:
    rng = np.random.default_rng(0)
    assert detectable(as_graph([(0, 1)]), 10, rng) == (0, 0)
    assert detectable(Graph.from_rows(np.empty(0, int), np.empty(0, int), Nodes.numbered(300)), 10, rng) == (0, 0)

from __future__ import annotations

import numpy as np
import pytest

from philia.exceptions import InvalidParameterError
from philia.execution import LocalThreads
from philia.objective import Freedom, SampledPairsObjective
from tests.strategies import community_recipe, random_graph

STAR = random_graph(200, 0.02, seed=0)
F = np.zeros((200, 2))


def test_weights_of_sampled_columns_average_to_one_per_node() -> None:
    objective, rng = SampledPairsObjective(STAR, community_recipe(1, 1), columns=10), np.random.default_rng(0)
    stood_for = np.zeros(200)
    for _ in range(4000):
        drawn = objective.draw(F, rng)
        np.add.at(stood_for, drawn.nodes, drawn.weights)
    assert stood_for.sum() / 4000 == pytest.approx(200, rel=0.02)
    np.testing.assert_allclose(stood_for / 4000, 1.0, atol=0.4)


def test_nodes_of_high_degree_are_drawn_more_often_and_weights_are_bounded() -> None:
    objective, rng = SampledPairsObjective(STAR, community_recipe(1, 1), columns=10), np.random.default_rng(0)
    nodes = np.concatenate([objective.draw(F, rng).nodes for _ in range(2000)])
    times = np.bincount(nodes, minlength=200)
    assert np.corrcoef(times, STAR.degrees)[0, 1] > 0.9
    assert max(objective.draw(F, rng).weights.max() for _ in range(50)) <= 2 * 200 / 10


def test_the_number_of_threads_changes_nothing() -> None:
    graph, recipe = random_graph(900, 0.02, seed=1), community_recipe(3, 2, Freedom.EVERY_NODE)
    point = np.random.default_rng(0).random(recipe.size(900))
    found = [
        SampledPairsObjective(graph, recipe, columns=100, executor=LocalThreads(threads)).estimate(
            point, np.random.default_rng(1)
        )
        for threads in (1, 2, 3)
    ]
    for value, gradient in found[1:]:
        assert value == found[0][0]
        np.testing.assert_array_equal(gradient, found[0][1])


def test_shared_columns_are_marked_and_columns_of_ones_have_no_slope() -> None:
    objective = SampledPairsObjective(STAR, community_recipe(1, 1, Freedom.SHARED), columns=10, dtype=np.float64)
    F = np.ones((200, 4))
    _, gradient = objective.by_rows(F, objective.blocks[0], np.random.default_rng(0))
    assert objective.shared.tolist() == [False, False, False, True]
    assert not gradient[:, 2].any()
    assert gradient[:, 3].any()


def test_fewer_than_one_column_or_row_is_refused() -> None:
    with pytest.raises(InvalidParameterError, match="1 or more"):
        SampledPairsObjective(STAR, community_recipe(1, 1), columns=0)


def test_a_graph_without_links_is_sampled_evenly() -> None:
    empty = random_graph(50, 0.0, seed=0)
    drawn = SampledPairsObjective(empty, community_recipe(1, 1), columns=10).draw(F[:50], np.random.default_rng(0))
    np.testing.assert_allclose(drawn.weights, 5.0)

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from philia._types import Float64Array
from philia.execution import LocalThreads
from philia.objective import AllPairsObjective, Freedom, Recipe, SampledPairsObjective
from philia.objective.sampled_pairs import _Round
from philia.pairs import RandomPairs
from philia.solvers import Adam
from tests.execution.keepers import Parts
from tests.strategies import community_recipe, random_graph, recipes, weighed


@given(recipes(), st.booleans(), st.booleans(), st.integers(1, 70), st.integers(1, 5))
def test_shards_that_use_all_columns_give_the_exact_objective(
    recipe: Recipe, weights: bool, diagonal: bool, n: int, parts: int
) -> None:
    graph = random_graph(n, 0.2, seed=n)
    graph = weighed(graph, seed=1) if weights else graph
    settings: dict[str, Any] = {
        "penalty": 0.7,
        "diagonal": diagonal,
        "held_out": RandomPairs(0.1, seed=3),
        "dtype": np.float64,
    }
    point = np.random.default_rng(0).random(recipe.size(n))
    value, gradient = AllPairsObjective(graph, recipe, **settings).value_and_gradient(point)
    sharded = SampledPairsObjective(graph, recipe, executor=Parts(parts), rows=5, **settings)
    found = sharded.estimate(point, np.random.default_rng(0))
    assert found[0] == pytest.approx(value, rel=1e-9, abs=1e-9)
    np.testing.assert_allclose(found[1], gradient, rtol=1e-8, atol=1e-8)


def test_the_number_of_parts_changes_no_bit() -> None:
    graph, recipe = random_graph(900, 0.02, seed=1), community_recipe(3, 2, Freedom.EVERY_NODE)
    point = np.random.default_rng(0).random(recipe.size(900))

    def estimate(parts: int) -> tuple[float, Float64Array]:
        objective = SampledPairsObjective(graph, recipe, columns=100, rows=40, executor=Parts(parts))
        return objective.estimate(point, np.random.default_rng(1))

    value, gradient = estimate(1)
    for parts in (2, 5, 16):
        assert estimate(parts)[0] == value
        np.testing.assert_array_equal(estimate(parts)[1], gradient)


def test_a_part_has_only_the_links_of_its_rows() -> None:
    graph = random_graph(400, 0.05, seed=1)
    kept: list[Any] = []

    class Watched(Parts):
        def keep(self, work: Any) -> Any:
            kept.extend(work.part(shard, shard + 1) for shard in range(len(work)))
            return super().keep(work)

    SampledPairsObjective(graph, community_recipe(1, 1), executor=Watched(1))
    links = [part.objective.known.adjacency.nnz for part in kept]
    assert sum(links) == 2 * graph.n_links
    assert max(links) < 1.5 * np.mean(links)


@given(st.integers(1, 30), st.integers(0, 2**32 - 1))
def test_a_difference_turns_one_round_into_the_next(n: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    shared, moved = np.array([False, True, False]), rng.random(n) < 0.3
    before = rng.random((n, 3)).astype(np.float32)
    after = np.where(moved[:, None], rng.random((n, 3)), before).astype(np.float32)
    before[:, 1], after[:, 1] = 1.0, rng.random()
    one, two = _Round(before, shared, 0, 5), _Round(after, shared, 3, 6)
    change = two.since(one)
    made = change(one)
    np.testing.assert_array_equal(made.F, two.F)
    assert (made.block, made.seed, change.rows.size) == (3, 6, moved.sum())


def test_a_search_in_shards_ends_about_where_one_in_blocks_does() -> None:
    graph, recipe = random_graph(1500, 0.02, seed=1), community_recipe(3, 2, Freedom.SHARED)
    start, lower = np.random.default_rng(0).uniform(0, 0.5, (1500, 7)), np.array([0, 0, 0, 0, 0, -np.inf, -np.inf])
    start[:, 5], start[:, 6] = 1.0, -1.0
    exact = AllPairsObjective(graph, recipe, penalty=0.5)

    def reached(executor: Any) -> float:
        objective = SampledPairsObjective(graph, recipe, penalty=0.5, columns=200, rows=128, executor=executor)
        assert len(objective.blocks) == (4 if isinstance(executor, Parts) else 12)
        found = Adam(40).minimize(objective, start, lower, np.random.default_rng(0)).point
        return exact.value_and_gradient(recipe.point(found))[0]

    assert reached(Parts(2)) == pytest.approx(reached(LocalThreads(1)), rel=0.005)

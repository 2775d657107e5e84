"""The mean of the sampled objective over many draws is the exact one, in value and in gradient."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from philia._types import Float64Array
from philia.graphs import Graph
from philia.objective import (
    AllPairsObjective,
    Freedom,
    Recipe,
    SampledPairsObjective,
)
from philia.pairs import HeldOut, ListedPairs, RandomPairs
from tests.strategies import community_recipe, graphs, logistic_recipe, random_graph, recipes, weighed

DRAWS = 200
STANDARD_ERRORS = 6.0
"""By chance the mean of so many draws strays so far once in some hundred million times."""


def held_out_for(graph: Graph, kind: str, seed: int) -> HeldOut | None:
    if kind == "random":
        return RandomPairs(0.3, seed)
    if kind == "listed" and graph.n_nodes > 1:
        drawn = np.random.default_rng(seed).integers(graph.n_nodes, size=(3 * graph.n_nodes, 2)).tolist()
        return ListedPairs(graph, [(u, v) for u, v in drawn if u != v])
    return None


def random_point(recipe: Recipe, n: int, seed: int) -> Float64Array:
    return np.random.default_rng(seed).uniform(0.05, 0.7, recipe.size(n))


def assert_same_mean(draws: Float64Array, expected: Float64Array) -> None:
    """Column by column, the mean of the draws is the expected number within its standard errors."""
    error = draws.std(axis=0, ddof=1) / np.sqrt(len(draws))
    rounding = 1e-9 * (1 + np.abs(expected).max())
    assert (np.abs(draws.mean(axis=0) - expected) <= STANDARD_ERRORS * error + rounding).all()


def assert_unbiased(sampled: SampledPairsObjective, exact: AllPairsObjective, seed: int) -> None:
    """The value, and the gradient along its own direction and along random ones."""
    point, rng = random_point(exact.recipe, exact.n, seed), np.random.default_rng(seed + 1)
    value, gradient = exact.value_and_gradient(point)
    directions = np.stack([gradient, *rng.choice([-1.0, 1.0], (4, point.size))])
    found = []
    for _ in range(DRAWS):
        estimate, slope = sampled.estimate(point, rng)
        found.append([estimate, *(directions @ slope)])
    assert_same_mean(np.array(found), np.array([value, *(directions @ gradient)]))


@settings(max_examples=60)
@given(
    graph=graphs(),
    recipe=recipes(),
    kind=st.sampled_from(["none", "random", "listed"]),
    weights=st.booleans(),
    diagonal=st.booleans(),
    columns=st.integers(2, 8),
    seed=st.integers(0, 10**6),
)
def test_every_mixing_loss_and_mask_is_estimated_without_bias(
    graph: Graph, recipe: Recipe, kind: str, weights: bool, diagonal: bool, columns: int, seed: int
) -> None:
    assume(graph.n_nodes > columns)
    graph = weighed(graph, seed) if weights else graph
    how: dict[str, Any] = {
        "penalty": 0.3,
        "diagonal": diagonal,
        "held_out": held_out_for(graph, kind, seed),
        "dtype": np.float64,
    }
    sampled = SampledPairsObjective(graph, recipe, columns=columns, rows=11, **how)
    assert_unbiased(sampled, AllPairsObjective(graph, recipe, **how), seed)


@settings(max_examples=60)
@given(
    graph=graphs(),
    recipe=recipes(),
    kind=st.sampled_from(["none", "random", "listed"]),
    weights=st.booleans(),
    diagonal=st.booleans(),
    dtype=st.sampled_from(["float64", "float32"]),
    seed=st.integers(0, 10**6),
)
def test_where_all_columns_are_taken_nothing_is_left_to_chance(
    graph: Graph, recipe: Recipe, kind: str, weights: bool, diagonal: bool, dtype: str, seed: int
) -> None:
    graph = weighed(graph, seed) if weights else graph
    point, how = random_point(recipe, graph.n_nodes, seed), dict[str, Any](penalty=0.3, diagonal=diagonal)
    hidden = held_out_for(graph, kind, seed)
    value, gradient = AllPairsObjective(graph, recipe, held_out=hidden, **how).value_and_gradient(point)
    sampled = SampledPairsObjective(graph, recipe, held_out=hidden, dtype=dtype, columns=40, rows=11, **how)
    found, slope = sampled.estimate(point, np.random.default_rng(seed))
    close = 1e-10 if dtype == "float64" else 3e-5
    assert found == pytest.approx(value, rel=close, abs=close * (graph.n_nodes**2 + 1))
    np.testing.assert_allclose(slope, gradient, rtol=0, atol=close * (np.abs(gradient).max() + 1))


@pytest.mark.parametrize(
    "recipe", [community_recipe(3, 2, Freedom.SHARED), logistic_recipe(3)], ids=["both", "one way"]
)
def test_a_graph_of_many_pieces_and_tiles_is_estimated_without_bias(recipe: Recipe) -> None:
    graph = random_graph(700, 0.02, seed=1)
    how: dict[str, Any] = {"penalty": 0.3, "diagonal": False, "held_out": RandomPairs(0.1, 3), "dtype": np.float64}
    sampled = SampledPairsObjective(graph, recipe, columns=300, rows=300, **how)
    assert_unbiased(sampled, AllPairsObjective(graph, recipe, **how), seed=0)

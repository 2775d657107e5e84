"""The objective and its gradient, by every kernel, against n × n matrices and against finite differences."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from philia._types import BoolArray, Float64Array
from philia.graphs import Graph
from philia.objective import (
    AllPairsObjective,
    ClosedFormObjective,
    Divergence,
    Freedom,
    Group,
    Loss,
    NoisyOr,
    Recipe,
    SmallObjective,
    SquaredError,
    exact_objective,
)
from philia.objective.all_pairs import SmallPairs
from philia.objective.kernels import compiled, reference
from philia.objective.recipe import attracting, blocks
from philia.pairs import HeldOut, ListedPairs, RandomPairs
from tests.reference import dense
from tests.strategies import community_recipe, graphs, logistic_recipe, random_graph, recipes

KERNELS = [pytest.param(reference, id="reference"), pytest.param(compiled, id="compiled")]


def point_for(recipe: Recipe, n: int, seed: int = 0) -> Float64Array:
    return np.random.default_rng(seed).uniform(0.05, 0.7, recipe.size(n))


def seen_pairs(n: int, held_out: HeldOut | None, *, diagonal: bool) -> BoolArray:
    rows, columns = np.indices((n, n))
    seen = np.ones((n, n), dtype=bool) if held_out is None else ~held_out.contains(rows, columns)
    np.fill_diagonal(seen, diagonal)
    return seen


def dense_value_and_gradient(
    graph: Graph, recipe: Recipe, point: Float64Array, penalty: float, seen: BoolArray
) -> tuple[float, Float64Array]:
    A = graph.adjacency.toarray().astype(float)
    loss = dense.LOSSES[type(recipe.loss).__name__]
    value, gradient = loss(A, recipe.factors(point, graph.n_nodes), recipe.mixing, seen)
    weights = recipe.penalties(penalty, graph.n_nodes)
    return value + float((weights * point**2).sum()), recipe.pulled_back(gradient) + 2 * weights * point


def held_out_for(graph: Graph, kind: str, seed: int) -> HeldOut | None:
    if kind == "random":
        return RandomPairs(0.3, seed)
    if kind == "listed" and graph.n_nodes > 1:
        rng = np.random.default_rng(seed)
        drawn = rng.integers(graph.n_nodes, size=(3 * graph.n_nodes, 2)).tolist()
        return ListedPairs(graph, [(u, v) for u, v in drawn if u != v])
    return None


def assert_matches_dense(
    graph: Graph, recipe: Recipe, kernel: ModuleType, dtype: str, held_out: HeldOut | None, diagonal: bool, seed: int
) -> None:
    point = point_for(recipe, graph.n_nodes, seed)
    seen = seen_pairs(graph.n_nodes, held_out, diagonal=diagonal)
    expected_value, expected_gradient = dense_value_and_gradient(graph, recipe, point, 0.3, seen)
    close = 1e-10 if dtype == "float64" else 3e-5
    scale = np.abs(expected_gradient).max() + 1
    counted: dict[str, Any] = {"penalty": 0.3, "diagonal": diagonal, "held_out": held_out}
    ways = [  # tile by tile, in closed form where there is one, and in one compiled call on small graphs
        AllPairsObjective(graph, recipe, **counted, dtype=dtype, kernel=kernel),
        exact_objective(graph, recipe, **counted, dtype=dtype, kernel=kernel),
        exact_objective(graph, recipe, **counted, dtype=dtype),
    ]
    for objective in ways:
        value, gradient = objective.value_and_gradient(point)
        assert value == pytest.approx(expected_value, rel=close, abs=close * (graph.n_nodes**2 + 1))
        np.testing.assert_allclose(gradient, expected_gradient, rtol=0, atol=close * scale)


@pytest.mark.parametrize("kernel", KERNELS)
@settings(max_examples=150)
@given(
    graph=graphs(),
    recipe=recipes(),
    dtype=st.sampled_from(["float64", "float32"]),
    kind=st.sampled_from(["none", "random", "listed"]),
    diagonal=st.booleans(),
    seed=st.integers(0, 10**6),
)
def test_every_kernel_mixing_loss_precision_and_mask_gives_the_dense_objective(
    kernel: ModuleType, graph: Graph, recipe: Recipe, dtype: str, kind: str, diagonal: bool, seed: int
) -> None:
    assert_matches_dense(graph, recipe, kernel, dtype, held_out_for(graph, kind, seed), diagonal, seed)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("n", [1, 2, 3, 191, 192, 193, 383, 384, 385, 700])
@pytest.mark.parametrize("kind", ["none", "random", "listed"])
def test_sizes_around_the_tile_give_the_dense_objective(kernel: ModuleType, n: int, kind: str) -> None:
    graph = random_graph(n, 0.05, seed=n)
    held_out = held_out_for(graph, kind, seed=n)
    for recipe in (community_recipe(3, 2), logistic_recipe(2), community_recipe(9, 8, Freedom.EVERY_NODE)):
        assert_matches_dense(graph, recipe, kernel, "float64", held_out, diagonal=False, seed=n)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("k", [(4, 4), (15, 15)])
def test_a_graph_of_many_large_tiles_gives_the_same_from_both_kernels(dtype: str, k: tuple[int, int]) -> None:
    graph, recipe = random_graph(2100, 0.01, seed=1), community_recipe(*k)
    point = point_for(recipe, graph.n_nodes)
    held_out = RandomPairs(0.1, seed=3)
    fast = AllPairsObjective(graph, recipe, held_out=held_out, dtype=dtype, kernel=compiled).value_and_gradient(point)
    slow = AllPairsObjective(graph, recipe, held_out=held_out, kernel=reference).value_and_gradient(point)
    close = 1e-12 if dtype == "float64" else 1e-6
    assert fast[0] == pytest.approx(slow[0], rel=close)
    np.testing.assert_allclose(fast[1], slow[1], atol=close * float(np.abs(slow[1]).max()) * 10, rtol=0)


@settings(max_examples=40)
@given(graph=graphs(max_nodes=12), recipe=recipes(), seed=st.integers(0, 10**6))
def test_the_gradient_is_the_slope_of_the_value(graph: Graph, recipe: Recipe, seed: int) -> None:
    point = point_for(recipe, graph.n_nodes, seed)
    objective = AllPairsObjective(graph, recipe, penalty=0.5, held_out=RandomPairs(0.2, seed))
    _, gradient = objective.value_and_gradient(point)
    direction = np.random.default_rng(seed).standard_normal(point.size)
    step = 1e-5
    ahead, behind = (objective.value_and_gradient(point + t * direction)[0] for t in (step, -step))
    assert (ahead - behind) / (2 * step) == pytest.approx(float(gradient @ direction), rel=1e-5, abs=1e-5)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_extreme_scores_stay_finite_and_right(kernel: ModuleType, dtype: str) -> None:
    graph = random_graph(6, 0.5, seed=0)
    recipe = community_recipe(1, 1)
    for B, C in ((40.0, 0.0), (0.0, 40.0), (1e-30, 1e-30)):
        F = np.tile([B, C], (6, 1))
        value, gradient = AllPairsObjective(graph, recipe, dtype=dtype, kernel=kernel).by_factors(F)
        score = B * B - C * C
        costs = 36 * max(score, 0.0) + 36 * np.log1p(np.exp(-abs(score))) - 2 * graph.n_links * score
        assert value == pytest.approx(costs, rel=1e-6, abs=1e-6)
        assert np.isfinite(gradient).all()


def test_given_columns_beside_searched_ones_give_the_dense_objective_on_small_graphs() -> None:
    graph, rng = random_graph(50, 0.2, seed=0), np.random.default_rng(0)
    given = Group("read", 3, freedom=Freedom.FIXED, penalized=False, given=rng.random((50, 3)))
    recipe = community_recipe(3, 2, Freedom.EVERY_NODE)
    recipe = Recipe((given, *recipe.groups), blocks(attracting(3), recipe.mixing), recipe.loss)
    assert isinstance(exact_objective(graph, recipe), SmallObjective)
    assert_matches_dense(graph, recipe, reference, "float64", RandomPairs(0.3, 1), diagonal=False, seed=0)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_pairs_that_objectives_share_give_each_of_them_its_own_value(dtype: str) -> None:
    graph, rng, hidden = random_graph(70, 0.2, seed=0), np.random.default_rng(0), RandomPairs(0.3, 1)
    pairs, tolerance = SmallPairs(graph, diagonal=False, held_out=hidden), 1e-9 if dtype == "float64" else 1e-4
    for width, seed in ((2, 0), (2, 1), (0, 0), (3, 0)):
        read = np.random.default_rng(seed).random((70, width))
        given = Group("read", width, freedom=Freedom.FIXED, penalized=False, given=read)
        recipe = community_recipe(3, 2, Freedom.EVERY_NODE)
        recipe = Recipe((given, *recipe.groups), blocks(attracting(width), recipe.mixing), recipe.loss)
        point = rng.random(recipe.size(70))
        small = SmallObjective(graph, recipe, penalty=0.7, held_out=hidden, diagonal=False, dtype=dtype, pairs=pairs)
        slow = AllPairsObjective(
            graph, recipe, penalty=0.7, held_out=hidden, diagonal=False, kernel=reference
        ).value_and_gradient(point)
        value, gradient = small.value_and_gradient(point)
        assert value == pytest.approx(slow[0], rel=tolerance)
        np.testing.assert_allclose(gradient, slow[1], rtol=tolerance, atol=100 * tolerance)


def test_a_nan_in_the_factors_is_not_hidden() -> None:
    graph, recipe = random_graph(600, 0.05, seed=0), community_recipe(2, 2)
    F = np.full((600, 4), 0.1)
    F[3, 1] = np.nan
    for dtype in ("float64", "float32"):
        value, _ = AllPairsObjective(graph, recipe, dtype=dtype, kernel=compiled).by_factors(F)
        assert np.isnan(value)
    value, _ = SmallObjective(random_graph(60, 0.5, seed=0), recipe).value_and_gradient(recipe.point(F[:60]))
    assert np.isnan(value)


def test_the_short_way_is_taken_where_there_is_one() -> None:
    graph = random_graph(5, 0.5, seed=0)
    for loss in (NoisyOr(), Divergence(), SquaredError()):
        recipe = community_recipe(2, 0, None, loss)
        assert isinstance(exact_objective(graph, recipe), ClosedFormObjective)
        assert isinstance(exact_objective(graph, recipe, held_out=ListedPairs(graph, [(0, 1)])), ClosedFormObjective)
        linear = loss.moment == 1  # hidden scores are then summed by one sparse product
        assert isinstance(exact_objective(graph, recipe, held_out=RandomPairs(0.1)), ClosedFormObjective) == linear
        assert not isinstance(exact_objective(graph, recipe, held_out=RandomPairs(0.5)), ClosedFormObjective)
    assert not isinstance(exact_objective(graph, community_recipe(2, 0)), ClosedFormObjective)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("loss", [NoisyOr(), Divergence()], ids=lambda loss: type(loss).__name__)
def test_links_without_any_score_cost_much_and_pull_upwards(kernel: ModuleType, loss: Loss) -> None:
    graph, recipe = random_graph(6, 0.5, seed=0), community_recipe(1, 0, None, loss)
    for size in (0.0, 1e-9, 1e-5, 1e-3):
        F = np.full((6, 1), size)
        value, gradient = AllPairsObjective(graph, recipe, kernel=kernel).by_factors(F)
        assert np.isfinite(value)
        costs, slopes = loss.link_correction(np.array([size**2]))
        assert value == pytest.approx(36 * size**2 + 2 * graph.n_links * float(costs[0]), rel=1e-9)
        assert (gradient[graph.degrees > 0] <= 0).all()
        assert slopes[0] < -1

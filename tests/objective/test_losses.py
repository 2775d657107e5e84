"""A loss is one class: everything that computes with losses takes it from there."""

from __future__ import annotations

import subprocess
import sys
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from philia._compilation import specialized
from philia.factors import CommunityFactors
from philia.objective import (
    AllPairsObjective,
    CrossEntropy,
    Divergence,
    Loss,
    NoisyOr,
    RandomPairs,
    SampledPairsObjective,
    SquaredError,
)
from philia.objective.fold_in import fold_in
from philia.objective.kernels import compiled, reference
from philia.objective.rates import PairRates
from philia.solvers import LBFGSB, Adam
from tests.strategies import community_recipe, random_graph, weighed


class Poisson(Loss):
    """Links as counts with mean e^s. Known to this file alone."""

    neutral = -1e4

    @staticmethod
    def non_link(s: Any) -> tuple[Any, Any]:
        return np.exp(s), np.exp(s)

    @staticmethod
    def link(s: Any) -> tuple[Any, Any]:
        return -s, -1.0

    @staticmethod
    def expected(s: Any) -> Any:
        return np.exp(s)


LOSSES = [CrossEntropy(), SquaredError(), NoisyOr(), Divergence(), Poisson()]
names = pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: type(loss).__name__)
kernels = pytest.mark.parametrize("kernel", [reference, compiled], ids=["reference", "compiled"])

GRAPH = random_graph(60, 0.1, seed=1)


def dense_poisson(F: Any, M: Any, seen: Any) -> tuple[float, Any]:
    A, S = GRAPH.adjacency.toarray().astype(float), F @ M @ F.T
    D = np.where(seen, np.exp(S) - A, 0.0)
    return float((np.exp(S) - A * S)[seen].sum()), D @ F @ M.T + D.T @ F @ M


@kernels
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_a_custom_loss_is_summed_over_all_pairs(kernel: ModuleType, dtype: str) -> None:
    recipe, held_out = community_recipe(3, 2, None, Poisson()), RandomPairs(0.2, 4)
    F = np.random.default_rng(0).uniform(0, 0.6, (60, 5))
    value, gradient = AllPairsObjective(GRAPH, recipe, held_out=held_out, dtype=dtype, kernel=kernel).by_factors(F)
    expected, slopes = dense_poisson(F, recipe.mixing, ~held_out.contains(*np.indices((60, 60))))
    close = 1e-11 if dtype == "float64" else 1e-5
    assert value == pytest.approx(expected, rel=close)
    np.testing.assert_allclose(gradient, slopes, atol=close * 100)


@kernels
def test_a_custom_loss_is_estimated_from_sampled_pairs(kernel: ModuleType) -> None:
    recipe, held_out = community_recipe(3, 2, None, Poisson()), RandomPairs(0.2, 4)
    objective = SampledPairsObjective(GRAPH, recipe, held_out=held_out, columns=60, dtype=np.float64, kernel=kernel)
    F = np.random.default_rng(0).uniform(0, 0.6, (60, 5))
    value, slope = objective.estimate(recipe.point(F), np.random.default_rng(0))
    expected, slopes = dense_poisson(F, recipe.mixing, ~held_out.contains(*np.indices((60, 60))))
    assert value == pytest.approx(expected, rel=1e-11)
    np.testing.assert_allclose(slope, recipe.point(slopes), atol=1e-9)


@kernels
def test_a_custom_loss_is_minimized_by_both_searches(kernel: ModuleType) -> None:
    recipe = community_recipe(3, 0, None, Poisson())
    F = np.random.default_rng(0).uniform(0, 0.6, (60, 3))
    exact = AllPairsObjective(GRAPH, recipe, penalty=1.0, kernel=kernel)
    found = LBFGSB(iterations=500).minimize(exact.value_and_gradient, recipe.point(F), recipe.lower_bounds(60))
    assert found.converged
    sampled = SampledPairsObjective(GRAPH, recipe, penalty=1.0, columns=60, kernel=kernel)
    by_adam = Adam(iterations=100).minimize(sampled, F, np.zeros(3), np.random.default_rng(0))
    assert by_adam.value == pytest.approx(found.value, rel=1e-2)


@names
@kernels
@pytest.mark.parametrize("weights", [False, True], ids=["plain", "weighted"])
def test_both_kernels_estimate_the_same_from_the_same_draws(loss: Loss, kernel: ModuleType, weights: bool) -> None:
    graph = weighed(GRAPH, 3) if weights else GRAPH
    how: dict[str, Any] = {"held_out": RandomPairs(0.1, 2), "columns": 20, "rows": 17, "dtype": np.float64}
    recipe = community_recipe(3, 0, None, loss)
    point = np.random.default_rng(0).uniform(0.1, 0.6, recipe.size(60))
    found = SampledPairsObjective(graph, recipe, kernel=kernel, **how).estimate(point, np.random.default_rng(7))
    usual = SampledPairsObjective(graph, recipe, **how).estimate(point, np.random.default_rng(7))
    assert found[0] == pytest.approx(usual[0], rel=1e-12)
    np.testing.assert_allclose(found[1], usual[1], rtol=1e-9, atol=1e-9)


@names
def test_a_new_node_is_folded_in_where_its_gradient_vanishes(loss: Loss) -> None:
    recipe = community_recipe(3, 0, None, loss)
    F = np.random.default_rng(0).uniform(0.1, 1.0, (30, 3))
    links = sparse.csr_array((np.arange(60).reshape(2, 30) % 7 == 0).astype(float))
    unknown = sparse.csr_array(np.arange(60).reshape(2, 30) % 7 == 3)
    rows, residuals = fold_in(recipe, F, links, unknown, penalty=0.5)
    assert residuals.max() < 1e-7

    def cost(row: Any, node: int) -> float:
        scores, linked = F @ row, links.toarray()[node] > 0
        costs = np.where(linked, loss.with_link(scores)[0], loss.without_link(scores)[0])
        return float(2 * costs[~unknown.toarray()[node]].sum() + 0.5 * (row**2).sum())

    rng = np.random.default_rng(1)
    for node in range(2):
        for step in (1e-3, 1e-1):
            around = np.maximum(rows[node] + step * rng.standard_normal((50, 3)), 0)
            assert min(cost(row, node) for row in around) >= cost(rows[node], node) - 1e-9


@names
def test_pairs_are_drawn_as_often_as_their_probability_says(loss: Loss) -> None:
    factors = CommunityFactors.attracting(np.random.default_rng(0).uniform(0, 0.4, (40, 2)))
    i, j = np.triu_indices(40, k=1)
    expected = loss.probability(factors.scores(i, j)).sum()
    drawn = sum(
        len(part.rows) for seed in range(100) for part in PairRates.of(factors, loss).draw(np.random.default_rng(seed))
    )
    assert drawn / 100 == pytest.approx(expected, abs=6 * np.sqrt(expected / 100))


@names
@pytest.mark.parametrize("formula", ["non_link", "link"])
def test_slopes_and_curvatures_match_finite_differences(loss: Loss, formula: str) -> None:
    charge = {"non_link": loss.without_link, "link": loss.link_correction}[formula]
    curvature = {"non_link": loss.curvature, "link": loss.link_curvature}[formula]
    s, step = np.linspace(0.05, 3, 60), 1e-5
    ahead, behind = charge(s + step), charge(s - step)
    np.testing.assert_allclose(charge(s)[1], (ahead[0] - behind[0]) / (2 * step), atol=1e-6, rtol=1e-6)
    np.testing.assert_allclose(curvature(s), (ahead[1] - behind[1]) / (2 * step), atol=1e-5, rtol=1e-5)


@names
def test_cost_and_slope_are_zero_at_the_neutral_score(loss: Loss) -> None:
    for dtype in (np.float64, np.float32):
        costs, slopes = loss.without_link(np.array([loss.neutral], dtype))
        assert (float(costs[0]), float(slopes[0])) == (0, 0)


@names
def test_row_costs_match_the_formula(loss: Loss) -> None:
    scores: Any = np.random.default_rng(0).normal(0, 3, (7, 700)) if loss.moment != 1 else np.linspace(0, 9, 700)[None]
    costs, slopes = loss.without_link(scores)
    own: Any = scores.copy()
    np.testing.assert_allclose(loss.row_costs(own, np.empty_like(own)), costs.sum(axis=1), rtol=1e-12)
    np.testing.assert_allclose(own, slopes, rtol=1e-12)


@pytest.mark.parametrize(("dtype", "close"), [(np.float64, 1e-13), (np.float32, 1e-6)])
def test_the_tuned_row_of_cross_entropy_matches_its_formula(dtype: type, close: float) -> None:
    scores: Any = np.concatenate([np.random.default_rng(0).normal(0, 4, 1200), [0, 50, -50, 1e3, -1e4]]).astype(dtype)
    costs, slopes = CrossEntropy().without_link(scores.astype(np.float64))
    own = scores.copy()
    assert CrossEntropy.tuned_row(own) == pytest.approx(costs.sum(), rel=10 * close)
    np.testing.assert_allclose(own, slopes, atol=close)


def _one_row(row: Any) -> float:
    return tuned_row(row)


tuned_row = CrossEntropy.tuned_row


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_compiled_slopes_are_right_to_a_few_units_in_the_last_place_of_their_scores(dtype: type) -> None:
    limits = np.finfo(dtype)
    special: list[float] = [
        0.0,
        float(limits.smallest_subnormal),
        float(limits.tiny),
        float(limits.eps),
        86.9,
        87.1,
        707.9,
        708.1,
        1e4,
    ]
    scores: Any = np.concatenate([np.linspace(-40, 40, 1601), special, [-s for s in special]]).astype(dtype)
    expected = CrossEntropy().without_link(scores.astype(np.float64))
    own: Any = scores.copy()
    value = specialized(_one_row, tuned_row=tuned_row)(own)
    assert value == pytest.approx(expected[0].sum(), rel=4 * float(limits.eps))
    few = 3 * float(limits.eps) * (1 + np.abs(scores.astype(np.float64))) * expected[1]
    assert (np.abs(own - expected[1]) <= few + 2 * float(limits.tiny)).all()


@names
def test_a_canonical_link_subtracts_the_score(loss: Loss) -> None:
    costs, slopes = loss.link_correction(np.array([0.3, 2.0]))
    if loss.canonical:
        assert (costs.tolist(), slopes.tolist()) == ([-0.3, -2.0], [-1.0, -1.0])


def test_kernels_for_every_loss_are_found_by_the_next_process() -> None:
    program = """
from philia.objective import CrossEntropy, Divergence
from philia.objective.kernels import compiled
for loss in (CrossEntropy, Divergence):
    compiled.prepare_lanes(loss, "float64")
    kernels = compiled._kernels_for(loss)
    print(*(sum(k.stats.cache_hits.values()) for k in (kernels.tiles, kernels.links)))
"""
    for _ in range(2):
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["1"] * 4

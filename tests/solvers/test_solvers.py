"""The contract of every solver."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

from philia._types import Float64Array
from philia.exceptions import InvalidParameterError
from philia.objective import AllPairsObjective, Freedom, SmallObjective
from philia.objective.kernels import reference
from philia.pairs import RandomPairs
from philia.solvers import LBFGSB, SOLVERS, FloorLBFGS, Progress, as_solver
from tests.strategies import community_recipe, random_graph

Make = Callable[..., LBFGSB | FloorLBFGS]
EVERY = pytest.mark.parametrize("make", [LBFGSB, FloorLBFGS, partial(FloorLBFGS, keep=0.0)])


def bowl(x: Float64Array) -> tuple[float, Float64Array]:
    weights = np.arange(1.0, x.size + 1)
    target = weights - 4.0
    return float((weights * (x - target) ** 2).sum()), 2 * weights * (x - target)


@EVERY
def test_a_convex_bowl_is_solved_inside_and_at_the_bounds(make: Make) -> None:
    lower = np.array([-np.inf, -np.inf, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    solution = make(iterations=500).minimize(bowl, np.ones(8), lower)
    np.testing.assert_allclose(solution.point, np.maximum(np.arange(8) - 3.0, lower), atol=1e-3)
    assert solution.converged
    assert "converged" in solution.reason


@EVERY
def test_the_history_never_rises_and_ends_at_the_value(make: Make) -> None:
    graph, recipe = random_graph(60, 0.2, seed=0), community_recipe(3, 2)
    objective = AllPairsObjective(graph, recipe, penalty=1.0)
    start = np.random.default_rng(0).random(recipe.size(60))
    lower = recipe.lower_bounds(60)
    seen: list[Progress] = []
    solution = make(iterations=40).minimize(objective.value_and_gradient, start, lower, seen.append)
    assert (np.diff(solution.history) <= 1e-9 * np.abs(solution.history[:-1])).all()
    assert solution.value == pytest.approx(solution.history.min())
    assert solution.value == objective.value_and_gradient(solution.point)[0]
    assert (solution.point >= lower).all()
    assert [p.iteration for p in seen] == list(range(1, solution.iterations + 1))
    assert len(seen) <= 40
    assert solution.evaluations >= solution.iterations
    assert str(solution.iterations) in str(solution)


@pytest.mark.parametrize("keep", [0.0, 0.5])
@pytest.mark.parametrize("n", [1, 2, 30, 120])
def test_a_search_in_one_compiled_call_takes_the_same_steps(keep: float, n: int) -> None:
    graph, recipe = random_graph(n, 0.2, seed=n), community_recipe(4, 2, Freedom.EVERY_NODE)
    settings: dict[str, Any] = {"penalty": 0.7, "diagonal": False, "held_out": RandomPairs(0.2, seed=1)}
    start, lower = np.random.default_rng(n).random(recipe.size(n)), recipe.lower_bounds(n)
    seen: list[Progress] = []
    slow = AllPairsObjective(graph, recipe, **settings, kernel=reference)
    steps = FloorLBFGS(iterations=25, keep=keep).minimize(slow.function, start, lower)
    found = FloorLBFGS(iterations=25, keep=keep).minimize(
        SmallObjective(graph, recipe, **settings).function, start, lower, seen.append
    )
    assert found.evaluations == steps.evaluations
    assert found.reason == steps.reason
    np.testing.assert_allclose(found.history, steps.history, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(found.point, steps.point, atol=1e-6)
    assert [p.iteration for p in seen] == list(range(1, found.iterations + 1))


@pytest.mark.parametrize("compiled", [True, False])
def test_a_search_above_a_floor_can_end_where_the_gradient_vanishes(compiled: bool) -> None:
    graph, recipe = random_graph(30, 0.3, seed=0), community_recipe(2, 1, Freedom.EVERY_NODE)
    start, lower = np.random.default_rng(0).random(recipe.size(30)), recipe.lower_bounds(30)
    slow = AllPairsObjective(graph, recipe, penalty=1.0, kernel=reference)
    function = SmallObjective(graph, recipe, penalty=1.0).function if compiled else slow.function
    solver = FloorLBFGS(iterations=2000, keep=0.0, value_tolerance=0.0, gradient_tolerance=1e-4)
    found = solver.minimize(function, start, lower)
    assert found.reason == "converged: the gradient vanished"
    gradient = slow.value_and_gradient(found.point)[1]
    assert np.abs(np.minimum(gradient, found.point - lower)).max() <= 1.01e-4


def test_a_compiled_search_converges_to_what_the_reference_reaches() -> None:
    graph, recipe = random_graph(80, 0.15, seed=3), community_recipe(3, 1, Freedom.EVERY_NODE)
    start, lower = np.random.default_rng(3).random(recipe.size(80)), recipe.lower_bounds(80)
    slow = AllPairsObjective(graph, recipe, penalty=1.0, kernel=reference)
    reference_value = FloorLBFGS(iterations=400).minimize(slow.function, start, lower).value
    found = FloorLBFGS(iterations=400).minimize(SmallObjective(graph, recipe, penalty=1.0).function, start, lower)
    assert found.value <= reference_value * (1 + 1e-4)
    assert slow.value_and_gradient(found.point)[0] == pytest.approx(found.value, rel=1e-12)


@EVERY
def test_an_interrupt_keeps_the_best_point_so_far(make: Make) -> None:
    calls = 0

    def interrupted(x: Float64Array) -> tuple[float, Float64Array]:
        nonlocal calls
        calls += 1
        if calls > 5:
            raise KeyboardInterrupt
        return bowl(x)

    start = np.full(8, 9.0)
    solution = make().minimize(interrupted, start, np.zeros(8))
    assert solution.reason == "interrupted"
    assert not solution.converged
    assert solution.value < bowl(start)[0]
    assert solution.value == bowl(solution.point)[0]


@EVERY
def test_the_limit_of_iterations_is_reported(make: Make) -> None:
    solution = make(iterations=2).minimize(bowl, np.full(8, 9.0), np.zeros(8))
    assert solution.iterations == 2
    assert solution.reason == "stopped at the limit of iterations"


@EVERY
def test_the_same_start_gives_the_same_bits(make: Make) -> None:
    graph, recipe = random_graph(50, 0.2, seed=0), community_recipe(2, 2)
    objective = AllPairsObjective(graph, recipe, penalty=1.0)
    start = np.random.default_rng(1).random(recipe.size(50))
    one, two = (
        make(iterations=30).minimize(objective.value_and_gradient, start, recipe.lower_bounds(50)) for _ in "ab"
    )
    np.testing.assert_array_equal(one.point, two.point)


def test_solvers_reach_about_the_same_loss() -> None:
    graph, recipe = random_graph(150, 0.1, seed=0), community_recipe(4, 3)
    objective = AllPairsObjective(graph, recipe, penalty=2.0)
    start = np.random.default_rng(1).random(recipe.size(150))
    values = [
        make().minimize(objective.value_and_gradient, start, recipe.lower_bounds(150)).value
        for make in (LBFGSB, FloorLBFGS)
    ]
    assert max(values) < 1.02 * min(values)


def test_every_solver_is_found_by_its_name() -> None:
    for name, kind in SOLVERS.items():
        assert as_solver(name) == kind()


def test_an_unknown_solver_is_an_error_that_lists_the_known_ones() -> None:
    with pytest.raises(InvalidParameterError, match="'lbfgsb', 'floor', 'adam', 'auto'"):
        as_solver("newton")
    mine = LBFGSB(iterations=3)
    assert as_solver(mine) is mine

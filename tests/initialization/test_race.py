from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from philia._types import Float64Array
from philia.exceptions import InvalidParameterError
from philia.initialization import race
from philia.solvers import LBFGSB, FloorLBFGS, Solution, Solver


def two_valleys(x: Float64Array) -> tuple[float, Float64Array]:
    """A deep valley at 2 and a shallow one near -2 in every coordinate, which do not know of each other."""
    return float(((x**2 - 4) ** 2 - x).sum()), 4 * x * (x**2 - 4) - 1


def searching(solver: Callable[[int], Solver]) -> Callable[[Float64Array, int], Solution]:
    def improve(point: Float64Array, iterations: int) -> Solution:
        return solver(iterations).minimize(two_valleys, point, np.full(point.shape, -np.inf))

    return improve


def ended(point: Float64Array, value: float, reason: str = "stopped", *, converged: bool = False) -> Solution:
    return Solution(point, value, np.array([value + 1, value]), 2, 0.5, reason, converged)


@pytest.mark.parametrize("solver", [LBFGSB, FloorLBFGS])
@given(order=st.permutations(range(5)), iterations=st.integers(3, 10))
def test_the_one_point_in_the_deepest_valley_wins(
    solver: Callable[[int], Solver], order: list[int], iterations: int
) -> None:
    signs = np.array([[1, 1, 1], [1, -1, 1], [-1, -1, 1], [-1, 1, -1], [-1, -1, -1]])
    points = [1.5 * signs[place].astype(float) for place in order]
    won = race(points, searching(solver), iterations)
    assert (won.point > 0).all()
    assert won.value == pytest.approx(two_valleys(won.point)[0])


@given(values=st.lists(st.floats(-10, 10), min_size=1, max_size=9))
def test_the_best_of_points_that_do_not_move_wins_and_the_earlier_of_equals(values: list[float]) -> None:
    points = [np.array([float(place)]) for place in range(len(values))]
    won = race(points, lambda point, _: ended(point, values[int(point[0])]))
    assert int(won.point[0]) == int(np.argmin(values))


@pytest.mark.parametrize(("count", "searches"), [(1, 1), (2, 2), (3, 5), (4, 6), (8, 14)])
def test_half_of_the_points_leave_in_every_round(count: int, searches: int) -> None:
    asked: list[float] = []

    def improve(point: Float64Array, iterations: int) -> Solution:
        asked.append(iterations)
        return ended(point, float(point[0]))

    won = race([np.array([float(place)]) for place in range(count)], improve, iterations=7)
    assert asked == [7] * searches
    assert won.evaluations == 2 * searches
    assert won.seconds == pytest.approx(0.5 * searches)


def test_a_race_is_the_same_each_time_and_leaves_its_points_alone() -> None:
    points = list(np.random.default_rng(0).normal(size=(6, 4)))
    before = [point.copy() for point in points]
    first, again = (race(points, searching(LBFGSB), 3) for _ in "ab")
    np.testing.assert_array_equal(first.point, again.point)
    np.testing.assert_array_equal(first.history, again.history)
    np.testing.assert_array_equal(points, before)


def test_the_history_is_the_way_of_the_winner() -> None:
    won = race([np.full(3, 1.0), np.full(3, -1.0), np.array([1.0, -1.0, 1.0])], searching(FloorLBFGS), 2)
    assert won.history[0] == two_valleys(np.full(3, 1.0))[0]
    assert won.history[-1] == won.value
    assert (np.diff(won.history) < 0).all()
    assert won.iterations == 4


def test_what_has_converged_is_not_searched_again() -> None:
    asked = []

    def improve(point: Float64Array, _: int) -> Solution:
        asked.append(float(point[0]))
        return ended(point, float(point[0]), "converged: flat", converged=True)

    won = race([np.array([float(place)]) for place in range(4)], improve)
    assert asked == [0.0, 1.0, 2.0, 3.0]
    assert won.converged
    assert won.reason == "converged: flat"


def test_a_value_that_is_no_number_never_wins() -> None:
    won = race([np.array([np.nan]), np.array([5.0])], lambda point, _: ended(point, float(point[0])))
    assert won.value == 5.0


def test_an_interrupt_ends_the_race_with_the_best_so_far() -> None:
    reasons = iter(["stopped", "stopped", "interrupted"])
    values = iter([3.0, 1.0, 2.0])
    won = race([np.array([float(place)]) for place in range(5)], lambda p, _: ended(p, next(values), next(reasons)))
    assert won.point.tolist() == [1.0]
    assert won.reason == "interrupted"
    assert not won.converged
    assert won.evaluations == 6


def test_an_interrupt_before_the_first_evaluation_gives_the_first_point() -> None:
    def improve(point: Float64Array, _: int) -> Solution:
        return Solution(point, np.inf, np.empty(0), 0, 0.0, "interrupted", converged=False)

    won = race([np.array([0.0]), np.array([1.0])], improve)
    assert won.point.tolist() == [0.0]
    assert won.reason == "interrupted"


def test_a_race_needs_a_point_and_steps() -> None:
    with pytest.raises(InvalidParameterError, match="at least one"):
        race([], searching(LBFGSB))
    with pytest.raises(InvalidParameterError, match="iterations is 0"):
        race([np.zeros(1)], searching(LBFGSB), 0)

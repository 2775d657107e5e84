from __future__ import annotations

import numpy as np
import pytest

from philia._types import BoolArray, Float64Array, FloatArray
from philia.objective import Freedom, SampledPairsObjective
from philia.solvers import Adam, Progress
from tests.strategies import community_recipe, random_graph

TARGET = np.array([[1.0, -2.0, 3.0], [0.5, -1.0, 5.0], [2.0, 4.0, 4.0]])


class Bowl:
    """sum (F - target)², with noise in the gradient if asked for; a shared column goes to the mean of its target."""

    def __init__(self, noise: float = 0.0, shared: tuple[bool, ...] = (False, False, False)) -> None:
        self.blocks = [slice(0, 2), slice(2, 3)]
        self.shared: BoolArray = np.array(shared)
        self.noise, self.calls = noise, 0

    def by_rows(self, F: FloatArray, rows: slice, rng: np.random.Generator) -> tuple[float, FloatArray]:
        self.calls += 1
        away = F[rows] - TARGET[rows].astype(np.float32)
        noise = self.noise * rng.standard_normal(away.shape).astype(np.float32)
        return float((away**2).sum()), 2 * away + noise


def start() -> Float64Array:
    return np.ones((3, 3))


def minimized(bowl: Bowl, how: Adam | None = None, lower: float = -np.inf) -> Float64Array:
    how = how or Adam(iterations=300)
    return how.minimize(bowl, start(), np.full(3, lower), np.random.default_rng(0)).point


def slow(how: Adam, lower: Float64Array) -> Float64Array:
    """The steps as they are defined, one entry at a time, on the bowl without noise."""
    x, first, second = start().ravel(), np.zeros(9), np.zeros(9)
    for epoch in range(how.iterations):
        step = how.step * (1 + np.cos(np.pi * epoch / how.iterations)) / 2
        for i in range(9):
            slope = 2 * (x[i] - TARGET.ravel()[i])
            first[i] = how.first_decay * first[i] + (1 - how.first_decay) * slope
            second[i] = how.second_decay * second[i] + (1 - how.second_decay) * slope**2
            m = first[i] / (1 - how.first_decay ** (epoch + 1))
            v = second[i] / (1 - how.second_decay ** (epoch + 1))
            floor = lower[i % 3] + how.keep * (x[i] - lower[i % 3])
            x[i] = max(x[i] - step * m / (np.sqrt(v) + 1e-8), floor)
    return x.reshape(3, 3)


@pytest.mark.parametrize("how", [Adam(iterations=7), Adam(iterations=12, step=0.5, keep=0.2, first_decay=0.9)])
def test_steps_match_the_definition(how: Adam) -> None:
    lower = np.array([0.0, 0.0, -3.0])
    found = how.minimize(Bowl(), start(), lower, np.random.default_rng(0)).point
    np.testing.assert_allclose(found, slow(how, lower), rtol=1e-4, atol=1e-5)


def test_a_bowl_is_solved_inside_and_near_the_bound_without_reaching_it() -> None:
    np.testing.assert_allclose(minimized(Bowl()), TARGET, atol=1e-3)
    found = minimized(Bowl(), lower=0.0)
    np.testing.assert_allclose(found, np.maximum(TARGET, 0), atol=1e-3)
    assert (found > 0).all()


def test_noise_averages_out_as_steps_decay() -> None:
    np.testing.assert_allclose(minimized(Bowl(noise=1.0), Adam(iterations=2000)), TARGET, atol=0.1)


def test_a_shared_column_holds_one_value_for_all_rows() -> None:
    found = minimized(Bowl(shared=(False, False, True)))
    np.testing.assert_allclose(found[:, 2], TARGET[:, 2].mean(), atol=1e-3)
    np.testing.assert_allclose(found[:, :2], TARGET[:, :2], atol=1e-3)


def test_the_history_has_one_entry_per_epoch_and_ends_with_the_value() -> None:
    seen: list[Progress] = []
    solution = Adam(iterations=20).minimize(Bowl(), start(), np.zeros(3), np.random.default_rng(0), seen.append)
    assert solution.iterations == 20 == len(seen)
    assert [p.iteration for p in seen] == list(range(1, 21))
    assert solution.history[-1] == solution.value < solution.history[0]
    assert solution.value == pytest.approx(((solution.point - TARGET) ** 2).sum(), rel=1e-5)
    assert solution.reason == "stopped at the limit of epochs"
    assert not solution.converged


def test_the_best_epoch_is_kept_and_the_search_ends_soon_after() -> None:
    goal = start() + 0.4 * (TARGET - start())  # on the way to the minimum, as if going on were to learn noise
    verdicts: list[float] = []

    def judge(F: FloatArray) -> float:
        verdicts.append(float(((F - goal) ** 2).sum()))
        return verdicts[-1]

    solution = Adam(iterations=500, step=0.05, patience=3).minimize(
        Bowl(), start(), np.full(3, -9.0), np.random.default_rng(0), judge=judge
    )
    assert ((solution.point - goal) ** 2).sum() == pytest.approx(min(verdicts), rel=1e-5)
    assert solution.reason == "converged: the judge saw nothing better"
    assert solution.iterations < 100


def test_a_search_that_never_improves_returns_the_start() -> None:
    calls = iter(range(1000))
    solution = Adam(iterations=50, patience=2, every=3).minimize(
        Bowl(), start(), np.zeros(3), np.random.default_rng(0), judge=lambda _: float(next(calls))
    )
    np.testing.assert_array_equal(solution.point, start())
    assert solution.iterations == 30  # five times two verdicts of waiting


@pytest.mark.parametrize("judged", [False, True])
def test_an_interrupt_keeps_the_best_so_far(judged: bool) -> None:
    def stop(progress: Progress) -> None:
        if progress.iteration == 5:
            raise KeyboardInterrupt

    judge = (lambda F: float(((F - TARGET) ** 2).sum())) if judged else None
    solution = Adam(iterations=50).minimize(Bowl(), start(), np.zeros(3), np.random.default_rng(0), stop, judge)
    assert solution.reason == "interrupted"
    assert ((solution.point - TARGET) ** 2).sum() < ((start() - TARGET) ** 2).sum()


def test_the_same_seed_gives_the_same_bits() -> None:
    graph, recipe = random_graph(700, 0.02, seed=1), community_recipe(3, 2, Freedom.SHARED)
    objective = SampledPairsObjective(graph, recipe, penalty=1.0, columns=100, rows=300)
    begin = np.random.default_rng(0).random((700, 7))
    begin[:, 5] = 1
    begin[:, 6] = -1
    lower = np.array([0.0] * 5 + [-np.inf] * 2)
    one, two = (Adam(iterations=3).minimize(objective, begin, lower, np.random.default_rng(2)).point for _ in "ab")
    np.testing.assert_array_equal(one, two)
    assert (one[:, 5] == 1).all()
    assert len(np.unique(one[:, 6])) == 1
    assert one[0, 6] != -1

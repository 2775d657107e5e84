from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from philia.execution import LocalThreads, one_blas_thread
from philia.objective import AllPairsObjective
from philia.objective.kernels import compiled, reference
from tests.strategies import community_recipe, random_graph


def blas_threads() -> set[int]:
    return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}


def _now(function: Callable[..., Any], *arguments: Any) -> Future[Any]:
    done: Future[Any] = Future()
    done.set_result(function(*arguments))
    return done


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_results_come_in_order_with_blas_on_one_thread(threads: int) -> None:
    before = blas_threads()
    results = list(LocalThreads(threads).map(lambda item: (item, blas_threads()), range(20)))
    assert [item for item, _ in results] == list(range(20))
    assert all(seen <= {1} for _, seen in results)
    assert blas_threads() == before


def test_a_single_item_runs_in_the_calling_thread() -> None:
    caller = threading.get_ident()
    assert list(LocalThreads(3).map(lambda item: (item, threading.get_ident() == caller), iter([7]))) == [(7, True)]


def test_the_calling_thread_does_what_no_other_has_begun() -> None:
    caller, busy = threading.get_ident(), threading.Event()

    def wait_elsewhere(item: int) -> int:
        if threading.get_ident() == caller:
            busy.set()
        else:  # the only other thread is kept until the caller has worked
            assert busy.wait(60)
        return item

    assert list(LocalThreads(2).map(wait_elsewhere, range(9))) == list(range(9))
    assert busy.is_set()


def test_threads_inside_threads_do_not_wait_for_each_other_forever() -> None:
    threads = LocalThreads(2)
    assert list(threads.map(lambda item: sum(threads.map(abs, [item] * 4)), range(6))) == [4 * i for i in range(6)]


def test_an_error_in_a_lane_reaches_the_caller() -> None:
    with pytest.raises(ZeroDivisionError):
        list(LocalThreads(2).map(lambda x: 1 / x, [1, 0, 1]))


@pytest.mark.parametrize("kernel", [reference, compiled])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_number_of_threads_changes_no_bit(kernel: object, dtype: str) -> None:
    graph, recipe = random_graph(1300, 0.02, seed=2), community_recipe(6, 5)
    point = np.random.default_rng(0).random(recipe.size(1300))
    results = [
        AllPairsObjective(graph, recipe, dtype=dtype, executor=LocalThreads(t), kernel=kernel).value_and_gradient(point)  # type: ignore[arg-type]
        for t in (1, 2, 3, 7)
    ]
    for value, gradient in results[1:]:
        assert value == results[0][0]
        np.testing.assert_array_equal(gradient, results[0][1])


@pytest.mark.parametrize("kernel", [reference, compiled])
def test_an_evaluation_is_not_changed_by_those_before_it_nor_by_those_after_it(kernel: Any) -> None:
    graph, recipe = random_graph(700, 0.02, seed=2), community_recipe(6, 5)
    points = np.random.default_rng(0).random((3, recipe.size(700)))
    fresh = [AllPairsObjective(graph, recipe, kernel=kernel).value_and_gradient(point) for point in points]
    objective = AllPairsObjective(graph, recipe, kernel=kernel)
    for found, expected in zip([objective.value_and_gradient(point) for point in points], fresh, strict=True):
        assert found[0] == expected[0]
        np.testing.assert_array_equal(found[1], expected[1])


def test_blas_stays_on_one_thread_until_the_last_user_leaves() -> None:
    with threadpool_limits(2, user_api="blas"):
        first, second = one_blas_thread(), one_blas_thread()
        first.__enter__()
        second.__enter__()
        first.__exit__(None, None, None)
        assert blas_threads() == {1}
        second.__exit__(None, None, None)
        assert blas_threads() == {2}


def test_blas_is_limited_by_any_thread_while_another_that_set_it_lives_on() -> None:
    with threadpool_limits(2, user_api="blas"), ThreadPoolExecutor(1) as another:
        for enter, leave in ((another.submit, _now), (_now, another.submit), (_now, _now)):
            limit = one_blas_thread()
            enter(limit.__enter__).result()
            assert blas_threads() == {1}
            leave(limit.__exit__, None, None, None).result()
            assert blas_threads() == {2}

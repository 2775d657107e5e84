from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score

from philia import CommunityModel
from philia.datasets import dating_app
from philia.exceptions import InvalidParameterError
from philia.execution import LocalThreads
from philia.graphs import Graph
from philia.initialization import STARTS, choose_start
from philia.initialization.starts import logistic, signed
from philia.solvers import LBFGSB, Solution
from tests.strategies import graphs


@pytest.mark.parametrize("name", ["signed", "logistic"])
@settings(max_examples=25, deadline=None)
@given(
    graph=graphs(max_nodes=12),
    k_B=st.integers(0, 4),
    k_C=st.integers(0, 4),
    baseline=st.sampled_from([0.0, -2.0, 1.0]),
    seed=st.integers(0, 10**6),
)
def test_every_fitted_start_has_the_right_shape_is_nowhere_zero_and_repeats(
    name: str, graph: Graph, k_B: int, k_C: int, baseline: float, seed: int
) -> None:
    first, again = (STARTS[name](graph, k_B, k_C, baseline, np.random.default_rng(seed)) for _ in "ab")
    for matrix, twin, k in zip(first, again, (k_B, k_C), strict=True):
        assert matrix.shape == (graph.n_nodes, k)
        assert np.isfinite(matrix).all()
        assert (matrix > 0).all()
        np.testing.assert_array_equal(matrix, twin)


@pytest.mark.parametrize("start", [signed, logistic])
def test_the_number_of_threads_changes_nothing(start: Any) -> None:
    graph = dating_app(300, cities=3, random_state=0).graph
    one, two = (start(graph, 3, 2, -2.0, np.random.default_rng(0), executor=LocalThreads(n)) for n in (1, 2))
    np.testing.assert_array_equal(np.hstack(one), np.hstack(two))


@pytest.mark.parametrize("start", [signed, logistic])
def test_fitted_starts_already_know_the_cities_and_the_genders(start: Any) -> None:
    app = dating_app(400, cities=5, random_state=0)
    B, C = start(app.graph, 5, 2, -2.0, np.random.default_rng(0))
    assert adjusted_rand_score(app.city, B.argmax(axis=1)) > 0.8
    assert adjusted_rand_score(app.gender, C.argmax(axis=1)) > 0.8


@pytest.mark.parametrize("start", [signed, logistic])
@pytest.mark.parametrize("background", ["none", "popularity"])
def test_a_fit_from_a_fitted_start_is_soon_lower_than_from_chance_and_ends_no_higher(
    start: Any, background: str
) -> None:
    graph = dating_app(200, cities=3, random_state=0).graph
    given: dict[str, Any] = {"penalty": 1.0, "background": background, "include_diagonal": True, "random_state": 0}
    chance, fitted = (CommunityModel(3, 2, start=s, **given).fit(graph).solution_ for s in ("uniform", start))
    assert fitted.history[10] < chance.history[10]
    assert fitted.value <= chance.value * 1.001


def test_an_interrupted_fit_of_the_start_is_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(self: LBFGSB, function: object, start: np.ndarray, *_: object) -> Solution:
        return Solution(start, np.inf, np.empty(0), 0, 0.0, "interrupted", converged=False)

    monkeypatch.setattr(LBFGSB, "minimize", interrupted)
    graph = dating_app(60, cities=2, random_state=0).graph
    with pytest.raises(KeyboardInterrupt):
        signed(graph, 1, 1, 0.0, np.random.default_rng(0))


def test_more_starts_can_be_chosen_by_name_and_are_named_with_the_others() -> None:
    assert choose_start("signed") is signed
    assert choose_start("uniform") is STARTS["uniform"]
    assert choose_start(logistic) is logistic
    with pytest.raises(InvalidParameterError, match=r"use 'spectral', .*'signed', 'logistic', or a function"):
        choose_start("warm")
    with pytest.raises(InvalidParameterError, match=r"start is a int; use .*'logistic', a function"):
        choose_start(3)  # type: ignore[arg-type]

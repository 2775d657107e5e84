from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score

from philia.datasets import dating_app, planted
from philia.exceptions import InvalidParameterError
from philia.graphs import Graph, spectrum
from philia.initialization import STARTS, choose_start, starts
from philia.initialization.starts import spectral, varimax
from tests.strategies import graphs, random_graph


@pytest.mark.parametrize("name", STARTS)
@settings(max_examples=40)
@given(graph=graphs(max_nodes=20), k_B=st.integers(0, 25), k_C=st.integers(0, 25), seed=st.integers(0, 10**6))
def test_every_start_has_the_right_shape_is_positive_and_repeats(
    name: str, graph: Graph, k_B: int, k_C: int, seed: int
) -> None:
    first, again = (STARTS[name](graph, k_B, k_C, -2.0, np.random.default_rng(seed)) for _ in "ab")
    for matrix, twin, k in zip(first, again, (k_B, k_C), strict=True):
        assert matrix.shape == (graph.n_nodes, k)
        assert np.isfinite(matrix).all()
        assert (matrix >= 0).all()
        np.testing.assert_array_equal(matrix, twin)


def test_the_uniform_start_is_the_papers() -> None:
    B, C = STARTS["uniform"](random_graph(2000, 0.01, 0), 16, 4, -2.0, np.random.default_rng(0))
    assert 0.24 < B.max() <= 0.25
    assert 0.49 < C.max() <= 0.5
    assert B.mean() == pytest.approx(0.125, rel=0.02)


def test_the_spectral_start_already_knows_the_cities() -> None:
    app = dating_app(random_state=3)
    B, C = spectral(app.graph, 10, 2, -3.0, np.random.default_rng(0))
    assert adjusted_rand_score(app.city, B.argmax(axis=1)) > 0.9
    assert adjusted_rand_score(app.gender, C.argmax(axis=1)) > 0.9


@pytest.mark.parametrize("baseline", [0.0, -6.0])
def test_the_spectral_start_of_a_large_graph_is_as_good(baseline: float, monkeypatch: pytest.MonkeyPatch) -> None:
    truth = planted(4000, 5, 2, degree=25, overlap=0, popularity=0.3, random_state=0)
    monkeypatch.setattr(spectrum, "_LARGE", 1000)
    monkeypatch.setattr(starts, "_TELLING", 1000)
    (B, C), (again, _) = (spectral(truth.graph, 5, 2, baseline, np.random.default_rng(0)) for _ in "ab")
    assert adjusted_rand_score(truth.B.argmax(axis=1), B.argmax(axis=1)) > 0.9
    assert adjusted_rand_score(truth.C.argmax(axis=1), C.argmax(axis=1)) > 0.5
    assert B.dtype == C.dtype == np.float64
    np.testing.assert_array_equal(B, again)


@given(graph=graphs(max_nodes=20))
def test_the_conductance_of_a_neighbourhood_is_the_share_of_its_links_that_leave_it(graph: Graph) -> None:
    A = graph.adjacency.toarray().astype(float)
    inside = (A + np.eye(len(A))) > 0
    volumes, within = inside @ A.sum(axis=1), np.einsum("ci,ij,cj->c", inside, A, inside)
    expected = (volumes - within) / np.maximum(1, np.minimum(volumes, A.sum() - volumes))
    np.testing.assert_allclose(starts._conductances(graph), expected)


def test_some_rows_tell_the_rotation_of_all(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    groups = np.eye(4)[rng.integers(4, size=5000)] * rng.pareto(2, size=(5000, 1))
    turned, _ = np.linalg.qr(rng.standard_normal((4, 4)))
    whole = varimax(groups @ turned)
    monkeypatch.setattr(starts, "_TELLING", 500)
    np.testing.assert_allclose(varimax(groups @ turned), whole, atol=1e-2 * np.abs(whole).max())


@given(st.integers(2, 30), st.integers(1, 5), st.integers(0, 10**6))
def test_varimax_only_rotates(n: int, k: int, seed: int) -> None:
    X = np.random.default_rng(seed).standard_normal((n, k))
    np.testing.assert_allclose(varimax(X) @ varimax(X).T, X @ X.T, atol=1e-8)


def test_varimax_unmixes_rotated_groups() -> None:
    rng = np.random.default_rng(0)
    groups = np.eye(4)[rng.integers(4, size=200)]
    turned, _ = np.linalg.qr(rng.standard_normal((4, 4)))
    found = np.abs(varimax(groups @ turned))
    assert adjusted_rand_score(groups.argmax(axis=1), found.argmax(axis=1)) == 1.0
    np.testing.assert_allclose(np.sort(found, axis=1)[:, -2], 0, atol=1e-3)


def test_an_unknown_start_is_named_with_the_known_ones() -> None:
    with pytest.raises(InvalidParameterError, match="'spectral', 'uniform'"):
        choose_start("warm")


@given(graph=graphs(max_nodes=20), k_C=st.integers(0, 4), baseline=st.floats(-9, 9), seed=st.integers(0, 10**6))
def test_the_background_start_gives_everybody_the_baseline(graph: Graph, k_C: int, baseline: float, seed: int) -> None:
    (B, C), (same_B, same_C) = (
        STARTS[name](graph, 3, k_C, baseline, np.random.default_rng(seed)) for name in ("background", "uniform")
    )
    np.testing.assert_array_equal(B, same_B)
    np.testing.assert_array_equal(C[:, 1:], same_C[:, 1:])
    np.testing.assert_allclose(C[:, :1] - same_C[:, :1], np.sqrt(max(-baseline, 0)), atol=1e-12)

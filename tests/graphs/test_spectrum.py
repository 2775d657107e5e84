from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import linalg
from tests.strategies import graphs

from philia import as_graph
from philia._types import Float64Array
from philia.datasets import planted
from philia.execution import one_blas_thread
from philia.graphs import Graph, spectrum
from philia.graphs.spectrum import ScaledAdjacency, both_ends, leading_ends

GRAPH = planted(900, 6, 2, degree=30, popularity=0.5, random_state=0).graph


def dense(matrix: ScaledAdjacency) -> Float64Array:
    return np.asarray(matrix.weights[:, None] * matrix.graph.adjacency.toarray() * matrix.weights)


@settings(deadline=None)
@given(graphs(), st.integers(1, 9), st.integers(0, 2**32 - 1))
def test_a_step_is_its_formula(graph: Graph, k: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    matrix = ScaledAdjacency(graph, rng.random(graph.n_nodes) + 0.5)
    X, into = rng.standard_normal((2, graph.n_nodes, k), dtype=np.float32)
    scales, centres = rng.standard_normal((2, k), dtype=np.float32)
    expected = (dense(matrix) @ X - X * centres) * scales - 0.5 * into
    matrix.step(X, into, scales, centres, 0.5)
    np.testing.assert_allclose(into, expected, atol=1e-4)
    np.testing.assert_allclose(matrix.rms_eigenvalue**2 * graph.n_nodes, (dense(matrix) ** 2).sum(), atol=1e-9)


@pytest.mark.parametrize("scaled", [True, False])
def test_both_ends_are_those_of_the_dense_matrix(scaled: bool) -> None:
    weights = 1 / np.sqrt(GRAPH.degrees + GRAPH.degrees.mean()) if scaled else np.ones(GRAPH.n_nodes)
    matrix = ScaledAdjacency(GRAPH, weights)
    with one_blas_thread():
        values, vectors = linalg.eigh(dense(matrix))
    top, bottom = both_ends(matrix, 6, 2, np.random.default_rng(0), 1e-2)
    np.testing.assert_allclose(top.values, values[::-1][:6], rtol=2e-3)
    np.testing.assert_allclose(bottom.values, values[:2], rtol=2e-2)
    assert np.cos(linalg.subspace_angles(top.vectors, vectors[:, -6:])).min() > 0.98
    np.testing.assert_allclose(top.vectors.T @ top.vectors, np.eye(6), atol=1e-4)


def test_the_ends_do_not_depend_on_what_runs_the_pieces() -> None:
    found = []
    for threads in (1, 3):
        with ThreadPoolExecutor(threads) as pool:
            matrix = ScaledAdjacency(GRAPH, np.ones(GRAPH.n_nodes), pool.map)
            found.append(both_ends(matrix, 4, 2, np.random.default_rng(0), 1e-2))
    for one, other in zip(*found, strict=True):
        np.testing.assert_array_equal(one.vectors, other.vectors)
        np.testing.assert_array_equal(one.values, other.values)


def test_a_few_links_have_few_ends_and_no_noise_in_them() -> None:
    star = as_graph([(0, leaf) for leaf in range(1, 3000)])
    top, bottom = both_ends(ScaledAdjacency(star, np.ones(3000)), 5, 1, np.random.default_rng(0), 1e-2)
    assert top.values[0] == pytest.approx(np.sqrt(2999), rel=1e-4)
    assert bottom.values[0] == pytest.approx(-np.sqrt(2999), rel=1e-4)
    assert np.isfinite(top.vectors).all()


def test_opposite_groups_are_at_the_lower_end() -> None:
    rng = np.random.default_rng(0)
    rows, columns = rng.integers(1500, size=(2, 20_000))
    graph = as_graph(np.stack([rows, 1500 + columns], axis=1))
    _, bottom = both_ends(ScaledAdjacency(graph, np.ones(graph.n_nodes)), 3, 1, np.random.default_rng(0), 1e-2)
    side = np.array([graph.nodes[row] < 1500 for row in range(graph.n_nodes)])  # type: ignore[operator]
    assert len({(value > 0) == here for value, here in zip(bottom.vectors[:, 0], side, strict=True)}) == 1


@pytest.mark.parametrize("scaled", [True, False])
def test_a_large_graph_has_the_ends_of_a_small_one(scaled: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    exact = leading_ends(GRAPH, 6, 1, np.random.default_rng(0), scaled=scaled)
    monkeypatch.setattr(spectrum, "_LARGE", 100)
    quick = leading_ends(GRAPH, 6, 1, np.random.default_rng(0), scaled=scaled)
    for (values, vectors), (estimates, blocks) in zip(exact, quick, strict=True):
        np.testing.assert_allclose(estimates, values, rtol=2e-2)
        assert blocks.shape == vectors.shape
        assert blocks.dtype == np.float32


def test_groups_that_repel_are_found_beside_many_that_attract() -> None:
    drawn = planted(20_000, 28, 4, degree=20, popularity=0.5, random_state=0)
    matrix = ScaledAdjacency(drawn.graph, spectrum._evening_weights(drawn.graph))
    _, bottom = both_ends(matrix, 28, 3, np.random.default_rng(0), 1e-2)
    exact = leading_ends(drawn.graph, 0, 3, np.random.default_rng(0), scaled=True)[1][0]
    assert np.allclose(bottom.values, exact, rtol=0.01)
    colours, _ = np.linalg.qr((drawn.C > 0) - 0.25)
    assert ((colours[:, :3].T @ bottom.vectors) ** 2).sum(axis=0).min() > 0.3

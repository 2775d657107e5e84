from __future__ import annotations

import math
from importlib import import_module

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from philia import CommunityModel, as_graph
from philia._types import Float64Array
from philia.evaluate import Reconstruction, reconstruction
from philia.evaluate.reconstruction import CLIPS
from philia.exceptions import InvalidParameterError
from philia.graphs import Graph
from tests.strategies import graphs, random_graph


def of_matrix(graph: Graph, E: Float64Array, *, diagonal: bool = True) -> Reconstruction:
    return reconstruction(graph, lambda rows, columns: E[rows, columns], diagonal=diagonal)


def slowly(graph: Graph, E: Float64Array, *, diagonal: bool = True) -> dict[str, float]:
    """Dense, by the definition: q is the clipped probability of the true entry."""
    A = graph.adjacency.toarray().astype(float)
    counts = np.ones_like(A, dtype=bool) if diagonal else ~np.eye(len(A), dtype=bool)
    squared = float(((E - A) ** 2)[counts].sum())
    q = np.where(A == 1, E, 1 - E)
    entropies = [-np.log(np.clip(q, clip, 1 - clip))[counts].sum() for clip in CLIPS]
    return {
        "frobenius": math.sqrt(squared),
        "relative": math.sqrt(squared) / np.linalg.norm(A),
        "normalized": squared / A.sum(),
        "cross_entropy": min(entropies),
        "wrong": int(np.triu((E >= 0.5) != A, k=1).sum()),
    }


def symmetric(n: int, seed: int, scale: float) -> Float64Array:
    E = np.random.default_rng(seed).normal(0.3, scale, size=(n, n))
    return (E + E.T) / 2


@given(graphs(), st.integers(0, 2**32 - 1), st.sampled_from([1e-3, 0.1, 0.5, 5.0]), st.booleans())
def test_every_number_agrees_with_dense_matrices(graph: Graph, seed: int, scale: float, diagonal: bool) -> None:
    if not graph.n_links:
        return
    E = symmetric(graph.n_nodes, seed, scale)
    found = of_matrix(graph, E, diagonal=diagonal)
    expected = slowly(graph, E, diagonal=diagonal)
    assert {name: getattr(found, name) for name in expected} == pytest.approx(expected)


@pytest.mark.parametrize("diagonal", [True, False])
def test_blocks_change_nothing(diagonal: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_module("philia.evaluate.reconstruction"), "_SIDE", 7)
    graph, E = random_graph(30, 0.3, seed=1), symmetric(30, 2, 0.6)
    found = of_matrix(graph, E, diagonal=diagonal)
    expected = slowly(graph, E, diagonal=diagonal)
    assert {name: getattr(found, name) for name in expected} == pytest.approx(expected)


def test_the_most_favorable_clip_is_kept_and_the_finest_in_a_tie() -> None:
    graph = random_graph(20, 0.3, seed=1)
    assert of_matrix(graph, np.full((20, 20), 0.3)).clip == 1e-12
    # Links that are predicted as far too rare would profit from the coarsest clip.
    assert of_matrix(graph, np.full((20, 20), 1e-4)).clip == 1e-1
    # With a coarser clip one missed link costs less, and each of the others more.
    denied = graph.adjacency.toarray().astype(float)
    assert of_matrix(graph, denied).clip == 1e-12
    i, j = (int(side[0]) for side in graph.links)
    denied[i, j] = denied[j, i] = -3.0
    assert of_matrix(graph, denied).clip == 1e-2


def test_the_adjacency_matrix_reconstructs_itself_without_error() -> None:
    graph = random_graph(20, 0.3, seed=1)
    perfect = of_matrix(graph, graph.adjacency.toarray().astype(float))
    assert (perfect.frobenius, perfect.relative, perfect.normalized, perfect.wrong) == (0, 0, 0, 0)
    assert perfect.cross_entropy == pytest.approx(20 * 20 * 1e-12)


def test_an_expected_value_of_one_half_counts_as_linked() -> None:
    graph = as_graph([("a", "b"), ("b", "c")])
    assert of_matrix(graph, np.full((3, 3), 0.5)).wrong == 1
    assert of_matrix(graph, np.full((3, 3), 0.49)).wrong == 2


def test_relative_errors_of_a_graph_without_links_are_infinite_or_zero() -> None:
    graph = random_graph(4, 0.0, seed=0)
    assert of_matrix(graph, np.zeros((4, 4))).relative == 0
    assert of_matrix(graph, np.full((4, 4), 0.5)).normalized == math.inf


def test_the_cross_entropy_of_a_model_is_its_likelihood() -> None:
    graph = random_graph(30, 0.2, seed=5)
    model = CommunityModel(2, 2, penalty=1, random_state=0).fit(graph)
    found = reconstruction(graph, model.expected_block, diagonal=False)
    assert found.clip <= 1e-2
    assert found.cross_entropy == pytest.approx(-model.score() * 30 * 29)


def test_infinite_misshapen_or_asymmetric_entries_are_refused() -> None:
    graph = random_graph(5, 0.5, seed=0)
    with pytest.raises(InvalidParameterError, match="some expected entries are not finite"):
        of_matrix(graph, np.full((5, 5), np.nan))
    with pytest.raises(InvalidParameterError, match=r"the block of 5 × 5 pairs has the shape \(4, 5\)"):
        of_matrix(graph, np.zeros((4, 5)))
    with pytest.raises(InvalidParameterError, match="links have no direction; give the mean"):
        of_matrix(graph, np.arange(25.0).reshape(5, 5))

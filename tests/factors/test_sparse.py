"""Sparse factors: the scores of the dense formula, and the pairs that share something, whatever is stored."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.special import expit

from philia.exceptions import InvalidParameterError
from philia.factors import SparseFactors
from philia.factors import sparse as sparse_factors
from philia.graphs import Nodes
from philia.objective.rates import draw_sparse_graph


def random_factors(n: int, k: int, seed: int) -> SparseFactors:
    rng = np.random.default_rng(seed)
    B = rng.exponential(1.0, k) * (rng.random((n, k)) < 0.3)  # all members of a community have the same affinity
    N = rng.exponential(0.5, (n, n)) * (rng.random((n, n)) < 0.2)
    return SparseFactors(sparse.csr_array(B), sparse.csr_array(N), rng.normal(-2, 1, n), rng.exponential())


def dense_scores(factors: SparseFactors) -> np.ndarray:
    B, N, a = factors.homophilous.toarray(), factors.neighbourhoods.toarray(), factors.background
    shared = np.expm1(B[:, None, :] * B).sum(axis=2)
    return np.asarray(np.log1p(shared) + factors.weight * np.log1p(N @ N.T) + a[:, None] + a)


@given(st.integers(2, 12), st.integers(0, 5), st.integers(0, 2**32))
@settings(deadline=None)
def test_scores_are_those_of_the_formula(n: int, k: int, seed: int) -> None:
    factors, rng = random_factors(n, k, seed), np.random.default_rng(seed)
    rows, columns = rng.integers(n, size=(2, 30))
    expected = dense_scores(factors)
    np.testing.assert_allclose(factors.scores(rows, columns), expected[rows, columns], atol=1e-12)
    np.testing.assert_allclose(factors.score_block(slice(0, 2), np.arange(n)), expected[:2], atol=1e-12)


@given(st.integers(1, 12), st.integers(0, 5), st.integers(0, 2**32), st.integers(1, 60))
@settings(deadline=None)
def test_pairs_that_share_something_are_found_in_blocks_of_any_size(n: int, k: int, seed: int, products: int) -> None:
    factors = random_factors(n, k, seed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sparse_factors, "_PRODUCTS", products)
        found = list(factors.sharing())
    assert np.concatenate([rows for rows, _ in found]).tolist() == list(range(n))
    together = np.vstack([block.toarray() for _, block in found])
    np.testing.assert_allclose(together, dense_scores(factors) - np.add.outer(*[factors.background] * 2), atol=1e-12)


def test_arrays_make_the_same_factors_again() -> None:
    factors = random_factors(9, 3, 0)
    again = SparseFactors.from_arrays(factors.arrays())
    np.testing.assert_array_equal(dense_scores(again), dense_scores(factors))
    assert again.counts == (3, 0)
    assert again.names == ("B1", "B2", "B3")


def test_links_are_drawn_with_the_probabilities_of_the_scores() -> None:
    factors, rng, runs = random_factors(12, 3, 4), np.random.default_rng(0), 3000
    counts = np.zeros((12, 12))
    for _ in range(runs):
        counts += draw_sparse_graph(factors, Nodes.numbered(12), rng).adjacency.toarray()
    p = expit(dense_scores(factors))
    above = np.triu_indices(12, 1)
    off = (counts[above] - runs * p[above]) / np.sqrt(runs * p[above] * (1 - p[above]) + 1e-9)
    assert np.abs(off).max() < 5


def test_communities_that_would_not_fit_are_not_written_out_with_their_zeros() -> None:
    wide = SparseFactors(sparse.csr_array((5000, 5000)), sparse.csr_array((5000, 5000)), np.zeros(5000))
    with pytest.raises(InvalidParameterError, match=r"5,000 communities of 5,000 nodes would take 25,000,000 numbers"):
        wide.readable()
    assert random_factors(9, 3, 0).readable().homophilous.shape == (9, 3)

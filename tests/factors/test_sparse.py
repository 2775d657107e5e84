"""Sparse factors: the scores of the dense formula, and the pairs that share something, whatever is stored."""

from __future__ import annotations

from dataclasses import replace

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
from philia.objective import CrossEntropy
from philia.objective.rates import draw_graph


def random_factors(n: int, k: int, seed: int) -> SparseFactors:
    rng = np.random.default_rng(seed)
    B = rng.exponential(1.0, k) * (rng.random((n, k)) < 0.3)  # all members of a community have the same affinity
    N = rng.exponential(0.5, (n, n)) * (rng.random((n, n)) < 0.2)
    return SparseFactors(
        sparse.csr_array(B), sparse.csr_array(N), rng.normal(-2, 1, n), rng.exponential(), seed % 2 == 1
    )


def dense_scores(factors: SparseFactors) -> np.ndarray:
    B, N, a = factors.homophilous.toarray(), factors.neighbourhoods.toarray(), factors.background
    shared, known = np.expm1(B[:, None, :] * B).sum(axis=2), (1 + N @ N.T) ** factors.weight
    raised = shared + known if factors.adds else (1 + shared) * known
    odds, alone = ((1 + np.exp(a[:, None] + a) * rate / 4) ** 4 - 1 for rate in (raised, 1.0))
    return np.asarray(np.log(odds / alone) + a[:, None] + a)


@given(st.integers(2, 12), st.integers(0, 5), st.integers(0, 2**32))
@settings(deadline=None)
def test_scores_are_those_of_the_formula(n: int, k: int, seed: int) -> None:
    factors, rng = random_factors(n, k, seed), np.random.default_rng(seed)
    rows, columns = rng.integers(n, size=(2, 30))
    expected = dense_scores(factors)
    np.testing.assert_allclose(factors.scores(rows, columns), expected[rows, columns], atol=1e-9)
    np.testing.assert_allclose(factors.score_block(slice(0, 2), np.arange(n)), expected[:2], atol=1e-9)


@given(st.integers(1, 12), st.integers(0, 5), st.integers(0, 2**32), st.integers(1, 60))
@settings(deadline=None)
def test_pairs_that_share_something_are_found_in_blocks_of_any_size(n: int, k: int, seed: int, products: int) -> None:
    factors = random_factors(n, k, seed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sparse_factors, "_PRODUCTS", products)
        found = list(factors.sharing())
    assert np.concatenate([rows for rows, _ in found]).tolist() == list(range(n))
    together = np.vstack([block.toarray() for _, block in found])
    np.testing.assert_allclose(together, dense_scores(factors) - np.add.outer(*[factors.background] * 2), atol=1e-9)


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
        counts += draw_graph(factors, CrossEntropy(), Nodes.numbered(12), rng).adjacency.toarray()
    p = expit(dense_scores(factors))
    above = np.triu_indices(12, 1)
    off = (counts[above] - runs * p[above]) / np.sqrt(runs * p[above] * (1 - p[above]) + 1e-9)
    assert np.abs(off).max() < 5


def test_communities_that_would_not_fit_are_not_written_out_with_their_zeros() -> None:
    wide = SparseFactors(sparse.csr_array((5000, 5000)), sparse.csr_array((5000, 5000)), np.zeros(5000))
    with pytest.raises(InvalidParameterError, match=r"5,000 communities of 5,000 nodes would take 25,000,000 numbers"):
        wide.readable()
    assert random_factors(9, 3, 0).readable().homophilous.shape == (9, 3)


@given(st.integers(2, 12), st.integers(0, 5), st.integers(0, 2**32))
@settings(deadline=None)
def test_parts_add_up_to_the_score(n: int, k: int, seed: int) -> None:
    factors, expected = random_factors(n, k, seed), dense_scores(random_factors(n, k, seed))
    baseline, parts = factors.parts(0, 1)
    assert baseline + sum(part.value for part in parts) == pytest.approx(expected[0, 1], abs=1e-9)
    assert all(part.value >= 0 for part in parts)
    assert {part.name: part.affinities for part in parts if not part.nodes} == {
        f"B{c + 1}": (factors.affinities(c, np.array([0]))[0], factors.affinities(c, np.array([1]))[0])
        for c in range(k)
        if factors.homophilous[0, c] and factors.homophilous[1, c]
    }


def test_rows_below_others_have_the_scores_of_one_matrix() -> None:
    whole = random_factors(9, 3, 5)
    top, rest = (
        SparseFactors(whole.homophilous[rows], whole.neighbourhoods[rows], whole.background[rows], whole.weight, True)
        for rows in (slice(0, 4), slice(4, 9))
    )
    np.testing.assert_allclose(top.below(rest).score_block(slice(0, 9), slice(0, 9)), dense_scores(whole), atol=1e-9)


def test_neighbours_that_do_not_count_are_not_shared() -> None:
    factors = replace(random_factors(12, 3, 4), homophilous=sparse.csr_array((12, 3)), weight=0.0)
    assert [block.nnz for _, block in factors.sharing()] == [0]

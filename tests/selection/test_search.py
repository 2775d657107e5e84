from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from philia.factors import CommunityFactors
from philia.pairs import PairSample, RandomPairs
from philia.selection import merging
from philia.selection.merging import shrunk
from tests.strategies import random_graph

N = 40
GRAPH = random_graph(N, 0.2, 0)
JUDGE = PairSample.held_out(GRAPH, RandomPairs(0.5, 0), None, np.random.default_rng(0))
RNG = np.random.default_rng(0)


def _factors(seed: int, k_B: int, k_C: int) -> CommunityFactors:
    rng = np.random.default_rng(seed)
    return CommunityFactors(rng.random((N, k_B)), rng.random((N, k_C)), np.full(N, -1.0))


def _believer(factors: CommunityFactors) -> PairSample:
    """A judge for whom these factors are the truth: every pair as often linked, and as often not, as they say."""
    i, j = np.triu_indices(N, 1)
    p = 1 / (1 + np.exp(-factors.scores(i, j)))
    linked = np.repeat([True, False], len(i))
    return PairSample(np.tile(i, 2), np.tile(j, 2), linked, np.concatenate([p, 1 - p]), N)


@settings(max_examples=30)
@given(st.integers(0, 100), st.integers(1, 6), st.integers(0, 4))
def test_so_many_columns_go_and_entries_stay_nonnegative(seed: int, k_B: int, k_C: int) -> None:
    found = shrunk(_factors(seed, k_B, k_C), JUDGE, 1, (True, True), RNG)
    assert sum(found.counts) == k_B + k_C - 1
    assert found.homophilous.min(initial=0) >= 0
    assert found.heterophilous.min(initial=0) >= 0


def test_a_kind_that_is_given_keeps_its_columns() -> None:
    before = _factors(1, 4, 3)
    found = shrunk(before, JUDGE, 1, (False, True), RNG)
    assert (found.homophilous == before.homophilous).all()
    assert found.counts[1] == 2


def test_a_column_of_zeros_goes_first_and_changes_nothing() -> None:
    before = _factors(2, 3, 2)
    before.homophilous[:, 1] = 0
    found = shrunk(before, _believer(before), 1, (True, True), RNG)
    assert found.score_block(slice(0, N), slice(0, N)) == pytest.approx(before.score_block(slice(0, N), slice(0, N)))


def test_a_group_found_twice_is_merged_without_loss() -> None:
    group = (np.arange(N) < 15).astype(float)[:, None]
    other = (np.arange(N) > 22).astype(float)[:, None]
    before = CommunityFactors(np.hstack([group, other, 2 * group]), np.zeros((N, 0)), np.full(N, -1.0))
    found = shrunk(before, _believer(before), 1, (True, True), RNG)
    assert found.score_block(slice(0, N), slice(0, N)) == pytest.approx(before.score_block(slice(0, N), slice(0, N)))


def test_two_halves_of_a_group_are_united() -> None:
    low, high = (np.arange(N) < 12).astype(float), ((np.arange(N) >= 12) & (np.arange(N) < 24)).astype(float)
    other = (np.arange(N) >= 24).astype(float)
    before = CommunityFactors(2 * np.stack([low, other, high], axis=1), np.zeros((N, 0)), np.full(N, -1.5))
    whole = (low + high).astype(bool)
    i, j = np.triu_indices(N, 1)
    linked = (whole[i] & whole[j]) | (~whole[i] & ~whole[j])
    found = shrunk(before, PairSample(i, j, linked, np.ones(len(i)), N), 1, (True, True), RNG)
    assert any(((column > 0) == whole).all() for column in found.homophilous.T)


@settings(max_examples=30)
@given(seed=st.integers(0, 10**6), k_B=st.integers(1, 5), k_C=st.integers(0, 4), weighted=st.booleans())
def test_the_likelihood_after_each_merge_is_that_of_the_merged_factors(
    seed: int, k_B: int, k_C: int, weighted: bool
) -> None:
    factors, rng = _factors(seed, k_B, k_C), np.random.default_rng(seed)
    judge = replace(JUDGE, offsets=rng.normal(size=len(JUDGE.rows)))
    if weighted:
        judge = replace(judge, weights=rng.integers(1, 4, len(JUDGE.rows)).astype(float))
    mergers = merging._Mergers.every(factors, (True, True))
    found = merging._likelihoods(factors, judge, mergers)
    assert len(mergers) == sum(k + k * (k - 1) for k in (k_B, k_C))
    for at, (kind, first, second) in enumerate(zip(mergers.kinds, mergers.firsts, mergers.seconds, strict=True)):
        columns = [factors.homophilous.copy(), factors.heterophilous.copy()]
        columns[kind][:, first] = 0.0
        columns[kind][:, second] = mergers.column(at, factors)
        merged = CommunityFactors(columns[0], columns[1], factors.background)
        assert found[at] == pytest.approx(float(judge.of_factors(merged).sum()), rel=1e-9, abs=1e-9)

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from philia._types import Float64Array
from philia.factors import CommunityFactors
from philia.pairs import BothPairs, ListedPairs, PairSample, RandomPairs
from philia.pairs import sample as module
from tests.strategies import random_graph


def _sample(seed: int = 0, rate: float = 0.3, unknown: RandomPairs | None = None) -> PairSample:
    graph, rng = random_graph(60, 0.2, seed), np.random.default_rng(seed)
    return PairSample.held_out(graph, RandomPairs(rate, seed), unknown, rng)


def test_every_held_out_pair_of_a_small_graph_is_in_the_sample_once() -> None:
    graph, hidden = random_graph(60, 0.2, 0), RandomPairs(0.3, 0)
    sample = PairSample.held_out(graph, hidden, None, np.random.default_rng(0))
    found = {tuple(sorted(pair)) for pair in zip(sample.rows.tolist(), sample.columns.tolist(), strict=True)}
    assert found == set(zip(*(part.tolist() for part in hidden.pairs(60)), strict=True))
    assert len(found) == len(sample.rows)
    assert (sample.linked == graph.linked(sample.rows, sample.columns)).all()
    assert (sample.weights == 1).all()


def test_unknown_pairs_are_not_in_the_sample() -> None:
    unknown = RandomPairs(0.2, 0)
    sample = _sample(rate=0.4, unknown=unknown)
    assert len(sample.rows)
    assert not unknown.contains(sample.rows, sample.columns).any()


def test_a_sample_stands_for_all_held_out_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    graph, hidden = random_graph(800, 0.02, 1), RandomPairs(0.2, 1)
    everything = PairSample.held_out(graph, hidden, None, np.random.default_rng(0))
    monkeypatch.setattr(module, "MOST_PAIRS", 3000)
    sample = PairSample.held_out(graph, hidden, None, np.random.default_rng(0))
    assert len(sample.rows) < 6000
    assert sample.n_links == everything.n_links
    assert sample.weights.sum() == pytest.approx(everything.weights.sum(), rel=0.02)
    factors = CommunityFactors.attracting(np.random.default_rng(2).random((800, 2)))
    assert sample.of_factors(factors).sum() == pytest.approx(everything.of_factors(factors).sum(), rel=0.02)


@given(st.integers(0, 1000))
def test_the_variance_is_the_sum_over_pairs_of_pairs_with_a_common_node(seed: int) -> None:
    sample = _sample(seed % 7)
    differences = np.random.default_rng(seed).normal(size=len(sample.rows))
    expected = max(float((differences**2).sum()), _slow_variance(sample, differences))
    assert sample.variance(differences) == pytest.approx(expected)


def _slow_variance(sample: PairSample, differences: Float64Array) -> float:
    centred = differences - differences.mean()
    ends = [{int(i), int(j)} for i, j in zip(sample.rows, sample.columns, strict=True)]
    common = np.array([[bool(a & b) for a in ends] for b in ends])
    return float(centred @ common @ centred)


def test_listed_and_random_pairs_can_be_held_out_together() -> None:
    graph = random_graph(60, 0.2, 3)
    listed = ListedPairs(graph, [(0, 1), (5, 7)])
    both = BothPairs(RandomPairs(0.1, 3), listed)
    pairs = set(zip(*(part.tolist() for part in both.pairs(60)), strict=True))
    assert {(0, 1), (5, 7)} <= pairs
    sample = PairSample.held_out(graph, both, listed, np.random.default_rng(0))
    assert not listed.contains(sample.rows, sample.columns).any()


def test_drawn_pairs_stand_for_the_whole_graph() -> None:
    graph = random_graph(200, 0.1, seed=2)
    hidden = PairSample.draw(graph, None, 20_000, np.random.default_rng(0))
    assert hidden.weights[hidden.linked].sum() == pytest.approx(graph.n_links)
    assert hidden.weights[~hidden.linked].sum() == pytest.approx(200 * 199 / 2 - graph.n_links, rel=0.05)
    np.testing.assert_array_equal(graph.linked(hidden.rows, hidden.columns), hidden.linked)


@pytest.mark.parametrize("kind", ["none", "random", "listed", "both"])
def test_drawn_pairs_join_those_held_out_already_and_are_none_of_them(kind: str) -> None:
    graph = random_graph(100, 0.2, seed=2)
    listed = ListedPairs.of_rows(graph, np.arange(50), np.arange(50, 100))
    held_out = {
        "none": None,
        "random": RandomPairs(0.3, seed=1),
        "listed": listed,
        "both": BothPairs(RandomPairs(0.3, seed=1), listed),
    }[kind]
    hidden = PairSample.draw(graph, held_out, 50, np.random.default_rng(0))
    rows, columns = np.indices((100, 100))
    before = np.zeros((100, 100), bool) if held_out is None else held_out.contains(rows, columns)
    own = np.zeros((100, 100), bool)
    own[hidden.rows, hidden.columns] = own[hidden.columns, hidden.rows] = True
    assert not (before & own).any()
    np.testing.assert_array_equal(hidden.held_out_with(held_out, graph).contains(rows, columns), before | own)


def test_offsets_are_added_to_scores_and_follow_their_pairs() -> None:
    sample, rng = _sample(), np.random.default_rng(0)
    scores, offsets = rng.normal(size=(2, len(sample.rows)))
    known = replace(sample, offsets=offsets)
    np.testing.assert_allclose(known.log_likelihoods(scores), sample.log_likelihoods(scores + offsets))
    by_pair = replace(sample, offsets=(100 * sample.rows + sample.columns).astype(float))
    some = by_pair.subsample(40, rng)
    assert 0 < len(some.rows) < len(sample.rows)
    np.testing.assert_array_equal(some.offsets, 100 * some.rows + some.columns)
    assert sample.subsample(40, rng).offsets == 0

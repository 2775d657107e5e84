from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from philia._types import Float64Array
from philia.factors import CommunityFactors
from philia.objective import ListedPairs, RandomPairs
from philia.selection import judge as module
from philia.selection.judge import Judge
from tests.strategies import random_graph


def _judge(seed: int = 0, rate: float = 0.3, unknown: RandomPairs | None = None) -> Judge:
    return Judge.of(random_graph(60, 0.2, seed), RandomPairs(rate, seed), unknown, np.random.default_rng(seed))


def test_a_judge_has_every_hidden_pair_of_a_small_graph_once() -> None:
    graph, hidden = random_graph(60, 0.2, 0), RandomPairs(0.3, 0)
    judge = Judge.of(graph, hidden, None, np.random.default_rng(0))
    found = {tuple(sorted(pair)) for pair in zip(judge.rows.tolist(), judge.columns.tolist(), strict=True)}
    assert found == set(zip(*(part.tolist() for part in hidden.pairs(60)), strict=True))
    assert len(found) == len(judge.rows)
    assert (judge.linked == graph.linked(judge.rows, judge.columns)).all()
    assert (judge.weights == 1).all()


def test_pairs_that_nobody_knows_do_not_judge() -> None:
    unknown = RandomPairs(0.2, 0)
    judge = _judge(rate=0.4, unknown=unknown)
    assert len(judge.rows)
    assert not unknown.contains(judge.rows, judge.columns).any()


def test_a_sample_stands_for_all_hidden_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    graph, hidden = random_graph(800, 0.02, 1), RandomPairs(0.2, 1)
    everything = Judge.of(graph, hidden, None, np.random.default_rng(0))
    monkeypatch.setattr(module, "MOST_PAIRS", 3000)
    sample = Judge.of(graph, hidden, None, np.random.default_rng(0))
    assert len(sample.rows) < 6000
    assert sample.n_links == everything.n_links
    assert sample.weights.sum() == pytest.approx(everything.weights.sum(), rel=0.02)
    factors = CommunityFactors.attracting(np.random.default_rng(2).random((800, 2)))
    assert sample.of_factors(factors).sum() == pytest.approx(everything.of_factors(factors).sum(), rel=0.02)


@given(st.integers(0, 1000))
def test_the_variance_is_the_sum_over_pairs_of_pairs_with_a_common_node(seed: int) -> None:
    judge = _judge(seed % 7)
    differences = np.random.default_rng(seed).normal(size=len(judge.rows))
    expected = max(float((differences**2).sum()), _slow_variance(judge, differences))
    assert judge.variance(differences) == pytest.approx(expected)


def _slow_variance(judge: Judge, differences: Float64Array) -> float:
    centred = differences - differences.mean()
    ends = [{int(i), int(j)} for i, j in zip(judge.rows, judge.columns, strict=True)]
    common = np.array([[bool(a & b) for a in ends] for b in ends])
    return float(centred @ common @ centred)


def test_pairs_listed_and_pairs_drawn_can_be_hidden_together() -> None:
    from philia.objective import BothPairs

    graph = random_graph(60, 0.2, 3)
    listed = ListedPairs(graph, [(0, 1), (5, 7)])
    both = BothPairs(RandomPairs(0.1, 3), listed)
    pairs = set(zip(*(part.tolist() for part in both.pairs(60)), strict=True))
    assert {(0, 1), (5, 7)} <= pairs
    judge = Judge.of(graph, both, listed, np.random.default_rng(0))
    assert not listed.contains(judge.rows, judge.columns).any()

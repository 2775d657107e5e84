from __future__ import annotations

import numpy as np
import pytest

from philia import as_graph
from philia.objective import HeldOut, ListedPairs, RandomPairs, sampled_held_out
from philia.objective.sampled_held_out import all_held_out, sample_held_out
from tests.strategies import random_graph

N = 400


def pairs_of(held_out: HeldOut, count: int, seed: int = 0) -> list[tuple[int, int]]:
    rows, columns = sample_held_out(held_out, N, count, np.random.default_rng(seed))
    return list(zip(rows.tolist(), columns.tolist(), strict=True))


def test_all_held_out_pairs_are_those_that_are_held_out() -> None:
    graph = random_graph(60, 0.3, seed=1)
    rows, columns = graph.links
    listed = ListedPairs.of_rows(graph, columns[::5], rows[::5])
    for held_out in (listed, RandomPairs(0.2, seed=3)):
        np.testing.assert_array_equal(np.stack(all_held_out(held_out, 60)), np.stack(held_out.pairs(60)))


@pytest.mark.parametrize("rate", [0.01, 0.3, 0.9])
@pytest.mark.parametrize("count", [10, 1000, 10_000])
def test_a_sample_is_different_held_out_pairs_as_many_as_there_are(rate: float, count: int) -> None:
    held_out = RandomPairs(rate, seed=2)
    sample = pairs_of(held_out, count)
    assert len(sample) == len(set(sample)) == min(count, len(held_out.pairs(N)[0]))
    assert all(row < column for row, column in sample)
    assert held_out.contains(*np.array(sample).T).all()
    assert sample == pairs_of(held_out, count)
    assert sample != pairs_of(held_out, count, seed=1) or len(sample) < count


@pytest.mark.parametrize("rate", [0.02, 0.3])
def test_every_pair_is_equally_likely_in_a_sample(rate: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sampled_held_out, "_DRAWS", 2**14)
    held_out = RandomPairs(rate, seed=2)
    index = {pair: at for at, pair in enumerate(zip(*map(np.ndarray.tolist, held_out.pairs(N)), strict=True))}
    counts = np.zeros(len(index))
    count = len(index) // 4
    for seed in range(40):
        counts[[index[pair] for pair in pairs_of(held_out, count, seed)]] += 1
    # The variance of a count is that of 40 draws with probability ¼ only if no pair is preferred.
    assert counts.var() == pytest.approx(40 * 0.25 * 0.75, rel=0.15)


def test_a_few_listed_pairs_of_a_large_graph_are_all_found() -> None:
    graph = as_graph(np.stack([np.arange(30_000), np.arange(1, 30_001)], axis=1).tolist())
    listed = ListedPairs(graph, [(5, 9), (7, 29_000), (9, 5)])
    rows, columns = sample_held_out(listed, graph.n_nodes, 100, np.random.default_rng(0))
    assert list(zip(rows.tolist(), columns.tolist(), strict=True)) == [(5, 9), (7, 29_000)]


def test_nothing_held_out_is_nothing_sampled() -> None:
    assert pairs_of(RandomPairs(0.0), 10) == []

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from philia import as_graph
from philia.exceptions import InvalidParameterError, UnknownNodeError
from philia.objective.kernels.kernel import Omitted
from philia.pairs import BothPairs, HeldOut, ListedPairs, RandomPairs
from philia.pairs import held_out as module
from tests.strategies import random_graph

N = 400


def pairs_of(held_out: HeldOut, count: int, seed: int = 0) -> list[tuple[int, int]]:
    rows, columns = held_out.sample(N, count, np.random.default_rng(seed))
    return list(zip(rows.tolist(), columns.tolist(), strict=True))


@given(st.floats(0.01, 0.9), st.integers(0, 2**40))
def test_a_pair_and_its_reverse_are_held_out_together_and_nothing_with_itself(rate: float, seed: int) -> None:
    held = RandomPairs(rate, seed)
    rows, columns = np.indices((40, 40))
    mask = held.contains(rows, columns)
    assert (mask == mask.T).all()
    assert not mask.diagonal().any()


def test_the_share_of_held_out_pairs_is_the_rate_for_each_node_and_overall() -> None:
    n, rate = 2000, 0.1
    rows, columns = np.arange(n)[:, None], np.arange(n)[None, :]
    mask = RandomPairs(rate, seed=7).contains(rows, columns)
    pairs = n * (n - 1) / 2
    assert abs(mask.sum() / 2 - rate * pairs) < 5 * np.sqrt(pairs * rate * (1 - rate))
    spread = mask.sum(axis=1).std() / np.sqrt((n - 1) * rate * (1 - rate))
    assert 0.9 < spread < 1.1  # a binomial's, so pairs of one node are chosen independently


def test_different_seeds_and_triangles_are_independent() -> None:
    n, rate = 1500, 0.3
    rows, columns = np.arange(n)[:, None], np.arange(n)[None, :]
    one, two = (RandomPairs(rate, seed).contains(rows, columns) for seed in (1, 2))
    pairs = n * (n - 1)
    assert abs((one & two).sum() / pairs - rate**2) < 0.003
    triangles = np.trace(np.linalg.matrix_power(one.astype(float), 3)) / (n * (n - 1) * (n - 2))
    assert triangles == pytest.approx(rate**3, rel=0.02)


def test_a_smaller_graph_sees_the_same_choice() -> None:
    held = RandomPairs(0.5, seed=3)
    small = held.contains(np.arange(10)[:, None], np.arange(10)[None, :])
    large = held.contains(np.arange(100)[:, None], np.arange(100)[None, :])
    np.testing.assert_array_equal(small, large[:10, :10])


@pytest.mark.parametrize("rate", [-0.1, 1.0, 2.0])
def test_a_rate_that_is_no_share_is_refused(rate: float) -> None:
    with pytest.raises(InvalidParameterError, match="at least 0 and below 1"):
        RandomPairs(rate)


def test_listed_pairs_are_checked_by_name() -> None:
    graph = as_graph([("ann", "bob"), ("bob", "cat")])
    with pytest.raises(UnknownNodeError, match="nearest names are 'ann'"):
        ListedPairs(graph, [("anne", "bob")])
    with pytest.raises(InvalidParameterError, match="two node names"):
        ListedPairs(graph, [("ann", "bob", "cat")])  # type: ignore[list-item]
    with pytest.raises(InvalidParameterError, match="pair with itself"):
        ListedPairs(graph, [("ann", "ann")])


def test_all_held_out_pairs_can_be_listed() -> None:
    held = RandomPairs(0.2, seed=5)
    rows, columns = held.pairs(1500)
    mask = np.triu(held.contains(np.arange(1500)[:, None], np.arange(1500)[None, :]), k=1)
    np.testing.assert_array_equal(np.stack([rows, columns]), np.stack(np.nonzero(mask)))
    graph = as_graph([("ann", "bob"), ("bob", "cat")])
    listed = ListedPairs(graph, [("cat", "ann"), ("ann", "cat")])
    assert [side.tolist() for side in listed.pairs(3)] == [[0], [2]]


def test_a_list_gives_the_pairs_that_testing_all_pairs_finds_in_the_same_order() -> None:
    graph = random_graph(60, 0.3, seed=1)
    rows, columns = graph.links
    listed = ListedPairs.of_rows(graph, columns[::5], rows[::5])
    for n in (60, 40, 70):
        tested = list(HeldOut.blocks(listed, n))
        np.testing.assert_array_equal(np.concatenate(tested, axis=1), np.stack(listed.pairs(n)))


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
    monkeypatch.setattr(module, "_DRAWS", 2**14)
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
    rows, columns = listed.sample(graph.n_nodes, 100, np.random.default_rng(0))
    assert list(zip(rows.tolist(), columns.tolist(), strict=True)) == [(5, 9), (7, 29_000)]


def test_a_list_holds_out_the_same_pairs_of_a_graph_that_has_grown() -> None:
    graph = random_graph(30, 0.2, seed=1)
    listed = ListedPairs.of_rows(graph, np.arange(5), np.arange(9, 14))
    rows, columns = np.indices((40, 40))
    expected = np.zeros((40, 40), bool)
    expected[np.arange(5), np.arange(9, 14)] = expected[np.arange(9, 14), np.arange(5)] = True
    np.testing.assert_array_equal(listed.contains(rows, columns), expected)
    for held_out in (listed, BothPairs(RandomPairs(0.0), listed)):
        np.testing.assert_array_equal(Omitted.of(held_out, diagonal=False, n=40).mask(0, 40, 0, 40), expected)


def test_nothing_held_out_is_nothing_sampled() -> None:
    assert pairs_of(RandomPairs(0.0), 10) == []

"""Pairs drawn at rates have the chances that all pairs have, whatever the factors, and the bounds are bounds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from philia._types import Float64Array
from philia.execution import LocalThreads
from philia.factors import BlockFactors, CommunityFactors, LogisticFactors, LowRankFactors, SignedFactors
from philia.factors.boxes import DrawnPairs
from philia.graphs import Nodes
from philia.objective import CrossEntropy, Divergence, Loss, NoisyOr, SquaredError, mean_log_likelihood
from philia.objective import rates as rates_file
from philia.objective.likelihood import estimated_log_likelihood, sample_pairs
from philia.objective.rates import PairRates, _Groups, _Shares, draw_graph

N, RUNS = 31, 150


def members(k: int, rng: np.random.Generator, size: float) -> Float64Array:
    """Most entries are zero, as in a fit."""
    return np.where(rng.random((N, k)) < 0.3, rng.gamma(2, size, (N, k)), 0.0)


def kinds() -> list[tuple[LowRankFactors, Loss]]:
    rng = np.random.default_rng(0)
    B, C, a = members(4, rng, 0.7), members(3, rng, 0.7), rng.normal(-2, 1, N)
    groups, densities = rng.integers(3, size=N), np.array([[0.9, 0.02, 0.0], [0.02, 0.3, 0.1], [0.0, 0.1, 1.0]])
    return [
        (CommunityFactors(B, C, a), CrossEntropy()),
        (CommunityFactors(B, np.hstack([C, np.full((N, 1), 1.5)]), np.zeros(N)), CrossEntropy()),
        (LogisticFactors(rng.normal(size=(N, 3)), rng.normal(size=(N, 3)) - 0.5), CrossEntropy()),
        (CommunityFactors(np.empty((N, 0)), np.empty((N, 0)), np.zeros(N)), CrossEntropy()),
        (CommunityFactors(40 * B, 40 * C, a), CrossEntropy()),
        (CommunityFactors.attracting(B / 2), NoisyOr()),
        (SignedFactors(rng.normal(size=(N, 2)) / 2, rng.normal(size=(N, 2)) / 2), NoisyOr()),
        (CommunityFactors.attracting(B / 3), Divergence()),
        (BlockFactors(groups, densities), SquaredError()),
    ]


@pytest.fixture(params=[0.1, 8.0], ids=["most drawn", "most walked"])
def small_parts(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Groups of few nodes in several parts, a few pairs at a time, with more or fewer of them walked through."""
    monkeypatch.setattr(rates_file, "_MEMBERS", 6)
    monkeypatch.setattr(rates_file, "_SEEN", 20)
    monkeypatch.setattr(rates_file, "_TOGETHER", 3)
    monkeypatch.setattr(rates_file, "_STRETCH", 15)
    monkeypatch.setattr(rates_file, "_TILE", 10)
    monkeypatch.setattr(rates_file, "_AT_ONCE", 300)
    monkeypatch.setattr(rates_file, "_DENSE", request.param)


@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize("kind", range(9))
def test_every_pair_is_drawn_as_often_as_its_probability_says(kind: int) -> None:
    factors, loss = kinds()[kind]
    counts, upper, rates, rng = np.zeros((N, N)), np.triu_indices(N, k=1), PairRates.of(factors, loss), generator()
    chances = loss.probability(factors.score_block(slice(None), slice(None)))
    for _ in range(RUNS):
        drawn = DrawnPairs.joined(list(rates.draw(rng)))
        assert np.unique(drawn.rows * N + drawn.columns).size == drawn.rows.size
        np.testing.assert_allclose(drawn.chances, chances[drawn.rows, drawn.columns])
        counts[drawn.rows, drawn.columns] += 1
    assert not np.tril(counts).any()
    seen, p = counts[upper], chances[upper]
    certain = (p < 1e-9) | (p > 1 - 1e-9)
    np.testing.assert_array_equal(seen[certain], RUNS * p[certain].round())
    rare = ~certain & (p * RUNS <= 5)
    often = ~certain & ~rare & ((1 - p) * RUNS > 5)
    off = (seen - RUNS * p)[often] / np.sqrt(RUNS * p * (1 - p))[often]
    assert np.abs(off).max(initial=0) < 5
    if off.size:
        assert np.mean(off**2) == pytest.approx(1, abs=6 * np.sqrt(2 / off.size))
    assert abs(seen[rare].sum() - RUNS * p[rare].sum()) <= 5 * np.sqrt(RUNS * p[rare].sum() + 1)


@pytest.mark.usefixtures("small_parts")
def test_links_are_independent_of_each_other() -> None:
    """The number of links varies as a sum of independent ones does."""
    factors, loss = kinds()[0]
    rates, rng = PairRates.of(factors, loss), generator()
    p = loss.probability(factors.score_block(slice(None), slice(None)))[np.triu_indices(N, k=1)]
    found = [sum(len(part.rows) for part in rates.draw(rng)) for _ in range(RUNS)]
    assert np.mean(found) == pytest.approx(p.sum(), abs=5 * np.sqrt(np.sum(p * (1 - p)) / RUNS))
    assert np.var(found) == pytest.approx(np.sum(p * (1 - p)), rel=6 * np.sqrt(2 / RUNS))


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 2**32 - 1), st.integers(1, 60), st.integers(0, 5), st.floats(0.01, 3))
def test_no_score_exceeds_the_bound_of_its_groups(seed: int, n: int, k: int, size: float) -> None:
    rng = np.random.default_rng(seed)
    left, right = rng.normal(size=(2, n, k)) ** 3 * size
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rates_file, "_MEMBERS", 5)
        patch.setattr(rates_file, "_SEEN", 20)
        groups = _Groups.of(left, right, rng)
    assert sorted(groups.nodes) == list(range(n))
    u = groups.weights(left, groups.left, groups.right)  # groups × nodes, the nodes in their order
    v = groups.weights(right, groups.right, groups.left)
    label = np.repeat(np.arange(len(groups.starts)), [len(rows) for rows in groups.members])
    scores = left[groups.nodes] @ right[groups.nodes].T
    with np.errstate(divide="ignore"):
        bound = np.log(u[label].T) + np.log(v[label])
    cut_off = np.maximum(u[label].T, v[label]) >= rates_file._LARGEST / 2
    underflow = np.minimum(u[label].T, v[label]) < 1e-300
    assert (cut_off | underflow | (scores <= bound + 1e-9 * (1 + np.abs(scores)))).all()


def test_nodes_are_drawn_in_proportion_to_their_weights() -> None:
    weights = np.array([[1e-9, 3e-9, 0.0, 2.0, 6.0], [0.0, 0.0, 1e9, 0.0, 1.0]])
    shares, uniform = _Shares(weights, np.array([0, 2])), (np.arange(4000) + 0.5) / 4000
    for profile, run, expected in ((0, 0, [1000, 3000]), (0, 1, [0, 1000, 3000]), (1, 1, [4000, 0, 0])):
        places = shares.pick(np.full(4000, profile), np.full(4000, run), uniform) - 5 * profile - 2 * run
        np.testing.assert_allclose(np.bincount(places, minlength=len(expected)), expected, atol=1)


@pytest.mark.parametrize("kind", [0, 5, 8])
def test_the_same_seed_gives_the_same_graph_on_any_number_of_threads(
    kind: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    factors, loss = kinds()[kind]
    monkeypatch.setattr(rates_file, "_MEMBERS", 3)
    monkeypatch.setattr(rates_file, "_TOGETHER", 2)
    monkeypatch.setattr(rates_file, "_STRETCH", 8)
    drawn = []
    for threads in (1, 3):
        monkeypatch.setattr(rates_file, "LocalThreads", lambda threads=threads: LocalThreads(threads))
        drawn.append(draw_graph(factors, loss, Nodes.numbered(N), np.random.default_rng(4)))
    other = draw_graph(factors, loss, Nodes.numbered(N), np.random.default_rng(5))
    np.testing.assert_array_equal(drawn[0].adjacency.toarray(), drawn[1].adjacency.toarray())
    assert (other.adjacency != drawn[0].adjacency).nnz


@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize("kind", [0, 2, 5, 8])
def test_the_estimated_likelihood_is_unbiased(kind: int) -> None:
    factors, loss = kinds()[kind]
    graph = draw_graph(factors, loss, Nodes.numbered(N), generator())
    exact = mean_log_likelihood(graph, factors.score_block, loss)
    rng = np.random.default_rng(1)
    found = [estimated_log_likelihood(graph, factors, loss, rng, pairs=600) for _ in range(RUNS)]
    values = np.array([estimate.value for estimate in found])
    assert values.mean() == pytest.approx(exact, abs=5 * values.std() / np.sqrt(RUNS) + 1e-12)
    assert np.mean([each.lower - 1e-12 <= exact <= each.upper + 1e-12 for each in found]) > 0.88


def test_non_links_are_drawn_with_the_chances_that_are_returned() -> None:
    factors, loss = kinds()[0]
    graph, rng = draw_graph(factors, loss, Nodes.numbered(N), generator()), np.random.default_rng(2)
    counts, chances = np.zeros((2, N, N))
    for _ in range(RUNS):
        sample = sample_pairs(graph, rng, pairs=150)
        drawn = sample.rows[~sample.linked], sample.columns[~sample.linked]
        counts[drawn] += 1
        chances[drawn] = 1 / sample.weights[~sample.linked]
    assert not counts[graph.adjacency.toarray() > 0].any()
    p = chances[chances > 0]
    assert p.size == N * (N - 1) // 2 - graph.n_links  # each was drawn at some time
    off = (counts[chances > 0] - RUNS * p) / np.sqrt(RUNS * p * (1 - p))
    assert np.abs(off).max() < 5
    assert np.mean(off**2) == pytest.approx(1, abs=0.4)


def test_a_sparse_graph_is_drawn_without_examining_most_pairs() -> None:
    """As after a fit: all columns have some noise, some nodes are in two communities, and few are hubs."""
    rng, n, k = np.random.default_rng(0), 20_000, 8
    B = rng.gamma(0.5, 0.15, (n, k))
    B[np.arange(n), rng.integers(k, size=n)] += rng.normal(1.7, 0.2, n)
    B[np.arange(n // 5), rng.integers(k, size=n // 5)] += 1.5
    factors = CommunityFactors(B, rng.gamma(0.5, 0.3, (n, 3)), rng.exponential(0.4, n) - 5.2)
    links, looked = totals(PairRates.of(factors, CrossEntropy()))
    assert 50_000 < links < 2_000_000
    assert looked < 15 * links
    noisy_or = CommunityFactors.attracting(B / 30)
    links, looked = totals(PairRates.of(noisy_or, NoisyOr()))
    assert looked < 1.5 * links


@pytest.mark.parametrize("n", [1, 2])
@pytest.mark.parametrize("loss", [CrossEntropy(), NoisyOr(), SquaredError()])
def test_graphs_of_few_nodes_can_be_drawn(n: int, loss: Loss) -> None:
    factors = CommunityFactors.attracting(np.full((n, 1), 9.0))
    assert draw_graph(factors, loss, Nodes.numbered(n), generator()).n_links == n // 2


def totals(rates: PairRates) -> tuple[int, int]:
    """How many pairs were drawn and how many were looked at."""
    parts = list(rates.draw(generator()))
    return sum(len(part.rows) for part in parts), parts[-1].looked


def generator() -> np.random.Generator:
    return np.random.default_rng(0)

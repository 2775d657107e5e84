"""What is drawn from boxes of nodes has the chances it says, and what is largest is what a full sort finds."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from philia._types import Float64Array
from philia.factors import BlockFactors, CommunityFactors, LogisticFactors, LowRankFactors, SignedFactors
from philia.factors import boxes as boxes_file
from philia.factors.boxes import Boxes, DrawnPairs
from philia.objective import CrossEntropy, Divergence, Loss, NoisyOr, SquaredError

RUNS = 400


def members(n: int, k: int, rng: np.random.Generator, size: float) -> Float64Array:
    """Most entries are zero, as in a fit."""
    return np.where(rng.random((n, k)) < 0.3, rng.gamma(2, size, (n, k)), 0.0)


def kinds() -> list[tuple[LowRankFactors, Loss]]:
    rng = np.random.default_rng(0)
    B, C, a = members(41, 4, rng, 1.0), members(41, 3, rng, 1.0), rng.normal(-2, 1, 41)
    groups, densities = rng.integers(3, size=41), np.array([[0.9, 0.02, 0.0], [0.02, 0.3, 0.1], [0.0, 0.1, 1.0]])
    return [
        (CommunityFactors(B, C, a), CrossEntropy()),
        (CommunityFactors(B, C, np.zeros(41)), CrossEntropy()),
        (LogisticFactors(rng.normal(size=(41, 3)), rng.normal(size=(41, 3)) - 0.5), CrossEntropy()),
        (CommunityFactors.attracting(B / 2), NoisyOr()),
        (CommunityFactors.attracting(B / 3), Divergence()),
        (SignedFactors(rng.normal(size=(41, 2)) / 2, rng.normal(size=(41, 2)) / 2), SquaredError()),
        (BlockFactors(groups, densities), SquaredError()),
    ]


def every_part(factors: LowRankFactors, loss: Loss, seed: int) -> DrawnPairs:
    return DrawnPairs.joined(list(Boxes(factors).draw(loss.expected, np.random.default_rng(seed))))


def deviations(counts: Float64Array, chances: Float64Array, runs: int) -> Float64Array:
    """How far counts are from their means, in standard deviations; those that cannot vary must be right."""
    certain = (chances == 0) | (chances == 1)
    np.testing.assert_array_equal(counts[certain], runs * chances[certain])
    p = chances[~certain]
    return np.asarray((counts[~certain] - runs * p) / np.sqrt(runs * p * (1 - p)))


@pytest.mark.parametrize(("factors", "loss"), kinds(), ids=lambda value: type(value).__name__)
def test_thinned_draws_have_the_probabilities_of_all_pairs(
    factors: LowRankFactors, loss: Loss, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(boxes_file, "_LEAF", 4)
    n = factors.n_nodes
    p = loss.probability(factors.score_block(slice(None), slice(None)))[np.triu_indices(n, k=1)]
    counts = np.zeros((n, n))
    for seed in range(RUNS):
        drawn = every_part(factors, loss, seed)
        assert (drawn.rows < drawn.columns).all()
        kept = np.random.default_rng(seed + RUNS).random(len(drawn.rows)) * drawn.chances < loss.probability(
            drawn.scores
        )
        assert np.unique(drawn.rows * n + drawn.columns).size == drawn.rows.size
        np.add.at(counts, (drawn.rows[kept], drawn.columns[kept]), 1)
    off = deviations(counts[np.triu_indices(n, k=1)], p, RUNS)
    enough = p[(p > 0) & (p < 1)] * RUNS > 5
    assert np.abs(off[enough]).max() < 5.5
    assert np.mean(off[enough] ** 2) == pytest.approx(1, abs=0.25)
    # Together the rare ones are as many as they should be.
    rare = p * RUNS <= 5
    assert abs(counts[np.triu_indices(n, k=1)][rare].sum() - RUNS * p[rare].sum()) <= 5 * np.sqrt(
        RUNS * p[rare].sum() + 1
    )


def test_the_chance_returned_with_a_pair_is_right() -> None:
    """It does not depend on what else is drawn, and it is how often the pair comes."""
    factors, loss = kinds()[0]
    n, counts, chances = factors.n_nodes, np.zeros((41, 41)), np.full((41, 41), np.nan)
    for seed in range(RUNS):
        drawn = every_part(factors, loss, seed)
        again = ~np.isnan(chances[drawn.rows, drawn.columns])
        np.testing.assert_array_equal(chances[drawn.rows, drawn.columns][again], drawn.chances[again])
        counts[drawn.rows, drawn.columns] += 1
        chances[drawn.rows, drawn.columns] = drawn.chances
    upper = np.triu_indices(n, k=1)
    p = loss.probability(factors.score_block(slice(None), slice(None)))[upper]
    found = ~np.isnan(chances[upper])
    assert found[p * RUNS > 20].all()
    assert (chances[upper][found] >= p[found] - 1e-12).all()
    often = found & (np.nan_to_num(chances[upper]) * RUNS > 20)  # rare ones that were found are more than expected
    off = deviations(counts[upper][often], chances[upper][often], RUNS)
    assert np.abs(off).max() < 5
    assert np.mean(off**2) == pytest.approx(1, abs=0.2)


def counts(factors: LowRankFactors) -> list[int]:
    """How many pairs are drawn, by each of 50 seeds."""
    draws = (Boxes(factors).draw(CrossEntropy.expected, np.random.default_rng(seed)) for seed in range(50))
    return [sum(len(part.rows) for part in draw) for draw in draws]


def test_an_interrupted_walk_continues_where_it_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    factors, loss = kinds()[0]
    monkeypatch.setattr(boxes_file, "_ROOM", 7)
    parts = list(Boxes(factors).draw(loss.expected, np.random.default_rng(3)))
    assert len(parts) > 5
    rows, columns = DrawnPairs.joined(parts).rows, DrawnPairs.joined(parts).columns
    assert np.unique(rows * 41 + columns).size == rows.size
    total = [
        sum(len(p.rows) for p in Boxes(factors).draw(CrossEntropy.expected, np.random.default_rng(seed)))
        for seed in range(50)
    ]
    monkeypatch.setattr(boxes_file, "_ROOM", 2**18)
    whole = [
        sum(len(p.rows) for p in Boxes(factors).draw(CrossEntropy.expected, np.random.default_rng(seed)))
        for seed in range(50)
    ]
    spread = np.sqrt((np.var(total) + np.var(whole)) / 50)
    assert abs(np.mean(total) - np.mean(whole)) < 5 * spread


def test_a_sparse_graph_is_drawn_without_examining_most_pairs() -> None:
    rng = np.random.default_rng(0)
    n = 20_000
    B = np.zeros((n, 8))
    B[np.arange(n), rng.integers(8, size=n)] = 2.0
    factors = CommunityFactors(B, np.empty((n, 0)), rng.exponential(0.5, n) - 6)
    looked = [part.looked for part in Boxes(factors).draw(CrossEntropy.expected, np.random.default_rng(0))][-1]
    assert looked < n * (n - 1) / 2 / 200


def test_few_nodes_and_zero_columns_work() -> None:
    one = CommunityFactors.attracting(np.ones((1, 2)))
    assert every_part(one, CrossEntropy(), 0).rows.size == 0
    assert Boxes(one).largest(sparse.csr_array((1, 1)), 3).rows.size == 0
    bare = CommunityFactors(np.empty((30, 0)), np.empty((30, 0)), np.zeros(30))
    assert every_part(bare, CrossEntropy(), 0).chances.tolist() == [0.5] * every_part(bare, CrossEntropy(), 0).rows.size


def test_a_search_that_is_given_up_returns_a_bound_on_the_rest() -> None:
    rng = np.random.default_rng(1)
    factors = CommunityFactors(members(500, 4, rng, 1.0), members(500, 2, rng, 1.0), rng.normal(size=500))
    none = sparse.csr_array((500, 500))
    whole, given_up = Boxes(factors).largest(none, 20), Boxes(factors).largest(none, 20, patience=300)
    assert whole.beyond == -np.inf
    missed = set(zip(whole.rows, whole.columns, strict=True)) - set(zip(given_up.rows, given_up.columns, strict=True))
    assert all(factors.scores(np.array([i]), np.array([j]))[0] <= given_up.beyond for i, j in missed)


def test_ties_go_to_the_earlier_rows_without_examining_all_pairs() -> None:
    n = 3000
    factors = BlockFactors(np.arange(n) % 3, np.array([[0.5, 0.1, 0.1], [0.1, 0.5, 0.1], [0.1, 0.1, 0.5]]))
    found = Boxes(factors).largest(sparse.csr_array((n, n)), 5, patience=20_000)
    assert found.beyond == -np.inf
    assert found.rows.tolist() == [0] * 5
    assert found.columns.tolist() == [3, 6, 9, 12, 15]

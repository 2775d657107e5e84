from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import binomtest

from philia.factors import CommunityFactors
from philia.graphs import Graph, Nodes
from philia.objective import CrossEntropy
from philia.objective.likelihood import estimated_calibration
from philia.pairs import ListedPairs, RandomPairs
from philia.pairs.calibration import calibrate
from tests.strategies import random_graph


def test_bins_of_a_calibration_hold_about_the_same_number_of_expected_links() -> None:
    rng = np.random.default_rng(1)
    p = expit(rng.normal(-4, 2, size=100_000))
    linked = rng.random(100_000) < p
    found = calibrate(linked, p, bins=8)
    assert found.counts.sum() == 100_000
    np.testing.assert_allclose(found.predicted * found.counts, p.sum() / 8, rtol=0.01)
    np.testing.assert_allclose(found.observed, found.predicted, rtol=0.15)
    assert (np.diff(found.edges) > 0).all()
    assert (found.edges[0], found.edges[-1]) == (p.min(), p.max())
    for low, high, predicted, count in zip(
        found.edges[:-1], found.edges[1:], found.predicted, found.counts, strict=True
    ):
        inside = (p >= low) & ((p < high) | (high == p.max()))
        assert inside.sum() == count
        assert p[inside].mean() == pytest.approx(predicted)


@pytest.mark.parametrize("same", [0.0, 0.3, 1.0])
def test_equal_probabilities_are_one_bin(same: float) -> None:
    found = calibrate(np.array([True, False, False]), np.full(3, same))
    assert (found.predicted.tolist(), found.counts.tolist()) == ([pytest.approx(same)], [3])
    assert found.observed.tolist() == [pytest.approx(1 / 3)]


def test_no_pairs_have_no_bins() -> None:
    assert calibrate(np.empty(0, bool), np.empty(0)).counts.size == 0


def test_intervals_are_wilsons() -> None:
    lower, upper = calibrate(np.arange(50) < 7, np.full(50, 0.2)).intervals
    wilson = binomtest(7, 50).proportion_ci(method="wilson")
    assert (lower[0], upper[0]) == pytest.approx((wilson.low, wilson.high))


def network(n: int = 400) -> tuple[Graph, CommunityFactors]:
    """A sparse network with two groups, drawn from the factors that come with it."""
    rng = np.random.default_rng(3)
    B = np.zeros((n, 2))
    B[np.arange(n), np.arange(n) % 2] = rng.uniform(0, 2, size=n)
    factors = CommunityFactors(B, np.zeros((n, 0)), np.full(n, -2.0))
    rows, columns = np.triu_indices(n, k=1)
    kept = rng.random(len(rows)) < expit(factors.scores(rows, columns))
    return Graph.from_rows(rows[kept], columns[kept], Nodes.numbered(n)), factors


@pytest.mark.parametrize("hidden", [None, RandomPairs(0.5, seed=1)])
def test_drawn_pairs_tell_what_all_pairs_tell(hidden: RandomPairs | None) -> None:
    graph, factors = network()
    every, drawn = (
        estimated_calibration(graph, factors, CrossEntropy(), np.random.default_rng(0), hidden, pairs)
        for pairs in (10**6, 8000)
    )
    links = graph.n_links if hidden is None else int(hidden.contains(*graph.links).sum())
    assert (every.counts * every.observed).sum() == pytest.approx(links)
    np.testing.assert_array_equal(every.trials, every.counts)
    assert (drawn.trials < drawn.counts).all()
    assert drawn.counts.sum() == pytest.approx(every.counts.sum(), rel=0.05)
    lower, upper = drawn.intervals
    exact = np.interp(drawn.predicted, every.predicted, every.observed)
    assert np.mean((lower <= exact) & (exact <= upper)) >= 0.8


def test_listed_pairs_are_all_looked_at() -> None:
    graph = random_graph(30, 0.3, seed=1)
    factors = CommunityFactors(np.random.default_rng(0).uniform(size=(30, 2)), np.zeros((30, 0)), np.zeros(30))
    listed = ListedPairs(graph, [(graph.nodes[a], graph.nodes[b]) for a, b in [(0, 1), (4, 9), (2, 7)]])
    found = estimated_calibration(graph, factors, CrossEntropy(), np.random.default_rng(0), listed)
    i, j = listed.pairs(30)
    assert found.counts.sum() == 3
    assert (found.counts * found.observed).sum() == pytest.approx(graph.linked(i, j).sum())


def test_one_node_has_no_pairs_and_no_bins() -> None:
    factors = CommunityFactors(np.ones((1, 1)), np.zeros((1, 0)), np.zeros(1))
    nowhere = np.empty(0, np.int64)
    graph = Graph.from_rows(nowhere, nowhere, Nodes.numbered(1))
    lonely = estimated_calibration(graph, factors, CrossEntropy(), np.random.default_rng(0))
    assert lonely.counts.size == 0

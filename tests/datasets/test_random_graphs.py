from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import expit

from philia.datasets import Planted, planted
from philia.datasets.random_graphs import PairSource, _graph, _graph_of_many, _level, _level_of_many, pair_sources
from philia.graphs import Changes


def nearly_sparse() -> Planted:
    """Small, with every kind of pair: in two communities together, popular, certain to be linked, repelled."""
    truth = planted(60, 3, 2, degree=3, attraction=1.5, overlap=0.6, popularity=0.5, random_state=1)
    assert truth.logits().max() > 0.5
    return truth


def test_the_rates_of_the_sources_add_up_to_the_odds_without_repulsion() -> None:
    truth = nearly_sparse()
    total = np.zeros((60, 60))
    for source in pair_sources(truth.B, truth.background):
        total[np.ix_(source.nodes, source.nodes)] += source.strength * np.outer(source.weights, source.weights)
    np.testing.assert_allclose(total, np.exp(truth.logits() + truth.C @ truth.C.T))


def test_a_source_draws_pairs_at_its_rates() -> None:
    source, rng = PairSource(np.array([2, 5, 6]), np.array([1.0, 2.0, 4.0]), 3.0), np.random.default_rng(0)
    found = np.zeros((7, 7))
    for i, j in source.draw(1000.0, rng):
        np.add.at(found, (np.minimum(i, j), np.maximum(i, j)), 1)
    for pair, rate in (((2, 5), 6000), ((2, 6), 12000), ((5, 6), 24000)):
        assert abs(found[pair] - rate) < 5 * np.sqrt(rate)
    assert found.sum() == found[[2, 2, 5], [5, 6, 6]].sum()


def test_every_pair_is_linked_with_its_own_probability() -> None:
    truth, rng, times = nearly_sparse(), np.random.default_rng(0), 1500
    assert sum(source.rate for source in pair_sources(truth.B, truth.background)) < 60**2 / 2  # no walk over all pairs
    total = np.zeros((60, 60))
    together = 0
    for _ in range(times):
        drawn = _graph_of_many(truth, rng)
        assert drawn.changes == Changes()
        total += drawn.adjacency.toarray()
        together += drawn.n_links**2
    above = np.triu_indices(60, 1)
    p = expit(truth.logits())[above]
    z = (total[above] / times - p) / np.sqrt(p * (1 - p) / times)
    assert np.abs(z).max() < 5.5
    assert abs((z**2).mean() - 1) < 0.2
    assert abs(z.mean()) < 5 / np.sqrt(len(z))
    # Independent: the variance of the number of links is the sum of the variances of the pairs.
    spread = together / times - (total[above].sum() / times) ** 2
    assert spread == pytest.approx((p * (1 - p)).sum(), rel=0.15)


def test_both_ways_to_a_level_agree() -> None:
    truth = planted(1500, 5, 2, degree=12, popularity=0.5, random_state=2)
    levels = [find(truth, 0.01, np.random.default_rng(0)) for find in (_level, _level_of_many)]
    assert levels[0] == pytest.approx(levels[1], abs=0.05)


def test_a_large_graph_has_its_degree_and_repeats() -> None:
    first, again = (planted(20_000, 8, 2, degree=14, popularity=0.5, random_state=5) for _ in "ab")
    assert first.graph.degrees.mean() == pytest.approx(14, rel=0.02)
    assert (first.graph.adjacency != again.graph.adjacency).nnz == 0
    i, j = first.graph.links
    expected = expit(first.logits_of(i, j))
    assert 0 < expected.min() <= expected.max() < 1


@pytest.mark.parametrize(("k_B", "k_C", "overlap"), [(0, 0, 0.2), (1, 0, 0.0), (4, 3, 1.0)])
def test_any_number_of_communities_will_do(k_B: int, k_C: int, overlap: float) -> None:
    graph = planted(9000, k_B, k_C, degree=5, overlap=overlap, random_state=0).graph
    assert graph.degrees.mean() == pytest.approx(5, rel=0.05)


def test_where_sources_would_draw_more_than_all_pairs_each_pair_is_drawn() -> None:
    truth = nearly_sparse()
    dense = replace(truth, background=truth.background + 3)
    found = [draw(dense, np.random.default_rng(0)) for draw in (_graph, _graph_of_many)]
    assert (found[0].adjacency != found[1].adjacency).nnz == 0

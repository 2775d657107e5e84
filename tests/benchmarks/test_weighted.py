"""Measures of a weighted sample: those of all pairs, exactly or on average."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.quality.weighted import judged_pairs, mean_log_likelihood, order_measures

from philia.evaluate import link_scores
from philia.pairs import RandomPairs
from tests.strategies import random_graph

NAMES = ("auc", "average_precision", "f1_best")


@pytest.mark.parametrize("seed", range(20))
def test_a_pair_of_whole_weight_counts_as_if_it_were_there_so_often(seed: int) -> None:
    rng = np.random.default_rng(seed)
    linked, scores = rng.random(60) < 0.3, rng.integers(8, size=60).astype(float)  # with ties
    weights = rng.integers(1, 5, size=60)
    repeated = link_scores(np.repeat(linked, weights), np.repeat(scores, weights))
    found = order_measures(linked, scores, weights.astype(float))
    assert [found[name] for name in NAMES] == pytest.approx([getattr(repeated, name) for name in NAMES])


@pytest.mark.parametrize("seed", range(5))
def test_the_likelihood_is_minus_the_log_loss_of_the_pairs_repeated(seed: int) -> None:
    rng = np.random.default_rng(seed)
    linked, p, weights = rng.random(40) < 0.3, rng.random(40), rng.integers(1, 5, size=40)
    repeated = link_scores(np.repeat(linked, weights), np.repeat(p, weights), np.repeat(p, weights)).log_loss
    assert repeated is not None
    assert mean_log_likelihood(linked, p, weights.astype(float), 1e-12) == pytest.approx(-repeated)


def test_a_sample_gives_the_measures_of_all_hidden_pairs_on_average() -> None:
    graph = random_graph(120, 0.1, seed=3)
    numbers = np.random.default_rng(0).normal(size=(120, 120))
    means: dict[str, list[list[float]]] = {"all": [], "sample": []}
    for seed in range(150):
        hidden = RandomPairs(0.3, seed=seed)
        for kind, exact in (("all", 10**9), ("sample", 0)):
            judged = judged_pairs(graph, hidden, exact=exact, sample=900)
            scores = numbers[judged.rows, judged.columns] + 2.0 * judged.linked
            found = order_measures(judged.linked, scores, judged.weights)
            likelihood = mean_log_likelihood(judged.linked, 1 / (1 + np.exp(2 - scores)), judged.weights, 1e-12)
            means[kind].append([*(found[name] for name in NAMES), likelihood])
    everything, sampled = (np.mean(means[kind], axis=0) for kind in ("all", "sample"))
    assert sampled == pytest.approx(everything, rel=0.01)


def test_a_sample_has_all_hidden_links_and_no_pair_twice() -> None:
    graph, hidden = random_graph(200, 0.1, seed=0), RandomPairs(0.4, seed=2)
    few, every = judged_pairs(graph, hidden, exact=0, sample=2000), judged_pairs(graph, hidden)
    assert few.linked.sum() == every.linked.sum()
    assert (graph.linked(few.rows, few.columns) == few.linked).all()
    assert len(np.unique(few.rows * 200 + few.columns)) == len(few.rows) < len(every.rows)
    assert few.weights.sum() == pytest.approx(len(every.rows), rel=0.03)

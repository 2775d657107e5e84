"""The reasons of a link add up to its logit, exactly."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit

from philia.explain import LinkExplanation, best_missing_links, explain_link
from philia.factors import CommunityFactors
from philia.graphs import Graph
from tests.strategies import graphs, random_graph


def random_factors(n: int, k_B: int, k_C: int, seed: int) -> CommunityFactors:
    rng = np.random.default_rng(seed)
    return CommunityFactors(rng.exponential(size=(n, k_B)), rng.exponential(size=(n, k_C)), rng.normal(size=n))


@given(st.integers(2, 20), st.integers(0, 6), st.integers(0, 6), st.integers(0, 10**6))
def test_baseline_and_reasons_add_up_to_the_logit_exactly(n: int, k_B: int, k_C: int, seed: int) -> None:
    graph, factors = random_graph(n, 0.3, seed), random_factors(n, k_B, k_C, seed)
    link = explain_link(graph, factors, 0, n - 1)
    assert link.logit == math.fsum([link.baseline, *(reason.log_odds for reason in link.reasons)])
    assert link.logit == pytest.approx(float(factors.scores(np.array([0]), np.array([n - 1]))[0]), rel=1e-12, abs=1e-12)
    assert link.logit == pytest.approx(
        float(factors.score_block(slice(0, 1), slice(n - 1, n))[0, 0]), rel=1e-12, abs=1e-12
    )
    odds = math.exp(link.baseline) * math.prod(reason.odds_factor for reason in link.reasons)
    assert odds / (1 + odds) == pytest.approx(link.probability)
    assert len(link.reasons) == k_B + k_C


@given(st.integers(2, 12), st.integers(0, 10**6))
def test_an_explanation_is_the_same_in_both_directions(n: int, seed: int) -> None:
    graph, factors = random_graph(n, 0.3, seed), random_factors(n, 3, 2, seed)
    there, back = explain_link(graph, factors, 0, 1), explain_link(graph, factors, 1, 0)
    assert (there.logit, there.linked) == (back.logit, back.linked)


def test_an_explanation_reads_as_text_and_as_a_table() -> None:
    graph = random_graph(3, 1.0, seed=0)
    factors = CommunityFactors(np.array([[1.0], [2.0], [0.0]]), np.array([[1.0], [1.0], [0.0]]), np.zeros(3))
    link: LinkExplanation = explain_link(graph, factors, 0, 1)
    assert "B1    attracts   odds × 7.39" in str(link)
    assert "C1    repels     odds ÷ 2.72" in str(link)
    assert [row["community"] for row in link.table()] == ["baseline", "B1", "C1"]


@given(graphs(max_nodes=25), st.integers(1, 12), st.integers(0, 10**6), st.booleans())
def test_the_best_missing_links_are_those_a_full_sort_finds(graph: Graph, count: int, seed: int, one: bool) -> None:
    n = graph.n_nodes
    factors = random_factors(n, 2, 2, seed)
    logits = factors.score_block(slice(None), slice(None))
    pairs = [(0, j) for j in range(1, n)] if one else [(i, j) for i in range(n) for j in range(i + 1, n)]
    missing = [(i, j) for i, j in pairs if not graph.has_link(i, j)]
    expected = sorted(missing, key=lambda pair: (-logits[pair], pair))[:count]
    found = best_missing_links(graph, factors, count, node=0 if one else None)
    values = expit([logits[pair] for pair in expected])
    np.testing.assert_allclose([link.probability for link in found], values, atol=1e-12)
    assert len(found) == len(expected)
    assert not any(graph.has_link(link.u, link.v) for link in found)

"""Every construction represents every graph exactly, in no more columns than its theorem says, and proves it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from philia.datasets import random_overlap_threshold
from philia.exact import (
    OneSidedPolynomials,
    SignPolynomials,
    by_overlap_threshold,
    by_sign_changes,
    certify,
    eliminated,
    probability_scale,
)
from philia.exact.compiled import sizes_at
from philia.exact.logarithms import SLACK, UNIT, logarithm_table, logarithms, long_logarithms
from philia.graphs import Graph, degeneracy, pseudoarboricity
from tests.exact.kinds import CONSTRUCTIONS, KINDS, Polynomial, made, product_signs, score_signs, wanted


@st.composite
def graphs_of_many_kinds(draw: st.DrawFn, max_nodes: int = 60) -> Graph:
    return made(draw(st.sampled_from(sorted(KINDS))), draw(st.integers(1, max_nodes)), draw(st.integers(0, 2**32 - 1)))


def _most_columns(graph: Graph, construction: str) -> int:
    c, d, p = int(graph.degrees.max(initial=0)), degeneracy(graph), pseudoarboricity(graph).value
    return {
        "sign changes": 4 * d + 2,
        "degeneracy": 4 * d + 1,
        "levels": 4 * d + 2,
        "max degree": 4 * c + 2,
        "max degree, one-sided": 2 * c + 1,
        "arboricity": (2 * p + 1) ** 2,
        "arboricity as printed": (2 * p + 1) ** 2 + 1,
    }[construction]


def _check_written_out(graph: Graph, found: Polynomial) -> None:
    logistic = found.logistic()
    np.testing.assert_array_equal(product_signs(logistic), wanted(graph))
    assert logistic.left.shape == (graph.n_nodes, found.logistic_columns)
    if isinstance(found, OneSidedPolynomials) or found.community_columns is None:
        return
    communities = found.communities()
    np.testing.assert_array_equal(product_signs(communities), wanted(graph))
    assert communities.memberships.min() >= 0
    assert communities.memberships.shape == (graph.n_nodes, found.community_columns)


@pytest.mark.parametrize("construction", CONSTRUCTIONS)
@settings(max_examples=40)
@given(graphs_of_many_kinds())
def test_every_construction_has_the_signs_of_the_graph_and_no_more_columns_than_promised(
    construction: str, graph: Graph
) -> None:
    found = CONSTRUCTIONS[construction](graph)
    certificate = certify(graph, found)
    assert certificate.columns <= _most_columns(graph, construction)
    assert certificate.bound is not None
    assert certificate.bound <= _most_columns(graph, construction)
    np.testing.assert_array_equal(score_signs(found), wanted(graph))
    if found.logistic_columns * graph.n_nodes**2 * found.bits < 10**7:
        _check_written_out(graph, found)


def test_a_thousand_random_graphs_are_represented_by_columns_of_whole_numbers() -> None:
    rng = np.random.default_rng(0)
    kinds, names = sorted(KINDS), sorted(CONSTRUCTIONS)
    for at in range(1001):
        graph = made(kinds[at % len(kinds)], int(rng.integers(1, 13)), at)
        found = CONSTRUCTIONS[names[at % len(names)]](graph)
        certify(graph, found)
        _check_written_out(graph, found)


@given(graphs_of_many_kinds(30), st.integers(0, 2**32 - 1))
def test_any_line_of_nodes_serves_and_the_sign_changes_are_the_degree(graph: Graph, seed: int) -> None:
    line = eliminated(graph, np.random.default_rng(seed).permutation(graph.n_nodes))
    found = by_sign_changes(graph, line)
    np.testing.assert_array_equal(score_signs(found), wanted(graph))
    assert found.degree <= line.most
    assert found.degree <= 2 * degeneracy(graph)


@st.composite
def any_polynomials(draw: st.DrawFn, long: bool = False) -> SignPolynomials:
    """Polynomials with whatever roots and weights, which represent nothing in particular."""
    n = draw(st.integers(1, 8))
    scale = 10**30 if long else 1
    even, odd = st.integers(1, 40).map(lambda x: 2 * x * scale), st.integers(-20, 60).map(lambda x: 2 * x * scale + 1)
    points = draw(st.lists(even, min_size=n, max_size=n, unique=True))
    roots = [sorted(draw(st.lists(odd, max_size=6))) for _ in range(n)]
    kind = object if long else np.int64
    flat = np.array([root for row in roots for root in row], dtype=kind)
    leading = np.array(draw(st.lists(st.sampled_from([-1, 1]), min_size=n, max_size=n)), dtype=np.int8)
    exponents = np.array(draw(st.lists(st.integers(-12, 12), min_size=n, max_size=n)), dtype=np.int64)
    starts = np.concatenate([[0], np.cumsum([len(row) for row in roots])]).astype(np.int64)
    return SignPolynomials(np.array(points, dtype=kind), starts, flat, leading, exponents)


@given(st.one_of(any_polynomials(), any_polynomials(long=True)))
def test_columns_have_the_signs_of_the_scores_and_no_number_is_longer_than_said(found: SignPolynomials) -> None:
    rows = range(found.n_nodes)
    np.testing.assert_array_equal(product_signs(found.logistic()), score_signs(found))
    shifts = found.exponents - found.exponents.min()
    longest = max(abs(found.value(v, u)).bit_length() + int(shifts[v]) for u in rows for v in rows)
    assert longest <= found.bits


@given(st.one_of(any_polynomials(), any_polynomials(long=True)), st.booleans(), st.data())
def test_verdicts_from_wrong_terms_are_those_of_all_scores(
    found: SignPolynomials, one_sided: bool, data: st.DataObject
) -> None:
    representation = OneSidedPolynomials(found) if one_sided else found
    signs, n = score_signs(representation), found.n_nodes
    asked = signs > 0
    for u, v in data.draw(st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), max_size=2)):
        asked[u, v] = asked[v, u] = not asked[u, v]
    asked = asked & asked.T
    wrong = [verdict.wrong for verdict in representation.verdicts(sparse.csr_array(asked.astype(float)))][-1]
    if wrong is None:
        np.testing.assert_array_equal(signs, np.where(asked, 1, -1))
    else:
        u, v, sign = wrong
        assert signs[u, v] == sign != (1 if asked[u, v] else -1)


@given(st.lists(st.integers(1, 2**32 - 1), min_size=1, max_size=5))
def test_logarithms_beyond_the_table_are_the_same(numbers: list[int]) -> None:
    points, starts = np.zeros(1, dtype=np.int64), np.arange(len(numbers) + 1)
    found = sizes_at(starts[:-1], 0 * starts[:-1], points, starts, np.array(numbers), logarithm_table(2))
    np.testing.assert_array_equal(found, logarithms(np.array(numbers)))


@given(st.lists(st.integers(1, 2**200), min_size=1, max_size=5))
def test_logarithms_enclose_the_true_ones(numbers: list[int]) -> None:
    from decimal import Decimal, localcontext

    with localcontext() as context:
        context.prec = 100
        for number, low in zip(numbers, long_logarithms(numbers).tolist(), strict=True):
            true = Decimal(number).ln() / Decimal(2).ln() * UNIT
            assert low <= true + Decimal(10) ** -60
            assert true < low + SLACK


@given(st.integers(1, 15), st.integers(0, 4), st.integers(0, 4), st.integers(-6, 6), st.integers(0, 10**6))
def test_overlap_threshold_graphs_take_one_more_community_with_the_loops_of_their_rule(
    n: int, k_b: int, k_c: int, t: int, seed: int
) -> None:
    made_by_rule = random_overlap_threshold(n, k_b, k_c, t, share=0.5, random_state=seed)
    found = by_overlap_threshold(made_by_rule)
    certificate = certify(made_by_rule.graph, found, loops=made_by_rule.loops)
    assert certificate.columns == k_b + k_c + 1
    scores = found.scores(np.arange(n)).astype(float) * probability_scale(n, 0.01)
    probabilities = 1 / (1 + np.exp(-scores))
    A = made_by_rule.graph.adjacency.toarray() + np.diag(made_by_rule.loops)
    assert np.linalg.norm(probabilities - A) < 0.01

"""Wrong terms, weights and verdicts compared with all pairs, on all small graphs."""

from __future__ import annotations

from dataclasses import replace
from math import log2, prod
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from philia.exact import SignPolynomials, by_levels, certify, wrong_terms
from philia.exact.compiled import rough_sizes_at
from philia.exact.logarithms import SLACK, UNIT, logarithms
from philia.exact.polynomials import winning_exponents
from philia.exact.wrong_terms import Line
from philia.exceptions import NotExactError
from philia.graphs import Graph, as_graph
from tests.exact.kinds import by_sign_changes_as_given, made, score_signs, wanted

SMALL = [graph for graph in nx.graph_atlas_g() if 0 < len(graph) <= 6]
SEVEN = [graph for graph in nx.graph_atlas_g() if len(graph) == 7]


def line_of(graph: Graph, found: SignPolynomials) -> Line:
    return Line.of(graph.adjacency, found.points, found.starts, found.roots, found.leading)


def listed(graph: Graph, found: SignPolynomials) -> set[tuple[int, int, int, int]]:
    """All wrong terms, in rows of the graph."""
    line = line_of(graph, found)
    terms = [line.terms(*block) for block in line.blocks()]
    return {
        (int(line.order[v]), int(line.order[u]), int(asked), int(other))
        for one in terms
        for v, u, asked, other in zip(one.owners, one.nodes, one.wanted, one.others, strict=True)
    }


def slowly_listed(graph: Graph, found: SignPolynomials) -> set[tuple[int, int, int, int]]:
    """The same from all pairs."""
    asked, rows = wanted(graph), range(graph.n_nodes)
    sign = [[int(np.sign(found.value(v, u))) for u in rows] for v in rows]
    return {(v, u, int(asked[v, u]), sign[u][v]) for v in rows for u in rows if sign[v][u] != asked[v, u]}


def slow_exponents(graph: Graph, found: SignPolynomials, removal: list[int]) -> list[int]:
    """The least weights, last node first, each from all nodes that go later."""

    def size(v: int, u: int) -> int:
        return int(logarithms(np.array([abs(int(found.points[u]) - root) for root in found.roots_of(v)])).sum())

    asked, exponents = wanted(graph), [0] * graph.n_nodes
    for at in reversed(range(graph.n_nodes)):
        v = removal[at]
        for u in removal[at + 1 :]:
            if np.sign(found.value(u, v)) != asked[u, v]:
                above = size(v, u) - size(u, v) - SLACK * len(found.roots_of(u))
                exponents[v] = max(exponents[v], exponents[u] + 1 - above // UNIT)
    return exponents


def check(graph: Graph, seed: int) -> None:
    removal = np.random.default_rng(seed).permutation(graph.n_nodes)
    for found in (by_sign_changes_as_given(graph), by_levels(graph)):
        assert listed(graph, found) == slowly_listed(graph, found)
        np.testing.assert_array_equal(score_signs(found), wanted(graph))
        assert certify(graph, found).nodes == graph.n_nodes
        rows: Any = graph.adjacency.indptr.astype(np.int64), graph.adjacency.indices.astype(np.int64)
        polynomials: Any = found.points, found.starts, found.roots, found.leading
        weights = winning_exponents(rows, polynomials, removal)
        assert weights.tolist() == slow_exponents(graph, found, removal.tolist())


def test_wrong_terms_and_weights_are_those_of_all_pairs_on_all_graphs_with_up_to_six_nodes() -> None:
    for seed, small in enumerate(SMALL):
        check(as_graph(small), seed)


@pytest.mark.slow
def test_wrong_terms_and_weights_are_those_of_all_pairs_on_all_graphs_with_seven_nodes() -> None:
    for seed, small in enumerate(SEVEN):
        check(as_graph(small), seed)


@given(st.sampled_from(["sparse", "middling", "dense", "attached"]), st.integers(10, 40), st.integers(0, 10**6))
def test_wrong_terms_are_those_of_all_pairs_on_random_graphs(kind: str, n: int, seed: int) -> None:
    graph = made(kind, n, seed)
    found, others = by_sign_changes_as_given(graph), made(kind, n, seed + 1)
    assert listed(graph, found) == slowly_listed(graph, found)
    assert listed(others, found) == slowly_listed(others, found)


@given(st.sampled_from(["sparse", "dense", "attached"]), st.integers(5, 30), st.integers(0, 10**6), st.integers(0, 40))
def test_verdicts_with_any_weights_are_those_of_all_scores(kind: str, n: int, seed: int, most: int) -> None:
    graph, rng = made(kind, n, seed), np.random.default_rng(seed)
    right = by_sign_changes_as_given(graph)
    found = replace(right, exponents=right.exponents + rng.integers(0, most + 1, n))
    signs, asked = score_signs(found), wanted(graph)
    wrong = [(int(u), int(v), int(signs[u, v])) for u, v in np.argwhere(signs != asked) if u <= v]
    verdicts = list(found.verdicts(graph.adjacency))
    said = {verdict.wrong for verdict in verdicts} - {None}
    assert said <= set(wrong)
    assert bool(said) == bool(wrong)
    if not wrong:
        margins = [slow_margin(found, v, u) for v, u, _, _ in slowly_listed(graph, found)]
        assert min(verdict.margin for verdict in verdicts) == pytest.approx(min(margins, default=np.inf), abs=1e-4)


def slow_margin(found: SignPolynomials, v: int, u: int) -> float:
    """By how many bits the right term of u is larger than the wrong one of v."""
    own, theirs = (abs(found.value(*pair)) << int(found.exponents[pair[0]]) for pair in ((u, v), (v, u)))
    return log2(own) - log2(theirs)


@given(st.lists(st.integers(-(1 << 24), 1 << 24), max_size=200), st.integers(1, 1 << 24))
def test_rough_sizes_are_within_a_bit_or_two(roots: list[int], at: int) -> None:
    roots = [2 * (root // 2) + 1 for root in roots]
    value, nothing = abs(prod(2 * (at // 2) - root for root in roots)), np.zeros(1, np.int64)
    points, ends = np.array([2.0 * (at // 2)]), np.array([0, len(roots)])
    size = int(rough_sizes_at(nothing, nothing, points, ends, np.array(roots, dtype=np.float64))[0])
    assert 1 << max(size - 2, 0) <= value <= 1 << size + 1 or (not roots and size == 0)


def test_blocks_cover_all_nodes_and_hold_few_terms(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wrong_terms, "_TERMS", 50)
    monkeypatch.setattr(wrong_terms, "_PAIRS", 1000)
    graph = made("attached by three", 200, seed=0)
    found = by_sign_changes_as_given(graph)
    line = line_of(graph, found)
    blocks = list(line.blocks())
    assert [0, *(last for _, last, _ in blocks)] == [*(first for first, _, _ in blocks), 200]
    assert all(total <= 50 or last == first + 1 for first, last, total in blocks)
    assert len(blocks) > 3
    assert listed(graph, found) == slowly_listed(graph, found)


def test_more_than_a_processor_does_in_hours_is_refused_with_the_time_it_would_take(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    graph = made("attached", 60, seed=0)
    found = by_sign_changes_as_given(graph)
    monkeypatch.setattr(wrong_terms, "_FACTORS_PER_HOUR", 10)
    with pytest.raises(NotExactError, match=r"terms have the wrong sign on this line; .* would take about \d+ hours"):
        certify(graph, found)

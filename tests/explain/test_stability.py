from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from philia.exceptions import InvalidParameterError
from philia.explain import Interval, explain_link, find_communities, measure_stability
from philia.explain.stability import likeness
from philia.factors import CommunityFactors
from tests.strategies import random_graph

SHAPES = st.tuples(st.integers(2, 30), st.integers(0, 5), st.integers(0, 5))
SEEDS = st.integers(0, 10**6)


def random_factors(n: int, k_B: int, k_C: int, seed: int) -> CommunityFactors:
    rng = np.random.default_rng(seed)
    return CommunityFactors(
        0.1 + rng.exponential(size=(n, k_B)), 0.1 + rng.exponential(size=(n, k_C)), rng.normal(size=n)
    )


def groups(*sizes: int) -> CommunityFactors:
    """One column for each of several groups of nodes without overlap."""
    return CommunityFactors.attracting(2.0 * np.repeat(np.eye(len(sizes)), sizes, axis=0))


@given(SHAPES, SEEDS, SEEDS)
def test_the_order_and_the_scale_of_columns_do_not_matter(shape: tuple[int, int, int], seed: int, other: int) -> None:
    n, k_B, k_C = shape
    reference, fit = random_factors(n, k_B, k_C, seed), random_factors(n, k_B, k_C, other)
    rng = np.random.default_rng(seed)
    turned = CommunityFactors(
        fit.homophilous[:, rng.permutation(k_B)] * rng.uniform(1, 9, k_B),
        fit.heterophilous[:, rng.permutation(k_C)] * rng.uniform(1, 9, k_C),
        fit.background,
    )
    plain, permuted = measure_stability(reference, [fit]), measure_stability(reference, [turned])
    scores = [[c.score for c in found.communities] for found in (plain, permuted)]
    assert sum(scores[0]) == pytest.approx(sum(scores[1]))
    for a, b in zip(plain.communities, permuted.communities, strict=True):
        if np.isclose(a.score, b.score):  # if two matchings are equally good, either may be chosen
            np.testing.assert_allclose(a.upper, b.upper, atol=1e-9)


@given(SHAPES, SEEDS, st.integers(1, 4))
def test_identical_fits_are_fully_stable(shape: tuple[int, int, int], seed: int, fits: int) -> None:
    factors = random_factors(*shape, seed)
    found = measure_stability(factors, [factors] * fits)
    assert [c.score for c in found.communities] == pytest.approx([1.0] * (shape[1] + shape[2]))
    assert all(c.appears == fits and c.reliable for c in found.communities)
    for c in found.communities:
        np.testing.assert_allclose(c.lower, c.upper)


@given(SEEDS, SEEDS, st.integers(2, 40))
def test_likeness_is_symmetric_between_0_and_1_and_independent_of_scale(a: int, b: int, n: int) -> None:
    x, y = (np.random.default_rng(seed).exponential(size=n) for seed in (a, b))
    assert 0 <= likeness(x, y) <= 1
    assert likeness(x, y) == pytest.approx(likeness(y, 3 * x))


@given(SEEDS)
def test_the_likeness_of_shuffled_columns_is_small(seed: int) -> None:
    rng = np.random.default_rng(seed)
    column = 5 + rng.exponential(size=400)  # every node belongs: the plain overlap would be large
    shuffled = rng.permutation(column)
    assert np.minimum(column, shuffled).sum() / column.sum() > 0.85
    assert likeness(column, shuffled) < 0.3


def test_constant_columns_are_the_same() -> None:
    assert likeness(np.ones(5), np.full(5, 3.0)) == 1
    assert likeness(np.ones(5), np.arange(5.0)) == 0


def test_a_community_that_a_fit_lacks_is_not_found_there() -> None:
    both, first = groups(4, 4), CommunityFactors.attracting(groups(4, 4).homophilous[:, :1])
    found = measure_stability(both, [both, first, first])
    assert [(c.name, c.appears, c.fits) for c in found.communities] == [("B1", 3, 3), ("B2", 1, 3)]
    last = found.communities[1]
    assert last.score == pytest.approx(1 / 3)
    assert (last.interval(7).lower, last.interval(7).upper) == pytest.approx((0.0, 0.8))
    assert "B2 was found in 1 of 3 other fits: do not rely on it" in str(found)


def test_columns_beyond_those_of_the_reference_are_ignored() -> None:
    assert [c.score for c in measure_stability(groups(8), [groups(8)]).communities] == [1.0]
    found = measure_stability(CommunityFactors.attracting(groups(4, 4).homophilous[:, 1:]), [groups(4, 4)])
    assert [c.score for c in found.communities] == [1.0]


def test_repelling_columns_are_not_matched_with_attracting_ones() -> None:
    B = groups(3, 3).homophilous
    attract, repel = CommunityFactors.attracting(B), CommunityFactors(np.empty((6, 0)), B, np.zeros(6))
    assert [c.score for c in measure_stability(attract, [repel]).communities] == [0.0, 0.0]


def test_negligible_columns_are_ignored_in_all_fits() -> None:
    B = groups(3, 3).homophilous * [1.0, 1e-3]
    assert [c.name for c in measure_stability(CommunityFactors.attracting(B), [groups(3, 3)]).communities] == ["B1"]
    found = measure_stability(groups(3, 3), [CommunityFactors.attracting(B)])
    assert [c.appears for c in found.communities] == [1, 0]


def test_an_empty_list_of_fits_is_refused() -> None:
    with pytest.raises(InvalidParameterError, match="at least one"):
        measure_stability(groups(2, 2), [])


def test_communities_and_reasons_report_other_fits() -> None:
    graph, both = random_graph(8, 0.5, seed=0), groups(4, 4)
    stability = measure_stability(both, [CommunityFactors.attracting(both.homophilous[:, :1])] * 2)
    found = find_communities(graph, both, stability=stability)
    assert [c.stability for c in found] == [1.0, 0.0]
    assert str(found[0]).endswith("; found in 2 of 2 other fits")
    assert str(found[1]).endswith("; found in 0 of 2 other fits: do not rely on it")
    assert found.intervals(0) == {"B1": Interval(1.0, 1.0), "B2": Interval(0.0, 0.0)}
    link = explain_link(graph, both, 0, 1, stability)
    assert link.reasons[0].stability == 1.0
    assert "stability 1.00, found in 2 of 2 other fits; memberships 1.00 to 1.00 and 1.00 to 1.00" in str(link)
    assert [row.get("upper_v") for row in link.table()] == [None, 1.0]


def test_without_other_fits_communities_and_reasons_do_not_mention_them() -> None:
    graph, both = random_graph(8, 0.5, seed=0), groups(4, 4)
    found, link = find_communities(graph, both), explain_link(graph, both, 0, 1)
    assert "fits" not in str(found)
    assert found[0].stability is None
    assert found.intervals(0) == {}
    assert "stability" not in str(link)
    assert "stability" not in link.table()[1]

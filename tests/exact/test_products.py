from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from philia import as_graph
from philia._types import Float64Array
from philia.exact import certify
from philia.exact.products import (
    FloatCommunities,
    FloatLogistic,
    IntegerCommunities,
    IntegerLogistic,
    _with_bounds,
    signs_of_products,
    wrong_scores,
)
from philia.exceptions import InvalidParameterError, NotExactError

sizes = st.sampled_from([0.0, 1.0, 0.1, 0.3, 1e-20, 3e16, 2.0**-60, 7.0])
entries = st.builds(
    lambda size, sign, more: sign * size * (1 + more * 2.0**-52), sizes, st.sampled_from([1, -1]), st.integers(0, 3)
)


def sides(columns: int = 6) -> st.SearchStrategy[Any]:
    shapes = st.tuples(st.just(2), st.integers(1, 5), st.integers(0, columns))
    return hnp.arrays(np.float64, shapes, elements=entries)


def exact_scores(X: Float64Array, Y: Float64Array) -> list[list[Fraction]]:
    return [[sum((Fraction(a) * Fraction(b) for a, b in zip(x, y, strict=True)), Fraction(0)) for y in Y] for x in X]


def sign(x: Fraction) -> int:
    return (x > 0) - (x < 0)


@settings(deadline=None, max_examples=60)
@given(sides())
def test_signs_are_those_of_fractions(both: Float64Array) -> None:
    X, Y = both
    expected = [[sign(score) for score in row] for row in exact_scores(X, Y)]
    assert signs_of_products(X, Y, np.arange(len(X))).values.tolist() == expected


@settings(deadline=None, max_examples=60)
@given(sides(), st.randoms(use_true_random=False))
def test_the_bound_holds_for_every_order_of_the_sum(both: Float64Array, random: Any) -> None:
    X, Y = both
    _, bounds = _with_bounds(X, Y)
    for i, row in enumerate(exact_scores(X, Y)):
        for j, true in enumerate(row):
            terms = [float(x) * float(y) for x, y in zip(X[i], Y[j], strict=True)]
            random.shuffle(terms)
            computed = 0.0
            for term in terms:
                computed += term
            assert abs(Fraction(computed) - true) <= Fraction(bounds[i, j])


def test_the_bound_holds_for_blas_on_long_sums_that_cancel() -> None:
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(8, 300)), rng.normal(size=(8, 300))
    computed, bounds = _with_bounds(np.hstack([X, -X]), np.hstack([Y, Y]))  # every score is zero
    assert (computed != 0).any()
    assert (np.abs(computed) <= bounds).all()
    assert not signs_of_products(np.hstack([X, -X]), np.hstack([Y, Y]), np.arange(8)).values.any()


def test_scores_that_overflow_are_decided_too() -> None:
    X, Y = np.array([[1e300, -1e300]]), np.array([[1e300, 1e300], [1e300, 0.9e300], [0.0, 1.0]])
    assert signs_of_products(X, Y, np.array([0])).values.tolist() == [[0, 1, -1]]


def test_a_score_that_floats_cannot_tell_from_zero_gets_its_true_sign() -> None:
    B = np.array([[1.0, 1e-9], [1.0, 1e-9]])
    close = FloatCommunities(B, np.array([[1.0], [1.0]]))
    found = close.signs(np.arange(2))
    assert found.values.tolist() == [[1, 1], [1, 1]]
    assert found.margin < 0


@settings(deadline=None, max_examples=60)
@given(st.sampled_from([8, 15, 17, 20, 24, 26, 30, 31, 40, 62, 80]), st.integers(0, 10**6))
def test_integers_of_every_length_have_the_signs_of_python_integers(bits: int, seed: int) -> None:
    rng = np.random.default_rng(seed)

    def numbers(*shape: int) -> Any:
        whole = [(1 << bits) - 1 - int(rng.integers(3)) for _ in range(int(np.prod(shape)))]
        return np.array(whole, dtype=np.int64 if bits < 63 else object).reshape(shape)

    V, W = numbers(4, 6), np.array([1, -1, 1, -1, 1, -1])
    for given_numbers in (IntegerCommunities(V, W, "given"), IntegerLogistic(V * W, numbers(4, 6), "given")):
        expected = [[int(score > 0) - int(score < 0) for score in row] for row in given_numbers.scores(np.arange(4))]
        assert given_numbers.signs(np.arange(4)).values.tolist() == expected


@pytest.mark.parametrize(
    "columns",
    [
        IntegerCommunities(np.ones((2, 3), np.int64), np.array([1, 1, -3]), "given"),
        IntegerCommunities(np.full((2, 3), 1 << 90, dtype=object), np.array([1, 1, -3]), "given"),
        IntegerLogistic(np.full((2, 1), 1 << 29), np.full((2, 1), 1 << 30), "given"),
        FloatCommunities(np.ones((2, 1)), np.ones((2, 1))),
        FloatLogistic(np.ones((2, 1)), np.ones((2, 1))),
    ],
    ids=["short", "long", "64 bits", "floats", "floats, two sides"],
)
def test_a_proof_that_would_take_many_hours_is_refused(columns: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("philia.exact.products._PER_HOUR", {"f": 0.5, "i": 0.5, "O": 0.5})
    with pytest.raises(NotExactError, match=r"computing 4 scores from \d columns of .* would take about \d+ hours"):
        certify(as_graph([("ann", "bob")]), columns)


def test_floats_that_tell_no_sign_are_refused_if_integers_would_take_many_hours(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    close = FloatLogistic(np.array([[1.0, 1.0]] * 2), np.array([[1.0, -1.0]] * 2))
    monkeypatch.setattr("philia.exact.products._PER_HOUR", {"f": 1e9, "O": 0.5})
    with pytest.raises(NotExactError, match=r"floats do not tell the sign of 100% of 4 scores; .* take about 16 hours"):
        certify(as_graph([("ann", "bob")]), close)


def test_rows_may_come_in_any_order() -> None:
    rng = np.random.default_rng(0)
    factors = FloatLogistic(rng.normal(size=(7, 2)), rng.normal(size=(7, 2)))
    whole, part = factors.signs(np.arange(7)).values, factors.signs(np.array([5, 2])).values
    np.testing.assert_array_equal(part, whole[[5, 2]])


def test_arrays_recreate_the_same_factors() -> None:
    rng = np.random.default_rng(0)
    given = FloatCommunities(rng.random((4, 2)), rng.random((4, 1)))
    again = FloatCommunities(**given.arrays(), construction="read")
    np.testing.assert_array_equal(again.signs(np.arange(4)).values, given.signs(np.arange(4)).values)
    assert (given.n_nodes, given.community_columns, given.logistic_columns, given.bits) == (4, 3, 3, 64)
    logistic = FloatLogistic(rng.random((4, 2)), rng.random((4, 2)))
    assert (logistic.community_columns, logistic.logistic_columns, logistic.bits) == (None, 2, 64)
    assert "integers" in logistic.how_signs_are_decided == given.how_signs_are_decided


@pytest.mark.parametrize("entry", [np.nan, np.inf, 1e-310])
def test_entries_that_are_not_normal_floats_are_refused(entry: float) -> None:
    with pytest.raises(InvalidParameterError, match="factors must be finite"):
        FloatLogistic(np.array([[entry]]), np.ones((1, 1)))


def test_negative_memberships_and_mismatched_sides_are_refused() -> None:
    with pytest.raises(InvalidParameterError, match=r"cannot be negative; found -1"):
        FloatCommunities(-np.ones((1, 1)), np.ones((1, 1)))
    with pytest.raises(InvalidParameterError, match="one row per node"):
        FloatCommunities(np.ones((1, 1)), np.ones((2, 1)))
    with pytest.raises(InvalidParameterError, match="the same shape"):
        FloatLogistic(np.ones((2, 1)), np.ones((2, 2)))


def test_wrong_scores_count_both_directions_zeros_and_the_diagonal() -> None:
    pair = as_graph([("ann", "bob")])
    assert wrong_scores(pair, np.zeros((2, 1)), np.zeros((2, 1))) == 4
    assert wrong_scores(pair, np.array([[1.0], [-1.0]]), np.array([[-1.0], [1.0]])) == 0

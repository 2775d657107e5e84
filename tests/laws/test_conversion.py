"""Factors of any sign and the communities made of them give every pair the same score."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from philia._types import Float64Array
from philia.exceptions import InvalidParameterError
from philia.factors import CommunityFactors, LogisticFactors, SignedFactors
from philia.factors.conversion import absorbed, doubled, rational, shift, split, strongest

ways = pytest.mark.parametrize("convert", [split, shift])
Convert = Callable[[LogisticFactors | SignedFactors], CommunityFactors]

entries = st.floats(-50, 50, allow_subnormal=False).map(lambda x: 0.0 if abs(x) < 1e-6 else x)
whole = st.integers(-(10**30), 10**30)
fractions = st.fractions(-1000, 1000, max_denominator=10**9)


def two(elements: st.SearchStrategy[Any], dtype: Any, columns: int = 4) -> st.SearchStrategy[tuple[Any, Any]]:
    """X and Y of one shape."""
    pairs = st.tuples(st.integers(1, 6), st.integers(0, columns)).map(lambda shape: (2, *shape))
    return hnp.arrays(dtype, pairs, elements=elements).map(lambda both: (both[0], both[1]))


def logits(X: Any, Y: Any) -> Any:
    return (X @ Y.T + Y @ X.T) / 2


@ways
@given(two(entries, np.float64))
def test_converted_factors_are_nonnegative_and_score_as_before(
    convert: Convert, matrices: tuple[Float64Array, Float64Array]
) -> None:
    X, Y = matrices
    found = convert(LogisticFactors(X, Y))
    assert found.homophilous.min(initial=0) >= 0
    assert found.heterophilous.min(initial=0) >= 0
    size = 1 + float((X**2).sum() + (Y**2).sum())
    np.testing.assert_allclose(found.score_block(slice(None), slice(None)), logits(X, Y), atol=1e-12 * size)


@given(two(entries, np.float64))
def test_split_has_three_columns_and_shift_two_more_than_the_rank(matrices: tuple[Float64Array, Float64Array]) -> None:
    signed = LogisticFactors(*matrices).signed()
    rank = signed.positive.shape[1] + signed.negative.shape[1]
    for found, columns in ((split(signed), 3 * rank), (shift(signed), rank + 2)):
        assert sum(found.counts) == columns


@pytest.mark.parametrize("elements", [whole, fractions])
@given(data=st.data())
def test_the_rational_way_is_exact_in_whole_numbers_and_in_fractions(elements: Any, data: st.DataObject) -> None:
    X, Y = data.draw(two(elements, object))
    B, C = rational(X, Y)
    assert (B >= 0).all()
    assert (C >= 0).all()
    assert B.shape[1] + C.shape[1] == (2 * X.shape[1] + 2 if X.shape[1] else 0)
    assert np.array_equal(2 * (B @ B.T - C @ C.T), X @ Y.T + Y @ X.T)


@given(two(whole, object))
def test_the_doubled_way_never_leaves_the_whole_numbers(matrices: tuple[Any, Any]) -> None:
    X, Y = matrices
    B, C = doubled(X, Y)
    assert all(type(entry) is int and entry >= 0 for entry in [*B.ravel(), *C.ravel()])
    assert np.array_equal(B @ B.T - C @ C.T, 2 * (X @ Y.T + Y @ X.T))


@given(two(entries, np.float64))
def test_the_rational_way_in_floats_rounds_the_one_in_fractions(matrices: tuple[Float64Array, Float64Array]) -> None:
    exact = rational(
        *(np.array([[Fraction(x) for x in row] for row in M], dtype=object).reshape(M.shape) for M in matrices)
    )
    for rounded, true in zip(rational(*matrices), exact, strict=True):
        assert rounded.min(initial=0) >= 0
        np.testing.assert_allclose(rounded, true.astype(float), atol=1e-12, rtol=1e-13)


@given(two(st.floats(0, 9), np.float64), st.integers(1, 9))
def test_the_strongest_columns_are_no_weaker_than_those_left_out(
    matrices: tuple[Float64Array, Float64Array], k: int
) -> None:
    B, C = matrices
    kept = strongest(CommunityFactors(B, C, np.zeros(len(B))), k)
    norms = np.sort((np.hstack([B, C]) ** 2).sum(axis=0))[::-1]
    found = kept.columns
    assert found.shape[1] == min(k, len(norms))
    np.testing.assert_allclose(np.sort((found**2).sum(axis=0))[::-1], norms[:k])


@st.composite
def with_background(draw: st.DrawFn, elements: Any, dtype: Any) -> tuple[Any, Any, Any]:
    """A background, columns of any sign, and a sign for each."""
    n, k = draw(st.integers(1, 6)), draw(st.integers(0, 4))
    background, columns = (draw(hnp.arrays(dtype, shape, elements=elements)) for shape in ((n,), (n, k)))
    return background, columns, np.array(draw(st.lists(st.sampled_from([1, -1]), min_size=k, max_size=k)), dtype=int)


def scored(background: Any, columns: Any, signs: Any) -> Any:
    return background[:, None] + background + (columns * signs) @ columns.T


@pytest.mark.parametrize("elements", [whole, fractions])
@given(data=st.data())
def test_a_background_is_absorbed_exactly_by_two_nonnegative_columns(elements: Any, data: st.DataObject) -> None:
    given_ = data.draw(with_background(elements, object))
    V, W = absorbed(*given_)
    product, true = V @ np.diag(W) @ V.T, scored(*given_)
    assert V.shape == (len(true), given_[1].shape[1] + 2)
    assert min(V.flat) >= 0
    times = next((Fraction(p) / m for p, m in zip(product.flat, true.flat, strict=True) if m), Fraction(4))
    assert times >= 4
    np.testing.assert_array_equal(product, times * true)
    if elements is whole:
        assert all(type(number) is int for number in (*V.flat, *W))


@given(with_background(entries, np.float64))
def test_in_floats_a_background_is_absorbed_up_to_rounding(parts: tuple[Any, Any, Any]) -> None:
    V, W = absorbed(*parts)
    assert V.min() >= 0
    background, columns, signs = parts
    lift = np.maximum(-columns.min(axis=0, initial=0), 0)
    h = max(np.abs(2 * background - 2 * columns @ (signs * lift) - (signs * lift**2).sum()).max(), 1)
    found = (V * W) @ V.T / (4 * h)
    size = 1 + float((columns**2).sum() + np.abs(background).max()) * 10
    np.testing.assert_allclose(found, scored(*parts), atol=1e-10 * size)


def test_a_background_of_another_shape_and_other_signs_are_refused() -> None:
    ones = np.ones((3, 2), dtype=int)
    with pytest.raises(InvalidParameterError, match="they must be n, n × k and k"):
        absorbed(np.ones(2), ones, np.array([1, 1]))
    with pytest.raises(InvalidParameterError, match=r"each must be \+1 or -1"):
        absorbed(np.ones(3), ones, np.array([1, 2]))

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest

from philia import LogisticPCA
from philia.datasets import classic
from philia.exceptions import InvalidParameterError
from philia.factors import CommunityFactors, LogisticFactors, SignedFactors
from philia.factors.conversion import doubled, rational, shift, split, strongest


@pytest.mark.parametrize("convert", [split, shift])
def test_logistic_factors_that_represent_a_graph_exactly_still_do_when_converted(convert: Any) -> None:
    graph = classic("karate")
    model = LogisticPCA(6, random_state=0).fit(graph)
    linked = graph.adjacency.toarray() > 0
    every = slice(None)
    assert np.array_equal(model.factors_.score_block(every, every) > 0, linked)
    assert np.array_equal(convert(model.factors_).score_block(every, every) > 0, linked)


@pytest.mark.parametrize("convert", [split, shift])
def test_nothing_of_size_n_by_n_is_allocated(convert: Any) -> None:
    rng = np.random.default_rng(0)
    factors = LogisticFactors(rng.normal(size=(4000, 3)), rng.normal(size=(4000, 3)))
    tracemalloc.start()
    convert(factors)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4000**2 * 8 / 16


@pytest.mark.parametrize("convert", [split, shift])
@pytest.mark.parametrize(("positive", "negative"), [(0, 0), (2, 0), (0, 2), (3, 1)])
def test_either_side_may_be_empty(convert: Any, positive: int, negative: int) -> None:
    rng = np.random.default_rng(0)
    given = SignedFactors(rng.normal(size=(5, positive)), rng.normal(size=(5, negative)))
    every = slice(None)
    np.testing.assert_allclose(convert(given).score_block(every, every), given.score_block(every, every), atol=1e-12)


def test_shifting_makes_entries_nonnegative_by_the_smallest_shift() -> None:
    rng = np.random.default_rng(0)
    found = shift(SignedFactors(rng.normal(size=(50, 3)), rng.normal(size=(50, 4))))
    lowest = np.minimum(found.homophilous.min(axis=1), found.heterophilous.min(axis=1))
    np.testing.assert_allclose(lowest, 0, atol=1e-14)


def test_readable_sides_are_those_of_split_without_the_repelling_columns() -> None:
    rng = np.random.default_rng(0)
    given = SignedFactors(rng.normal(size=(9, 2)), rng.normal(size=(9, 1)))
    sides = given.readable().homophilous
    np.testing.assert_allclose(split(given).homophilous[:, [0, 2, 1, 3]], np.sqrt(2) * sides)


def test_machine_integers_do_not_overflow() -> None:
    X = np.array([[2**62], [-(2**62)]])
    B, C = doubled(X, X)
    assert (B @ B.T - C @ C.T).tolist() == [[2**126, -(2**126)], [-(2**126), 2**126]]


def test_matrices_of_different_shapes_are_refused() -> None:
    with pytest.raises(InvalidParameterError, match=r"X is \(2, 1\) and Y is \(2, 2\); both must be n × k"):
        rational(np.ones((2, 1)), np.ones((2, 2)))


def test_keeping_no_column_is_refused() -> None:
    with pytest.raises(InvalidParameterError, match="k is 0; at least one column"):
        strongest(CommunityFactors.attracting(np.ones((2, 1))), 0)


def test_the_strongest_columns_keep_the_background_and_their_order() -> None:
    factors = CommunityFactors(np.array([[1.0, 3.0, 2.0]]), np.array([[2.0, 0.5]]), np.array([-1.0]))
    kept = strongest(factors, 3)
    assert kept.homophilous.tolist() == [[3.0, 2.0]]
    assert kept.heterophilous.tolist() == [[2.0]]
    assert kept.background.tolist() == [-1.0]

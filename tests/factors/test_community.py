"""The counts, the names and the columns of community factors belong together."""

from __future__ import annotations

import numpy as np
import pytest

from philia.factors import CommunityFactors


@pytest.mark.parametrize(("k_B", "k_C"), [(3, 2), (1, 0), (0, 2), (0, 0)])
def test_names_and_columns_are_in_the_order_of_contributions(k_B: int, k_C: int) -> None:
    rng = np.random.default_rng(0)
    factors = CommunityFactors(rng.random((5, k_B)), rng.random((5, k_C)), rng.random(5))
    assert factors.counts == (k_B, k_C)
    pairs = np.array([0, 1]), np.array([3, 4])
    signs = np.array([{"B": 1.0, "C": -1.0}[name[0]] for name in factors.names])
    expected = signs * factors.columns[pairs[0]] * factors.columns[pairs[1]]
    np.testing.assert_array_equal(factors.contributions(*pairs)[:, 1:], expected)
    for name, column in zip(factors.names, factors.columns.T, strict=True):
        matrix = {"B": factors.homophilous, "C": factors.heterophilous}[name[0]]
        np.testing.assert_array_equal(matrix[:, int(name[1:]) - 1], column)

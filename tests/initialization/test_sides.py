from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score

from philia.initialization.starts import strongest_sides, varimax


@given(st.integers(1, 20), st.integers(0, 5), st.integers(0, 12), st.integers(0, 10**6))
def test_sides_are_as_many_as_asked_for_nonnegative_and_sorted(n: int, k: int, count: int, seed: int) -> None:
    X = np.random.default_rng(seed).standard_normal((n, k))
    sides = strongest_sides(X, count)
    assert sides.shape == (n, count)
    assert (sides >= 0).all()
    assert (np.diff((sides**2).sum(axis=0)) <= 1e-12).all()
    assert not sides[:, 2 * k :].any()


@given(st.integers(1, 20), st.integers(0, 5), st.integers(0, 10**6))
def test_all_sides_together_say_what_nodes_on_one_side_share(n: int, k: int, seed: int) -> None:
    X = np.random.default_rng(seed).standard_normal((n, k))
    sides = strongest_sides(X, 2 * k)
    np.testing.assert_allclose((sides**2).sum(axis=1), (X**2).sum(axis=1), atol=1e-9)
    assert (sides @ sides.T >= X @ X.T - 1e-9).all()


def test_groups_that_were_mixed_and_turned_over_are_found_again() -> None:
    rng = np.random.default_rng(0)
    groups = np.eye(4)[rng.integers(4, size=200)]
    turned, _ = np.linalg.qr(rng.standard_normal((4, 4)))
    found = strongest_sides(varimax(groups @ turned), 4)
    assert adjusted_rand_score(groups.argmax(axis=1), found.argmax(axis=1)) == 1.0

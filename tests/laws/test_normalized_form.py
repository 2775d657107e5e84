"""V W Vᵀ is B Bᵀ - C Cᵀ, with V in [0, 1]; columns of zeros are dropped."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from philia._types import Float64Array
from philia.explain import normalize
from philia.factors import CommunityFactors

entries = st.floats(0, 50, allow_subnormal=False).map(lambda x: 0.0 if x < 1e-6 else x)


def columns(n: int) -> st.SearchStrategy[Float64Array]:
    return hnp.arrays(np.float64, st.tuples(st.just(n), st.integers(0, 4)), elements=entries)


@given(st.integers(1, 12).flatmap(lambda n: st.tuples(columns(n), columns(n))))
def test_the_readable_form_says_the_same_as_the_factors(matrices: tuple[Float64Array, Float64Array]) -> None:
    B, C = matrices
    normal = normalize(CommunityFactors(B, C, np.zeros(len(B))))
    V, W = normal.memberships, normal.strengths
    expected = B @ B.T - C @ C.T
    np.testing.assert_allclose(V @ np.diag(W) @ V.T, expected, atol=1e-9 * (1 + float((B**2).sum() + (C**2).sum())))
    assert ((V >= 0) & (V <= 1)).all()
    assert (V.max(axis=0, initial=0) == 1).all() or V.shape[1] == 0
    assert np.array_equal(normal.indices, np.flatnonzero(np.hstack([B, C]).any(axis=0)))
    assert len(normal.names) == len(normal.kinds) == V.shape[1]


def test_a_column_of_zeros_is_dropped_and_the_names_of_the_others_stay() -> None:
    B = np.array([[0.0, 2.0], [0.0, 1.0]])
    normal = normalize(CommunityFactors(B, np.zeros((2, 1)), np.zeros(2)))
    assert normal.names == ("B2",)
    assert np.isfinite(normal.memberships).all()

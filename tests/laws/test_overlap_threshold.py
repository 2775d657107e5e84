"""COT graphs are linked where their rule says, and one more community represents them exactly, loops included."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from philia.datasets import overlap_threshold, random_overlap_threshold
from philia.exceptions import InvalidParameterError


@given(st.integers(1, 15), st.integers(0, 4), st.integers(0, 4), st.integers(-6, 6), st.integers(0, 10**6))
def test_signs_of_the_shifted_overlap_are_the_graph_with_its_loops(
    n: int, k_b: int, k_c: int, t: int, seed: int
) -> None:
    cot = random_overlap_threshold(n, k_b, k_c, t, share=0.5, random_state=seed)
    A = cot.graph.adjacency.toarray() + np.diag(cot.loops.astype(int))
    logits = cot.b @ cot.b.T - cot.c @ cot.c.T + 0.5 - t
    np.testing.assert_array_equal(logits > 0, A == 1)


def test_memberships_that_are_not_binary_are_refused() -> None:
    with pytest.raises(InvalidParameterError, match="0 or 1"):
        overlap_threshold([[2]], [[0]], 1)
    with pytest.raises(InvalidParameterError, match="one row per node"):
        overlap_threshold([[1], [1]], [[0]], 1)

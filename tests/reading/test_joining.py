"""The compiled loop in which nodes join communities, compared with a plain one."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from philia.reading import joining


def plainly(A: np.ndarray, members: np.ndarray, classes: np.ndarray, groups: Any, first: np.ndarray, other: float,
            once: bool) -> list[list[tuple[int, float]]]:  # fmt: skip
    """Each node's communities in the order of joining, with what each gains."""
    w, costs, itself = groups
    found = []
    for i in range(len(A)):
        mine: list[tuple[int, float]] = []
        friends = np.flatnonzero(A[i])
        while len(mine) < len(friends):
            gains = {}
            for c in range(len(w)):
                if c in [d for d, _ in mine] or not members[friends, c].any() or w[c] <= 0:
                    continue
                links = 0.0
                for j in friends[members[friends, c]]:
                    before = max([w[d] for d, _ in mine if members[j, d]], default=0.0) if once else 0.0
                    links += max(0.0, w[c] - before)
                gains[c] = links - costs[c, classes[i]] + members[i, c] * itself[c, classes[i]]
            if not gains:
                break
            best = max(gains, key=lambda c: (round(gains[c], 9), -c))
            if gains[best] <= (other if mine else first[best]):
                break
            mine.append((best, gains[best]))
        found.append(mine)
    return found


@given(st.integers(2, 14), st.integers(1, 5), st.booleans(), st.integers(0, 2**32))
@settings(deadline=None, max_examples=60)
def test_nodes_join_what_a_plain_loop_says(n: int, k: int, once: bool, seed: int) -> None:
    rng = np.random.default_rng(seed)
    A = np.triu(rng.random((n, n)) < 0.5, 1)
    A = A | A.T
    members, classes = rng.random((n, k)) < 0.5, rng.integers(2, size=n)
    w = rng.exponential(3.0, k)
    groups = w, rng.exponential(2.0, (k, 2)), rng.exponential(0.5, (k, 2))
    rows, of = sparse.csr_array(A), sparse.csr_array(members)
    first, other = w * rng.integers(2), 1.5
    as_rows = [(M.indptr.astype(np.int64), M.indices.astype(np.int64)) for M in (rows, of)]
    ends, joined, gains = joining.join(*as_rows, classes, groups, first, other, once)
    for i, expected in enumerate(plainly(A, members, classes, groups, first, other, once)):
        own = slice(ends[i], ends[i + 1])
        assert joined[own].tolist() == [c for c, _ in expected]
        np.testing.assert_allclose(gains[own], [gain for _, gain in expected], atol=1e-9)

"""Symmetric sums of products of whole columns, as communities: two for each pair of columns, one for each square."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from philia.exact.integers import IntegerCommunities
from philia.exact.representation import Integers


def paired_communities(
    pairs: Sequence[tuple[Integers, Integers]], squares: Sequence[tuple[Integers, int]], construction: str
) -> IntegerCommunities:
    """Communities whose scores are ∑ (x yᵀ + y xᵀ) + ∑ w z zᵀ times a power of two, for pairs (x, y), squares (z, w).

    Every x is positive and every z is not negative; entries are Python's integers. For l large enough 2^l x + y and
    2^l x - y have no negative entry, and

        (2^l x + y)(2^l x + y)ᵀ - (2^l x - y)(2^l x - y)ᵀ = 2^(l+1) (x yᵀ + y xᵀ):

    one community that attracts and one that repels.

    >>> one, y = np.array([1, 1], dtype=object), np.array([3, -1], dtype=object)
    >>> paired_communities([(one, y)], [], "given").memberships.tolist()
    [[7, 1], [3, 5]]
    """
    shifts = [max(map(_needed_shift, x, y), default=0) for x, y in pairs]
    most = max(shifts, default=0)
    V, W = [], []
    for (x, y), shift in zip(pairs, shifts, strict=True):
        V += [x * (1 << shift) + y, x * (1 << shift) - y]
        W += [1 << most - shift, -1 << most - shift]
    for z, w in squares:
        V.append(z)
        W.append(w << most + 1)
    return IntegerCommunities(np.stack(V, axis=1), np.array(W, dtype=object), construction)


def _needed_shift(x: int, y: int) -> int:
    """The least l ≥ 0 with 2^l x ≥ |y|, for x > 0."""
    shift = max(0, y.bit_length() - x.bit_length())
    return shift if x << shift >= abs(y) else shift + 1

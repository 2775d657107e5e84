"""Scores as products of integer matrices, computed in full: slow, simple, and without rounding."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from philia._types import Int64Array
from philia.exact.representation import Integers, Signs, TwoSided, check_integers
from philia.exceptions import InvalidParameterError

_EVERY_ENTRY = "every entry in integers"


@dataclass(frozen=True, eq=False)
class IntegerCommunities:
    """Nonnegative integer ``memberships`` V, one row per node, and signed integer ``weights`` W; scores V diag(W) Vᵀ.

    A positive weight makes a homophilous community, a negative one a heterophilous one.

    >>> triangle = IntegerCommunities(np.array([[1, 1], [1, 2], [1, 3]]), np.array([5, -1]), "given")
    >>> triangle.signs(np.arange(3)).values.tolist()
    [[1, 1, 1], [1, 1, -1], [1, -1, -1]]
    """

    memberships: Integers
    weights: Integers
    construction: str
    how_signs_are_decided: ClassVar[str] = _EVERY_ENTRY

    def __post_init__(self) -> None:
        V, W = self.memberships, self.weights
        check_integers(memberships=V, weights=W)
        if V.ndim != 2 or W.shape != V.shape[1:]:
            raise InvalidParameterError(f"memberships of shape {V.shape} need one weight per column; found {W.shape}")
        if V.size and V.min() < 0:
            raise InvalidParameterError(f"memberships of communities cannot be negative; found {V.min()}")

    @property
    def n_nodes(self) -> int:
        """The number of nodes."""
        return len(self.memberships)

    @property
    def community_columns(self) -> int:
        """The number of columns of the nonnegative form."""
        return int(self.weights.size)

    @property
    def logistic_columns(self) -> int:
        """The number of columns on each side of the logistic form."""
        return self.community_columns

    @property
    def bits(self) -> int:
        """The length of the longest membership or weight."""
        return max(_longest(self.memberships), _longest(self.weights))

    def scores(self, rows: Int64Array) -> Integers:
        """The scores of some rows with all nodes, as Python integers."""
        V = self.memberships.astype(object)
        return np.asarray((V[rows] * self.weights.astype(object)) @ V.T)

    def signs(self, rows: Int64Array) -> Signs:
        """The signs of the scores of some rows with all nodes."""
        V, W = self.memberships, self.weights
        kind = _kind(W.size << 2 * _longest(V) + _longest(W), V, W)
        V, W = V.astype(kind), W.astype(kind)
        return _signs_of_products(V[rows] * W, V)

    def arrays(self) -> Mapping[str, Integers]:
        """All of its numbers, for a file."""
        return {"memberships": self.memberships, "weights": self.weights}


@dataclass(frozen=True, eq=False)
class IntegerLogistic(TwoSided):
    """Two integer matrices, X (``left``) and Y (``right``), one row per node; scores are X Yᵀ.

    >>> IntegerLogistic(np.array([[1], [-1]]), np.array([[-1], [1]]), "given").signs(np.arange(2)).values.tolist()
    [[-1, 1], [1, -1]]
    """

    how_signs_are_decided: ClassVar[str] = _EVERY_ENTRY

    def __post_init__(self) -> None:
        check_integers(left=self.left, right=self.right)
        super().__post_init__()

    @property
    def bits(self) -> int:
        """The length of the longest number."""
        return max(_longest(self.left), _longest(self.right))

    def scores(self, rows: Int64Array) -> Integers:
        """The scores of some rows with all nodes, as Python integers."""
        return np.asarray(self.left[rows].astype(object) @ self.right.astype(object).T)

    def signs(self, rows: Int64Array) -> Signs:
        """The signs of the scores of some rows with all nodes."""
        X, Y = self.left, self.right
        kind = _kind(X.shape[1] << _longest(X) + _longest(Y), X, Y)
        return _signs_of_products(X[rows].astype(kind), Y.astype(kind))


def paired_communities(
    pairs: Sequence[tuple[Integers, Integers]], squares: Sequence[tuple[Integers, int]], construction: str
) -> IntegerCommunities:
    """Communities whose scores are ∑ (x yᵀ + y xᵀ) + ∑ w z zᵀ times a power of two, for pairs (x, y), squares (z, w).

    Every x is positive and no z is negative; entries are Python integers. For l large enough 2^l x + y and 2^l x - y
    have no negative entry, and

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


def _kind(bound: int, *arrays: Integers) -> type:
    """The type in which no score overflows: 64 bits if a bound on all scores fits, else Python integers.

    The arrays are converted even if they are short already: products of 8-bit numbers would wrap around.
    """
    return object if bound >= 1 << 63 or any(array.dtype == object for array in arrays) else np.int64


def _signs_of_products(some: Integers, Y: Integers) -> Signs:
    values = np.empty((len(some), len(Y)), dtype=np.int8)
    for i, x in enumerate(some):  # row by row, because a block of long products would take much memory
        values[i] = np.sign(Y @ x)
    return Signs(values)


def _longest(numbers: Integers) -> int:
    return max(int(numbers.max(initial=0)).bit_length(), int(numbers.min(initial=0)).bit_length())

"""Scores as products of matrices of whole numbers, computed in full: slow, plain, and without rounding."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from philia._types import Int64Array
from philia.exact.representation import Integers, Signs, TwoSided, check_whole
from philia.exceptions import InvalidParameterError

_EVERY_ENTRY = "every entry in integers"


@dataclass(frozen=True, eq=False)
class IntegerCommunities:
    """Nonnegative whole ``memberships`` V, a row a node, and signed whole ``weights`` W; scores are V diag(W) Vᵀ.

    A positive weight makes a homophilous community, a negative one a heterophilous one.

    >>> triangle = IntegerCommunities(np.array([[1, 1], [1, 2], [1, 3]]), np.array([5, -1]), "given")
    >>> triangle.signs(np.arange(3)).values.tolist()
    [[1, 1, 1], [1, 1, -1], [1, -1, -1]]
    """

    memberships: Integers
    weights: Integers
    construction: str

    def __post_init__(self) -> None:
        V, W = self.memberships, self.weights
        check_whole(memberships=V, weights=W)
        if V.ndim != 2 or W.shape != V.shape[1:]:
            raise InvalidParameterError(f"memberships of shape {V.shape} need one weight a column; found {W.shape}")
        if V.size and V.min() < 0:
            raise InvalidParameterError(f"memberships of communities are not negative; found {V.min()}")

    @property
    def n_nodes(self) -> int:
        """How many nodes there are."""
        return len(self.memberships)

    @property
    def community_columns(self) -> int:
        """How many columns the nonnegative form has."""
        return int(self.weights.size)

    @property
    def logistic_columns(self) -> int:
        """How many columns each side of the logistic form has."""
        return self.community_columns

    @property
    def bits(self) -> int:
        """How many bits the longest membership or weight has."""
        return max(_longest(self.memberships), _longest(self.weights))

    @property
    def how_signs_are_decided(self) -> str:
        """A sentence for the certificate."""
        return _EVERY_ENTRY

    def scores(self, rows: Int64Array) -> Integers:
        """The scores of some rows with all nodes, as Python's integers."""
        V = self.memberships.astype(object)
        return np.asarray((V[rows] * self.weights.astype(object)) @ V.T)

    def signs(self, rows: Int64Array) -> Signs:
        """The signs of the scores of some rows with all nodes."""
        V, W = self.memberships, self.weights
        kind = _kind(W.size << 2 * _longest(V) + _longest(W), V, W)
        V, W = V.astype(kind), W.astype(kind)
        return _signs_of_products(V[rows] * W, V)

    def arrays(self) -> Mapping[str, Integers]:
        """All that makes it, for a file."""
        return {"memberships": self.memberships, "weights": self.weights}


@dataclass(frozen=True, eq=False)
class IntegerLogistic(TwoSided):
    """Two matrices of whole numbers, X (``left``) and Y (``right``), a row a node; scores are X Yᵀ.

    >>> IntegerLogistic(np.array([[1], [-1]]), np.array([[-1], [1]]), "given").signs(np.arange(2)).values.tolist()
    [[-1, 1], [1, -1]]
    """

    def __post_init__(self) -> None:
        check_whole(left=self.left, right=self.right)
        super().__post_init__()

    @property
    def bits(self) -> int:
        """How many bits the longest number has."""
        return max(_longest(self.left), _longest(self.right))

    @property
    def how_signs_are_decided(self) -> str:
        """A sentence for the certificate."""
        return _EVERY_ENTRY

    def scores(self, rows: Int64Array) -> Integers:
        """The scores of some rows with all nodes, as Python's integers."""
        return np.asarray(self.left[rows].astype(object) @ self.right.astype(object).T)

    def signs(self, rows: Int64Array) -> Signs:
        """The signs of the scores of some rows with all nodes."""
        X, Y = self.left, self.right
        kind = _kind(X.shape[1] << _longest(X) + _longest(Y), X, Y)
        return _signs_of_products(X[rows].astype(kind), Y.astype(kind))


def _kind(bound: int, *arrays: Integers) -> type:
    """The type in which no score overflows: 64 bits if a bound of all scores fits, else Python's integers.

    The arrays are converted even if they are short already: products of 8-bit numbers would wrap around.
    """
    return object if bound >= 1 << 63 or any(array.dtype == object for array in arrays) else np.int64


def _signs_of_products(some: Integers, Y: Integers) -> Signs:
    values = np.empty((len(some), len(Y)), dtype=np.int8)
    for i, x in enumerate(some):  # row by row, for a block of long products would take much memory
        values[i] = np.sign(Y @ x)
    return Signs(values)


def _longest(numbers: Integers) -> int:
    return max(int(numbers.max(initial=0)).bit_length(), int(numbers.min(initial=0)).bit_length())

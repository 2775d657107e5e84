"""What every exact representation can be asked: how many columns it needs, and the signs of its scores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from philia._types import Int64Array
from philia.exceptions import InvalidParameterError

Int8Array = npt.NDArray[np.int8]
Integers = npt.NDArray[Any]
"""Whole numbers: of 64 bits, or of any length as Python's own (dtype object)."""

LONGEST_NAME = 100
"""The longest name of a construction, in characters."""


def check_construction(name: object) -> None:
    """Complain about a name of a construction that cannot be shown on one line.

    >>> check_construction(["levels"])
    Traceback (most recent call last):
    philia.exceptions.InvalidParameterError: the construction must be a name of 1 to 100 printable characters; found ...
    """
    if not (isinstance(name, str) and name.isprintable() and 0 < len(name) <= LONGEST_NAME):
        raise InvalidParameterError(
            f"the construction must be a name of 1 to {LONGEST_NAME} printable characters; found {str(name)[:100]!r}"
        )


def check_starts(starts: Integers, count: int) -> None:
    """Complain unless ``starts`` is one row of 64-bit numbers that rises from 0 to ``count`` and never falls.

    Compiled loops take these numbers for addresses, so nothing else may pass. Differences are not looked at: those of
    very large numbers wrap around.
    """
    if starts.ndim != 1 or starts.size == 0 or starts.dtype == object:
        raise InvalidParameterError(
            f"the starts must be a list of 64-bit numbers; found {starts.dtype} of shape {starts.shape}"
        )
    if starts[0] != 0 or starts[-1] != count or (starts[1:] < starts[:-1]).any():
        raise InvalidParameterError(f"the starts must rise from 0 to the number of roots, which is {count:,}")


def check_whole(**arrays: Integers) -> None:
    """Complain about arrays of anything else than whole numbers; those that are rounded can prove nothing.

    >>> check_whole(points=np.array([1.0]))
    Traceback (most recent call last):
    philia.exceptions.InvalidParameterError: points must be whole numbers; found an array of float64
    """
    for name, array in arrays.items():
        if array.dtype.kind != "i" and not (array.dtype == object and all(type(x) is int for x in array.flat)):
            raise InvalidParameterError(f"{name} must be whole numbers; found an array of {array.dtype}")


@dataclass(frozen=True, eq=False)
class Signs:
    """The signs of some rows of scores, each +1, -1 or 0, and how clearly they were decided.

    ``margin`` is, in bits, how much larger the right part of a score is than the wrong part, at least, where a score
    has both; it is infinite where none has.

    >>> Signs(np.array([[-1, 1]], dtype=np.int8)).margin
    inf
    """

    values: Int8Array
    margin: float = float("inf")


class Representation(Protocol):
    """Numbers for each node from which a score for each pair follows; two nodes are linked if it is positive.

    ``community_columns`` counts the columns of V in V diag(W) Vᵀ with V ≥ 0, and ``logistic_columns`` those of X in
    X Yᵀ. ``bits`` is a length that no whole number in a score exceeds. ``construction`` names what made it, as in
    :mod:`philia.exact.theorems`.
    """

    @property
    def construction(self) -> str:
        """What made it."""

    @property
    def n_nodes(self) -> int:
        """How many nodes there are."""

    @property
    def community_columns(self) -> int | None:
        """How many columns the nonnegative form has; None if there is no such form."""

    @property
    def logistic_columns(self) -> int:
        """How many columns each side of the logistic form has."""

    @property
    def bits(self) -> int:
        """How many bits the longest whole number may need."""

    @property
    def how_signs_are_decided(self) -> str:
        """A sentence for the certificate."""

    def signs(self, rows: Int64Array) -> Signs:
        """The signs of the scores of some rows with all nodes, decided without rounding errors."""

    def arrays(self) -> Mapping[str, Integers]:
        """All that makes it, for a file; the class takes the same by name."""


@dataclass(frozen=True, eq=False)
class TwoSided:
    """What all scores X Yᵀ have in common, whatever numbers X (``left``) and Y (``right``) hold, a row a node."""

    left: npt.NDArray[Any]
    right: npt.NDArray[Any]
    construction: str

    def __post_init__(self) -> None:
        if self.left.ndim != 2 or self.left.shape != self.right.shape:
            raise InvalidParameterError(
                f"both sides need the same shape, a row a node; found {self.left.shape} and {self.right.shape}"
            )

    @property
    def n_nodes(self) -> int:
        """How many nodes there are."""
        return len(self.left)

    @property
    def community_columns(self) -> int | None:
        """None: numbers of both signs are no memberships."""
        return None

    @property
    def logistic_columns(self) -> int:
        """How many columns each side has."""
        return int(self.left.shape[1])

    def arrays(self) -> Mapping[str, npt.NDArray[Any]]:
        """All that makes it, for a file."""
        return {"left": self.left, "right": self.right}

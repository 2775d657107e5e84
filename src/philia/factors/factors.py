"""The interface of all factors: a score for every pair of nodes, and columns readable as communities."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt
from scipy import sparse

from philia._types import Float64Array, Int64Array

if TYPE_CHECKING:
    from philia.factors.community import CommunityFactors

Rows = npt.NDArray[np.integer] | slice
CHUNK = 65536
"""Pairs scored together: with 100 columns their rows of both sides take 100 MB."""

_SCORED = 4096
"""Pairs of dense rows scored together: the rows of both sides stay in the cache, which takes a quarter of the time."""

_LARGEST = 1e150
"""Scores are products, and those of larger numbers would overflow."""


@dataclass(frozen=True)
class Part:
    """What one column adds to the score of a pair, with the affinities of both nodes to it.

    ``nodes`` are the rows of the common neighbours that a part stands for, those that say most first.

    >>> Part("B1", 1.0, (1.0, 1.0)).nodes
    ()
    """

    name: str
    value: float
    affinities: tuple[float, float]
    nodes: tuple[int, ...] = ()


class Factors(ABC):
    """The fitted numbers of a model; each subclass is a frozen dataclass of arrays.

    >>> from philia.factors import CommunityFactors
    >>> factors = CommunityFactors(np.array([[1.0], [2.0]]), np.empty((2, 0)), np.zeros(2))
    >>> factors.n_nodes, list(factors.arrays())
    (2, ['homophilous', 'heterophilous', 'background'])
    """

    @property
    @abstractmethod
    def n_nodes(self) -> int:
        """Number of nodes."""

    @abstractmethod
    def scores(self, rows: npt.NDArray[np.integer], columns: npt.NDArray[np.integer]) -> Float64Array:
        """The score of each pair (rows[t], columns[t])."""

    @abstractmethod
    def score_block(self, rows: Rows, columns: Rows) -> Float64Array:
        """The scores of all pairs of the given rows and columns."""

    @abstractmethod
    def readable(self) -> CommunityFactors:
        """Nonnegative columns, readable as communities."""

    @property
    def members(self) -> sparse.csr_array | None:
        """Who is a member of which attracting community (n × k), where only members are stored; otherwise None."""
        return None

    @property
    def apart(self) -> LowRankFactors | None:
        """The scores of pairs that share nothing, if they have low rank; None if all pairs have to be looked at."""
        return None

    def sharing(self, rows: npt.NDArray[np.integer] | None = None) -> Iterator[tuple[Int64Array, sparse.csr_array]]:
        """Some rows at a time, and what sharing adds to their scores ``apart`` with every node (rows × n, sparse)."""
        yield from ()

    def features(self) -> Float64Array:
        """All numbers of each node side by side (n × columns)."""
        columns = [array.reshape(self.n_nodes, -1) for array in self.arrays().values()]
        return np.hstack(columns).astype(np.float64, copy=False)

    @property
    def usable(self) -> bool:
        """Whether all numbers are finite, and small enough for finite products.

        >>> from philia.factors import CommunityFactors
        >>> CommunityFactors.attracting(np.array([[1.0], [np.inf]])).usable
        False
        """
        arrays = [array for array in self.arrays().values() if array.dtype.kind == "f" and array.size]
        return all(max(abs(array.min()), abs(array.max())) <= _LARGEST for array in arrays)  # NaN compares as false

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """The arrays that make up the factors, by name, as stored in files."""
        return {field.name: np.asarray(getattr(self, field.name)) for field in fields(self)}  # type: ignore[arg-type]

    @classmethod
    def from_arrays(cls, arrays: dict[str, npt.NDArray[Any]]) -> Self:
        """The inverse of ``arrays``."""
        return cls(**arrays)


class LowRankFactors(Factors):
    """Factors whose scores are products of a left row of one node and a right row of the other.

    >>> from philia.factors import SignedFactors
    >>> SignedFactors(np.array([[1.0], [-2.0]]), np.empty((2, 0))).scores(np.array([0]), np.array([1]))
    array([-2.])
    """

    @property
    def apart(self) -> LowRankFactors:
        """The factors themselves: nothing is stored pair by pair."""
        return self

    @abstractmethod
    def _product(self) -> tuple[Float64Array, Float64Array]:
        """left and right (n × any width), with symmetric scores = left · rightᵀ."""

    @cached_property
    def sides(self) -> tuple[Float64Array, Float64Array]:
        """left and right, with scores = left · rightᵀ."""
        left, right = self._product()
        return np.ascontiguousarray(left), np.ascontiguousarray(right)

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return len(self.sides[0])

    def scores(self, rows: npt.NDArray[np.integer], columns: npt.NDArray[np.integer]) -> Float64Array:
        """The score of each pair (rows[t], columns[t]), computed in chunks."""
        left, right = self.sides
        found = np.empty(len(rows))
        for at in range(0, len(rows), _SCORED):
            part = slice(at, at + _SCORED)
            np.einsum("ij,ij->i", left[rows[part]], right[columns[part]], out=found[part])
        return found

    def score_block(self, rows: Rows, columns: Rows) -> Float64Array:
        """The scores of all pairs of the given rows and columns."""
        left, right = self.sides
        return np.asarray(left[rows] @ right[columns].T)

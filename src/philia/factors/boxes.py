"""Boxes of nodes with similar factors: what bounds the scores of many pairs at once, so that most are never looked at.

Every low-rank score is the product of a left and a right row. The rows of a box lie between the least and the largest
entries of its columns, so the scores of all pairs of two boxes lie between two numbers that cost k products each. Boxes
are cut in two again and again, and pairs of boxes are taken apart only where their bounds do not decide yet.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from philia._types import BoolArray, Float64Array, Int64Array
from philia.factors.factors import LowRankFactors

_LEAF = 16
_ROOM = 2**18
_BEST_FIRST = 2**18
_PATIENCE = 2**29


@dataclass(frozen=True, eq=False)
class DrawnPairs:
    """Pairs of nodes (rows[t] < columns[t]) that were drawn, their scores, and the chance that each had to be drawn.

    ``looked`` is how many pairs were looked at so far to draw them.

    >>> drawn = DrawnPairs(np.array([0, 1]), np.array([2, 2]), np.array([-1.0, 0.0]), np.array([0.5, 0.5]), looked=3)
    >>> drawn.kept(np.array([False, True])).rows
    array([1])
    """

    rows: Int64Array
    columns: Int64Array
    scores: Float64Array
    chances: Float64Array
    looked: int

    @classmethod
    def joined(cls, parts: Sequence[DrawnPairs]) -> DrawnPairs:
        """All pairs of a draw that came in several parts."""
        return cls(
            rows=np.concatenate([part.rows for part in parts]),
            columns=np.concatenate([part.columns for part in parts]),
            scores=np.concatenate([part.scores for part in parts]),
            chances=np.concatenate([part.chances for part in parts]),
            looked=parts[-1].looked,
        )

    def kept(self, some: BoolArray) -> DrawnPairs:
        """Only some of the pairs."""
        return DrawnPairs(self.rows[some], self.columns[some], self.scores[some], self.chances[some], self.looked)


@dataclass(frozen=True, eq=False)
class LargestScores:
    """Pairs of nodes with the largest scores, and what no other pair exceeds where the search was given up.

    ``beyond`` is minus infinity where these are the largest of all for certain.

    >>> LargestScores(np.array([0]), np.array([2]), np.array([1.5]), beyond=-np.inf).scores
    array([1.5])
    """

    rows: Int64Array
    columns: Int64Array
    scores: Float64Array
    beyond: float


class Boxes:
    """The nodes of low-rank factors, cut into boxes down to a few nodes each.

    >>> from philia.factors import CommunityFactors
    >>> boxes = Boxes(CommunityFactors.attracting(np.array([[3.0], [0.0], [3.0], [1.0]])))
    >>> found = boxes.largest(sparse.csr_array((4, 4)), count=1)
    >>> found.rows, found.columns, found.scores
    (array([0]), array([2]), array([9.]))
    """

    def __init__(self, factors: LowRankFactors) -> None:
        from philia.factors.compiled_boxes import grow

        # Bounds allow for the rounding of 64 bits, not of fewer.
        self._sides = tuple(np.ascontiguousarray(side, dtype=np.float64) for side in factors.sides)
        self._tree: tuple[Any, ...] = grow(*self._sides, _LEAF)

    def draw(
        self,
        expected: Callable[[Any], Any],
        rng: np.random.Generator,
        *,
        share: float = 1.0,
        floor: float = 0.0,
    ) -> Iterator[DrawnPairs]:
        """Pairs drawn independently of each other, some hundred thousand at a time.

        ``expected``, which numba must be able to compile, turns a score into the entry of the adjacency matrix that it
        stands for, and within [0, 1] that is the probability p. A pair is drawn with a chance of at least share · p +
        floor; which chance it had comes with it. To keep each with p / chance gives a graph in which every link has
        its own probability; to weigh each by 1 / chance gives sums over all pairs without bias.

        >>> from philia.factors import CommunityFactors
        >>> factors = CommunityFactors.attracting(np.full((50, 1), 9.0))
        >>> drawn = Boxes(factors).draw(lambda score: score, np.random.default_rng(0))
        >>> sum(len(pairs.rows) for pairs in drawn)  # all are certain
        1225
        """
        from philia.factors.compiled_boxes import begun, drawing, finished, looked_at

        draw = drawing(expected)
        walk = begun(rng.standard_exponential())
        while not finished(walk):
            found = np.empty(_ROOM, np.int64), np.empty(_ROOM, np.int64), np.empty(_ROOM), np.empty(_ROOM)
            waits = rng.standard_exponential(_ROOM)
            count = draw(self._tree, self._sides, (float(share), float(floor)), walk, waits, found)
            rows, columns, scores, chances = found
            yield DrawnPairs(rows[:count], columns[:count], scores[:count], chances[:count], looked_at(walk))

    def largest(self, links: sparse.csr_array, count: int, patience: int = _PATIENCE) -> LargestScores:
        """The ``count`` largest scores of pairs that are not linked, best first; among equals the earlier rows.

        After ``patience`` pairs of boxes the search is given up with what it has.
        """
        from philia.factors.compiled_boxes import largest, prepare_search

        prepare_search()
        known = links.indptr.astype(np.int64), links.indices.astype(np.int32, copy=False)
        rows, columns, scores, beyond = largest(self._tree, self._sides, known, count, (_BEST_FIRST, patience))
        order = np.lexsort((columns, rows, -scores))
        return LargestScores(rows[order], columns[order], scores[order], float(beyond))

"""Boxes of nodes with similar factors, which bound the scores of many pairs at once, so that few need to be computed.

Every low-rank score is the product of a left and a right row. The rows of a box lie between the minimum and maximum of
each column, so the scores of all pairs of two boxes lie between two bounds that cost k products each. Boxes form a
binary tree, and a pair of boxes is split only if its bounds do not settle the question.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from philia._types import BoolArray, Float64Array, Int64Array
from philia.factors.factors import LowRankFactors

_LEAF = 16  # most nodes in a box that is not split: below that, bounds cost as much as scores
_ROOM = 2**18  # pairs drawn per call: 8 MB
_BEST_FIRST = 2**18  # pairs of boxes opened best first, whose queue takes tens of MB
_PATIENCE = 2**29  # pairs of boxes after which a search is given up


@dataclass(frozen=True, eq=False)
class DrawnPairs:
    """Sampled pairs of nodes (rows[t] < columns[t]), their scores, and the chance with which each was drawn.

    ``looked`` is the number of pairs examined so far.

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
        """The parts of a draw as one."""
        return cls(
            rows=np.concatenate([part.rows for part in parts]),
            columns=np.concatenate([part.columns for part in parts]),
            scores=np.concatenate([part.scores for part in parts]),
            chances=np.concatenate([part.chances for part in parts]),
            looked=parts[-1].looked,
        )

    def kept(self, some: BoolArray) -> DrawnPairs:
        """A selection of the pairs."""
        return DrawnPairs(self.rows[some], self.columns[some], self.scores[some], self.chances[some], self.looked)


@dataclass(frozen=True, eq=False)
class _LargestScores:
    """Pairs of nodes with the largest scores, and an upper bound on all others if the search was given up.

    ``beyond`` is minus infinity if these are certainly the largest.

    >>> _LargestScores(np.array([0]), np.array([2]), np.array([1.5]), beyond=-np.inf).scores
    array([1.5])
    """

    rows: Int64Array
    columns: Int64Array
    scores: Float64Array
    beyond: float


class Boxes:
    """The nodes of low-rank factors, divided into a tree of boxes down to a few nodes each.

    >>> from philia.factors import CommunityFactors
    >>> boxes = Boxes(CommunityFactors.attracting(np.array([[3.0], [0.0], [3.0], [1.0]])))
    >>> found = boxes.largest(sparse.csr_array((4, 4)), count=1)
    >>> found.rows, found.columns, found.scores
    (array([0]), array([2]), array([9.]))
    """

    def __init__(self, factors: LowRankFactors) -> None:
        from philia.factors.compiled_boxes import grow

        # The bounds allow for rounding in double precision, not in single.
        self._sides = tuple(np.ascontiguousarray(side, dtype=np.float64) for side in factors.sides)
        self._tree: tuple[Any, ...] = grow(*self._sides, _LEAF)

    def draw(self, expected: Callable[[Any], Any], rng: np.random.Generator) -> Iterator[DrawnPairs]:
        """Pairs drawn independently, some hundred thousand at a time.

        ``expected`` turns a score into the predicted entry of the adjacency matrix, which clipped to [0, 1] is the
        probability p; numba must be able to compile it. A pair is drawn with a chance of at least p, which is returned
        with it. Keeping each pair with probability p / chance gives a random graph of the model.

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
            count = draw(self._tree, self._sides, walk, waits, found)
            rows, columns, scores, chances = found
            yield DrawnPairs(rows[:count], columns[:count], scores[:count], chances[:count], looked_at(walk))

    def largest(self, links: sparse.csr_array, count: int, patience: int = _PATIENCE) -> _LargestScores:
        """The ``count`` largest scores of pairs that are not linked, best first; ties go to the earlier rows.

        After ``patience`` pairs of boxes the search stops with the best so far.
        """
        from philia.factors.compiled_boxes import largest, prepare_search

        prepare_search()
        known = links.indptr.astype(np.int64), links.indices.astype(np.int32, copy=False)
        rows, columns, scores, beyond = largest(self._tree, self._sides, known, count, (_BEST_FIRST, patience))
        order = np.lexsort((columns, rows, -scores))
        return _LargestScores(rows[order], columns[order], scores[order], float(beyond))

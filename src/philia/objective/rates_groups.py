"""Groups of nodes with similar factors, and a bound on e^score that is a product of two numbers, one a node.

For two groups with centres c, d of a column of the left and of the right rows, and any t > 0,

    x y  <=  x d + c y - c d + (t (x - c)² + (y - d)² / t) / 2,

since the last term is at least (x - c) (y - d). The right side is a number of the one node plus a number of the other,
so is its sum over the columns, and e^score is at most u_i v_j. The bound holds whatever the groups; the more alike
their members are, the tighter it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from heapq import heapify, heappop, heappush

import numpy as np

from philia._types import BoolArray, Float64Array, Int64Array

LARGEST = 1e130
"""Weights are cut off here, so that products of their sums are finite; nothing is drawn where one was cut off."""

_GROUPS = 256
_MEMBERS = 32  # fewer nodes in a group, on average, are not worth their share of the bookkeeping
_SEEN = 2**15  # so many nodes decide where the cuts are
_TOWARDS_THE_MIDDLE = 0.25
_NARROW = 1e-6
_CHUNK = 2**16
_TOGETHER = 16


@dataclass(frozen=True, eq=False)
class Centres:
    """The centre of each group and how far its members reach from it (groups × columns each), on one side.

    >>> Centres.of(np.array([[1.0], [3.0]]), [np.array([0, 1])]).centre
    array([[2.]])
    """

    centre: Float64Array
    reach: Float64Array

    @classmethod
    def of(cls, side: Float64Array, groups: Sequence[Int64Array]) -> Centres:
        """Those of some groups of rows.

        A centre lies between the mean and the middle. Few members are far from it, but the bound grows as the
        exponential of a square: the reach counts both the many and the far.
        """
        centre, reach = np.empty((2, len(groups), side.shape[1]))
        for at, rows in enumerate(groups):
            some = side[rows]
            low, high, mean = some.min(axis=0), some.max(axis=0), some.mean(axis=0)
            centre[at] = mean + _TOWARDS_THE_MIDDLE * ((low + high) / 2 - mean)
            spread = np.sqrt(((some - centre[at]) ** 2).mean(axis=0))
            reach[at] = np.sqrt(spread * np.maximum(high - centre[at], centre[at] - low)) + _NARROW
        return cls(centre, reach)

    def __getitem__(self, some: slice) -> Centres:
        return Centres(self.centre[some], self.reach[some])

    def weights(self, at: int, side: Float64Array, others: Centres) -> Float64Array:
        """u (other groups × members) for the rows of the group at ``at``, cut off at ``LARGEST``.

        t is the ratio of the two reaches. The constant c d is shared by both sides.

        >>> one = Centres(np.ones((1, 1)), np.ones((1, 1)))
        >>> float(np.log(one.weights(0, np.ones((1, 1)), one)[0, 0]))  # half of 1 · 1
        0.5
        """
        centre = self.centre[at]
        bent = (side - centre) ** 2 / (2 * self.reach[at])
        logs: Float64Array = others.centre @ side.T + others.reach @ bent.T - (others.centre @ centre)[:, None] / 2
        np.exp(np.minimum(logs, np.log(LARGEST), out=logs), out=logs)
        return logs


@dataclass(frozen=True, eq=False)
class Groups:
    """The nodes in the order of their groups, where each group starts, and the centres of their two sides.

    >>> rows = np.repeat([[2.0, 0.0], [0.0, 2.0]], 40, axis=0)
    >>> groups = Groups.of(rows, rows, np.random.default_rng(0))
    >>> groups.starts, groups.left.centre.tolist()
    (array([ 0, 40]), [[2.0, 0.0], [0.0, 2.0]])
    """

    nodes: Int64Array
    starts: Int64Array
    left: Centres
    right: Centres

    @classmethod
    def of(cls, left: Float64Array, right: Float64Array, rng: np.random.Generator) -> Groups:
        """Groups by the column that binds a node most to its like, and those cut where their bounds are loose."""
        labels = _strongest(left, right)
        most, seen = min(_GROUPS, len(left) // _MEMBERS), np.arange(len(left))
        if len(left) > _SEEN:
            seen = np.sort(rng.choice(len(left), _SEEN, replace=False, shuffle=False))
        for cut in _cuts(left[seen], right[seen], labels[seen], most):
            labels[cut.above(left, right, np.flatnonzero(labels == cut.label))] = cut.new_label
        nodes = np.argsort(labels, kind="stable")
        starts = np.flatnonzero(np.diff(labels[nodes], prepend=-1))
        members = np.split(nodes, starts[1:])
        return cls(nodes, starts, Centres.of(left, members), Centres.of(right, members))

    @property
    def stretches(self) -> int:
        """How many stretches of a few groups there are."""
        return -(-len(self.starts) // _TOGETHER)

    def stretch(self, at: int) -> Groups:
        """A few groups."""
        some, ends = slice(at * _TOGETHER, (at + 1) * _TOGETHER), np.append(self.starts[1:], len(self.nodes))
        first, starts = self.starts[some][0], self.starts[some]
        return Groups(self.nodes[first : ends[some][-1]], starts - first, self.left[some], self.right[some])

    @cached_property
    def members(self) -> list[Int64Array]:
        """The nodes of each group."""
        return np.split(self.nodes, self.starts[1:])

    def weights(self, side: Float64Array, own: Centres, others: Centres) -> Float64Array:
        """u of all nodes (other groups × nodes), from one of the sides with its centres."""
        return np.hstack([own.weights(at, side[rows], others) for at, rows in enumerate(self.members)])


@dataclass(frozen=True)
class _Cut:
    """Members of a group whose entry in a column is above a threshold become a group of their own."""

    label: int
    new_label: int
    column: int
    of_left: bool
    threshold: float

    def above(self, left: Float64Array, right: Float64Array, rows: Int64Array) -> Int64Array:
        above: Int64Array = rows[(left if self.of_left else right)[rows, self.column] > self.threshold]
        return above


def _strongest(left: Float64Array, right: Float64Array) -> Int64Array:
    if not left.shape[1]:
        return np.zeros(len(left), np.int64)
    parts = [np.argmax(left[at : at + _CHUNK] * right[at : at + _CHUNK], axis=1) for at in range(0, len(left), _CHUNK)]
    return np.concatenate([np.empty(0, np.int64), *parts]).astype(np.int64, copy=False)


def _cuts(left: Float64Array, right: Float64Array, labels: Int64Array, most: int) -> list[_Cut]:
    """Where groups are cut in two, the one with the largest bound within itself first."""
    if not left.shape[1]:
        return []
    waiting = [_Piece.of(left, right, np.flatnonzero(labels == label), label) for label in np.unique(labels).tolist()]
    heapify(waiting)
    new_label, found = int(labels.max(initial=0)) + 1, list[_Cut]()
    count = len(waiting)
    while waiting and count < most:
        piece = heappop(waiting)
        cut = piece.cut(left, right, new_label)
        above = cut.above(left, right, piece.rows)
        if not 0 < above.size < piece.rows.size:
            continue
        below: BoolArray = np.isin(piece.rows, above, assume_unique=True, invert=True)
        heappush(waiting, _Piece.of(left, right, piece.rows[below], piece.label))
        heappush(waiting, _Piece.of(left, right, above, new_label))
        found.append(cut)
        new_label, count = new_label + 1, count + 1
    return found


@dataclass(frozen=True, eq=False)
class _Piece:
    """Some rows that are a group so far, and what they weigh in the bound of their own pairs."""

    bound: float
    label: int
    rows: Int64Array
    weights: Float64Array

    @classmethod
    def of(cls, left: Float64Array, right: Float64Array, rows: Int64Array, label: int) -> _Piece:
        c, d = Centres.of(left, [rows]), Centres.of(right, [rows])
        u, v = c.weights(0, left[rows], d)[0], d.weights(0, right[rows], c)[0]
        # Weights may be too small to be told from zero; then all members count alike.
        weights = _NARROW / len(rows) + u / (u.sum() or 1.0) + v / (v.sum() or 1.0)
        return cls(float(u.sum() * v.sum()), label, rows, weights / weights.sum())

    def cut(self, left: Float64Array, right: Float64Array, new_label: int) -> _Cut:
        """Through the column that spreads most, seen with the eyes of the bound: who weighs much counts much."""
        means, spreads = [], []
        for side, other in ((left[self.rows], right[self.rows]), (right[self.rows], left[self.rows])):
            means.append(self.weights @ side)
            spreads.append(np.sqrt(self.weights @ (side - means[-1]) ** 2) * np.sqrt(np.mean(other**2, axis=0)))
        of_left = bool(spreads[0].max(initial=0) >= spreads[1].max(initial=0))
        column = int(np.argmax(spreads[0 if of_left else 1]))
        return _Cut(self.label, new_label, column, of_left, float(means[0 if of_left else 1][column]))

    def __lt__(self, other: _Piece) -> bool:
        return (-self.bound, self.label) < (-other.bound, other.label)

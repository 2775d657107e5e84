"""Poisson rates: pairs drawn in proportion to their link probabilities, without visiting most other pairs.

A pair is linked with probability p if a Poisson count with mean -log(1 - p) is positive. For the sigmoid that mean is
log(1 + e^score), at most e^score, and e^score is at most u_i v_j for nodes i and j of two groups. So for two groups a
Poisson number of pairs with mean sum u · sum v is drawn, i in proportion to u and j to v, and each is kept with
probability (true mean) / (bound), which is called thinning. The result has exactly the required distribution, however
loose the bounds. For probabilities 1 - e^-score the mean is the score itself, a sum with one product per column. All
other losses use boxes of nodes.

The bound comes from the centers of the two groups: c in a column of the left rows, d in the same column of the right
rows. For any t > 0,

    x y  <=  x d + c y - c d + (t (x - c)² + (y - d)² / t) / 2,

since the last term is at least (x - c) (y - d). The right side is a number for one node plus a number for the other,
and so is its sum over the columns; hence e^score is at most u_i v_j. The bound holds for any groups, and is tighter the
more similar their members are.
"""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from heapq import heapify, heappop, heappush

import numpy as np

from philia._types import BoolArray, Float64Array, Int64Array
from philia.execution import LocalThreads, one_blas_thread
from philia.factors import Factors, LowRankFactors
from philia.factors.boxes import Boxes, DrawnPairs
from philia.graphs import Graph, Nodes
from philia.objective.losses import Loss

_AT_ONCE = 2**14  # pairs drawn at a time: their rows of both sides stay in the cache
_TILE = 1024  # rows and columns of a block of pairs that is enumerated: 8 MB of scores
_DENSE = 8.0  # drawing a pair takes as long as enumerating this many
_STRETCHES, _STRETCH = 16, 4096  # most stretches of nodes, and nodes per stretch: 136 parts keep all threads busy

_LARGEST = 1e130
"""Weights are capped here so that products of their sums are finite; groups with a capped weight are enumerated."""

_GROUPS = 256  # most groups: there are groups² rates to keep
_MEMBERS = 32  # with fewer nodes per group on average, the bookkeeping costs more than tighter bounds save
_SEEN = 2**15  # nodes that decide the cuts: enough to find every group worth having
_TOWARDS_THE_MIDDLE = 0.25  # how far a center moves from the mean to the middle of its range
_NARROW = 1e-6  # keeps reaches and weights positive if all nodes are alike
_CHUNK = 2**16  # rows multiplied at a time, to bound memory
_TOGETHER = 16  # groups in a stretch

_MANY = 1000, 10**9
"""Draws that visit more pairs than this per link, and in total, are reported as slow."""


class PairRates(ABC):
    """Draws pairs of nodes independently, each with its probability of a link.

    >>> from philia.factors import CommunityFactors
    >>> from philia.objective import CrossEntropy
    >>> certain = CommunityFactors.attracting(np.full((50, 1), 9.0))
    >>> rates = PairRates.of(certain, CrossEntropy())
    >>> sum(len(drawn.rows) for drawn in rates.draw(np.random.default_rng(0)))
    1225
    """

    def __init__(self, factors: LowRankFactors, loss: Loss) -> None:
        self._factors, self._loss = factors, loss

    @staticmethod
    def of(factors: LowRankFactors, loss: Loss) -> PairRates:
        """The method that suits the loss."""
        ways: dict[str | None, type[PairRates]] = {"exponential": _GroupRates, "linear": _ColumnRates, None: _BoxRates}
        return ways[loss.rate_bound](factors, loss)

    @abstractmethod
    def draw(self, rng: np.random.Generator) -> Iterator[DrawnPairs]:
        """The drawn pairs, each once, with scores and chances, in several parts."""


class _BoxRates(PairRates):
    """Draws by boxes, for probabilities that may be one, which would need an infinite Poisson rate."""

    def draw(self, rng: np.random.Generator) -> Iterator[DrawnPairs]:
        for drawn in Boxes(self._factors).draw(self._loss.expected, rng):
            chances = self._loss.probability(drawn.scores)
            kept = rng.random(len(chances)) * drawn.chances < chances
            yield replace(drawn, chances=chances).kept(kept)


class _ProductRates(PairRates):
    """Draws at rates that are products, in independent parts of the square of all pairs.

    Every pair belongs to one part, and each part has its own generator, so the number of threads changes nothing.
    """

    @property
    @abstractmethod
    def _stretches(self) -> int:
        """Number of stretches of nodes; a part holds the pairs of two stretches."""

    @abstractmethod
    def _draw_part(self, a: int, b: int, rng: np.random.Generator) -> Iterator[DrawnPairs]:
        """Pairs of stretch a with stretch b; some may appear twice."""

    def draw(self, rng: np.random.Generator) -> Iterator[DrawnPairs]:
        first, second = np.triu_indices(self._stretches)
        parts = zip(first.tolist(), second.tolist(), rng.integers(2**63, size=len(first)).tolist(), strict=True)
        looked = 0
        for drawn in LocalThreads().map(lambda part: self._part(*part), parts):
            looked += drawn.looked
            yield replace(drawn, looked=looked)

    def _part(self, a: int, b: int, seed: int) -> DrawnPairs:
        parts = [_NOTHING, *self._draw_part(a, b, np.random.default_rng(seed))]
        drawn = replace(DrawnPairs.joined(parts), looked=sum(part.looked for part in parts))
        _, once = np.unique(drawn.rows * self._factors.n_nodes + drawn.columns, return_index=True)
        return drawn.kept(once)

    def _thinned(
        self, rows: Int64Array, columns: Int64Array, bounds: Float64Array, rng: np.random.Generator
    ) -> DrawnPairs:
        """Thin pairs that were drawn at rates ``bounds`` to their true rates."""
        scores = self._factors.scores(rows, columns)
        chances = self._loss.probability(scores)
        with np.errstate(divide="ignore"):  # a certain pair has an infinite rate, and is kept
            kept = rng.random(len(scores)) * bounds < -np.log1p(-chances)
        low, high = np.minimum(rows, columns), np.maximum(rows, columns)
        return DrawnPairs(low, high, scores, chances, looked=len(rows)).kept(kept)

    def _walked(self, rows: Int64Array, columns: Int64Array, rng: np.random.Generator) -> Iterator[DrawnPairs]:
        """The same by enumerating all pairs of rows and columns; rows with themselves give each pair once."""
        for r in range(0, len(rows), _TILE):
            for c in range(r if rows is columns else 0, len(columns), _TILE):
                some, others = rows[r : r + _TILE], columns[c : c + _TILE]
                scores = self._factors.score_block(some, others)
                chances = self._loss.probability(scores)
                kept = rng.random(chances.shape) < chances
                if rows is columns and r == c:
                    kept = np.triu(kept, k=1)
                i, j = np.nonzero(kept)
                low, high = np.minimum(some[i], others[j]), np.maximum(some[i], others[j])
                yield DrawnPairs(low, high, scores[kept], chances[kept], looked=kept.size)


class _GroupRates(_ProductRates):
    """For the sigmoid: e^score is at most u_i v_j for nodes of two groups."""

    @cached_property
    def _groups(self) -> _Groups:
        with one_blas_thread():
            return _Groups.of(*self._factors.sides, np.random.default_rng(0))

    @property
    def _stretches(self) -> int:
        return self._groups.stretches

    def _draw_part(self, a: int, b: int, rng: np.random.Generator) -> Iterator[DrawnPairs]:
        (left, right), g, h = self._factors.sides, self._groups.stretch(a), self._groups.stretch(b)
        u = _Shares(g.weights(left, g.left, h.right), g.starts)
        v = _Shares(h.weights(right, h.right, g.left), h.starts)
        rates, pairs = u.totals.T * v.totals, np.outer([*map(len, g.members)], [*map(len, h.members)])
        dense = (rates * _DENSE > pairs) | u.too_large.T | v.too_large
        counted = np.triu(np.ones_like(dense)) if a == b else np.ones_like(dense)
        for s, t in zip(*np.nonzero(dense & counted), strict=True):
            rows = g.members[s]
            yield from self._walked(rows, rows if a == b and s == t else h.members[t], rng)
        for cells in _cells(rng.poisson(np.where(counted & ~dense, rates, 0.0)).ravel()):
            s, t = np.divmod(cells, len(h.starts))
            # Sorted on one side only: lookups are faster, and the pairs are as random as before.
            in_order = np.sort(cells + rng.random(len(cells))) - cells
            i, j = u.pick(t, s, rng.random(len(cells))), v.pick(s, t, in_order)
            bounds = u.weights.ravel()[i] * v.weights.ravel()[j]
            rows, columns = g.nodes[i % len(g.nodes)], h.nodes[j % len(h.nodes)]
            once = (rows < columns) | (s != t) if a == b else np.ones(len(cells), bool)
            yield self._thinned(rows[once], columns[once], bounds[once], rng)


class _ColumnRates(_ProductRates):
    """For 1 - e^-score: the score is at most the sum of its positive terms, one product per column."""

    @property
    def _stretches(self) -> int:
        return min(max(self._factors.n_nodes // _STRETCH, 1), _STRETCHES)

    def _draw_part(self, a: int, b: int, rng: np.random.Generator) -> Iterator[DrawnPairs]:
        nodes = np.array_split(np.arange(self._factors.n_nodes), self._stretches)
        left, right = self._factors.sides
        u, v = (
            _Shares(_signs_apart(side[part]), np.zeros(1, np.int64))
            for side, part in ((left, nodes[a]), (right, nodes[b]))
        )
        rates = (u.totals * v.totals)[:, 0]
        if rates.sum() * _DENSE > len(nodes[a]) * len(nodes[b]):
            yield from self._walked(nodes[a], nodes[b], rng)
            return
        for cells in _cells(rng.poisson(rates)):
            i, j = (side.pick(cells, np.zeros_like(cells), rng.random(len(cells))) for side in (u, v))
            rows, columns = nodes[a][i % len(nodes[a])], nodes[b][j % len(nodes[b])]
            rows, columns = rows[rows < columns], columns[rows < columns]
            bounds = np.maximum(left[rows] * right[columns], 0).sum(axis=1)
            yield self._thinned(rows, columns, bounds, rng)


def _signs_apart(side: Float64Array) -> Float64Array:
    """The positive and negative parts of the columns, as rows."""
    return np.vstack([np.maximum(side.T, 0), np.maximum(-side.T, 0)])


def _cells(counts: Int64Array) -> Iterator[Int64Array]:
    """The index of each cell, repeated by its count, in chunks."""
    ends = np.cumsum(counts)
    for at in range(0, int(counts.sum()), _AT_ONCE):
        yield np.searchsorted(ends, np.arange(at, min(at + _AT_ONCE, int(ends[-1]))), side="right")


_NOTHING = DrawnPairs(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0), np.empty(0), looked=0)


class _Shares:
    """Weights (profiles × nodes), with columns divided into runs at ``starts``: one distribution per profile and run.

    >>> shares = _Shares(np.array([[1.0, 3.0, 5.0], [0.0, 2.0, 1.0]]), np.array([0, 2]))
    >>> shares.totals
    array([[4., 5.],
           [2., 1.]])
    >>> shares.pick(np.array([1, 1]), np.array([0, 1]), np.array([0.5, 0.5]))  # nodes 1 and 2 of the second profile
    array([4, 5])
    """

    def __init__(self, weights: Float64Array, starts: Int64Array) -> None:
        profiles, nodes = weights.shape
        sizes = np.diff(starts, append=nodes)
        self.weights = weights
        self.totals: Float64Array = np.add.reduceat(weights, starts, axis=1)
        first = np.arange(profiles)[:, None] * nodes + starts
        self._first, self._last = first, first + sizes - 1
        # Each run is normalized to one, so that a heavy run costs the light one after it no digits.
        each = np.divide(1.0, self.totals, out=np.zeros_like(self.totals), where=self.totals > 0)
        self._added = np.cumsum(weights * np.repeat(each, sizes, axis=1))
        self._before = np.where(first > 0, self._added[first - 1], 0.0)

    @property
    def too_large(self) -> BoolArray:
        """Runs that may hold a capped weight."""
        return np.asarray(self.totals > _LARGEST / 2)

    def pick(self, profiles: Int64Array, runs: Int64Array, uniform: Float64Array) -> Int64Array:
        """Indices into ``weights.ravel()``, one per profile and run, from uniform random numbers."""
        before, last = self._before[profiles, runs], self._last[profiles, runs]
        at = np.searchsorted(self._added, before + uniform * (self._added[last] - before), side="right")
        return np.asarray(np.clip(at, self._first[profiles, runs], last))


@dataclass(frozen=True, eq=False)
class _Centers:
    """The center of each group on one side, and how far members reach from it (groups × columns each).

    >>> _Centers.of(np.array([[1.0], [3.0]]), [np.array([0, 1])]).center
    array([[2.]])
    """

    center: Float64Array
    reach: Float64Array

    @classmethod
    def of(cls, side: Float64Array, groups: Sequence[Int64Array]) -> _Centers:
        """Centers of some groups of rows.

        A center lies between the mean and the middle of the range. Few members are far from it, but the bound grows
        with the exponential of a square, so the reach combines the standard deviation and the largest distance.
        """
        center, reach = np.empty((2, len(groups), side.shape[1]))
        for at, rows in enumerate(groups):
            some = side[rows]
            low, high, mean = some.min(axis=0), some.max(axis=0), some.mean(axis=0)
            center[at] = mean + _TOWARDS_THE_MIDDLE * ((low + high) / 2 - mean)
            spread = np.sqrt(((some - center[at]) ** 2).mean(axis=0))
            reach[at] = np.sqrt(spread * np.maximum(high - center[at], center[at] - low)) + _NARROW
        return cls(center, reach)

    def __getitem__(self, some: slice) -> _Centers:
        return _Centers(self.center[some], self.reach[some])

    def weights(self, at: int, side: Float64Array, others: _Centers) -> Float64Array:
        """u (other groups × members) for the rows of group ``at``, capped at ``_LARGEST``.

        t is the ratio of the two reaches. Each side takes half of the constant c d.

        >>> one = _Centers(np.ones((1, 1)), np.ones((1, 1)))
        >>> float(np.log(one.weights(0, np.ones((1, 1)), one)[0, 0]))  # half of 1 · 1
        0.5
        """
        center = self.center[at]
        bent = (side - center) ** 2 / (2 * self.reach[at])
        logs: Float64Array = others.center @ side.T + others.reach @ bent.T - (others.center @ center)[:, None] / 2
        np.exp(np.minimum(logs, np.log(_LARGEST), out=logs), out=logs)
        return logs


@dataclass(frozen=True, eq=False)
class _Groups:
    """Nodes ordered by group, where each group starts, and the centers of both sides.

    >>> rows = np.repeat([[2.0, 0.0], [0.0, 2.0]], 40, axis=0)
    >>> groups = _Groups.of(rows, rows, np.random.default_rng(0))
    >>> groups.starts, groups.left.center.tolist()
    (array([ 0, 40]), [[2.0, 0.0], [0.0, 2.0]])
    """

    nodes: Int64Array
    starts: Int64Array
    left: _Centers
    right: _Centers

    @classmethod
    def of(cls, left: Float64Array, right: Float64Array, rng: np.random.Generator) -> _Groups:
        """Nodes grouped by the column that contributes most to their own score, then cut where bounds are loose."""
        labels = _strongest(left, right)
        most, seen = min(_GROUPS, len(left) // _MEMBERS), np.arange(len(left))
        if len(left) > _SEEN:
            seen = np.sort(rng.choice(len(left), _SEEN, replace=False, shuffle=False))
        for cut in _cuts(left[seen], right[seen], labels[seen], most):
            labels[cut.above(left, right, np.flatnonzero(labels == cut.label))] = cut.new_label
        nodes = np.argsort(labels, kind="stable")
        starts = np.flatnonzero(np.diff(labels[nodes], prepend=-1))
        members = np.split(nodes, starts[1:])
        return cls(nodes, starts, _Centers.of(left, members), _Centers.of(right, members))

    @property
    def stretches(self) -> int:
        """Number of stretches, of a few groups each."""
        return -(-len(self.starts) // _TOGETHER)

    def stretch(self, at: int) -> _Groups:
        """The groups of one stretch."""
        some, ends = slice(at * _TOGETHER, (at + 1) * _TOGETHER), np.append(self.starts[1:], len(self.nodes))
        first, starts = self.starts[some][0], self.starts[some]
        return _Groups(self.nodes[first : ends[some][-1]], starts - first, self.left[some], self.right[some])

    @cached_property
    def members(self) -> list[Int64Array]:
        """The nodes of each group."""
        return np.split(self.nodes, self.starts[1:])

    def weights(self, side: Float64Array, own: _Centers, others: _Centers) -> Float64Array:
        """u of all nodes (other groups × nodes), for one side and its centers."""
        return np.hstack([own.weights(at, side[rows], others) for at, rows in enumerate(self.members)])


@dataclass(frozen=True)
class _Cut:
    """Splits a group: members whose entry in a column exceeds a threshold become a new group."""

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
    """Cuts of groups in two, always of the group with the largest bound for its own pairs."""
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
    """Rows that form a group so far, and their weights in the bound of their own pairs."""

    bound: float
    label: int
    rows: Int64Array
    weights: Float64Array

    @classmethod
    def of(cls, left: Float64Array, right: Float64Array, rows: Int64Array, label: int) -> _Piece:
        c, d = _Centers.of(left, [rows]), _Centers.of(right, [rows])
        u, v = c.weights(0, left[rows], d)[0], d.weights(0, right[rows], c)[0]
        # Weights may underflow to zero; then all members count the same.
        weights = _NARROW / len(rows) + u / (u.sum() or 1.0) + v / (v.sum() or 1.0)
        return cls(float(u.sum() * v.sum()), label, rows, weights / weights.sum())

    def cut(self, left: Float64Array, right: Float64Array, new_label: int) -> _Cut:
        """Cut the column with the largest weighted spread, since heavy members dominate the bound."""
        means, spreads = [], []
        for side, other in ((left[self.rows], right[self.rows]), (right[self.rows], left[self.rows])):
            means.append(self.weights @ side)
            spreads.append(np.sqrt(self.weights @ (side - means[-1]) ** 2) * np.sqrt(np.mean(other**2, axis=0)))
        of_left = bool(spreads[0].max(initial=0) >= spreads[1].max(initial=0))
        column = int(np.argmax(spreads[0 if of_left else 1]))
        return _Cut(self.label, new_label, column, of_left, float(means[0 if of_left else 1][column]))

    def __lt__(self, other: _Piece) -> bool:
        return (-self.bound, self.label) < (-other.bound, other.label)


_LOG = logging.getLogger("philia")


def draw_graph(factors: Factors, loss: Loss, nodes: Nodes, rng: np.random.Generator) -> Graph:
    """A random graph in which every pair is linked independently with its own probability.

    The factors say what scores pairs have ``apart``. Those pairs are drawn at upper bounds of their rates, for groups
    of nodes with similar factors, and thinned to the true rates, which is exact whatever the bounds. Where bounds are
    loose, as for a dense graph, most pairs are enumerated, and a log message says so. Pairs that share something are
    looked at one by one.

    >>> from philia.factors import CommunityFactors
    >>> from philia.objective import CrossEntropy
    >>> certain = CommunityFactors.attracting(np.full((30, 1), 9.0))
    >>> draw_graph(certain, CrossEntropy(), Nodes.numbered(30), np.random.default_rng(0))
    Graph(30 nodes, 435 links)
    """
    index = np.int32 if len(nodes) < 2**31 else np.int64
    ends = [*_apart(factors, loss, rng), *_sharing(factors, loss, rng)]
    rows, columns = (np.concatenate([np.empty(0, index), *(pair[side] for pair in ends)]) for side in (0, 1))
    return Graph.from_rows(rows.astype(index), columns.astype(index), nodes)


def _apart(factors: Factors, loss: Loss, rng: np.random.Generator) -> Iterator[tuple[Int64Array, Int64Array]]:
    """The ends of drawn links between nodes that share nothing."""
    apart, links, told = factors.apart, 0, False
    assert apart is not None
    for drawn in PairRates.of(apart, loss).draw(rng):
        rows, columns = drawn.rows, drawn.columns
        if apart is not factors:
            alone = factors.scores(rows, columns) == apart.scores(rows, columns)
            rows, columns = rows[alone], columns[alone]
        yield rows, columns
        links += len(drawn.rows)
        if not told and drawn.looked > max(_MANY[0] * links, _MANY[1]):
            _LOG.info(
                f"{drawn.looked:,} pairs were examined for {links:,} links so far: the rows of the factors differ so "
                "much that most pairs have to be examined one by one, which takes as long as all pairs"
            )
            told = True


def _sharing(factors: Factors, loss: Loss, rng: np.random.Generator) -> Iterator[tuple[Int64Array, Int64Array]]:
    """The ends of drawn links between nodes that share something."""
    for some, products in factors.sharing():
        shared, apart = products.tocoo(), factors.apart
        assert apart is not None
        i, j = some[shared.row], shared.col.astype(np.int64)
        probabilities = loss.probability(shared.data + apart.scores(i, j))
        linked = (rng.random(len(i)) < probabilities) & (i < j)
        yield i[linked], j[linked]

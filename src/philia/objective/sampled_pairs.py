"""The objective for large graphs: all links, and an unbiased sample of the other pairs.

On an executor that caches work on other machines, rows are divided into shards that keep their links, and every round
sends the factors there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from scipy import sparse

from philia._types import BoolArray, Float64Array, FloatArray, Int64Array
from philia.exceptions import InvalidParameterError
from philia.execution import Executor, LocalThreads
from philia.execution.executor import CachingExecutor
from philia.graphs import Graph, Nodes
from philia.objective.kernels import DrawnColumns, Kernel, RowSums, kernel_for_sampled_pairs
from philia.objective.kernels.kernel import Omitted, equal_cuts
from philia.objective.recipe import Freedom, Recipe
from philia.pairs import HeldOut, seen
from philia.pairs.sample import drawing_chances

_PIECE = 512
"""Rows that one thread takes at a time. It must not depend on the number of threads, or the result would."""

_SHARDS: Final = 16
"""Number of shards, regardless of the number of workers, because the drawn columns and the result depend on it."""

_ROUNDS: Final = 4
"""How often F is sent to the shards in an epoch: fewer rounds send less, but move more rows at an older F."""

_Estimate = tuple[float, FloatArray]
"""What some rows add to the value, and the gradient by them."""


class SampledPairsObjective:
    """``AllPairsObjective`` for one block of rows at a time, estimated from its links and from sampled columns.

    The gradient by the rows of a block involves all pairs of these rows. Links count exactly. The cost of the pairs
    without links is estimated from ``columns`` nodes that the whole block shares: node j is drawn with probability
    q_j = (d_j / sum d + 1 / n) / 2, where d are degrees, and stands for 1 / (columns · q_j) nodes. Nodes of high degree
    have the largest scores, so they are drawn more often; the uniform half keeps weights below 2n / columns. If there
    are no more nodes than ``columns``, all are used and nothing is random.

    Value and gradient are unbiased.

    With a ``CachingExecutor`` a block is a quarter of all rows, so an epoch has four rounds, and all shards estimate it
    together: each has a run of its rows, of about equal work, and takes ``rows`` of them at a time, all at the same F.
    The links of a shard stay where they are; F is sent and a gradient comes back. Every run has its own stream of
    random numbers, so a run that has to be computed again gives the same numbers.

    >>> from philia import CommunityModel, as_graph
    >>> graph, recipe = as_graph([(0, 1)]), CommunityModel(1, 1, background="none").recipe()
    >>> value, gradient = SampledPairsObjective(graph, recipe).estimate(np.zeros(4), np.random.default_rng(0))
    >>> round(value, 4), gradient.shape
    (2.7726, (4,))
    """

    def __init__(
        self,
        graph: Graph,
        recipe: Recipe,
        *,
        penalty: float = 0.0,
        diagonal: bool = True,
        held_out: HeldOut | None = None,
        dtype: npt.DTypeLike = np.float32,
        columns: int = 512,
        rows: int = 1024,
        executor: Executor | None = None,
        kernel: Kernel | None = None,
    ) -> None:
        if columns < 1 or rows < 1:
            raise InvalidParameterError(
                f"{columns} columns and blocks of {rows} rows are asked for; both must be whole numbers, 1 or more"
            )
        n = self.n = graph.n_nodes
        self.recipe, self.dtype, self.columns = recipe, np.dtype(dtype), columns
        self.kernel = kernel or kernel_for_sampled_pairs(recipe.loss, self.dtype)
        self.executor = executor or LocalThreads()
        self.rows = rows
        self.omitted = Omitted.of(held_out, diagonal=not diagonal, n=n)
        self.known = seen(graph, held_out)
        self.blocks: Sequence[slice] = [slice(top, min(top + rows, n)) for top in range(0, n, rows)]
        self.mixing = np.ascontiguousarray(recipe.mixing, dtype=self.dtype)
        self._chances = drawing_chances(self.known)
        self._up_to = np.cumsum(self._chances)
        self._charged = _by_column(recipe, penalty).astype(self.dtype)
        self._free = np.repeat(
            [g.freedom is not Freedom.FIXED for g in recipe.groups], [g.width for g in recipe.groups]
        )
        self._rounds: Callable[[_Round], list[_Estimate]] | None = None
        if isinstance(executor, CachingExecutor):
            tops = np.unique(np.linspace(0, n, _ROUNDS + 1).astype(int)).tolist()
            self.blocks = [slice(top, end) for top, end in pairwise(tops)]
            self._rounds = executor.keep(_ShardWork.of(self))

    @property
    def shared(self) -> BoolArray:
        """Which columns of F hold one value shared by all nodes."""
        groups = self.recipe.groups
        return np.repeat([g.freedom is Freedom.SHARED for g in groups], [g.width for g in groups])

    def estimate(self, point: Float64Array, rng: np.random.Generator) -> tuple[float, Float64Array]:
        """Estimates of the objective at the solver's vector and of its gradient, from one draw per block."""
        F = np.ascontiguousarray(self.recipe.factors(point, self.n), dtype=self.dtype)
        parts = [self.by_rows(F, rows, rng) for rows in self.blocks]
        gradient = np.concatenate([by_rows for _, by_rows in parts]).astype(np.float64)
        return sum(value for value, _ in parts), self.recipe.pulled_back(gradient)

    def value(self, F: FloatArray, rng: np.random.Generator) -> float:
        """An estimate of the objective at F (n × k)."""
        return sum(self.by_rows(F, rows, rng)[0] for rows in self.blocks)

    def by_rows(self, F: FloatArray, rows: slice, rng: np.random.Generator) -> _Estimate:
        """Estimates of what a block of rows adds to the objective, and of the objective's gradient by these rows.

        The values of all blocks add up to the objective. The gradient is zero in columns of ones; in a shared column it
        is the contribution of these rows, to be summed over all rows.
        """
        if self._rounds is None:
            return self._by_rows(F, rows, rng)
        given = _Round(F.copy(), self.shared, self.blocks.index(rows), int(rng.integers(2**63)))  # F will move on
        found = self._rounds(given)
        return sum(value for value, _ in found), np.concatenate([gradient for _, gradient in found])

    def _by_rows(self, F: FloatArray, rows: slice, rng: np.random.Generator) -> _Estimate:
        drawn, tops = self.draw(F, rng), range(rows.start, rows.stop, _PIECE)
        piece = partial(self._piece, F, drawn, rows.stop)
        parts = list(self.executor.map(piece, tops))
        gradient = np.concatenate([by_rows for _, by_rows in parts])
        own = F[rows]
        gradient += 2 * self._charged * own
        gradient[:, ~self._free] = 0
        squares = np.einsum("ij,ij->j", own, own, dtype=np.float64)
        return sum(value for value, _ in parts) + float(squares @ self._charged), gradient

    def draw(self, F: FloatArray, rng: np.random.Generator) -> DrawnColumns:
        """The columns for one block, in the order of the nodes.

        Stratified sampling: one uniform point in each of ``columns`` equal parts of [0, 1], which has the same mean as
        independent draws and a smaller variance.

        >>> from philia import CommunityModel, as_graph
        >>> star = as_graph([(0, leaf) for leaf in range(1, 100)])
        >>> objective = SampledPairsObjective(star, CommunityModel(1, 1).recipe(), columns=8)
        >>> objective.draw(np.zeros((100, 4)), np.random.default_rng(0)).nodes
        array([ 0,  0,  1, 17, 47, 65, 76, 95])
        """
        if self.n <= self.columns:
            return DrawnColumns(np.arange(self.n), np.ones(self.n), F.copy())
        points = (np.arange(self.columns) + rng.random(self.columns)) * (self._up_to[-1] / self.columns)
        nodes = np.minimum(np.searchsorted(self._up_to, points, side="right"), self.n - 1)
        return DrawnColumns(nodes, 1 / (self.columns * self._chances[nodes]), F[nodes])

    def _piece(self, F: FloatArray, drawn: DrawnColumns, stop: int, top: int) -> tuple[float, FloatArray]:
        """The loss of the pairs of some rows, and its gradient by these rows.

        The score of (i, j) is (F_i M) · F_j, whose gradient by F_i is M F_j; the score of (j, i) is (F_i Mᵀ) · F_j. If
        M is symmetric the two are equal.
        """
        own, M = F[top : min(top + _PIECE, stop)], self.mixing
        sums = self._row_sums(F, drawn, own @ M, top)
        if self.recipe.symmetric:
            return sums.value, 2 * (sums.left @ M)
        back = self._row_sums(F, drawn, own @ M.T, top)
        return sums.value, sums.left @ M.T + back.left @ M

    def _row_sums(self, F: FloatArray, drawn: DrawnColumns, left: FloatArray, top: int) -> RowSums:
        return self.kernel.row_sums(left, top, drawn, F, self.known, self.recipe.loss, self.omitted)


@dataclass(frozen=True, eq=False)
class _Round:
    """What the shards need: F, which of its columns are shared, the block to estimate, and a random seed.

    >>> one = _Round(np.zeros((4, 2)), np.array([False, True]), 0, 7)
    >>> two = _Round(np.array([[0, 2.0], [0, 2], [1, 2], [0, 2]]), one.shared, 1, 8)
    >>> two.since(one).rows, two.since(one)(one).F.tolist() == two.F.tolist()
    (array([2]), True)
    """

    F: FloatArray
    shared: BoolArray
    block: int
    seed: int

    def since(self, earlier: _Round) -> _Change:
        """The difference from an earlier round: rows that have moved, and shared values."""
        rows = np.flatnonzero((self.F != earlier.F)[:, ~self.shared].any(axis=1))
        return _Change(rows, self.F[rows], self.F[:1, self.shared], self.block, self.seed)


@dataclass(frozen=True, eq=False)
class _Change:
    """The difference between two rounds."""

    rows: Int64Array
    moved: FloatArray
    common: FloatArray
    block: int
    seed: int

    def __call__(self, earlier: _Round) -> _Round:
        """The later round, from the earlier one."""
        F = earlier.F.copy()
        F[self.rows] = self.moved
        F[:, earlier.shared] = self.common
        return replace(earlier, F=F, block=self.block, seed=self.seed)


@dataclass(frozen=True)
class _Shard:
    """A run of rows of each block, and how many rows share their sampled columns."""

    runs: tuple[slice, ...]
    rows: int

    def estimates(self, objective: SampledPairsObjective, given: _Round) -> list[_Estimate]:
        """The value that the rows add and the gradient by them, in pieces."""
        run = self.runs[given.block]
        rng = np.random.default_rng([given.seed, run.start])
        pieces = [slice(top, min(top + self.rows, run.stop)) for top in range(run.start, run.stop, self.rows)]
        return [objective._by_rows(given.F, piece, rng) for piece in pieces]


@dataclass(frozen=True, eq=False)
class _ShardWork:
    """Shards with the links of their rows: what an executor caches between rounds."""

    objective: SampledPairsObjective
    shards: Sequence[_Shard]

    @classmethod
    def of(cls, objective: SampledPairsObjective) -> _ShardWork:
        """All shards of an objective, each with runs of about equal work, one per block."""
        work = objective.columns + np.diff(objective.known.adjacency.indptr).astype(np.int64)
        runs = [_runs(work[block], block.start) for block in objective.blocks]
        alone = copy(objective)
        alone.executor = LocalThreads(1)
        return cls(alone, [_Shard(of_one, objective.rows) for of_one in zip(*runs, strict=True)])

    def __len__(self) -> int:
        return len(self.shards)

    def part(self, first: int, end: int) -> _ShardWork:
        """Shards ``first`` up to ``end``, with only the links of their rows."""
        shards, objective = self.shards[first:end], copy(self.objective)
        mine = np.zeros(objective.n, dtype=bool)
        for run in (run for shard in shards for run in shard.runs):
            mine[run] = True
        objective.known = _links_of(objective.known, mine)
        return replace(self, objective=objective, shards=shards)

    def pieces(self, given: _Round, executor: Executor) -> Iterator[list[_Estimate]]:
        """The estimates of each shard, in order."""
        return executor.map(partial(_Shard.estimates, objective=self.objective, given=given), self.shards)

    def added(self, total: list[_Estimate] | None, pieces: Iterable[list[_Estimate]]) -> list[_Estimate]:
        """The estimates so far followed by those of more shards, in the order of the rows."""
        return [*(total or []), *(estimate for piece in pieces for estimate in piece)]


def _runs(work: Any, start: int) -> list[slice]:
    """The rows from ``start`` on, divided into one run per shard of about equal work."""
    cuts = start + equal_cuts(work, _SHARDS)
    return [slice(int(first), int(end)) for first, end in pairwise(cuts)]


def _links_of(known: Graph, mine: BoolArray) -> Graph:
    """The graph with only some rows and without names; it is not symmetric, and only its rows are read."""
    links, n = known.adjacency, known.n_nodes
    counts = np.diff(links.indptr)
    entries = np.repeat(mine, counts)
    indptr = np.concatenate([[0], np.cumsum(np.where(mine, counts, 0))]).astype(links.indptr.dtype)
    rows = sparse.csr_array((links.data[entries], links.indices[entries], indptr), shape=(n, n))
    return Graph(rows, Nodes.numbered(n), weights=None if known.weights is None else known.weights[entries])


def _by_column(recipe: Recipe, penalty: float) -> Float64Array:
    """The penalty on the square of an entry of each column; a shared value is charged once per node."""
    charged = [0.0 if g.freedom is Freedom.FIXED else penalty * g.penalized + g.own_penalty for g in recipe.groups]
    return np.repeat(charged, [g.width for g in recipe.groups])

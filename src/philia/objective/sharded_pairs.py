"""The sampled objective where rows are far apart: shards that keep their links, and rounds that send the factors."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import Any, Final

import numpy as np
from scipy import sparse

from philia._types import BoolArray, FloatArray, Int64Array
from philia.execution import Executor, LocalThreads
from philia.execution.executor import Keeper
from philia.graphs import Graph, Nodes
from philia.objective.lanes import _equal_cuts
from philia.objective.recipe import Recipe
from philia.objective.sampled_pairs import SampledPairsObjective

SHARDS: Final = 16
"""How many shards there are. Whatever the number of workers: the drawn columns, and so the result, depend on it."""

ROUNDS: Final = 4
"""How often in an epoch F is sent."""


class ShardedPairsObjective(SampledPairsObjective):
    """``SampledPairsObjective`` for an executor that keeps things: a block of rows is estimated by all shards at once.

    A block is a quarter of all rows, so that an epoch has four rounds. In each, every shard has a run of the rows, of
    about equal work, and estimates the gradient by them ``rows`` at a time, all at the same F. Links of the shards
    stay where they are; F goes there and a gradient comes back. Every run has its own stream of random numbers, so one
    that has to be computed again gives the same numbers.

    >>> from philia import CommunityModel, as_graph
    >>> class Here(LocalThreads):
    ...     def keep(self, work):
    ...         return lambda given: work.added(None, work.pieces(given, self))
    >>> graph, recipe = as_graph([(0, 1)]), CommunityModel(1, 1, background="none")._recipe()
    >>> objective = ShardedPairsObjective(graph, recipe, executor=Here())
    >>> value, gradient = objective.estimate(np.zeros(4), np.random.default_rng(0))
    >>> round(value, 4), gradient.shape
    (2.7726, (4,))
    """

    def __init__(self, graph: Graph, recipe: Recipe, *, executor: Keeper, rows: int = 1024, **settings: Any) -> None:
        super().__init__(graph, recipe, rows=rows, executor=LocalThreads(1), **settings)
        tops = np.unique(np.linspace(0, self.n, ROUNDS + 1).astype(int))
        self.blocks = [slice(int(top), int(end)) for top, end in pairwise(tops)]
        work = self.columns + np.diff(self.known.adjacency.indptr).astype(np.int64)
        runs = [_runs(work[block], block.start) for block in self.blocks]
        shards = [Shard(tuple(of_one), rows) for of_one in zip(*runs, strict=True)]
        self._estimates = executor.keep(ShardWork(copy(self), shards))

    def by_rows(self, F: FloatArray, rows: slice, rng: np.random.Generator) -> tuple[float, FloatArray]:
        """What one of the blocks adds to the objective, and the objective's gradient by its rows; both estimates."""
        given = Round(F.copy(), self.shared, self.blocks.index(rows), int(rng.integers(2**63)))  # F will move on
        found = self._estimates(given)
        return sum(value for value, _ in found), np.concatenate([gradient for _, gradient in found])


Estimate = tuple[float, FloatArray]


@dataclass(frozen=True, eq=False)
class Round:
    """What the shards need: F, which of its columns all rows share, the block to estimate, and a seed for drawing.

    >>> one = Round(np.zeros((4, 2)), np.array([False, True]), 0, 7)
    >>> two = Round(np.array([[0, 2.0], [0, 2], [1, 2], [0, 2]]), one.shared, 1, 8)
    >>> two.since(one).rows, two.since(one)(one).F.tolist() == two.F.tolist()
    (array([2]), True)
    """

    F: FloatArray
    shared: BoolArray
    block: int
    seed: int

    def since(self, earlier: Round) -> Change:
        """What is new: the rows that have moved, and the shared values."""
        rows = np.flatnonzero((self.F != earlier.F)[:, ~self.shared].any(axis=1))
        return Change(rows, self.F[rows], self.F[:1, self.shared], self.block, self.seed)


@dataclass(frozen=True, eq=False)
class Change:
    """What makes a round of an earlier one."""

    rows: Int64Array
    moved: FloatArray
    common: FloatArray
    block: int
    seed: int

    def __call__(self, earlier: Round) -> Round:
        """The round, from the earlier one."""
        F = earlier.F.copy()
        F[self.rows] = self.moved
        F[:, earlier.shared] = self.common
        return replace(earlier, F=F, block=self.block, seed=self.seed)


@dataclass(frozen=True)
class Shard:
    """A run of rows of each block, and how many rows at a time share their drawn columns."""

    runs: tuple[slice, ...]
    rows: int

    def estimates(self, objective: SampledPairsObjective, given: Round) -> list[Estimate]:
        """What the rows add to the value and the gradient by them, piece by piece."""
        run = self.runs[given.block]
        rng = np.random.default_rng([given.seed, run.start])
        pieces = [slice(top, min(top + self.rows, run.stop)) for top in range(run.start, run.stop, self.rows)]
        return [SampledPairsObjective.by_rows(objective, given.F, piece, rng) for piece in pieces]


@dataclass(frozen=True, eq=False)
class ShardWork:
    """Shards with the links of their rows: what a place to run keeps from round to round."""

    objective: SampledPairsObjective
    shards: Sequence[Shard]

    def __len__(self) -> int:
        return len(self.shards)

    def part(self, first: int, end: int) -> ShardWork:
        """The shards from ``first`` up to ``end``, with the links of their rows alone."""
        shards, objective = self.shards[first:end], copy(self.objective)
        mine = np.zeros(objective.n, dtype=bool)
        for run in (run for shard in shards for run in shard.runs):
            mine[run] = True
        objective.known = _links_of(objective.known, mine)
        return replace(self, objective=objective, shards=shards)

    def pieces(self, given: Round, executor: Executor) -> Iterator[list[Estimate]]:
        """What each shard estimates, in order."""
        return executor.map(partial(Shard.estimates, objective=self.objective, given=given), self.shards)

    def added(self, total: list[Estimate] | None, pieces: Iterable[list[Estimate]]) -> list[Estimate]:
        """The estimates so far and those of more shards, in the order of the rows."""
        return [*(total or []), *(estimate for piece in pieces for estimate in piece)]


def sampled_pairs_objective(
    graph: Graph, recipe: Recipe, *, executor: Executor | None = None, **settings: Any
) -> SampledPairsObjective:
    """The objective on sampled pairs, in shards where the executor keeps them.

    >>> from philia import CommunityModel, as_graph
    >>> type(sampled_pairs_objective(as_graph([(0, 1)]), CommunityModel(1, 1)._recipe())).__name__
    'SampledPairsObjective'
    """
    if isinstance(executor, Keeper):
        return ShardedPairsObjective(graph, recipe, executor=executor, **settings)
    return SampledPairsObjective(graph, recipe, executor=executor, **settings)


def _runs(work: Any, start: int) -> list[slice]:
    """The rows from ``start`` on, cut into one run a shard of about equal work."""
    cuts = start + _equal_cuts(work, SHARDS)
    return [slice(int(first), int(end)) for first, end in pairwise(cuts)]


def _links_of(known: Graph, mine: BoolArray) -> Graph:
    """The graph with its other rows empty, and without names: half a graph, of which only rows are read."""
    links, n = known.adjacency, known.n_nodes
    counts = np.diff(links.indptr)
    entries = np.repeat(mine, counts)
    indptr = np.concatenate([[0], np.cumsum(np.where(mine, counts, 0))]).astype(links.indptr.dtype)
    rows = sparse.csr_array((links.data[entries], links.indices[entries], indptr), shape=(n, n))
    return Graph(rows, Nodes.numbered(n), weights=None if known.weights is None else known.weights[entries])

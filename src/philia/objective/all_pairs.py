"""The exact objective: the loss over all pairs of nodes, and its gradient, without anything of size n × n."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from philia._types import Float64Array, FloatArray
from philia.execution import Executor, LocalThreads, one_blas_thread
from philia.execution.executor import kept
from philia.graphs.graph import Graph
from philia.objective.extra_pairs import ExtraPairs, with_link
from philia.objective.held_out import HeldOut, seen
from philia.objective.kernels import Kernel, LaneSums, choose_kernel
from philia.objective.lanes import Lane, cut
from philia.objective.omitted import Omitted
from philia.objective.recipe import Recipe
from philia.storage import require_memory


class AllPairsObjective:
    """sum over all ordered pairs of loss(A_ij, (F M Fᵀ)_ij) + penalty · |F|², and its gradient.

    As in the paper every pair counts twice, once in each direction, and the diagonal counts as non-links; with
    ``diagonal=False`` it is left out. Held-out pairs are not seen at all. Where the graph has weights, the loss of a
    link counts as many times as its weight says; a non-link counts once.

    >>> from philia import CommunityModel, as_graph
    >>> objective = AllPairsObjective(as_graph([(0, 1)]), CommunityModel(1, 1, background="none")._recipe())
    >>> value, gradient = objective.value_and_gradient(np.zeros(4))  # four ordered pairs at even odds
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
        dtype: npt.DTypeLike = np.float64,
        executor: Executor | None = None,
        kernel: Kernel | None = None,
    ) -> None:
        n = graph.n_nodes
        _require_memory(n, recipe.mixing.shape[0], np.dtype(dtype).itemsize)
        self.recipe, self.penalty, self.dtype = recipe, penalty, np.dtype(dtype)
        self.executor = executor or LocalThreads()
        self.kernel = kernel or choose_kernel(n, self.dtype)
        self.omitted = Omitted.of(held_out, diagonal=not diagonal, n=n)
        known = seen(graph, held_out)
        self.links = _links(known, symmetric=recipe.symmetric)
        self.link_weight = 2 if recipe.symmetric else 1
        self.reweighed = _reweighed(known, symmetric=recipe.symmetric)
        self.lanes = cut(n, self.links, symmetric=recipe.symmetric, tile=192 if n < 2000 else 384)
        self.n = n
        self._penalties = 2 * recipe.penalties(penalty, n)

    def value_and_gradient(self, point: Float64Array) -> tuple[float, Float64Array]:
        """The objective at the solver's vector, and its gradient there."""
        value, gradient = self.by_factors(self.recipe.factors(point, self.n))
        shrink = self._penalties * point
        return value + 0.5 * float(shrink @ point), self.recipe.pulled_back(gradient) + shrink

    def by_factors(self, F: Float64Array) -> tuple[float, Float64Array]:
        """The loss at F without the penalty, and its gradient by F."""
        with one_blas_thread():  # also for the small products: how BLAS cuts them would change the last bits
            sums = self._sums(F)
            value, by_sides = sums.value, (sums.left, sums.right)
            if self.reweighed is not None:
                value += self.reweighed.add(self.recipe.sides(F), by_sides, partial(with_link, self.recipe.loss))
            return value, self.recipe.combined(*by_sides)

    @cached_property
    def _sums(self) -> Callable[[Float64Array], SumsOfLanes]:
        # Not before the first evaluation: until then a subclass may exchange the lanes.
        links = self.links, self.link_weight
        return kept(self.executor, LaneWork(self.recipe, self.lanes, *links, self.omitted, self.dtype, self.kernel))


@dataclass(frozen=True, eq=False)
class SumsOfLanes:
    """What lanes add to the value, and to the gradients by both sides over all rows."""

    value: float
    left: Float64Array
    right: Float64Array


@dataclass(frozen=True, eq=False)
class LaneWork:
    """The lanes of an evaluation with all that they need but F: what a place to run keeps from one to the next.

    >>> from philia import CommunityModel, as_graph
    >>> objective = AllPairsObjective(as_graph([(0, 1)]), CommunityModel(1, 1, background="none")._recipe())
    >>> work = LaneWork(objective.recipe, objective.lanes, objective.links, 2, objective.omitted, objective.dtype,
    ...                 objective.kernel)
    >>> total = work.added(None, work.pieces(np.zeros((2, 2)), LocalThreads(1)))
    >>> len(work), round(total.value, 4)
    (1, 2.7726)
    """

    recipe: Recipe
    lanes: list[Lane]
    links: sparse.csr_array
    link_weight: int
    omitted: Omitted
    dtype: np.dtype[Any]
    kernel: Kernel

    def __len__(self) -> int:
        return len(self.lanes)

    def part(self, first: int, end: int) -> LaneWork:
        """The lanes from ``first`` up to ``end``, with the links of their rows alone."""
        lanes, links = self.lanes[first:end], self.links
        begin, stop = links.indptr[lanes[0].link_rows[0]], links.indptr[lanes[-1].link_rows[1]]
        own = links.data[begin:stop], links.indices[begin:stop], links.indptr.clip(begin, stop) - begin
        return replace(self, lanes=lanes, links=sparse.csr_array(own, shape=links.shape))

    def pieces(self, F: Float64Array, executor: Executor) -> Iterator[LaneSums]:
        """The sums of each lane at F, in order."""
        left, right = (np.ascontiguousarray(side, dtype=self.dtype) for side in self.recipe.sides(F))
        return executor.map(partial(self._lane_sums, left, right), self.lanes)

    def added(self, total: SumsOfLanes | None, pieces: Iterable[LaneSums]) -> SumsOfLanes:
        """The total with the sums of more lanes added to it, one after the other, in double precision."""
        if total is None:
            shape = self.links.shape[0], np.count_nonzero(self.recipe.mixing.any(axis=0))
            value, left, right = 0.0, np.zeros(shape), np.zeros(shape)
        else:
            value, left, right = total.value, total.left.copy(), total.right.copy()
        for sums in pieces:
            value += sums.value
            left[sums.top : sums.top + len(sums.left)] += sums.left
            right += sums.right
        return SumsOfLanes(value, left, right)

    def _lane_sums(self, left: FloatArray, right: FloatArray, lane: Lane) -> LaneSums:
        return self.kernel.lane_sums(left, right, lane, self.links, self.link_weight, self.recipe.loss, self.omitted)


def _require_memory(n: int, k: int, itemsize: int) -> None:
    """Refuse what cannot fit: gradients of lanes under way, and the solver's twenty vectors with copies."""
    needed = n * k * (4 * itemsize + 40 * 8)
    if needed > 1 << 30:
        require_memory(needed, f"fitting {k:,} columns on {n:,} nodes")


def _links(graph: Graph, *, symmetric: bool) -> sparse.csr_array:
    """Each link once if scores are symmetric, else in both directions."""
    n, (rows, columns) = graph.n_nodes, graph.links
    if not symmetric:
        rows, columns = np.concatenate([rows, columns]), np.concatenate([columns, rows])
    return sparse.csr_array((np.ones(rows.size, np.int8), (rows, columns)), shape=(n, n))


def _reweighed(graph: Graph, *, symmetric: bool) -> ExtraPairs | None:
    """The links that weigh more or less than the 1 that the kernels count; both directions in one if scores allow."""
    weights = graph.link_weights
    if weights is None:
        return None
    other = weights != 1
    i, j = (ends[other] for ends in graph.links)
    times = weights[other] - 1
    if symmetric:
        return ExtraPairs(graph.n_nodes, i, j, 2 * times)
    return ExtraPairs(graph.n_nodes, np.concatenate([i, j]), np.concatenate([j, i]), np.tile(times, 2))

"""The exact objective: the loss over all pairs of nodes, and its gradient, without anything of size n × n."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from philia._types import Float64Array, FloatArray, Int64Array
from philia.execution import Executor, LocalThreads, one_blas_thread
from philia.execution.executor import cached_on
from philia.graphs.graph import Graph
from philia.objective.kernels import Kernel, LaneSums, kernel_for_all_pairs
from philia.objective.kernels.kernel import SMALL, Lane, Omitted, cut, cut_links
from philia.objective.losses import NoisyOr, Scores, SquaredError
from philia.objective.recipe import Freedom, Recipe
from philia.pairs import HeldOut, seen
from philia.solvers.solver import CompiledFunction, SweptFunction, ValueAndGradient
from philia.storage import require_memory

_Sides = tuple[Float64Array, Float64Array]

_CHUNK = 65536
"""Pairs scored together in NumPy: with 100 columns their rows of both sides take 100 MB."""


class AllPairsObjective:
    """sum over all ordered pairs of loss(A_ij, (F M Fᵀ)_ij) + penalty · |F|², and its gradient.

    As in the paper, every pair counts twice, once per direction, and the diagonal counts as non-links;
    ``diagonal=False`` leaves it out. Held-out pairs do not count at all. In a weighted graph the loss of a link is
    multiplied by its weight; a non-link counts once.

    >>> from philia import CommunityModel, as_graph
    >>> objective = AllPairsObjective(as_graph([(0, 1)]), CommunityModel(1, 1, background="none").recipe())
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
        self.kernel = kernel or kernel_for_all_pairs(n, recipe.loss, self.dtype)
        self.omitted = Omitted.of(held_out, diagonal=not diagonal, n=n)
        known = seen(graph, held_out)
        self.links = _links(known, symmetric=recipe.symmetric)
        self.link_weight = 2 if recipe.symmetric else 1
        self.reweighed = _reweighed(known, symmetric=recipe.symmetric)
        # Larger tiles make BLAS more efficient; on small graphs they would be too few to share out among lanes.
        self.lanes = cut(n, self.links, symmetric=recipe.symmetric, tile=192 if n < 2000 else 384)
        self.n = n
        self._penalties = 2 * recipe.penalties(penalty, n)

    def value_and_gradient(self, point: Float64Array) -> tuple[float, Float64Array]:
        """The objective at the solver's vector, and its gradient."""
        value, gradient = self.by_factors(self.recipe.factors(point, self.n))
        shrink = self._penalties * point
        return value + 0.5 * float(shrink @ point), self.recipe.pulled_back(gradient) + shrink

    @property
    def function(self) -> ValueAndGradient:
        """``value_and_gradient`` as solvers take it."""
        return self.value_and_gradient

    def by_factors(self, F: Float64Array) -> tuple[float, Float64Array]:
        """The loss at F without the penalty, and its gradient by F."""
        with one_blas_thread():  # for the small products too: how BLAS divides them would change the last bits
            sums = self._sums(F)
            value, by_sides = sums.value, (sums.left, sums.right)
            if self.reweighed is not None:
                value += self.reweighed.add(self.recipe.sides(F), by_sides, self.recipe.loss.with_link)
            return value, self.recipe.combined(*by_sides)

    @cached_property
    def _sums(self) -> Callable[[Float64Array], _SumsOfLanes]:
        # Built at the first evaluation, because a subclass may replace the lanes until then.
        links = self.links, self.link_weight
        return cached_on(
            self.executor, _LaneWork(self.recipe, self.lanes, *links, self.omitted, self.dtype, self.kernel)
        )


@dataclass(frozen=True, eq=False)
class _SumsOfLanes:
    """The sum over lanes of the value, and of the gradients by both sides for all rows."""

    value: float
    left: Float64Array
    right: Float64Array


@dataclass(frozen=True, eq=False)
class _LaneWork:
    """The lanes of an evaluation and everything they need except F: what an executor caches between evaluations.

    >>> from philia import CommunityModel, as_graph
    >>> objective = AllPairsObjective(as_graph([(0, 1)]), CommunityModel(1, 1, background="none").recipe())
    >>> work = _LaneWork(objective.recipe, objective.lanes, objective.links, 2, objective.omitted, objective.dtype,
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

    def part(self, first: int, end: int) -> _LaneWork:
        """Lanes ``first`` up to ``end``, with only the links of their rows."""
        lanes, links = self.lanes[first:end], self.links
        begin, stop = links.indptr[lanes[0].link_rows[0]], links.indptr[lanes[-1].link_rows[1]]
        own = links.data[begin:stop], links.indices[begin:stop], links.indptr.clip(begin, stop) - begin
        return replace(self, lanes=lanes, links=sparse.csr_array(own, shape=links.shape))

    def pieces(self, F: Float64Array, executor: Executor) -> Iterator[LaneSums]:
        """The sums of each lane at F, in order."""
        left, right = (np.ascontiguousarray(side, dtype=self.dtype) for side in self.recipe.sides(F))
        return executor.map(partial(self._lane_sums, left, right), self.lanes)

    def added(self, total: _SumsOfLanes | None, pieces: Iterable[LaneSums]) -> _SumsOfLanes:
        """The total plus the sums of more lanes, added one by one in double precision."""
        if total is None:
            shape = self.links.shape[0], np.count_nonzero(self.recipe.mixing.any(axis=0))
            value, left, right = 0.0, np.zeros(shape), np.zeros(shape)
        else:
            value, left, right = total.value, total.left.copy(), total.right.copy()
        for sums in pieces:
            value += sums.value
            left[sums.top : sums.top + len(sums.left)] += sums.left
            right[sums.first : sums.first + len(sums.right)] += sums.right
            self.lanes[0].room.free(sums.left, sums.right)
        return _SumsOfLanes(value, left, right)

    def _lane_sums(self, left: FloatArray, right: FloatArray, lane: Lane) -> LaneSums:
        return self.kernel.lane_sums(left, right, lane, self.links, self.link_weight, self.recipe.loss, self.omitted)


def _require_memory(n: int, k: int, itemsize: int) -> None:
    """Refuse a fit that cannot succeed: it needs gradients of running lanes, and the solver's twenty vectors twice."""
    needed = n * k * (4 * itemsize + 40 * 8)
    if needed > 1 << 30:  # any machine has a gigabyte
        require_memory(needed, f"fitting {k:,} columns on {n:,} nodes")


def _links(graph: Graph, *, symmetric: bool) -> sparse.csr_array:
    """Each link once if scores are symmetric, otherwise in both directions."""
    n, (rows, columns) = graph.n_nodes, graph.links
    if not symmetric:
        rows, columns = np.concatenate([rows, columns]), np.concatenate([columns, rows])
    return sparse.csr_array((np.ones(rows.size, np.int8), (rows, columns)), shape=(n, n))


def _reweighed(graph: Graph, *, symmetric: bool) -> _ExtraPairs | None:
    """Links whose weight is not the 1 that the kernels count; once for both directions if scores are symmetric."""
    weights = graph.link_weights
    if weights is None:
        return None
    other = weights != 1
    i, j = (ends[other] for ends in graph.links)
    times = weights[other] - 1
    if symmetric:
        return _ExtraPairs(graph.n_nodes, i, j, 2 * times)
    return _ExtraPairs(graph.n_nodes, np.concatenate([i, j]), np.concatenate([j, i]), np.tile(times, 2))


class ClosedFormObjective(AllPairsObjective):
    """``AllPairsObjective`` in O(links · k + n k²), for losses that charge a power of the score for a non-link.

    For scores L Rᵀ the sum of all scores is (sum of L's rows)·(sum of R's rows), and the sum of their squares is the
    trace of (LᵀL)(RᵀR). Links, an excluded diagonal and held-out pairs are added or subtracted one by one. Where a
    non-link costs the score itself, that is one sparse product, so even a random share of all pairs is subtracted while
    it can be listed; ``AllPairsObjective`` handles other shares.

    >>> from philia import BigClam, as_graph
    >>> graph, recipe, point = as_graph([(0, 1), (1, 2)]), BigClam(2).recipe(), np.linspace(0.1, 0.6, 6)
    >>> slow, fast = AllPairsObjective(graph, recipe), ClosedFormObjective(graph, recipe)
    >>> bool(np.isclose(fast.value_and_gradient(point)[0], slow.value_and_gradient(point)[0]))
    True
    """

    def __init__(
        self,
        graph: Graph,
        recipe: Recipe,
        *,
        diagonal: bool = True,
        held_out: HeldOut | None = None,
        **settings: Any,
    ) -> None:
        super().__init__(graph, recipe, diagonal=True, held_out=held_out, **settings)
        self.lanes = cut_links(self.links)
        self.left_out = _left_out(graph.n_nodes, diagonal=diagonal, held_out=held_out)
        self.on_a_line = None if recipe.loss.link_line is None else _links_on_a_line(self.links, recipe.loss.link_line)
        self._swept = sweeps(graph, recipe, held_out)
        self._diagonal = float(diagonal)

    def by_factors(self, F: Float64Array) -> tuple[float, Float64Array]:
        """The loss at F without the penalty, and its gradient by F."""
        value, gradient = super().by_factors(F) if self.on_a_line is None else (0.0, np.zeros(F.shape))
        with one_blas_thread():
            sides = self.recipe.sides(F)
            everything, by_sides = self._everything(*sides)
            value += everything
            if self.on_a_line is not None:
                constant, pairs = self.on_a_line
                value += constant + pairs.add_scores(sides, by_sides)
                if self.reweighed is not None:
                    value += self.reweighed.add(sides, by_sides, self.recipe.loss.with_link)
            if self.recipe.loss.moment == 1:
                value += self.left_out.add_scores(sides, by_sides)
            else:
                value += self.left_out.add(sides, by_sides, self.recipe.loss.without_link)
            return value, gradient + self.recipe.combined(*by_sides)

    @property
    def function(self) -> ValueAndGradient:
        """``value_and_gradient``, with sweeps where each entry of F has a minimum in closed form."""
        return SweptFunction(self.value_and_gradient, self._sweep) if self._swept else self.value_and_gradient

    def _sweep(self, point: Float64Array) -> tuple[float, Float64Array]:
        from philia.objective.kernels.sweeps import prepared  # it needs numba, which takes long to import

        A, F = self._both_ways, self.recipe.factors(point, self.n)
        value = prepared(type(self.recipe.loss))(A.indptr, A.indices, F, self.penalty, self._diagonal)
        return value, self.recipe.point(F)

    @cached_property
    def _both_ways(self) -> sparse.csr_array:
        return sparse.csr_array(self.links + self.links.T)

    def _everything(self, left: Float64Array, right: Float64Array) -> tuple[float, _Sides]:
        """What all ordered pairs cost without links, and the gradients by both sides."""
        if self.recipe.loss.moment == 1:
            of_left, of_right = left.sum(axis=0), right.sum(axis=0)
            everywhere = np.ones((self.n, 1))
            return float(of_left @ of_right), (everywhere * of_right, everywhere * of_left)
        of_left, of_right = left.T @ left, right.T @ right
        return float((of_left * of_right).sum()), (2 * left @ of_right, 2 * right @ of_left)


class SmallPairs:
    """The pairs of a small graph that count: what all objectives on them have in common, whatever their columns.

    >>> from philia import as_graph
    >>> pairs = SmallPairs(as_graph([(0, 1), (1, 2)]), diagonal=False, held_out=None)
    >>> int(pairs.omitted.sum()), pairs.indices.tolist()
    (3, [1, 0, 2, 1])
    """

    def __init__(self, graph: Graph, *, diagonal: bool, held_out: HeldOut | None) -> None:
        known, self.n = seen(graph, held_out), graph.n_nodes
        self.omitted = Omitted.of(held_out, diagonal=not diagonal, n=self.n).mask(0, self.n, 0, self.n)
        self.indptr = known.adjacency.indptr.astype(np.int64)
        self.indices = known.adjacency.indices.astype(np.int64)
        self._kept: tuple[Float64Array, Float64Array, FloatArray] | None = None

    def offsets(self, given: Float64Array, mixing: Float64Array, neutral: float, dtype: npt.DTypeLike) -> FloatArray:
        """The scores (n × n) of columns that never change, and the neutral score at omitted pairs.

        Trials of an automatic choice ask for the same ones again and again, so the last ones are kept.
        """
        kept = self._kept
        if kept is None or kept[2].dtype != dtype or not all(map(np.array_equal, kept, (given, mixing))):
            F = given.astype(dtype)
            scores = F @ mixing.astype(dtype) @ F.T
            scores[self.omitted] = neutral
            kept = self._kept = given, mixing, scores
        return kept[2]


class SmallObjective:
    """``AllPairsObjective`` for small graphs and canonical losses, in one compiled call; n × n numbers are stored.

    What never changes is added to every score as one matrix: the scores of given columns that meet no others, and the
    loss's neutral score at omitted pairs. ``pairs`` are those of another objective with the same ones, if there is one.

    >>> from philia import CommunityModel, as_graph
    >>> graph, recipe, point = as_graph([(0, 1), (1, 2)]), CommunityModel(1, 1).recipe(), np.linspace(0.1, 1.0, 10)
    >>> slow, fast = AllPairsObjective(graph, recipe), SmallObjective(graph, recipe)
    >>> bool(np.isclose(fast.value_and_gradient(point)[0], slow.value_and_gradient(point)[0]))
    True
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
        pairs: SmallPairs | None = None,
    ) -> None:
        from philia.objective.kernels.small import SmallProblem, prepared  # it needs numba, which takes long to import

        n, dtype, layout = graph.n_nodes, np.dtype(dtype), recipe.layout(graph.n_nodes)
        pairs = SmallPairs(graph, diagonal=diagonal, held_out=held_out) if pairs is None else pairs
        F, alone = recipe.factors(np.zeros(recipe.size(n)), n), recipe.unchanging
        kept = np.flatnonzero(~alone)
        problem = SmallProblem(
            fixed=np.ascontiguousarray(F[:, kept], dtype),
            first=layout.first[kept],
            step=layout.step[kept],
            scale=layout.scale[kept],
            mixing=np.ascontiguousarray(recipe.mixing[np.ix_(kept, kept)], dtype),
            offsets=pairs.offsets(F[:, alone], recipe.mixing[np.ix_(alone, alone)], recipe.loss.neutral, dtype),
            indptr=pairs.indptr,
            indices=pairs.indices,
            penalties=recipe.penalties(penalty, n),
        )
        self.function = CompiledFunction(prepared(type(recipe.loss), dtype.name), problem)

    def value_and_gradient(self, point: Float64Array) -> tuple[float, Float64Array]:
        """The objective at the solver's vector, and its gradient."""
        with one_blas_thread():
            return self.function(point)


def exact_objective(
    graph: Graph,
    recipe: Recipe,
    *,
    penalty: float = 0.0,
    diagonal: bool = True,
    held_out: HeldOut | None = None,
    dtype: npt.DTypeLike = np.float64,
    pairs: SmallPairs | None = None,
    **settings: Any,
) -> AllPairsObjective | SmallObjective:
    """The objective over all pairs: in closed form where there is one, in one compiled call on small graphs.

    ``pairs`` saves small graphs some time, if another objective on the same pairs was made before.

    >>> from philia import BigClam, CommunityModel, as_graph
    >>> [type(exact_objective(as_graph([(0, 1)]), m.recipe())).__name__ for m in (BigClam(1), CommunityModel(1, 1))]
    ['ClosedFormObjective', 'SmallObjective']
    """
    counted: dict[str, Any] = {"penalty": penalty, "diagonal": diagonal, "held_out": held_out}
    if has_closed_form(graph.n_nodes, recipe, held_out):
        return ClosedFormObjective(graph, recipe, **counted, dtype=dtype, **settings)
    if is_small(graph, recipe) and "kernel" not in settings:
        return SmallObjective(graph, recipe, **counted, dtype=dtype, pairs=pairs)
    return AllPairsObjective(graph, recipe, **counted, dtype=dtype, **settings)


_GIVEN = 2500
"""Largest graph that is small if columns are given, for example as communities that were read: one call need not
multiply them again, and takes no longer than two threads that do. Their scores take 25 MB in single precision."""


def is_small(graph: Graph, recipe: Recipe) -> bool:
    """Whether all pairs are evaluated in one compiled call, by a single thread.

    >>> from philia import CommunityModel, SymNMF, as_graph
    >>> [is_small(as_graph([(0, 1)]), model.recipe()) for model in (CommunityModel(1, 1), SymNMF(1))]
    [True, False]
    """
    simple = recipe.symmetric and recipe.loss.canonical and graph.weights is None
    return simple and graph.n_nodes <= (_GIVEN if recipe.unchanging.any() else SMALL)


def sweeps(graph: Graph, recipe: Recipe, held_out: HeldOut | None) -> bool:
    """Whether coordinate descent can minimize the objective: over all pairs, with scores F Fᵀ, F >= 0 and this loss.

    >>> from philia import BigClam, CommunityModel, as_graph
    >>> [sweeps(as_graph([(0, 1)]), model.recipe(), None) for model in (BigClam(1), CommunityModel(1, 0))]
    [True, False]
    """
    every = all(group.freedom is Freedom.EVERY_NODE and group.lower_bound == 0 for group in recipe.groups)
    plain = every and np.array_equal(recipe.mixing, np.eye(len(recipe.mixing)))
    return plain and type(recipe.loss) in (SquaredError, NoisyOr) and graph.weights is None and held_out is None


def _links_on_a_line(links: sparse.csr_array, line: tuple[float, float]) -> tuple[float, _ExtraPairs]:
    """What links add to the loss, if it is a straight line of the score: a constant, and the pairs with its slope."""
    both = (links + links.T).tocoo()
    constant, slope = line
    return constant * both.nnz, _ExtraPairs(links.shape[0], both.row, both.col, np.full(both.nnz, slope))


_LISTED_SHARE, _MOST_LISTED = 0.25, 10_000_000
"""The largest share of all pairs, and the most pairs, that are subtracted one by one. A sparse product takes several
times as long per pair as tiles do, which have three products instead of one; ten million take 240 MB."""


def has_closed_form(n: int, recipe: Recipe, held_out: HeldOut | None) -> bool:
    """Whether the sum over all pairs of n nodes can be computed without visiting each pair.

    >>> from philia import BigClam, CommunityModel
    >>> [has_closed_form(9, model.recipe(), None) for model in (BigClam(1), CommunityModel(1, 1))]
    [True, False]
    """
    listed = (
        held_out is None
        or held_out.random_part is None
        or (recipe.loss.moment == 1 and held_out.random_share <= _LISTED_SHARE and held_out.expected(n) <= _MOST_LISTED)
    )
    return recipe.loss.moment is not None and recipe.symmetric and listed


def _left_out(n: int, *, diagonal: bool, held_out: HeldOut | None) -> _ExtraPairs:
    """Ordered pairs that do not count, to be subtracted once."""
    rows = columns = np.empty(0, np.int64) if diagonal else np.arange(n)
    if held_out is not None:
        i, j = held_out.pairs(n)
        rows, columns = np.concatenate([rows, i, j]), np.concatenate([columns, j, i])
    return _ExtraPairs(n, rows, columns, np.full(rows.size, -1.0))


class _ExtraPairs:
    """Distinct ordered pairs (rows[t], columns[t]) that count ``times[t]`` times more than the sum already counts them.

    >>> pairs = _ExtraPairs(2, np.array([0]), np.array([1]), np.array([3.0]))
    >>> sides, by_sides = (np.ones((2, 1)), np.ones((2, 1))), (np.zeros((2, 1)), np.zeros((2, 1)))
    >>> pairs.add(sides, by_sides, lambda scores: (scores**2, 2 * scores))
    3.0
    >>> by_sides[0].tolist()
    [[6.0], [0.0]]
    """

    def __init__(
        self, n: int, rows: npt.NDArray[np.integer], columns: npt.NDArray[np.integer], times: Float64Array
    ) -> None:
        self.times = sparse.csr_array((times, (rows, columns)), shape=(n, n))

    def __len__(self) -> int:
        return int(self.times.nnz)

    @cached_property
    def _rows(self) -> Int64Array:
        return np.repeat(np.arange(self.times.shape[0]), np.diff(self.times.indptr))

    def add_scores(self, sides: _Sides, by_sides: _Sides) -> float:
        """The sum of the scores of pairs that come in both directions; their gradients are added to ``by_sides``.

        If scores are symmetric, both sides pull F alike, so one product stands for both.
        """
        (left, right), (by_left, _) = sides, by_sides
        pull = self.times @ right
        by_left += 2 * pull
        return float((left * pull).sum())

    def add(self, sides: _Sides, by_sides: _Sides, charge: Callable[[Scores], tuple[Scores, Scores]]) -> float:
        """The cost of the pairs; their gradients are added to ``by_sides``.

        ``charge`` returns the costs and slopes of scores, as a loss does. Scores are computed in chunks, because the
        rows of both sides for every pair may not fit in memory. The order of the sums does not depend on threads.
        """
        (left, right), (by_left, by_right) = sides, by_sides
        times, indices = self.times.data, self.times.indices
        total, pulls = 0.0, np.empty(len(self))
        for at in range(0, len(self), _CHUNK):
            part = slice(at, at + _CHUNK)
            costs, slopes = charge(np.einsum("ij,ij->i", left[self._rows[part]], right[indices[part]]))
            total += float((times[part] * costs).sum())
            pulls[part] = times[part] * slopes
        pull = sparse.csr_array((pulls, indices, self.times.indptr), shape=self.times.shape)
        by_left += pull @ right
        by_right += pull.T @ left
        return total

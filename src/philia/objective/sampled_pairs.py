"""The objective of large graphs: all links, and of all other pairs an unbiased sample."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
import numpy.typing as npt

from philia._types import BoolArray, Float64Array, FloatArray
from philia.exceptions import InvalidParameterError
from philia.execution import Executor, LocalThreads
from philia.graphs.graph import Graph
from philia.objective.kernels import DrawnColumns, Kernel, RowSums, kernel_for_sampled_pairs
from philia.objective.omitted import Omitted
from philia.objective.recipe import Freedom, Recipe
from philia.pairs import HeldOut, seen
from philia.pairs.sample import drawing_chances

_PIECE = 512
"""How many rows one thread takes at a time; it must not depend on the number of threads, or the bits would."""


class SampledPairsObjective:
    """``AllPairsObjective`` a block of rows at a time, from its links and from drawn columns.

    The gradient by the rows of a block needs all pairs of these rows. Their links are taken exactly. What the pairs
    would cost without links is estimated from ``columns`` nodes that the whole block shares: node j is drawn with
    q_j = (d_j / sum d + 1 / n) / 2, d being degrees, and stands for 1 / (columns · q_j) nodes. Popular nodes have the
    largest scores, so they are drawn more often; the half that is drawn evenly keeps weights below 2n / columns. Where
    there are no more nodes than columns to draw, all are taken and nothing is left to chance.

    The mean over draws is the exact value and the exact gradient.

    >>> from philia import CommunityModel, as_graph
    >>> graph, recipe = as_graph([(0, 1)]), CommunityModel(1, 1, background="none")._recipe()
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
        self.omitted = Omitted.of(held_out, diagonal=not diagonal, n=n)
        self.known = seen(graph, held_out)
        self.blocks: Sequence[slice] = [slice(top, min(top + rows, n)) for top in range(0, n, rows)]
        self.mixing = np.ascontiguousarray(recipe.mixing, dtype=self.dtype)
        self._chances = drawing_chances(self.known)
        self._up_to = np.cumsum(self._chances)
        self._charged = _by_column(recipe, penalty).astype(self.dtype)
        self._free = np.repeat([g.freedom is not Freedom.ONES for g in recipe.groups], [g.width for g in recipe.groups])

    @property
    def shared(self) -> BoolArray:
        """Which columns of F hold one value that all nodes share."""
        groups = self.recipe.groups
        return np.repeat([g.freedom is Freedom.SHARED for g in groups], [g.width for g in groups])

    def estimate(self, point: Float64Array, rng: np.random.Generator) -> tuple[float, Float64Array]:
        """Estimates of the objective at the solver's vector and of its gradient there, from one draw a block."""
        F = np.ascontiguousarray(self.recipe.factors(point, self.n), dtype=self.dtype)
        parts = [self.by_rows(F, rows, rng) for rows in self.blocks]
        gradient = np.concatenate([by_rows for _, by_rows in parts]).astype(np.float64)
        return sum(value for value, _ in parts), self.recipe.pulled_back(gradient)

    def value(self, F: FloatArray, rng: np.random.Generator) -> float:
        """An estimate of the objective at F (n × k)."""
        return sum(self.by_rows(F, rows, rng)[0] for rows in self.blocks)

    def by_rows(self, F: FloatArray, rows: slice, rng: np.random.Generator) -> tuple[float, FloatArray]:
        """What a block of rows adds to the objective, and the objective's gradient by these rows; both estimates.

        The blocks' values add up to the objective. The gradient is zero in columns of ones; in a shared column it is
        the rows' part, to be summed over all rows.
        """
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
        """The columns of one block, in the order of the nodes.

        One point is drawn in each of as many equal parts of [0, 1] as there are columns, which varies less than
        independent draws do, and has the same mean.

        >>> from philia import CommunityModel, as_graph
        >>> star = as_graph([(0, leaf) for leaf in range(1, 100)])
        >>> objective = SampledPairsObjective(star, CommunityModel(1, 1)._recipe(), columns=8)
        >>> objective.draw(np.zeros((100, 4)), np.random.default_rng(0)).nodes
        array([ 0,  0,  1, 17, 47, 65, 76, 95])
        """
        if self.n <= self.columns:
            return DrawnColumns(np.arange(self.n), np.ones(self.n), F.copy())
        points = (np.arange(self.columns) + rng.random(self.columns)) * (self._up_to[-1] / self.columns)
        nodes = np.minimum(np.searchsorted(self._up_to, points, side="right"), self.n - 1)
        return DrawnColumns(nodes, 1 / (self.columns * self._chances[nodes]), F[nodes])

    def _piece(self, F: FloatArray, drawn: DrawnColumns, stop: int, top: int) -> tuple[float, FloatArray]:
        """The loss of the pairs of some rows, and its gradient by them.

        The score of (i, j) is (F_i M) · F_j, so it pulls i along M F_j; that of (j, i) is (F_i Mᵀ) · F_j. Where M is
        symmetric the two are the same.
        """
        own, M = F[top : min(top + _PIECE, stop)], self.mixing
        sums = self._row_sums(F, drawn, own @ M, top)
        if self.recipe.symmetric:
            return sums.value, 2 * (sums.left @ M)
        back = self._row_sums(F, drawn, own @ M.T, top)
        return sums.value, sums.left @ M.T + back.left @ M

    def _row_sums(self, F: FloatArray, drawn: DrawnColumns, left: FloatArray, top: int) -> RowSums:
        return self.kernel.row_sums(left, top, drawn, F, self.known, self.recipe.loss, self.omitted)


def _by_column(recipe: Recipe, penalty: float) -> Float64Array:
    """What the square of an entry of each column is charged; a shared value is charged once a node."""
    charged = [0.0 if g.freedom is Freedom.ONES else penalty * g.penalized + g.own_penalty for g in recipe.groups]
    return np.repeat(charged, [g.width for g in recipe.groups])

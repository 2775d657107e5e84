"""Fold-in: rows of F for nodes that were not in the graph, from their pairs with the fitted nodes.

With the fitted rows fixed, the scores of a new node are linear in its own row. So if the loss is convex in the score,
as all losses here are, the new node's part of the objective is convex: there is one best row, whatever the start.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy import sparse

from philia._types import BoolArray, Float64Array, Int64Array
from philia.execution import Executor, LocalThreads
from philia.objective.recipe import Freedom, Recipe
from philia.solvers.projected_newton import RowSolution, minimize_rows

LEAST_PENALTY = 1e-6
"""The smallest penalty on the square of an entry: without one, a node with no links would go to -∞."""

_SCORES, _PRODUCTS = 1 << 20, 1 << 17
"""How many scores (8 MB), and how many products of columns (1 MB, a core's cache), one thread holds at a time."""

_FEW = 16
"""With fewer rows than this, a product per row is cheaper than the products of all pairs of columns."""


class _NewRows:
    """2 · sum over fitted j of loss(A_xj, f_x M f_j) + penalties · f_x², one function per new node x.

    Every pair counts twice, as in the objective; the diagonal and pairs of two new nodes are left out. ``links`` and
    ``unknown`` (new × n, sparse) mark the links, and the pairs that do not count.

    >>> from philia.objective import CrossEntropy, Group
    >>> recipe = Recipe((Group("homophilous", 1, lower_bound=0.0),), np.eye(1), CrossEntropy())
    >>> links = sparse.csr_array(np.array([[1, 0]]))
    >>> rows = _NewRows(recipe, np.array([[2.0], [0.0]]), links, sparse.csr_array((1, 2)), penalty=0.5)
    >>> values, gradients = rows.values_and_gradients(np.array([0]), np.zeros((1, 1)))
    >>> values.round(3).tolist(), gradients.tolist()  # two pairs at even odds, each twice
    ([2.773], [[-2.0]])
    """

    def __init__(
        self, recipe: Recipe, F: Float64Array, links: sparse.csr_array, unknown: sparse.csr_array, penalty: float
    ) -> None:
        free = _free_columns(recipe)
        everybody = F @ recipe.mixing  # symmetric
        self.design = np.ascontiguousarray(everybody[:, free])
        self._transposed = np.ascontiguousarray(self.design.T)
        # Contribution of a new node's fixed entries (ones, and values shared by all nodes) to its scores.
        self.offset = everybody[:, ~free] @ F[0, ~free]
        self.penalties = np.maximum(_of_free(recipe, recipe.penalties(penalty, 1)), LEAST_PENALTY)
        self.loss, self.links, self.unknown = recipe.loss, links.tocsr(), unknown.tocsr()
        # With a canonical loss, all that matters about the links: the sums of what they multiply.
        self.pull = np.asarray(links @ self.design, dtype=np.float64)
        self.constant = np.asarray(links @ self.offset, dtype=np.float64)
        self._space = np.empty((2, *links.shape))  # reused at every step: fresh memory costs more than the sums

    def values_and_gradients(self, rows: Int64Array, X: Float64Array) -> tuple[Float64Array, Float64Array]:
        """The cost of each new node at its row of X, and its gradient."""
        scores, space = self._scores(rows, X), self._space[1, : len(rows)]
        if self.loss.canonical:
            costs = self.loss.row_costs(scores, space)  # overwrites the scores with slopes
            costs -= (self.pull[rows] * X).sum(axis=1) + self.constant[rows]
            gradients = scores @ self.design - self.pull[rows]
        else:
            linked = self.links[rows].tocoo()
            added, slopes = self.loss.link_correction(scores[linked.row, linked.col])
            costs = self.loss.row_costs(scores, space) + np.bincount(linked.row, added, len(rows))
            scores[linked.row, linked.col] += slopes
            gradients = scores @ self.design
        shrink = self.penalties * X
        return 2 * costs + (shrink * X).sum(axis=1), 2 * (gradients + shrink)

    def hessians(self, rows: Int64Array, X: Float64Array) -> Float64Array:
        """The second derivatives: 2 · Gᵀ diag(c) G and the penalties, where G is the fixed side of the scores.

        c holds the second derivatives by the scores, p (1 - p) for cross-entropy. All rows share G, so a single product
        of c with the products of all pairs of columns of G yields every matrix.
        """
        scores = self._scores(rows, X)
        curvature = self.loss.curvature(scores)
        if not self.loss.canonical:
            linked, left_out = self.links[rows].tocoo(), self.unknown[rows].tocoo()
            curvature[linked.row, linked.col] += self.loss.link_curvature(scores[linked.row, linked.col])
            curvature[left_out.row, left_out.col] = 0
        k = X.shape[1]
        if len(rows) < _FEW:
            found = np.stack([(self._transposed * own) @ self.design for own in curvature])
        else:
            first, second = np.triu_indices(k)
            found = np.empty((len(rows), k, k))
            found[:, first, second] = found[:, second, first] = self._weighted_products(curvature, len(first))
        found *= 2
        found[:, np.arange(k), np.arange(k)] += 2 * self.penalties
        return found

    def _scores(self, rows: Int64Array, X: Float64Array) -> Float64Array:
        scores = np.matmul(X, self.design.T, out=self._space[0, : len(rows)])
        scores += self.offset
        left_out = self.unknown[rows].tocoo()
        scores[left_out.row, left_out.col] = self.loss.neutral
        return scores

    def _weighted_products(self, weights: Float64Array, width: int) -> Float64Array:
        """Sums over fitted nodes of weight × product of two columns, for all pairs of columns (rows × pairs)."""
        k, n = self._transposed.shape
        sums = np.zeros((len(weights), width))
        height = max(16, _PRODUCTS // max(1, width))
        products = np.empty((width, height))
        for top in range(0, n, height):
            G = self._transposed[:, top : top + height]
            last = 0
            for column in range(k):
                first, last = last, last + k - column
                np.multiply(G[column:], G[column], out=products[first:last, : G.shape[1]])
            sums += weights[:, top : top + height] @ products[:, : G.shape[1]].T
        return sums


def fold_in(
    recipe: Recipe,
    F: Float64Array,
    links: sparse.csr_array,
    unknown: sparse.csr_array | None = None,
    *,
    penalty: float,
    executor: Executor | None = None,
) -> tuple[Float64Array, Float64Array]:
    """Rows of F for new nodes (new × k), and the residual of each, which is zero at the optimum.

    The recipe's mixing must be symmetric, so that scores are linear in the row. Memory is bounded by a few blocks of
    scores (new nodes × n), regardless of the number of new nodes.

    >>> from philia.objective import CrossEntropy, Group
    >>> recipe = Recipe((Group("homophilous", 1, lower_bound=0.0),), np.eye(1), CrossEntropy())
    >>> links = sparse.csr_array(np.array([[1, 1, 0], [0, 0, 1]]))
    >>> rows, residuals = fold_in(recipe, np.array([[2.0], [2.0], [0.0]]), links, penalty=0.5)
    >>> rows.round(2).tolist(), bool(residuals.max() < 1e-8)
    ([[0.98], [0.0]], True)
    """
    free = _free_columns(recipe)
    lower = _of_free(recipe, recipe.lower_bounds(1))
    unknown = sparse.csr_array(links.shape, dtype=bool) if unknown is None else unknown
    start = F[:, free].mean(axis=0)

    def solved(part: slice) -> RowSolution:
        functions = _NewRows(recipe, F, links[part], unknown[part], penalty)
        return minimize_rows(functions, np.tile(start, (functions.pull.shape[0], 1)), lower)

    parts = list((executor or LocalThreads()).map(solved, _parts(links.shape[0], F.shape)))
    placed = np.tile(F[0], (links.shape[0], 1))
    placed[:, free] = np.concatenate([part.points for part in parts])
    return placed, np.concatenate([part.residuals for part in parts])


def _free_columns(recipe: Recipe) -> BoolArray:
    """Which columns of F hold a separate value for every node.

    >>> from philia.objective import CrossEntropy, Group
    >>> groups = Group("homophilous", 2, lower_bound=0.0), Group("ones", 1, freedom=Freedom.FIXED)
    >>> _free_columns(Recipe(groups, np.eye(3), CrossEntropy())).tolist()
    [True, True, False]
    """
    return np.repeat([g.freedom is Freedom.EVERY_NODE for g in recipe.groups], [g.width for g in recipe.groups])


def _of_free(recipe: Recipe, point: Float64Array) -> Float64Array:
    """The entries of a solver's vector for one node that belong to free columns."""
    own = np.repeat([g.freedom is Freedom.EVERY_NODE for g in recipe.groups], [g.size(1) for g in recipe.groups])
    return np.asarray(point[own])


def _parts(count: int, shape: tuple[int, ...]) -> Iterator[slice]:
    """Runs of new nodes whose scores, or matrices of second derivatives, fit in one thread's share of memory."""
    height = max(1, min(256, _SCORES // max(1, shape[0], shape[1] ** 2)))
    return (slice(top, min(top + height, count)) for top in range(0, count, height))

"""The same objective where all pairs can be summed without looking at each: O(links · k + n k²)."""

from __future__ import annotations

from typing import Any

import numpy as np

from philia._types import Float64Array, Int64Array
from philia.execution import one_blas_thread
from philia.graphs.graph import Graph
from philia.objective.all_pairs import AllPairsObjective
from philia.objective.held_out import HeldOut, ListedPairs
from philia.objective.lanes import Lane
from philia.objective.recipe import Recipe

_CHUNK = 65536
_Sides = tuple[Float64Array, Float64Array]


class ClosedFormObjective(AllPairsObjective):
    """``AllPairsObjective`` for losses that charge a power of the score where there is no link.

    With scores L Rᵀ the sum of all scores is (sum of L's rows)·(sum of R's rows), the sum of all their squares is the
    trace of (LᵀL)(RᵀR). What is left are the links, the diagonal if it is not to count, and listed held-out pairs;
    pairs held out by chance are as many as there are pairs, and are for ``AllPairsObjective``.

    >>> from philia import BigClam, as_graph
    >>> graph, recipe, point = as_graph([(0, 1), (1, 2)]), BigClam(2)._recipe(), np.linspace(0.1, 0.6, 6)
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
        self.lanes = [Lane(lane.tiles[:0], lane.link_rows) for lane in self.lanes]
        self.left_out = _left_out(graph.n_nodes, diagonal=diagonal, held_out=held_out)

    def by_factors(self, F: Float64Array) -> tuple[float, Float64Array]:
        """The loss at F without the penalty, and its gradient by F."""
        value, gradient = super().by_factors(F)
        with one_blas_thread():
            sides = self.recipe.sides(F)
            everything, by_sides = self._everything(*sides)
            value += everything - self._take_out(sides, by_sides)
            return value, gradient + self.recipe.combined(*by_sides)

    def _everything(self, left: Float64Array, right: Float64Array) -> tuple[float, _Sides]:
        """What all ordered pairs cost without links, and the gradients by both sides."""
        if self.recipe.loss.moment == 1:
            of_left, of_right = left.sum(axis=0), right.sum(axis=0)
            everywhere = np.ones((self.n, 1))
            return float(of_left @ of_right), (everywhere * of_right, everywhere * of_left)
        of_left, of_right = left.T @ left, right.T @ right
        return float((of_left * of_right).sum()), (2 * left @ of_right, 2 * right @ of_left)

    def _take_out(self, sides: _Sides, by_sides: _Sides) -> float:
        """What the pairs that do not count cost; their share of the gradients is taken away."""
        (left, right), (by_left, by_right) = sides, by_sides
        rows, columns = self.left_out
        total = 0.0
        for at in range(0, len(rows), _CHUNK):
            i, j = rows[at : at + _CHUNK], columns[at : at + _CHUNK]
            costs, slopes = self.recipe.loss.without_link(np.einsum("ij,ij->i", left[i], right[j]))
            total += float(costs.sum())
            np.subtract.at(by_left, i, slopes[:, None] * right[j])
            np.subtract.at(by_right, j, slopes[:, None] * left[i])
        return total


def exact_objective(
    graph: Graph, recipe: Recipe, *, held_out: HeldOut | None = None, **settings: Any
) -> AllPairsObjective:
    """The objective over all pairs, by the shorter way where there is one.

    >>> from philia import BigClam, CommunityModel, as_graph
    >>> [type(exact_objective(as_graph([(0, 1)]), m._recipe())).__name__ for m in (BigClam(1), CommunityModel(1, 1))]
    ['ClosedFormObjective', 'AllPairsObjective']
    """
    listed = held_out is None or isinstance(held_out, ListedPairs)
    short = recipe.loss.moment is not None and recipe.symmetric and listed
    return (ClosedFormObjective if short else AllPairsObjective)(graph, recipe, held_out=held_out, **settings)


def _left_out(n: int, *, diagonal: bool, held_out: HeldOut | None) -> tuple[Int64Array, Int64Array]:
    """Ordered pairs that do not count."""
    own = np.empty(0, np.int64) if diagonal else np.arange(n)
    if held_out is None:
        return own, own
    indptr, indices = held_out.listed()
    listed = np.repeat(np.arange(n), np.diff(indptr))
    return np.concatenate([own, listed]), np.concatenate([own, indices])

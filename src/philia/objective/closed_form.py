"""The same objective where all pairs can be summed without looking at each: O(links · k + n k²)."""

from __future__ import annotations

from typing import Any

import numpy as np

from philia._types import Float64Array
from philia.execution import one_blas_thread
from philia.graphs.graph import Graph
from philia.objective.all_pairs import AllPairsObjective
from philia.objective.extra_pairs import ExtraPairs, Sides
from philia.objective.lanes import Lane
from philia.objective.recipe import Recipe
from philia.pairs import HeldOut


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
            value += everything + self.left_out.add(sides, by_sides, self.recipe.loss.without_link)
            return value, gradient + self.recipe.combined(*by_sides)

    def _everything(self, left: Float64Array, right: Float64Array) -> tuple[float, Sides]:
        """What all ordered pairs cost without links, and the gradients by both sides."""
        if self.recipe.loss.moment == 1:
            of_left, of_right = left.sum(axis=0), right.sum(axis=0)
            everywhere = np.ones((self.n, 1))
            return float(of_left @ of_right), (everywhere * of_right, everywhere * of_left)
        of_left, of_right = left.T @ left, right.T @ right
        return float((of_left * of_right).sum()), (2 * left @ of_right, 2 * right @ of_left)


def exact_objective(
    graph: Graph, recipe: Recipe, *, held_out: HeldOut | None = None, **settings: Any
) -> AllPairsObjective:
    """The objective over all pairs, by the shorter way where there is one.

    >>> from philia import BigClam, CommunityModel, as_graph
    >>> [type(exact_objective(as_graph([(0, 1)]), m._recipe())).__name__ for m in (BigClam(1), CommunityModel(1, 1))]
    ['ClosedFormObjective', 'AllPairsObjective']
    """
    kind = ClosedFormObjective if has_closed_form(recipe, held_out) else AllPairsObjective
    return kind(graph, recipe, held_out=held_out, **settings)


def has_closed_form(recipe: Recipe, held_out: HeldOut | None) -> bool:
    """Whether the sum over all pairs can be had without looking at each.

    >>> from philia import BigClam, CommunityModel
    >>> [has_closed_form(model._recipe(), None) for model in (BigClam(1), CommunityModel(1, 1))]
    [True, False]
    """
    listed = held_out is None or held_out.random_part is None
    return recipe.loss.moment is not None and recipe.symmetric and listed


def _left_out(n: int, *, diagonal: bool, held_out: HeldOut | None) -> ExtraPairs:
    """Ordered pairs that do not count: once less than all do."""
    rows = columns = np.empty(0, np.int64) if diagonal else np.arange(n)
    if held_out is not None:
        indptr, indices = held_out.listed(n)
        listed = np.repeat(np.arange(n), np.diff(indptr))
        rows, columns = np.concatenate([rows, listed]), np.concatenate([columns, indices])
    return ExtraPairs(n, rows, columns, np.full(rows.size, -1.0))

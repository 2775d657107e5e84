"""A start whose columns keep their shape and get the size that fits the graph."""

from __future__ import annotations

import numpy as np

from philia._types import BoolArray, Float64Array, FloatArray
from philia.objective import Freedom, Recipe
from philia.pairs import PairSample
from philia.solvers import LBFGSB

_SMALLEST = 1e-3
"""No group of columns is scaled below this share of its scores: at zero products have no slope."""


def calibrated(F: Float64Array, recipe: Recipe, known: PairSample) -> FloatArray:
    """F with each group of columns that attract or repel scaled, and each shared value moved, to fit the pairs best.

    It comes in single precision: that is what searches on sampled pairs work in.

    The more nodes, the rarer links, and the more a start that is a little too strong promises of them. A large graph
    leaves no time to unlearn that. With scores = sum of a_g · scores_g + δ this is a regression on a few numbers.

    >>> from philia import CommunityModel
    >>> recipe, F = CommunityModel(1, 0, background="none")._recipe(), np.full((4, 1), 3.0)
    >>> half = PairSample(np.array([0, 1]), np.array([2, 3]), np.array([True, False]), np.ones(2), 4)
    >>> round(float(calibrated(F, recipe, half).max()), 2)
    0.09
    """
    ends, linked, weights = (F[known.rows], F[known.columns]), known.linked, known.weights
    parts, scaled, moved = _parts(ends, recipe)
    if not len(parts):
        return F.astype(np.float32)
    rest = _scores(ends, recipe.mixing) - parts[: len(scaled)].sum(axis=0)

    def regression(x: Float64Array) -> tuple[float, Float64Array]:
        scores = x @ parts + rest
        (costs, slopes), (as_link, slopes_as_link) = recipe.loss.without_link(scores), recipe.loss.with_link(scores)
        return (
            float(weights @ np.where(linked, as_link, costs)),
            parts @ (weights * np.where(linked, slopes_as_link, slopes)),
        )

    begin = np.concatenate([np.ones(len(scaled)), np.zeros(len(moved))])
    lower = np.concatenate([np.full(len(scaled), _SMALLEST), np.full(len(moved), -np.inf)])
    found = LBFGSB(iterations=100).minimize(regression, begin, lower).point
    start = F.astype(np.float32)
    for columns, size in zip(scaled, found, strict=False):
        np.multiply(F[:, columns], np.sqrt(size), out=start[:, columns], casting="same_kind")
    for column, shift in zip(moved, found[len(scaled) :], strict=True):
        start[:, column] = F[:, column] + shift
    return start


_Ends = tuple[Float64Array, Float64Array]
"""The rows of F of the two nodes of each pair."""


def _parts(ends: _Ends, recipe: Recipe) -> tuple[Float64Array, list[slice], list[int]]:
    """What each bounded group adds to the scores of the pairs, and what a unit of each shared value would."""
    parts, scaled, moved = [], [], []
    first = 0
    for group in recipe.groups:
        columns = slice(first, first + group.width)
        first += group.width
        if np.isfinite(group.lower_bound) and group.width:
            scaled.append(columns)
            parts.append(_scores((ends[0][:, columns], ends[1][:, columns]), recipe.mixing[columns, columns]))
    for column in np.flatnonzero(_shared(recipe)).tolist():
        M = recipe.mixing
        moved.append(column)
        parts.append(ends[0] @ M[:, column] + ends[1] @ M[column] + M[column, column])
    return np.array(parts), scaled, moved


def _shared(recipe: Recipe) -> BoolArray:
    return np.repeat([g.freedom is Freedom.SHARED for g in recipe.groups], [g.width for g in recipe.groups])


def _scores(ends: _Ends, mixing: Float64Array) -> Float64Array:
    return np.asarray(np.einsum("ij,ij->i", ends[0] @ mixing, ends[1]))

"""From which membership on a node counts as a member: the rules, each a threshold a community."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from philia._types import Float64Array
from philia.exceptions import InvalidParameterError
from philia.explain.normalized import NormalizedFactors
from philia.graphs.graph import Graph


@dataclass(frozen=True, eq=False)
class Thresholds:
    """The least membership of a member of each community, and the rule it comes from in words."""

    least: Float64Array
    said: str


def thresholds(graph: Graph, normal: NormalizedFactors, rule: str | float) -> Thresholds:
    """The thresholds of a rule, by its name or as a membership above 0 and up to 1.

    >>> from philia import as_graph
    >>> normal = NormalizedFactors(np.array([[1.0], [0.9], [0.1]]), np.array([4.0]), ("B1",), np.array([0]))
    >>> thresholds(as_graph([("ann", "bob"), ("bob", "cat")]), normal, "split").least
    array([0.9])
    """
    if isinstance(rule, (int, float)) and not isinstance(rule, bool) and 0 < rule <= 1:
        return Thresholds(np.full(normal.memberships.shape[1], float(rule)), f"membership of at least {rule:g}")
    if not isinstance(rule, str) or rule not in RULES:
        names = ", ".join(f"'{name}'" for name in RULES)
        raise InvalidParameterError(
            f"the rule is {rule!r}; use {names} or a membership above 0 and up to 1 such as 0.5"
        )
    return RULES[rule](graph, normal)


def _split(_: Graph, normal: NormalizedFactors) -> Thresholds:
    columns = [split(column) for column in normal.memberships.T]
    return Thresholds(np.array(columns), "each community is split in two where the sides differ most")


def split(column: Float64Array) -> float:
    """The smallest value of the upper part, where a column is cut into the two parts that vary least within (Otsu).

    >>> split(np.array([0.2, 1.0, 0.1, 0.8]))
    0.8
    """
    if len(column) < 2:
        return float(column.max(initial=0.0))
    falling = np.sort(column)[::-1]
    above = np.arange(1, len(column))
    sums = np.cumsum(falling)
    below = len(column) - above
    apart = sums[:-1] / above - (sums[-1] - sums[:-1]) / below
    return float(falling[(above * below * apart**2).argmax()])


def _nearest(_: Graph, normal: NormalizedFactors) -> Thresholds:
    columns = [nearest(column) for column in normal.memberships.T]
    return Thresholds(np.array(columns), "each community is the set nearest to its memberships")


def nearest(column: Float64Array) -> float:
    """The smallest value inside the set whose column of zeros and ones has the smallest angle to a column.

    >>> nearest(np.array([2.0, 0.3, 1.9]))
    1.9
    """
    if not len(column):
        return 0.0
    falling = np.sort(column)[::-1]
    return float(falling[(np.cumsum(falling) ** 2 / np.arange(1, len(falling) + 1)).argmax()])


def _odds(_: Graph, normal: NormalizedFactors) -> Thresholds:
    bar = np.sqrt(math.log(2) / np.abs(normal.strengths))
    said = "any two members have their odds at least doubled, or halved where they repel"
    return Thresholds(_above_mean_where_repelling(normal, bar), said)


def _density(graph: Graph, normal: NormalizedFactors) -> Thresholds:
    affinity = math.sqrt(-math.log1p(-min(graph.density, 1 - 1e-12)))
    bar = affinity / np.sqrt(np.abs(normal.strengths))
    least = np.where(bar > 1, normal.memberships.mean(axis=0), _above_mean_where_repelling(normal, bar))
    return Thresholds(least, f"affinity of at least {affinity:.3g}, from the density of the graph")


def _above_mean_where_repelling(normal: NormalizedFactors, bar: Float64Array) -> Float64Array:
    """Without a background, columns that repel carry the sparsity of the graph: everybody has some affinity to them."""
    return np.where(normal.strengths < 0, np.maximum(bar, normal.memberships.mean(axis=0)), bar)


RULES: dict[str, Callable[[Graph, NormalizedFactors], Thresholds]] = {
    "nearest": _nearest,
    "split": _split,
    "odds": _odds,
    "density": _density,
}
"""The rules that have a name."""

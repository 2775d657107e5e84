"""Membership rules: from which membership on a node counts as a member, as one threshold per community.

A rule is a function and a line in ``RULES``. Models, the command line and its help follow from there.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from philia._types import Float64Array
from philia.exceptions import InvalidParameterError
from philia.factors.community import NormalizedFactors
from philia.graphs.graph import Graph

_DENSEST = 1 - 1e-12
"""The density of a complete graph is taken as this, because its threshold would be infinite."""


@dataclass(frozen=True)
class Rule:
    """How members are told from other nodes: the least membership of a member of each community.

    ``meaning`` says in one line who the members are. ``for_all_models`` is false if only models whose strengths are
    log-odds offer the rule.
    """

    name: str
    meaning: str
    thresholds: Callable[[Graph, NormalizedFactors], Float64Array]
    for_all_models: bool = False


def rule_names(*, for_all_models: bool = False) -> tuple[str, ...]:
    """The names of the rules of models whose strengths are log-odds, or of all models; the first is the default.

    >>> rule_names(), rule_names(for_all_models=True)
    (('nearest', 'odds', 'density', 'split'), ('density', 'split'))
    """
    return tuple(rule.name for rule in RULES.values() if rule.for_all_models or not for_all_models)


def rule_of(rule: str | float | None) -> Rule:
    """A rule by its name, as a membership above 0 and up to 1, or the default.

    >>> rule_of(0.5).meaning, rule_of(None).name
    ('membership of at least 0.5', 'nearest')
    """
    if rule is None:
        return next(iter(RULES.values()))
    if isinstance(rule, str) and rule in RULES:
        return RULES[rule]
    if isinstance(rule, (int, float)) and not isinstance(rule, bool) and 0 < rule <= 1:
        least = float(rule)
        return Rule(
            f"{rule:g}",
            f"membership of at least {rule:g}",
            lambda _, normal: np.full(normal.memberships.shape[1], least),
        )
    names = ", ".join(f"'{name}'" for name in RULES)
    raise InvalidParameterError(f"the rule is {rule!r}; use {names} or a membership above 0 and up to 1 such as 0.5")


def _nearest(_: Graph, normal: NormalizedFactors) -> Float64Array:
    return np.array([nearest(column) for column in normal.memberships.T])


def nearest(column: Float64Array) -> float:
    """The smallest value in the set whose indicator vector has the smallest angle to a column.

    >>> nearest(np.array([2.0, 0.3, 1.9]))
    1.9
    """
    if not len(column):
        return 0.0
    falling = np.sort(column)[::-1]
    return float(falling[(np.cumsum(falling) ** 2 / np.arange(1, len(falling) + 1)).argmax()])


def _odds(_: Graph, normal: NormalizedFactors) -> Float64Array:
    return _above_mean_if_repelling(normal, np.sqrt(math.log(2) / np.abs(normal.strengths)))


def _density(graph: Graph, normal: NormalizedFactors) -> Float64Array:
    affinity = math.sqrt(-math.log1p(-min(graph.density, _DENSEST)))
    bar = affinity / np.sqrt(np.abs(normal.strengths))
    return np.where(bar > 1, normal.memberships.mean(axis=0), _above_mean_if_repelling(normal, bar))


def _above_mean_if_repelling(normal: NormalizedFactors, bar: Float64Array) -> Float64Array:
    """Without a background, repelling columns carry the sparsity of the graph: every node has some affinity to them."""
    return np.where(normal.strengths < 0, np.maximum(bar, normal.memberships.mean(axis=0)), bar)


def _split(_: Graph, normal: NormalizedFactors) -> Float64Array:
    return np.array([split(column) for column in normal.memberships.T])


def split(column: Float64Array) -> float:
    """The smallest value of the upper part, if a column is cut into the two parts with the least variance (Otsu).

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


RULES: dict[str, Rule] = {
    rule.name: rule
    for rule in (
        Rule("nearest", "the set of nodes closest in angle to the memberships", _nearest),
        Rule("odds", "any two members have their odds at least doubled, or halved if they repel", _odds),
        Rule("density", "an affinity of at least √(-log(1 - density)), as in BigClam", _density, for_all_models=True),
        Rule("split", "the upper part, split off where the two parts vary least", _split, for_all_models=True),
    )
}
"""The rules that have a name; the first that a model offers is its default."""

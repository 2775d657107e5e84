"""Membership rules: which number a node has for each community, and from which one on it counts as a member.

A rule is a function and a line in ``RULES``. Models, the command line and its help follow from there.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from philia._types import BoolArray, Float64Array
from philia.exceptions import InvalidParameterError
from philia.factors.community import NormalizedFactors
from philia.graphs.graph import Graph

_DOUBLED = math.log(2)
"""The log-odds at which a link counts as explained: below, it is more likely without the communities than with them."""

_A_THIRD, _A_TENTH = 1 / 3, 1 / 10
"""A node is a member where a third of its links are, and where most of them are if that is at least a tenth."""

_HALF = 1 / 2
"""A node may be a member of repelling communities that half of its repulsion comes from, and of the first of all."""

_AT_A_TIME = 2**22
"""Numbers that are held at once while links are attributed to communities: 32 MB."""

_DENSEST = 1 - 1e-12
"""The density of a complete graph is taken as this, because its threshold would be infinite."""


@dataclass(frozen=True)
class Rule:
    """How members are told from other nodes: the least membership of a member of each community.

    ``meaning`` says in one line who the members are. ``memberships`` gives the numbers (n × k) that are compared with
    the thresholds and shown; without it they are V. ``shares`` says whether those of attracting communities are shares
    of a node's links. ``for_all_models`` is false if only models whose strengths are log-odds offer the rule.
    """

    name: str
    meaning: str
    thresholds: Callable[[Graph, NormalizedFactors], Float64Array]
    for_all_models: bool = False
    memberships: Callable[[Graph, NormalizedFactors], Float64Array] = lambda _, normal: normal.memberships
    shares: bool = False


def rule_names(*, for_all_models: bool = False) -> tuple[str, ...]:
    """The names of the rules of models whose strengths are log-odds, or of all models; the first is the default.

    >>> rule_names(), rule_names(for_all_models=True)
    (('links', 'nearest', 'odds', 'density', 'split'), ('density', 'split'))
    """
    return tuple(rule.name for rule in RULES.values() if rule.for_all_models or not for_all_models)


def rule_of(rule: str | float | None) -> Rule:
    """A rule by its name, as a membership above 0 and up to 1, or the default.

    >>> rule_of(0.5).meaning, rule_of(None).name
    ('membership of at least 0.5', 'links')
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


def link_shares(graph: Graph, B: Float64Array) -> Float64Array:
    """The share of each node's links that runs through each attracting community (n × k); rows add up to at most one.

    A link runs through the communities that its two nodes share, in proportion to what each adds to its log-odds. If
    together they do not even double the odds, the link runs through them only in part, and otherwise through none.

    >>> from philia import as_graph
    >>> triangle_and_friend = as_graph([("ann", "bob"), ("bob", "cat"), ("cat", "ann"), ("ann", "dan")])
    >>> link_shares(triangle_and_friend, np.array([[2.0], [2.0], [2.0], [0.0]])).round(2).ravel().tolist()
    [0.67, 1.0, 1.0, 0.0]
    """
    return shares_through(graph.adjacency, B, B)


def shares_through(links: Any, own: Float64Array, others: Float64Array) -> Float64Array:
    """The same for nodes with affinities ``own`` whose links (a matrix in compressed rows) lead to ``others``.

    >>> from scipy.sparse import csr_array
    >>> shares_through(csr_array([[1, 1, 0]]), np.array([[2.0, 1.0]]), np.array([[2.0, 0.0], [0.0, 2.0], [1.0, 1.0]]))
    array([[0.5, 0.5]])
    """
    shares = np.zeros_like(own, dtype=np.float64)
    starts, neighbours, n = links.indptr, links.indices, len(own)
    rows = max(1, _AT_A_TIME // max(1, own.shape[1] * (neighbours.size // max(1, n) + 1)))
    for first in range(0, n, rows):
        last = min(first + rows, n)
        of = np.repeat(np.arange(first, last), np.diff(starts[first : last + 1]))
        parts = own[of] * others[neighbours[starts[first] : starts[last]]]
        parts /= np.maximum(parts.sum(axis=1), _DOUBLED)[:, None]
        linked = first + np.flatnonzero(np.diff(starts[first : last + 1]))
        if linked.size:
            shares[linked] = np.add.reduceat(parts, starts[linked] - starts[first], axis=0)
    return np.asarray(shares / np.maximum(1, np.diff(starts))[:, None])


def members_by_shares(shares: Float64Array) -> BoolArray:
    """Who is a member by the shares of links (n × k): with a third of them, or with most of them and a tenth.

    >>> members_by_shares(np.array([[0.4, 0.5], [0.2, 0.1], [0.05, 0.0]])).tolist()
    [[True, True], [True, False], [False, False]]
    """
    member = shares >= _A_THIRD
    if shares.shape[1]:
        nodes, largest = np.arange(len(shares)), shares.argmax(axis=1)
        member[nodes, largest] |= shares[nodes, largest] >= _A_TENTH
    return np.asarray(member)


def _shares_of_members(graph: Graph, normal: NormalizedFactors) -> Float64Array:
    """The shares of links of members; V of candidates for repelling communities, whose members have few links."""
    attracting = np.flatnonzero(normal.strengths > 0)
    B = normal.memberships[:, attracting] * np.sqrt(normal.strengths[attracting])
    shares = link_shares(graph, B)
    member, sets = members_by_shares(shares), _sets(B)
    member[:, sets] = B[:, sets] > 0
    found = _candidates(normal)
    found[:, attracting] = np.where(member, np.maximum(shares, np.finfo(float).tiny), 0.0)
    return found


def _candidates(normal: NormalizedFactors) -> Float64Array:
    """V, without the memberships in repelling communities that little of a node's repulsion comes from.

    What takes the log-odds of a node's pairs down, summed over all pairs, comes from each community in part. Without
    this, a node that one community repels strongly is found in others too, by affinities that are noise.
    """
    found, repelling = normal.memberships.copy(), np.flatnonzero(normal.strengths < 0)
    if len(repelling) > 1:
        V = found[:, repelling]
        parts = V * V.sum(axis=0) * np.abs(normal.strengths[repelling])
        most = parts.max(axis=1, keepdims=True)
        found[:, repelling] = np.where((parts == most) | (parts >= _HALF * parts.sum(axis=1, keepdims=True)), V, 0.0)
    return found


def _sets(B: Float64Array) -> BoolArray:
    """Which columns are sets already: all of their members have the same affinity."""
    return np.asarray(((B == 0) | (B.max(axis=0, initial=0.0) == B)).all(axis=0))


def _links(_: Graph, normal: NormalizedFactors) -> Float64Array:
    repelling = [_a_third_as_typical(column) for column in _candidates(normal)[:, normal.strengths < 0].T]
    thresholds = np.full(len(normal.strengths), np.finfo(float).tiny)
    thresholds[normal.strengths < 0] = repelling
    return thresholds


def _a_third_as_typical(column: Float64Array) -> float:
    """A third of the median in the nearest set, which leaves out members that have few links to tell them by."""
    members = column[column >= nearest(column)]
    return float(max(_A_THIRD * np.median(members), np.finfo(float).tiny)) if len(members) else 0.0


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
        Rule(
            "links",
            "a third of a node's links run through the community",
            _links,
            memberships=_shares_of_members,
            shares=True,
        ),
        Rule("nearest", "the set of nodes closest in angle to the memberships", _nearest),
        Rule("odds", "any two members have their odds at least doubled, or halved if they repel", _odds),
        Rule("density", "an affinity of at least √(-log(1 - density)), as in BigClam", _density, for_all_models=True),
        Rule("split", "the upper part, split off where the two parts vary least", _split, for_all_models=True),
    )
}
"""The rules that have a name; the first that a model offers is its default."""

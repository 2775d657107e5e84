"""Membership rules: which number a node has for each community, and from which one on it counts as a member.

A rule is a function and a line in ``RULES``. Models, the command line and its help follow from there.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy
from scipy import sparse

from philia._types import BoolArray, Float64Array, Int64Array
from philia.exceptions import InvalidParameterError
from philia.factors.community import CommunityFactors, NormalizedFactors
from philia.graphs.graph import Graph

DOUBLED = math.log(2)
"""The log-odds at which a link counts as explained: below, it is more likely without the communities than with them. A
part of a community has to add as much to say something of its own."""

_A_THIRD, _A_TENTH = 1 / 3, 1 / 10
"""A node is a member where a third of its links are, and where most of them are if that is at least a tenth."""

_HALF = 1 / 2
"""A node may be a member of repelling communities that half of its repulsion comes from, and of the first of all."""

_AT_A_TIME = 2**22
"""Numbers that are held at once while links are attributed to communities: 32 MB."""

_PAIRS, _FEWEST_PARTNERS = 2**24, 256
"""Pairs that are looked at for missing links, a second's work, unless that leaves a node fewer partners than this: the
share that it lacks would be off by more than about a tenth."""

_DENSEST = 1 - 1e-12
"""The density of a complete graph is taken as this, because its threshold would be infinite."""


@dataclass(frozen=True)
class Rule:
    """How members are told from other nodes: the least membership of a member of each community.

    ``meaning`` says in one line who the members are. ``memberships`` gives the numbers (n × k) that are compared with
    the thresholds and shown; without it they are V. ``shares`` says whether they are shares of a node's links: those
    it has in attracting communities, those it lacks in repelling ones. ``for_all_models`` is false if only models
    whose strengths are log-odds offer the rule.
    """

    name: str
    meaning: str
    thresholds: Callable[[Graph, NormalizedFactors], Float64Array]
    for_all_models: bool = False
    memberships: Callable[[Graph, CommunityFactors, NormalizedFactors], Float64Array] = (
        lambda _graph, _factors, normal: normal.memberships
    )
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
        parts /= np.maximum(parts.sum(axis=1), DOUBLED)[:, None]
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


def shares_of_members(shares: sparse.csr_array) -> sparse.csr_array:
    """The same rule for shares of which only those above 0 are stored: what is left are those of members.

    >>> shares_of_members(sparse.csr_array([[0.4, 0.5], [0.2, 0.1], [0.05, 0.0]])).toarray().tolist()
    [[0.4, 0.5], [0.2, 0.0], [0.0, 0.0]]
    """
    found = sparse.csr_array(shares, copy=True)
    found.sort_indices()
    rows = np.repeat(np.arange(found.shape[0]), np.diff(found.indptr))
    falling = np.lexsort((found.indices, -found.data, rows))
    largest = falling[found.indptr[:-1][np.diff(found.indptr) > 0]]
    least = np.full(found.nnz, _A_THIRD)
    least[largest] = _A_TENTH
    found.data[found.data < least] = 0.0
    found.eliminate_zeros()
    return found


def missing_shares(
    links: Any, own: CommunityFactors, others: CommunityFactors, itself: Int64Array | None = None
) -> Float64Array:
    """The share of the links of each node that are missing because of each repelling community (n × k_C).

    They are a share of the links that it would have if nothing repelled: those it has, and those it lacks. Let p and p'
    be the probabilities of a link with and without C, and r what C takes from its log-odds. A pair that is not linked
    would be with probability (p' - p) / (1 - p) = p' (1 - exp(-r)). What is missing is divided among the communities
    that both nodes share, in proportion to their parts of r. So rows add up to at most one.

    ``own`` are the rows of the nodes whose ``links`` (a matrix in compressed rows) lead to ``others``, and ``itself``
    is where each of them is among the others, if it is. From 4,096 nodes on partners are sampled, popular ones more
    often.

    >>> from scipy.sparse import csr_array
    >>> pair = CommunityFactors(np.zeros((2, 0)), np.full((2, 1), 2.0), np.zeros(2))
    >>> missing_shares(csr_array((2, 2)), pair, pair, np.arange(2)).round(2).tolist()  # even odds fell to 1 to 55
    [[1.0], [1.0]]
    >>> one_link = csr_array([[1.0, 0.0, 0.0]])
    >>> three = CommunityFactors(np.zeros((3, 0)), np.array([[0.0], [2.0], [2.0]]), np.zeros(3))
    >>> missing_shares(one_link, CommunityFactors(np.zeros((1, 0)), np.array([[2.0]]), np.zeros(1)), three).round(2)
    array([[0.5]])
    """
    partners, stand_for = _partners(others, len(own.background))
    theirs, missing = others.rows(partners), np.zeros_like(own.heterophilous)
    at_once = max(1, _AT_A_TIME // max(1, len(partners)))
    for first in range(0, len(missing), at_once):
        mine = slice(first, first + at_once)
        linked = links[mine][:, partners].nonzero()
        same = None if itself is None else itself[mine, None] == partners
        missing[mine] = _lacking(own.rows(mine), theirs, stand_for, linked, same)
    return np.asarray(missing / np.maximum(np.diff(links.indptr) + missing.sum(axis=1), 1e-300)[:, None])


def _lacking(
    own: CommunityFactors, theirs: CommunityFactors, stand_for: Float64Array, linked: Any, same: BoolArray | None
) -> Float64Array:
    """The number of links that each node lacks because of each repelling community."""
    C = own.heterophilous
    repulsion = C @ theirs.heterophilous.T
    without = own.background[:, None] + theirs.background + own.homophilous @ theirs.homophilous.T
    lacking = scipy.special.expit(without) * -np.expm1(-repulsion) * stand_for
    lacking[linked] = 0.0
    if same is not None:
        lacking[same] = 0.0
    return np.asarray(C * (lacking / np.maximum(repulsion, np.finfo(float).tiny) @ theirs.heterophilous))


def _partners(others: CommunityFactors, rows: int) -> tuple[Int64Array, Float64Array]:
    """The nodes with which links can be missing, or a sample of them, and how many each stands for."""
    repelled = np.flatnonzero(others.heterophilous.any(axis=1))
    count = max(_FEWEST_PARTNERS, _PAIRS // max(1, rows))
    if len(repelled) <= count:
        return repelled, np.ones(len(repelled))
    # The more popular a node is, the more links with it are missing.
    chances = np.exp(np.minimum(others.background[repelled] - others.background[repelled].max(), 0.0))
    chances = (chances / chances.sum() + 1 / len(repelled)) / 2
    drawn = np.random.default_rng(0).choice(len(repelled), count, p=chances)
    return repelled[drawn], 1 / (count * chances[drawn])


def _shares_of_members(graph: Graph, factors: CommunityFactors, normal: NormalizedFactors) -> Float64Array:
    """The shares of links that members have, or lack if the community repels; 0 for all other nodes."""
    attracting, repelling = np.flatnonzero(normal.strengths > 0), np.flatnonzero(normal.strengths < 0)
    found, tiny = np.zeros_like(normal.memberships), np.finfo(float).tiny
    if attracting.size:
        B = normal.memberships[:, attracting] * np.sqrt(normal.strengths[attracting])
        shares = link_shares(graph, B)
        member, sets = members_by_shares(shares), _sets(B)
        member[:, sets] = B[:, sets] > 0
        found[:, attracting] = np.where(member, np.maximum(shares, tiny), 0.0)
    if repelling.size:
        V = _candidates(normal)[:, repelling]
        member = (np.array([_a_third_as_typical(column) for column in V.T]) <= V) & (V > 0)
        rows = np.flatnonzero(member.any(axis=1))
        columns = normal.indices[repelling] - factors.counts[0]
        missing = missing_shares(graph.adjacency[rows], factors.rows(rows), factors, rows)[:, columns]
        found[np.ix_(rows, repelling)] = np.where(member[rows], np.maximum(missing, tiny), 0.0)
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
    return np.full(len(normal.strengths), np.finfo(float).tiny)


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

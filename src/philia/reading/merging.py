"""The compiled loop that merges groups, always the two for which that costs least.

Each group has a list of the groups that it is linked with. Merging two groups joins their lists at the ends; a list is
tidied when it is looked at. So a merge costs as much as the links of the merged group, and not as much as there are
groups. numba is loaded with this file, so callers import it only when they need it.
"""

from __future__ import annotations

import heapq
import math
from functools import cache
from typing import Any

import numpy as np

from philia._compilation import announced, compiled
from philia.reading.kernels import merged

_OFFERS = 10
"""How many merges are compared for each group: of hundreds that it is linked with, only the closest matter."""

EVERY_PAIR = 12
"""From this many groups down, all pairs of groups may merge, linked or not."""


@cache
def prepare() -> None:
    """Compile the loop, or load it from the cache."""
    with announced("compiling the merging of communities"):
        H, ones = np.full((2, 1), 3.0), np.ones(2)
        groups = H, ones, ones.copy(), ones.copy(), ones.copy()
        links = np.array([0, 1, 2]), np.array([1, 0]), np.ones(2)
        merges(groups, links, np.zeros(1), (0.0, 0.05, 1.0), np.array([-np.inf]))


@compiled
def merges(groups: Any, links: Any, a: Any, model: Any, least: Any) -> Any:
    """The pairs of groups to merge, in order, with what each merge gains; the second group goes into the first.

    ``groups`` holds the histograms, strengths, links inside, costs and numbers of links in all of the groups, and is
    changed; ``links`` are those between groups in compressed rows; ``model`` holds the level, the ridge and what a
    group costs. It ends after ``least`` has been used up, or with a merge that gains no more than its entry there.
    """
    k = len(groups[1])
    state = np.arange(k), np.zeros(k, np.int64), groups[0].sum(axis=1)
    lists = _as_lists(links, k)
    scratch = np.empty(k, np.int64), np.empty(k), np.full(k, -1)
    waiting, smallest = [(0.0, 0, 0, 0, 0)], [(0.0, 0)]
    waiting.clear()
    smallest.clear()
    for c in range(k):
        _offer_closest(c, groups, state, lists, scratch, (a, model), waiting)
    pairs, gains = np.empty((len(least), 2), np.int64), np.empty(len(least))
    for done in range(len(least)):
        if k - done == EVERY_PAIR or (done == 0 and k < EVERY_PAIR):
            for c in _alive(state[0]):
                _offer_all(c, groups, state, lists, scratch, (a, model), waiting)
        gain, c, d = _cheapest(groups, state, lists, scratch, (a, model), waiting, smallest)
        if gain <= least[done]:
            return pairs[:done], gains[:done]
        pairs[done, 0], pairs[done, 1], gains[done] = c, d, gain
        _join(c, d, groups, state, lists, scratch, (a, model))
        if k - done <= EVERY_PAIR:
            _offer_all(c, groups, state, lists, scratch, (a, model), waiting)
        else:
            _offer_closest(c, groups, state, lists, scratch, (a, model), waiting)
    return pairs, gains


@compiled
def _as_lists(links: Any, k: int) -> Any:
    """The links between groups as linked lists: first and last entry of each group, the next, the group, the number."""
    starts, others, counts = links
    first, last, following = np.full(k, -1), np.full(k, -1), np.arange(1, len(others) + 1)
    for c in range(k):
        if starts[c] < starts[c + 1]:
            first[c], last[c] = starts[c], starts[c + 1] - 1
            following[last[c]] = -1
    return first, last, following, others.astype(np.int64), counts.astype(np.float64)


@compiled
def _alive(into: Any) -> Any:
    """The groups that are not part of another one."""
    return np.flatnonzero(into == np.arange(len(into)))


@compiled
def _root(into: Any, c: int) -> int:
    """The group that a group is part of by now."""
    while into[c] != c:
        into[c] = into[into[c]]
        c = into[c]
    return c


@compiled
def _linked(c: int, into: Any, lists: Any, scratch: Any) -> Any:
    """How many groups a group is linked with, and twice the links inside it that its list had as links with others.

    The list has one entry per group afterwards. ``scratch`` holds the groups, and the number of links with each.
    """
    first, last, following, other, counts = lists
    others, weights, at = scratch
    inside, count, before, t = 0.0, 0, -1, first[c]
    first[c] = -1
    while t >= 0:
        d, after = _root(into, other[t]), following[t]
        if d == c:
            inside += counts[t]
        elif at[d] >= 0:
            counts[at[d]] += counts[t]
        else:
            at[d], other[t], others[count] = t, d, d
            count += 1
            if before >= 0:
                following[before] = t
            else:
                first[c] = t
            before = t
        t = after
    if before >= 0:
        following[before] = -1
    last[c] = before
    for u in range(count):
        weights[u], at[others[u]] = counts[at[others[u]]], -1
    return count, inside


@compiled
def _offer(c: int, d: int, between: float, groups: Any, state: Any, model: Any, waiting: Any) -> None:
    """Let a merge wait among the others, with what it gains."""
    H, w, inside, costs, _ = groups
    _, version, sizes = state
    a, (s, ridge, per_group) = model
    c, d = min(c, d), max(c, d)
    cost = merged(H, c, d, inside[c] + inside[d] + between, a, s, min(w[c], w[d]), ridge)[1]
    code = math.lgamma(sizes[c] + sizes[d] + 1) - math.lgamma(sizes[c] + 1) - math.lgamma(sizes[d] + 1)
    gain = costs[c] + costs[d] - cost + code + per_group
    heapq.heappush(waiting, (-gain, c, d, version[c], version[d]))


@compiled
def _offer_closest(c: int, groups: Any, state: Any, lists: Any, scratch: Any, model: Any, waiting: Any) -> None:
    """Offer the merges with the groups that have the most links with a group for their number of links in all."""
    count, _ = _linked(c, state[0], lists, scratch)
    others, weights, _ = scratch
    shares = weights[:count] / groups[4][others[:count]]
    best, found = np.empty(_OFFERS, np.int64), 0
    for u in range(count):
        place = found
        while place > 0:
            v = best[place - 1]
            if shares[v] > shares[u] or (shares[v] == shares[u] and others[v] > others[u]):
                break
            if place < _OFFERS:
                best[place] = v
            place -= 1
        if place < _OFFERS:
            best[place] = u
            found = min(found + 1, _OFFERS)
    for u in best[:found]:
        _offer(c, others[u], weights[u], groups, state, model, waiting)


@compiled
def _offer_all(c: int, groups: Any, state: Any, lists: Any, scratch: Any, model: Any, waiting: Any) -> None:
    """Offer the merges with all other groups."""
    count, _ = _linked(c, state[0], lists, scratch)
    others, weights, _ = scratch
    for d in _alive(state[0]):
        if d != c:
            between = weights[:count][others[:count] == d].sum()
            _offer(c, d, between, groups, state, model, waiting)


@compiled
def _cheapest(
    groups: Any, state: Any, lists: Any, scratch: Any, model: Any, waiting: Any, smallest: Any
) -> tuple[float, int, int]:
    """What the cheapest merge gains, and its two groups."""
    into, version, sizes = state
    while True:
        if len(waiting) == 0 and len(smallest) == 0:  # what was closest is gone; others are left
            for c in _alive(into):
                _offer_closest(c, groups, state, lists, scratch, model, waiting)
        if len(waiting) == 0:  # no two of them are linked, nor will be: too many to compare all pairs
            if len(smallest) == 0:
                for c in _alive(into):
                    heapq.heappush(smallest, (sizes[c], c))
            one, two = heapq.heappop(smallest), heapq.heappop(smallest)
            heapq.heappush(smallest, (one[0] + two[0], min(one[1], two[1])))
            _offer(one[1], two[1], 0.0, groups, state, model, waiting)
        lost, c, d, of_c, of_d = heapq.heappop(waiting)
        if into[c] == c and into[d] == d and version[c] == of_c and version[d] == of_d:
            return -lost, c, d


@compiled
def _join(c: int, d: int, groups: Any, state: Any, lists: Any, scratch: Any, model: Any) -> None:
    """Put group d into group c."""
    H, w, inside, costs, volumes = groups
    into, version, sizes = state
    first, last, following, _, _ = lists
    a, (s, ridge, _) = model
    into[d] = c
    if first[c] < 0:
        first[c], last[c] = first[d], last[d]
    elif first[d] >= 0:
        following[last[c]], last[c] = first[d], last[d]
    _, twice = _linked(c, into, lists, scratch)
    inside[c] += inside[d] + twice / 2
    w[c], costs[c] = merged(H, c, d, inside[c], a, s, min(w[c], w[d]), ridge)
    H[c] += H[d]
    sizes[c] += sizes[d]
    volumes[c] += volumes[d]
    version[c] += 1

"""The compiled loop that merges groups, always the two for which that costs least.

Each group has a list of the groups that it is linked with. Merging two groups joins their lists at the ends; a list is
tidied when it is looked at. So a merge costs as much as the links of the merged group, and not as much as there are
groups. The compiled code is plain loops over arrays that are allocated before, because everything else takes longer to
compile. numba is loaded with this file, so callers import it only when they need it.
"""

from __future__ import annotations

import heapq
import math
from functools import cache
from typing import Any

import numpy as np

from philia._compilation import announced, compiled, part
from philia._types import Float64Array, Int64Array
from philia.reading.kernels import chances, merged

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


def merges(
    groups: tuple[Float64Array, ...],
    links: tuple[Int64Array, Int64Array, Float64Array],
    a: Float64Array,
    model: tuple[float, float, float],
    least: Float64Array,
) -> tuple[Int64Array, Float64Array]:
    """The pairs of groups to merge, in order, with what each merge gains; the second group goes into the first.

    ``groups`` holds the histograms, strengths, links inside, costs and numbers of links in all of the groups, and is
    changed; ``links`` are those between groups in compressed rows; ``model`` holds the level, the ridge and what a
    group costs. It ends after ``least`` has been used up, or with a merge that gains no more than its entry there.
    """
    H, (starts, others, counts) = groups[0], links
    k, any_links = len(H), starts[:-1] < starts[1:]
    first, last = np.where(any_links, starts[:-1], -1), np.where(any_links, starts[1:] - 1, -1)
    following = np.arange(1, len(others) + 1)
    following[last[any_links]] = -1
    state = np.arange(k), np.zeros(k, np.int64), first, last, following, others.copy(), np.empty((2, k), np.int64)
    state[-1][1] = -1
    amounts = (*groups[1:], H.sum(axis=1), counts.copy(), np.empty(k), np.empty(k))
    pairs, gains = np.empty((len(least), 2), np.int64), np.empty(len(least))
    level, ridge, per_group = model
    done = _merges(H, state, amounts, (chances(a, level), ridge, per_group), least, pairs, gains)
    return pairs[:done], gains[:done]


@compiled
def _merges(H: Any, state: Any, amounts: Any, model: Any, least: Any, pairs: Any, gains: Any) -> int:
    """The number of merges, which are written to ``pairs`` and ``gains``.

    ``state`` holds, for each group, what it is part of by now, its version, the first and last entry of its list; for
    each entry of a list, the next one and the other group; and room for a list. ``amounts`` holds, for each group, its
    strength, its links inside, its cost, its links in all and its size; for each entry the number of links; and room
    for a list, twice.
    """
    into = state[0]
    k = len(into)
    waiting = [(0.0, 0, 0, 0, 0)]
    smallest = [(0.0, 0, 0, 0, 0)]
    waiting.clear()
    smallest.clear()
    for done in range(len(least)):
        left = k - done
        if done == 0 or left == EVERY_PAIR:
            for c in range(k):
                if into[c] == c:
                    _offer_others(c, left, H, state, amounts, model, waiting)
        gain, c, d = _cheapest(left, H, state, amounts, model, waiting, smallest)
        if gain <= least[done]:
            return done
        pairs[done, 0], pairs[done, 1], gains[done] = c, d, gain
        _join(c, d, H, state, amounts, model)
        _offer_others(c, left, H, state, amounts, model, waiting)
    return len(least)


@part
def _linked(c: int, state: Any, amounts: Any) -> Any:
    """How many groups a group is linked with, and twice the links inside it that its list had as links with others.

    The list has one entry per group afterwards. The rooms hold the groups, and the number of links with each.
    """
    into, _, first, last, following, other, room = state
    counts, weights = amounts[5], amounts[6]
    inside, count, before, t = 0.0, 0, -1, first[c]
    first[c] = -1
    while t >= 0:
        d, after = other[t], following[t]
        while into[d] != d:
            into[d] = into[into[d]]
            d = into[d]
        if d == c:
            inside += counts[t]
        elif room[1, d] >= 0:
            counts[room[1, d]] += counts[t]
        else:
            room[1, d], other[t], room[0, count] = t, d, d
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
        d = room[0, u]
        weights[u] = counts[room[1, d]]
        room[1, d] = -1
    return count, inside


@part
def _offer(c: int, d: int, between: float, H: Any, state: Any, amounts: Any, model: Any, waiting: Any) -> None:
    """Let a merge wait among the others, with what it gains."""
    version, w, inside, costs, sizes = state[1], amounts[0], amounts[1], amounts[2], amounts[4]
    p, ridge, per_group = model
    if d < c:
        c, d = d, c
    cost = merged(H, c, d, inside[c] + inside[d] + between, p, min(w[c], w[d]), ridge)[1]
    code = math.lgamma(sizes[c] + sizes[d] + 1) - math.lgamma(sizes[c] + 1) - math.lgamma(sizes[d] + 1)
    gain = costs[c] + costs[d] - cost + code + per_group
    heapq.heappush(waiting, (-gain, c, d, version[c], version[d]))


@part
def _offer_others(c: int, left: int, H: Any, state: Any, amounts: Any, model: Any, waiting: Any) -> None:
    """Offer the merges with the groups that have the most links with a group for their number of links in all.

    Where few are left, all of them are offered.
    """
    count, _ = _linked(c, state, amounts)
    into, room, volumes, weights, shares = state[0], state[6], amounts[3], amounts[6], amounts[7]
    if left <= EVERY_PAIR:
        for d in range(len(into)):
            if into[d] == d and d != c:
                between = 0.0
                for u in range(count):
                    if room[0, u] == d:
                        between = weights[u]
                _offer(c, d, between, H, state, amounts, model, waiting)
        return
    found = 0
    for u in range(count):  # room for the closest ones is in the first entries, which have been looked at by then
        d, weight = room[0, u], weights[u]
        share, place = weight / volumes[d], found
        while place > 0:
            v = place - 1
            if shares[v] > share or (shares[v] == share and room[0, v] > d):
                break
            if place < _OFFERS:
                shares[place], room[0, place], weights[place] = shares[v], room[0, v], weights[v]
            place -= 1
        if place < _OFFERS:
            shares[place], room[0, place], weights[place] = share, d, weight
            found = min(found + 1, _OFFERS)
    for u in range(found):
        _offer(c, room[0, u], weights[u], H, state, amounts, model, waiting)


@part
def _cheapest(left: int, H: Any, state: Any, amounts: Any, model: Any, waiting: Any, smallest: Any) -> Any:
    """What the cheapest merge gains, and its two groups."""
    into, version, sizes = state[0], state[1], amounts[4]
    while True:
        if len(waiting) == 0 and len(smallest) == 0:  # what was closest is gone; others are left
            for c in range(len(into)):
                if into[c] == c:
                    _offer_others(c, left, H, state, amounts, model, waiting)
        if len(waiting) == 0:  # no two of them are linked, nor will be: too many to compare all pairs
            if len(smallest) == 0:
                for c in range(len(into)):
                    if into[c] == c:
                        heapq.heappush(smallest, (sizes[c], c, 0, 0, 0))
            one, two = heapq.heappop(smallest), heapq.heappop(smallest)
            heapq.heappush(smallest, (one[0] + two[0], min(one[1], two[1]), 0, 0, 0))
            _offer(one[1], two[1], 0.0, H, state, amounts, model, waiting)
        lost, c, d, of_c, of_d = heapq.heappop(waiting)
        if into[c] == c and into[d] == d and version[c] == of_c and version[d] == of_d:
            return -lost, c, d


@part
def _join(c: int, d: int, H: Any, state: Any, amounts: Any, model: Any) -> None:
    """Put group d into group c."""
    into, version, first, last, following = state[0], state[1], state[2], state[3], state[4]
    w, inside, costs, volumes, sizes = amounts[0], amounts[1], amounts[2], amounts[3], amounts[4]
    p, ridge, _ = model
    into[d] = c
    if first[c] < 0:
        first[c], last[c] = first[d], last[d]
    elif first[d] >= 0:
        following[last[c]], last[c] = first[d], last[d]
    _, twice = _linked(c, state, amounts)
    inside[c] += inside[d] + twice / 2
    w[c], costs[c] = merged(H, c, d, inside[c], p, min(w[c], w[d]), ridge)
    for b in range(len(p)):
        H[c, b] += H[d, b]
    sizes[c] += sizes[d]
    volumes[c] += volumes[d]
    version[c] += 1

"""The compiled loop in which nodes join communities that may overlap.

numba is loaded with this file, so callers import it only when they need it.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np

from philia._compilation import announced, compiled, inlined


@cache
def prepare() -> None:
    """Compile the loop, or load it from the cache."""
    with announced("compiling the search for overlaps"):
        rows, members = (np.array([0, 1, 2]), np.array([1, 0])), (np.array([0, 1, 2]), np.array([0, 0]))
        groups = np.ones(1), np.ones((1, 1)), np.zeros((1, 1))
        join(rows, members, np.zeros(2, np.int64), groups, np.zeros(1), 1.0, True)


@compiled
def join(
    rows: Any, members: Any, classes: Any, groups: Any, first: Any, other: float, once: bool
) -> tuple[Any, Any, Any]:
    """The memberships that pay, given who is a member now: where those of each node end, which they are, their gains.

    ``rows`` is the graph and ``members`` the communities of each node, both in compressed rows. ``groups`` holds the
    strength of each community, what one more member of each class costs it before links are counted (k × classes), and
    the part of that which is the pair of a member with itself. A node joins one community after the other, always the
    one that gains most. The first must gain more than its entry in ``first``, any other one more than ``other``. A link
    with a member makes the node gain the strength of the community; if links count ``once``, only what the strength
    exceeds that of the communities joined before which explain the link already.
    """
    starts, neighbours = rows
    begin, of = members
    w, n = groups[0], len(classes)
    offers, mine, touched = np.zeros(len(w)), np.zeros(len(w), np.bool_), np.empty(len(w), np.int64)
    explained, ends = np.zeros(len(neighbours)), np.zeros(n + 1, np.int64)
    joined, gains, total = np.empty(len(neighbours), np.int64), np.empty(len(neighbours)), 0
    for i in range(n):
        links = slice(starts[i], starts[i + 1])
        count = _offered(neighbours[links], begin, of, w, offers, touched)
        mine[of[begin[i] : begin[i + 1]]] = True
        for found in range(links.stop - links.start):
            best, value = _best(touched[:count], offers, groups, classes[i], mine)
            if best < 0 or value <= (other if found else first[best]):
                break
            joined[total], gains[total] = best, value
            total += 1
            if once:
                _explain(neighbours[links], begin, of, w, offers, explained[links], best)
            offers[best] = -math.inf
        offers[touched[:count]] = 0.0
        mine[of[begin[i] : begin[i + 1]]] = False
        ends[i + 1] = total
    return ends, joined[:total], gains[:total]


@inlined
def _offered(neighbours: Any, begin: Any, of: Any, w: Any, offers: Any, touched: Any) -> int:
    """Add up the strengths of the communities of all neighbours; the number of communities found, which are listed."""
    count = 0
    for j in neighbours:
        for c in of[begin[j] : begin[j + 1]]:
            if w[c] > 0.0:
                if offers[c] == 0.0:
                    touched[count] = c
                    count += 1
                offers[c] += w[c]
    return count


@inlined
def _best(touched: Any, offers: Any, groups: Any, b: int, mine: Any) -> tuple[int, float]:
    """The community that a node of class b gains most by, the first of several, and what it gains."""
    best, value = -1, -math.inf
    for c in touched:
        gain = offers[c] - groups[1][c, b] + (groups[2][c, b] if mine[c] else 0.0)
        if gain > value or (gain == value and c < best):
            best, value = c, gain
    return best, value


@inlined
def _explain(neighbours: Any, begin: Any, of: Any, w: Any, offers: Any, explained: Any, joined: int) -> None:
    """Take back what links with members of a community that was joined offer to others."""
    for t in range(len(neighbours)):
        own = of[begin[neighbours[t]] : begin[neighbours[t] + 1]]
        if explained[t] < w[joined] and np.any(own == joined):
            for c in own:
                offers[c] -= max(0.0, w[c] - explained[t]) - max(0.0, w[c] - w[joined])
            explained[t] = w[joined]

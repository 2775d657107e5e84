"""The compiled loops behind forests: finding a place for a link, and making one by moving others on.

Arrays in, arrays out, whole numbers of 64 bits throughout. ``ends`` holds the two nodes of each link and ``forest`` the
forest that each link is in. ``trees`` holds, with a row a forest and a column a node, the next node on the way to the
root of its tree, the link to that node, and the way to a node that stands for the whole tree. The first two change
whenever a link moves. The third changes only when two trees become one: trees are never taken apart, as a link only
leaves when another takes its place.

numba is loaded with this file, so callers import it only when they need it.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from philia._compilation import announced, compiled

NONE = -1


@cache
def prepare_forests() -> None:
    """Compile :func:`place` and all that it calls before they are used, or find them in the cache."""
    with announced("compiling the search for forests"):
        place((np.array([0]), np.array([1])), np.array([0]), 0, 1, bare(1, 2), np.array([NONE]), scratch(1, 2, 1))


@compiled
def bare(count: int, n: int) -> tuple[Any, Any, Any]:
    """The trees of so many forests of n nodes before they have any link."""
    alone = np.empty((count, n), np.int64)
    for i in range(count):
        alone[i] = np.arange(n)
    return np.full((count, n), NONE), np.full((count, n), NONE), alone


@compiled
def scratch(count: int, n: int, m: int) -> tuple[Any, Any, Any, Any]:
    """What a search writes to: for whom each link would go, the last search to see a node, a queue, a path."""
    return np.full(m, NONE), np.full((count, n), NONE), np.empty(m, np.int64), np.empty(n, np.int64)


@compiled
def place(ends: Any, links: Any, at: int, steps: int, trees: Any, forest: Any, search: Any) -> int:
    """Put ``links[at]`` and those after it into forests, until about so many steps are done.

    Returned is the position of the first link that has not been placed, or NONE if there is no place for one.
    """
    while at < links.size and steps > 0:
        last, free, taken = _find_place(links[at], at, ends, trees, forest, search)
        if free == NONE:
            return NONE
        _move(last, free, ends, trees, forest, search[0])
        steps -= taken
        at += 1
    return at


@compiled
def _find_place(link: int, mark: int, ends: Any, trees: Any, forest: Any, search: Any) -> tuple[int, int, int]:
    """A link with room in another forest, that forest, and the steps taken; the first of the shortest way wins.

    A way leads from a link to those that it could take the place of: the links in the next forest between its ends.
    With every tree rooted in the first node of the first link, what has been reached in a forest is a part of the tree
    around the root. Links are reached from the root outwards, so each has one end there already when its turn comes.
    """
    up, by, _ = trees
    reason, seen, queue, path = search
    count, root = up.shape[0], ends[0][link]
    queue[0], reason[link] = link, NONE
    reached, done, steps = 1, 0, 0
    while done < reached:
        f = queue[done]
        done += 1
        x, y = ends[0][f], ends[1][f]
        free = _room(x, y, trees)
        steps += count
        if free != NONE:
            return f, free, steps
        i = (forest[f] + 1) % count  # 0 for the first link, which is in none
        if seen[i, root] != mark:
            _make_root(root, up[i], by[i])
            seen[i, root] = mark
        length, v = 0, y if seen[i, x] == mark else x
        while seen[i, v] != mark:
            seen[i, v], path[length] = mark, by[i, v]
            v = up[i, v]
            length += 1
        for t in range(length - 1, -1, -1):
            reason[path[t]], queue[reached] = f, path[t]
            reached += 1
        steps += length
    return NONE, NONE, steps


@compiled
def _room(x: int, y: int, trees: Any) -> int:
    """The first forest where the two nodes are in different trees, or NONE."""
    whole = trees[2]
    for i in range(whole.shape[0]):
        if _tree(x, whole[i]) != _tree(y, whole[i]):
            return i
    return NONE


@compiled
def _tree(v: int, whole: Any) -> int:
    """The node that stands for the tree of ``v``; the way there is halved for the next time."""
    while whole[v] != v:
        whole[v] = whole[whole[v]]
        v = whole[v]
    return v


@compiled
def _move(link: int, free: int, ends: Any, trees: Any, forest: Any, reason: Any) -> None:
    """Move a link to the forest that has room, the one that it makes room for to its place, and so on to the first."""
    up, by, whole = trees
    whole[free, _tree(ends[0][link], whole[free])] = _tree(ends[1][link], whole[free])
    while link != NONE:
        x, y, left = ends[0][link], ends[1][link], forest[link]
        if left != NONE:
            below = x if by[left, x] == link else y
            up[left, below] = by[left, below] = NONE
        _make_root(x, up[free], by[free])
        up[free, x], by[free, x], forest[link] = y, link, free
        link, free = reason[link], left


@compiled
def _make_root(v: int, up: Any, by: Any) -> None:
    """Turn the way from ``v`` to the root of its tree around."""
    below, link = NONE, NONE
    while v != NONE:
        above, link_above = up[v], by[v]
        up[v], by[v] = below, link
        below, link, v = v, link_above, above

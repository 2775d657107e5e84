"""The compiled loops of graphs: peeling, turning links around, forests, and products with vectors.

Arrays in, arrays out, 64-bit integers throughout, except in the product. ``rows`` is a graph in compressed rows: where
the entries of each node start, the neighbour at each entry, and the number of the link at each entry. numba is loaded
with this file, so callers import it only when they need it.

**Peeling and turning links** are behind degeneracy and arboricity. Where links have a direction, ``heads`` holds the
node that each link points to and ``received`` the number of links that point to each node.

**Forests.** ``ends`` holds the two nodes of each link and ``forest`` the forest that each link is in. ``trees`` holds,
with a row per forest and a column per node, the next node on the path to the root of its tree, the link to that node,
and the path to a node that represents the whole tree. The first two change whenever a link moves. The third changes
only when two trees are joined: trees are never taken apart, as a link only leaves when another takes its place.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from philia._compilation import announced, compiled

_GONE = -1
"""The degree of a node, or the head of a link, that was removed."""

NONE = -1
"""No node, link or forest."""

_ONE_LINK = np.array([0, 1, 2]), np.array([1, 0]), np.array([0, 0])


@cache
def prepare_peeling() -> None:
    """Compile :func:`peel`, or load it from the cache."""
    with announced("compiling the peeling of graphs"):
        peel(_ONE_LINK[0], _ONE_LINK[1])


@cache
def prepare_search() -> None:
    """Compile :func:`find_dense` and what it calls, or load them from the cache."""
    with announced("compiling the search for dense parts"):
        find_dense(_ONE_LINK, np.array([1]), np.array([0, 1]), 1, np.array([0, 1]))


@compiled
def peel(starts: Any, neighbours: Any) -> tuple[Any, Any]:
    """The order in which nodes are removed if always one of least degree is, and the core number of each node.

    Nodes are kept sorted by their remaining degree. A node that loses a link is swapped with the first of its degree,
    and the border after that one moves by one.
    """
    n = starts.size - 1
    degree = starts[1:] - starts[:-1]
    first = np.zeros(n + 1, np.int64)
    for d in degree:
        first[d + 1] += 1
    for d in range(1, n + 1):
        first[d] += first[d - 1]
    order, index, free = np.empty(n, np.int64), np.empty(n, np.int64), first.copy()
    for v in range(n):
        index[v] = free[degree[v]]
        order[index[v]] = v
        free[degree[v]] += 1
    for at in range(n):
        v = order[at]
        for entry in range(starts[v], starts[v + 1]):
            u = neighbours[entry]
            if degree[u] > degree[v]:
                border = first[degree[u]]
                w = order[border]
                order[index[u]], order[border] = w, u
                index[w], index[u] = index[u], border
                first[degree[u]] += 1
                degree[u] -= 1
    return order, degree


@compiled
def settle_scratch(n: int) -> tuple[Any, Any, Any, Any]:
    """The scratch arrays of :func:`settle`: the layer of each node (-1: none), a queue, entries, a path."""
    return np.full(n, -1), np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n, np.int64)


@compiled
def settle(rows: Any, heads: Any, received: Any, allowed: Any, full: Any, search: Any) -> Any:
    """Turn links around until none of the nodes in ``full`` receives more than it is allowed.

    A path from a node with room to one with too many is reversed as a whole, which moves one link from its end to its
    beginning and changes nothing in between. Each round uses up the shortest paths. Returns no nodes if that succeeds;
    else, when no path is left, all nodes that lead to one with too many: every link to them comes from them, and each
    receives all that it is allowed, or more.
    """
    layer, queue, _, _ = search
    while True:
        reached, found = _find_layers(rows, heads, received, allowed, full, search)
        if found:
            for v in full:
                while received[v] > allowed[v] and _turn_path(v, rows, heads, received, allowed, search):
                    pass
        layer[queue[:reached]] = -1  # resets only what was touched, which keeps small searches cheap
        if not found:
            return queue[:reached].copy()


@compiled
def _find_layers(rows: Any, heads: Any, received: Any, allowed: Any, full: Any, search: Any) -> tuple[int, bool]:
    """The distance of each node to one with too many links, up to the nearest with room; and whether there is one."""
    starts, neighbours, links = rows
    layer, queue, next_entry, _ = search
    reached, done, last = 0, 0, layer.size
    for v in full:
        if received[v] > allowed[v]:
            layer[v], queue[reached] = 0, v
            reached += 1
    while done < reached and layer[queue[done]] < last:
        v = queue[done]
        done += 1
        next_entry[v] = starts[v]
        for entry in range(starts[v], starts[v + 1]):
            u = neighbours[entry]
            if heads[links[entry]] == v and layer[u] < 0:
                layer[u], queue[reached] = layer[v] + 1, u
                next_entry[u] = starts[u + 1]  # nothing leads on from here until its turn comes
                reached += 1
                if received[u] < allowed[u]:
                    last = layer[u]
    return reached, last < layer.size


@compiled
def _turn_path(v: int, rows: Any, heads: Any, received: Any, allowed: Any, search: Any) -> bool:
    """Reverse one path to ``v`` from a node with room, layer by layer; returns whether there was one.

    Dead ends are skipped for good: within a round ``next_entry`` never goes back.
    """
    starts, neighbours, links = rows
    layer, _, next_entry, path = search
    length, u = 0, v
    path[0] = v
    while received[u] >= allowed[u]:
        while next_entry[u] < starts[u + 1]:
            entry = next_entry[u]
            if heads[links[entry]] == u and layer[neighbours[entry]] == layer[u] + 1:
                break
            next_entry[u] += 1
        if next_entry[u] < starts[u + 1]:
            length += 1
            path[length] = neighbours[next_entry[u]]
        elif length == 0:
            return False
        else:
            length -= 1
            next_entry[path[length]] += 1
        u = path[length]
    for at in range(length):
        heads[links[next_entry[path[at]]]] = path[at + 1]
    received[v] -= 1
    received[u] += 1
    return True


@compiled
def find_dense(rows: Any, heads: Any, received: Any, p: int, order: Any) -> Any:
    """The nodes of a set S with more than p (n_S - 1) links inside, or none if there is no such set.

    No node may receive more than p links at first; ``heads`` and ``received`` are overwritten. Roots are tried in the
    given order.
    """
    starts = rows[0]
    n = starts.size - 1
    degree = starts[1:] - starts[:-1]
    allowed, search = np.full(n, p), settle_scratch(n)
    for v in range(n):
        if _GONE < degree[v] <= p:
            _remove(v, rows, heads, received, degree, p)
    for v in order:
        if degree[v] > _GONE:
            allowed[v] = 0
            stuck = settle(rows, heads, received, allowed, np.array([v]), search)
            if stuck.size:
                return stuck
            allowed[v] = p
            _remove(v, rows, heads, received, degree, p)
    return np.empty(0, np.int64)


@compiled
def _remove(v: int, rows: Any, heads: Any, received: Any, degree: Any, p: int) -> None:
    """Remove a node and its links, and then, repeatedly, all nodes left with p links or fewer."""
    starts, neighbours, links = rows
    leaving = [v]
    degree[v] = _GONE
    while leaving:
        v = leaving.pop()
        for entry in range(starts[v], starts[v + 1]):
            link, u = links[entry], neighbours[entry]
            if heads[link] == _GONE:
                continue
            received[heads[link]] -= 1
            heads[link] = _GONE
            if degree[u] > _GONE:
                degree[u] -= 1
                if degree[u] <= p:
                    degree[u] = _GONE
                    leaving.append(u)


@cache
def prepare_forests() -> None:
    """Compile :func:`place_links` and what it calls, or load them from the cache."""
    with announced("compiling the search for forests"):
        place_links(
            (np.array([0]), np.array([1])),
            np.array([0]),
            0,
            1,
            bare_trees(1, 2),
            np.array([NONE]),
            forest_scratch(1, 2, 1),
        )


@compiled
def bare_trees(count: int, n: int) -> tuple[Any, Any, Any]:
    """The trees of ``count`` forests of n nodes without links."""
    alone = np.empty((count, n), np.int64)
    for i in range(count):
        alone[i] = np.arange(n)
    return np.full((count, n), NONE), np.full((count, n), NONE), alone


@compiled
def forest_scratch(count: int, n: int, m: int) -> tuple[Any, Any, Any, Any]:
    """The scratch arrays of a search: the link that each makes room for, the last search at a node, a queue, a path."""
    return np.full(m, NONE), np.full((count, n), NONE), np.empty(m, np.int64), np.empty(n, np.int64)


@compiled
def place_links(ends: Any, links: Any, at: int, steps: int, trees: Any, forest: Any, search: Any) -> int:
    """Put ``links[at]`` and those after it into forests, for about this many ``steps``.

    Returns the index of the first link that has not been placed, or NONE if there is no room for one.
    """
    while at < links.size and steps > 0:
        last, free, taken = _find_room(links[at], at, ends, trees, forest, search)
        if free == NONE:
            return NONE
        _move(last, free, ends, trees, forest, search[0])
        steps -= taken
        at += 1
    return at


@compiled
def _find_room(link: int, mark: int, ends: Any, trees: Any, forest: Any, search: Any) -> tuple[int, int, int]:
    """A link with room in another forest, that forest, and the steps taken; the first of the shortest paths wins.

    A path leads from a link to those that it could replace: the links in the next forest between its ends. With every
    tree rooted in the first node of the first link, what has been reached in a forest is a part of the tree around the
    root. Links are reached from the root outwards, so each has one end there already when its turn comes.
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
        free = _free_forest(x, y, trees)
        steps += count
        if free != NONE:
            return f, free, steps
        i = (forest[f] + 1) % count  # 0 for the first link, which is in no forest
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
def _free_forest(x: int, y: int, trees: Any) -> int:
    """The first forest where the two nodes are in different trees, or NONE."""
    whole = trees[2]
    for i in range(whole.shape[0]):
        if _tree(x, whole[i]) != _tree(y, whole[i]):
            return i
    return NONE


@compiled
def _tree(v: int, whole: Any) -> int:
    """The node that represents the tree of ``v``; the path there is halved for the next time."""
    while whole[v] != v:
        whole[v] = whole[whole[v]]
        v = whole[v]
    return v


@compiled
def _move(link: int, free: int, ends: Any, trees: Any, forest: Any, reason: Any) -> None:
    """Move a link to the forest that has room, the link it makes room for to its old forest, and so on to the first."""
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
    """Reverse the path from ``v`` to the root of its tree."""
    below, link = NONE, NONE
    while v != NONE:
        above, link_above = up[v], by[v]
        up[v], by[v] = below, link
        below, link, v = v, link_above, above


@cache
def prepare_step(start: type, index: type) -> None:
    """Compile :func:`step` for a graph with these index types, or load it from the cache."""
    with announced("compiling the product of graphs and vectors"):
        rows: tuple[Any, Any] = np.array([0, 1], start), np.array([0], index)
        block = np.zeros((1, 1), np.float32)
        for array in rows:
            array.flags.writeable = False  # like those of a graph
        step(rows, np.ones(1, np.float32), block, block.copy(), (block[0], block[0], 0.0), (0, 1))


@compiled
def step(rows: Any, weights: Any, X: Any, into: Any, numbers: Any, span: Any) -> None:
    """Write (W A W X - X · centres) · scales - kept · into over ``into``, for the rows of a span.

    ``rows`` holds A in compressed rows (starts, neighbours), ``weights`` the diagonal of W, and ``numbers`` the scales
    and the centres, one per column, and the factor ``kept``. A row needs only itself of what it overwrites, so rows may
    be done in any order.
    """
    starts, neighbours = rows
    scales, centres, kept = numbers[0], numbers[1], np.float32(numbers[2])
    k = X.shape[1]
    total = np.empty(k, np.float32)
    for i in range(span[0], span[1]):
        total[:] = 0
        entry, end = starts[i], starts[i + 1]
        while entry + 4 <= end:  # four at a time, so that the waits for rows of X overlap
            a, b, d, e = neighbours[entry], neighbours[entry + 1], neighbours[entry + 2], neighbours[entry + 3]
            u, v, w, x = weights[a], weights[b], weights[d], weights[e]
            for c in range(k):
                total[c] += u * X[a, c] + v * X[b, c] + w * X[d, c] + x * X[e, c]
            entry += 4
        while entry < end:
            a = neighbours[entry]
            u = weights[a]
            for c in range(k):
                total[c] += u * X[a, c]
            entry += 1
        u = weights[i]
        for c in range(k):
            into[i, c] = (u * total[c] - X[i, c] * centres[c]) * scales[c] - kept * into[i, c]

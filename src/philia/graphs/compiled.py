"""The compiled loops behind degeneracy and arboricity: peeling a graph, and turning links around.

Arrays in, arrays out, whole numbers of 64 bits throughout. ``rows`` holds a graph in compressed rows: where the entries
of each node start, the neighbour at each entry, and the number of the link at each entry. Where links have a direction,
``heads`` holds the node that each link points to and ``received`` how many links point to each node.

numba is loaded with this file, so callers import it only when they need it.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from philia._compilation import announced, compiled

GONE = -1


_ONE_LINK = np.array([0, 1, 2]), np.array([1, 0]), np.array([0, 0])


@cache
def prepare_peeling() -> None:
    """Compile :func:`peel` before it is used, or find it in the cache."""
    with announced("compiling the peeling of graphs"):
        peel(_ONE_LINK[0], _ONE_LINK[1])


@cache
def prepare_search() -> None:
    """Compile :func:`find_dense` and all that it calls before they are used, or find them in the cache."""
    with announced("compiling the search for dense parts"):
        find_dense(_ONE_LINK, np.array([1]), np.array([0, 1]), 1, np.array([0, 1]))


@compiled
def peel(starts: Any, neighbours: Any) -> tuple[Any, Any]:
    """The order in which nodes go if always one of least degree goes, and the core number of each node.

    Nodes stand sorted by what is left of their degree. One that loses a link changes places with the first of its
    degree, and the border behind that one moves by a place.
    """
    n = starts.size - 1
    degree = starts[1:] - starts[:-1]
    first = np.zeros(n + 1, np.int64)
    for d in degree:
        first[d + 1] += 1
    for d in range(1, n + 1):
        first[d] += first[d - 1]
    order, place, free = np.empty(n, np.int64), np.empty(n, np.int64), first.copy()
    for v in range(n):
        place[v] = free[degree[v]]
        order[place[v]] = v
        free[degree[v]] += 1
    for at in range(n):
        v = order[at]
        for entry in range(starts[v], starts[v + 1]):
            u = neighbours[entry]
            if degree[u] > degree[v]:
                border = first[degree[u]]
                w = order[border]
                order[place[u]], order[border] = w, u
                place[w], place[u] = place[u], border
                first[degree[u]] += 1
                degree[u] -= 1
    return order, degree


@compiled
def scratch(n: int) -> tuple[Any, Any, Any, Any]:
    """What :func:`settle` writes to while it searches: the layer of each node (-1: none), a queue, entries, a path."""
    return np.full(n, -1), np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n, np.int64)


@compiled
def settle(rows: Any, heads: Any, received: Any, allowed: Any, full: Any, search: Any) -> Any:
    """Turn links around until none of the nodes in ``full`` receives more than it is allowed.

    A path from a node with room to one with too much is turned around as a whole, which moves one link from its end to
    its beginning and changes nothing between. A round uses up the shortest paths. Returned is nobody if that succeeds,
    and else, when no path is left, all who lead to one with too much: every link to them comes from them, and each
    receives all that it is allowed, or more.
    """
    layer, queue, _, _ = search
    while True:
        reached, found = _find_layers(rows, heads, received, allowed, full, search)
        if found:
            for v in full:
                while received[v] > allowed[v] and _turn_path(v, rows, heads, received, allowed, search):
                    pass
        layer[queue[:reached]] = -1  # what was not touched needs no cleaning, which keeps small searches cheap
        if not found:
            return queue[:reached].copy()


@compiled
def _find_layers(rows: Any, heads: Any, received: Any, allowed: Any, full: Any, search: Any) -> tuple[int, bool]:
    """How many links each node is away from one with too much, as far as the nearest with room; is there one?"""
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
                next_entry[u] = starts[u + 1]  # until it is its turn, nothing leads on from here
                reached += 1
                if received[u] < allowed[u]:
                    last = layer[u]
    return reached, last < layer.size


@compiled
def _turn_path(v: int, rows: Any, heads: Any, received: Any, allowed: Any, search: Any) -> bool:
    """Turn around one path to ``v`` from a node with room, layer by layer; returned is whether there was one.

    Entries that lead nowhere are passed for good: within a round ``next_entry`` never goes back.
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

    No node receives more than p links at first; the directions are used up. Roots are tried in the given order.
    """
    starts = rows[0]
    n = starts.size - 1
    degree = starts[1:] - starts[:-1]
    allowed, search = np.full(n, p), scratch(n)
    for v in range(n):
        if GONE < degree[v] <= p:
            _remove(v, rows, heads, received, degree, p)
    for v in order:
        if degree[v] > GONE:
            allowed[v] = 0
            stuck = settle(rows, heads, received, allowed, np.array([v]), search)
            if stuck.size:
                return stuck
            allowed[v] = p
            _remove(v, rows, heads, received, degree, p)
    return np.empty(0, np.int64)


@compiled
def _remove(v: int, rows: Any, heads: Any, received: Any, degree: Any, p: int) -> None:
    """Take a node and its links away, and then, again and again, whatever is left with p links or fewer."""
    starts, neighbours, links = rows
    leaving = [v]
    degree[v] = GONE
    while leaving:
        v = leaving.pop()
        for entry in range(starts[v], starts[v + 1]):
            link, u = links[entry], neighbours[entry]
            if heads[link] == GONE:
                continue
            received[heads[link]] -= 1
            heads[link] = GONE
            if degree[u] > GONE:
                degree[u] -= 1
                if degree[u] <= p:
                    degree[u] = GONE
                    leaving.append(u)

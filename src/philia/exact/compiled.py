"""The compiled loops behind the orders of Theorem B: counting sign changes, taking nodes away, moving them on the line.

Arrays in, arrays out. A graph comes in compressed rows: where the entries of each node start, and the neighbour at each
entry. Where sign changes are counted, nodes are called by their places on the line, so the rows are renumbered first
(:func:`along`). Where nodes are moved, they are called by their ranks in the order of removal, and the rows are bits.

numba is loaded with this file, so callers import it only when they need it.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from philia._compilation import announced, compiled

LEFT, GOING, RIGHT = 1, 2, 4


@cache
def prepare_elimination() -> None:
    """Compile :func:`eliminate` and :func:`along` before they are used, or find them in the cache."""
    with announced("compiling the elimination of nodes"):
        eliminate(*along(np.array([0, 1, 2]), np.array([1, 0]), np.array([0, 1])))


@cache
def prepare_annealing() -> None:
    """Compile :func:`anneal` and :func:`packed` before they are used, or find them in the cache."""
    with announced("compiling the search for orders"):
        bits = packed(np.array([0, 1, 2]), np.array([1, 0]), np.array([0, 1]))
        line, near = np.array([0, 1]), np.array([[1], [0]])
        anneal(bits, line, np.array([1, 0]), np.arange(5.0), near, np.full((1, 4), 0.7), 1.0)


@compiled
def along(starts: Any, neighbours: Any, order: Any) -> tuple[Any, Any]:
    """The rows of the graph with the nodes called by their places on the line; each row comes out sorted."""
    n = order.size
    place = np.empty(n, np.int64)
    for p in range(n):
        place[order[p]] = p
    moved = np.zeros(n + 1, np.int64)
    for p in range(n):
        moved[p + 1] = moved[p] + starts[order[p] + 1] - starts[order[p]]
    free, entries = moved[:-1].copy(), np.empty(neighbours.size, np.int64)
    for p in range(n):
        for entry in range(starts[order[p]], starts[order[p] + 1]):
            q = place[neighbours[entry]]
            entries[free[q]] = p
            free[q] += 1
    return moved, entries


@compiled
def count_changes(starts: Any, neighbours: Any) -> Any:
    """The sign changes of each row along the whole line; its own entry is a non-link."""
    n = starts.size - 1
    changes = np.zeros(n, np.int64)
    for v in range(n):
        before = -2
        for entry in range(starts[v], starts[v + 1]):
            u = neighbours[entry]
            if before != u - 1:
                changes[v] += 2  # a run of links begins, and it will end
            if u == 0:
                changes[v] -= 1
            if u == n - 1:
                changes[v] -= 1
            before = u
    return changes


@compiled
def eliminate(starts: Any, neighbours: Any) -> tuple[Any, Any]:
    """The order in which nodes go if always one with the fewest sign changes goes, and its changes when it goes.

    Nodes stand sorted by their changes, as in the peeling of a graph by degrees. Rows lose the entries of nodes that
    are gone when they are next read, so a hub is not read in full again and again.
    """
    n = starts.size - 1
    changes = count_changes(starts, neighbours)
    neighbours, ends = neighbours.copy(), starts[1:].copy()
    key = changes.copy()
    queue, at, first = _queued(key)
    before, after, alive = np.arange(-1, n - 1), np.arange(1, n + 1), np.ones(n, np.bool_)
    mark, touched = np.zeros(n, np.int8), np.empty(n, np.int64)
    for step in range(n):
        w = queue[step]
        alive[w] = False
        left, right = before[w], after[w]
        if left >= 0:
            after[left] = right
        if right < n:
            before[right] = left
        count = 0
        for bit, node in ((LEFT, left), (GOING, w), (RIGHT, right)):
            if 0 <= node < n:
                count = _read(node, bit, starts, ends, neighbours, alive, mark, touched, count)
        for t in range(count):
            v = touched[t]
            changes[v] -= _lost(mark[v], left >= 0, right < n)
            _lower(v, changes[v], step + 1, key, first, queue, at)
            mark[v] = 0
    return queue, changes


@compiled
def _queued(key: Any) -> tuple[Any, Any, Any]:
    """Nodes sorted by key, the place of each in that queue, and where each key begins."""
    n = key.size
    first = np.zeros(n + 1, np.int64)
    for v in range(n):
        first[key[v] + 1] += 1
    first = np.cumsum(first)
    queue, at, free = np.empty(n, np.int64), np.empty(n, np.int64), first.copy()
    for v in range(n):
        at[v] = free[key[v]]
        queue[at[v]] = v
        free[key[v]] += 1
    return queue, at, first


@compiled
def _read(
    node: int, bit: int, starts: Any, ends: Any, neighbours: Any, alive: Any, mark: Any, touched: Any, count: int
) -> int:
    """Mark who of the living has a link to the node, drop the others from its row; how many are marked by now."""
    kept = starts[node]
    for entry in range(starts[node], ends[node]):
        v = neighbours[entry]
        if alive[v]:
            neighbours[kept] = v
            kept += 1
            if mark[v] == 0:
                touched[count] = v
                count += 1
            mark[v] |= bit
    ends[node] = kept
    return count


@compiled
def _lost(marks: int, has_left: bool, has_right: bool) -> int:
    """How many sign changes a row loses with an entry, from its links to that entry and to the two beside it."""
    going = (marks & GOING) != 0
    beside_left, beside_right = (marks & LEFT) != 0, (marks & RIGHT) != 0
    if has_left and has_right:
        return 2 if beside_left == beside_right and beside_left != going else 0
    if has_left:
        return 1 if beside_left != going else 0
    if has_right:
        return 1 if beside_right != going else 0
    return 0


@compiled
def _lower(v: int, to: int, front: int, key: Any, first: Any, queue: Any, at: Any) -> None:
    """Move a node down in the queue, one key at a time: it changes places with the first of its key."""
    while key[v] > to:
        border = max(first[key[v]], front)
        u = queue[border]
        queue[at[v]], queue[border] = u, v
        at[u], at[v] = at[v], border
        first[key[v]] = border + 1
        key[v] -= 1


@compiled
def packed(starts: Any, neighbours: Any, rank: Any) -> Any:
    """The adjacency as bits, 64 in a word, its rows and columns in the order of ``rank``."""
    n = rank.size
    bits = np.zeros((n, (n + 63) // 64), np.uint64)
    for v in range(n):
        for entry in range(starts[v], starts[v + 1]):
            r = rank[neighbours[entry]]
            bits[rank[v], r >> 6] |= np.uint64(1) << np.uint64(r & 63)
    return bits


@compiled
def anneal(bits: Any, line: Any, changes: Any, cost: Any, near: Any, draws: Any, temperature: float) -> int:
    """Move single nodes along the line where that lowers the cost, or by chance; how many moves were made.

    Nodes are called by their ranks in the order of removal, which stays as it is, so row t sees only nodes of rank t
    and more. ``cost`` says what a row with 0, 1, 2, ... sign changes costs. A row of ``draws`` says, in numbers from 0
    to 1, which node, where to (beside one of its ``near`` nodes, or anywhere), and how much chance is on its side.
    ``line`` and ``changes`` are changed in place.
    """
    n, made = line.size, 0
    place = np.empty(n, np.int64)
    place[line] = np.arange(n)
    rows, become = np.empty(n, np.int64), np.empty(n, np.int64)
    for draw in draws:
        w = int(draw[0] * n)
        old = place[w]
        if draw[1] < 0.5:
            beside = place[near[w, int(2 * draw[1] * near.shape[1])]]
            new = beside + int(2 * draw[2]) - (1 if beside > old else 0)
        else:
            new = int(draw[2] * n)
        if new == old:
            continue
        count, rise = _judge(bits, line, changes, cost, old, new, rows, become)
        if rise <= 0 or draw[3] < np.exp(-rise / temperature):
            for k in range(count):
                changes[rows[k]] = become[k]
            step = 1 if new > old else -1
            for p in range(old, new, step):
                line[p] = line[p + step]
                place[line[p]] = p
            line[new], place[w] = w, new
            made += 1
    return made


_SEQUENCE = np.uint64(0x03F79D71B4CB0A89)
"""A de Bruijn sequence: its 64 windows of six bits all differ, so a product with it tells which bit is set."""

_WHICH = np.array(sorted(range(64), key=lambda bit: ((int(_SEQUENCE) << bit) % 2**64) >> 58))


@compiled
def _judge(
    bits: Any, line: Any, changes: Any, cost: Any, old: int, new: int, rows: Any, become: Any
) -> tuple[int, float]:
    """Which rows change if the node at ``old`` is moved to ``new``, to what, and by how much the cost rises.

    The nodes beside the two places are those still there when a row's node goes: further and further away for later
    rows. Between two such steps 64 rows are compared at a time.
    """
    n, w = line.size, line[old]
    left, right = old - 1, old + 1
    a, b = (new - 1, new) if new < old else (new, new + 1)
    t, count, rise = 0, 0, 0.0
    while t <= w:
        while left >= 0 and line[left] < t:
            left -= 1
        while right < n and line[right] < t:
            right += 1
        while a >= 0 and (line[a] < t or a == old):
            a -= 1
        while b < n and (line[b] < t or b == old):
            b += 1
        stop = w + 1
        for p in (left, right, a, b):
            if 0 <= p < n:
                stop = min(stop, line[p] + 1)
        if left == a:
            t = stop
            continue
        before, after = int(left >= 0) + int(right < n), int(a >= 0) + int(b < n)
        u, v = line[left if left >= 0 else right % n], line[right if right < n else left]
        x, y = line[a if a >= 0 else b % n], line[b if b < n else a]
        for word in range(t >> 6, (stop + 63) >> 6):
            mine = bits[w, word]
            lost = (bits[u, word] ^ mine) & ~(bits[u, word] ^ bits[v, word])
            won = (bits[x, word] ^ mine) & ~(bits[x, word] ^ bits[y, word])
            differ = lost | won if before != after else lost ^ won
            if word == t >> 6:
                differ &= ~np.uint64(0) << np.uint64(t & 63)
            if word == (stop - 1) >> 6:
                differ &= ~np.uint64(0) >> np.uint64(63 - ((stop - 1) & 63))
            while differ:
                lowest = differ & (~differ + np.uint64(1))
                differ ^= lowest
                row = (word << 6) + _WHICH[(lowest * _SEQUENCE) >> np.uint64(58)]
                change = (after if won & lowest else 0) - (before if lost & lowest else 0)
                rows[count], become[count] = row, changes[row] + change
                count += 1
                rise += cost[changes[row] + change] - cost[changes[row]]
        t = stop
    return count, rise

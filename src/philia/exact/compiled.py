"""The compiled loops: lines of nodes with few sign changes, and polynomials with integer roots along them.

Arrays in, arrays out. A graph comes in compressed rows: the start of each node's entries, and the neighbour at each
entry. The first part orders nodes. Where it counts sign changes, nodes are numbered by their positions on the line, so
the rows are renumbered first (:func:`along`). Where it moves nodes, they are numbered by their ranks in the order of
removal, and the rows are bits.

The second part builds polynomials and decides their signs, in 64-bit integers throughout, so that nothing is rounded.
The roots of all polynomials are in one array, sorted within each polynomial, and ``starts`` has the first position of
each. Sizes are logarithms in the units of :mod:`philia.exact.logarithms`, from below, out of a ``table`` of the
logarithms of 0, 1, 2, …

numba is loaded with this file, so callers import it only when they need it.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np

from philia._compilation import announced, compiled
from philia.exact.logarithms import DIGITS, SLACK, UNIT, logarithm_table

_LEFT, _GOING, _RIGHT = 1, 2, 4
"""Bits that mark a row with a link to the node that goes, or to the one on its left or right."""

_GONE = -1
"""In place of the next node, for a node that is no longer on the line."""


@cache
def prepare_elimination() -> None:
    """Compile :func:`eliminate` and :func:`along` before they are used, or load them from the cache."""
    with announced("compiling the elimination of nodes"):
        eliminate(*along(np.array([0, 1, 2]), np.array([1, 0]), np.array([0, 1])))


@cache
def prepare_annealing() -> None:
    """Compile :func:`anneal` and :func:`packed` before they are used, or load them from the cache."""
    with announced("compiling the search for orders"):
        bits = packed(np.array([0, 1, 2]), np.array([1, 0]), np.array([0, 1]))
        line, near = np.array([0, 1]), np.array([[1], [0]])
        anneal(bits, line, np.array([1, 0]), np.arange(5.0), near, np.full((1, 4), 0.7), 1.0)


@compiled
def along(starts: Any, neighbours: Any, order: Any) -> tuple[Any, Any]:
    """The rows of the graph with nodes numbered by their positions on the line; each row comes out sorted."""
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
def _count_changes(starts: Any, neighbours: Any) -> Any:
    """The sign changes of each row along the whole line; a node and itself count as not linked."""
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
    """The order of removal if a node with the fewest sign changes always goes next, and its changes when it goes.

    Nodes are kept sorted by their changes, as in peeling a graph by degree. A row loses the entries of removed nodes
    the next time it is read, so that a hub is not read in full again and again.
    """
    n = starts.size - 1
    changes = _count_changes(starts, neighbours)
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
        for bit, node in ((_LEFT, left), (_GOING, w), (_RIGHT, right)):
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
    """Nodes sorted by key, the position of each in that queue, and where each key begins."""
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
    """Mark the remaining neighbours of a node and drop all others from its row; how many are marked by now."""
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
    """How many sign changes a row loses with an entry, given its links to that entry and to the two beside it."""
    going = (marks & _GOING) != 0
    beside_left, beside_right = (marks & _LEFT) != 0, (marks & _RIGHT) != 0
    if has_left and has_right:
        return 2 if beside_left == beside_right and beside_left != going else 0
    if has_left:
        return 1 if beside_left != going else 0
    if has_right:
        return 1 if beside_right != going else 0
    return 0


@compiled
def _lower(v: int, to: int, front: int, key: Any, first: Any, queue: Any, at: Any) -> None:
    """Move a node down the queue, one key at a time, by swapping it with the first of its key."""
    while key[v] > to:
        border = max(first[key[v]], front)
        u = queue[border]
        queue[at[v]], queue[border] = u, v
        at[u], at[v] = at[v], border
        first[key[v]] = border + 1
        key[v] -= 1


@compiled
def packed(starts: Any, neighbours: Any, rank: Any) -> Any:
    """The adjacency matrix as bits, 64 per word, with rows and columns in the order of ``rank``."""
    n = rank.size
    bits = np.zeros((n, (n + 63) // 64), np.uint64)
    for v in range(n):
        for entry in range(starts[v], starts[v + 1]):
            r = rank[neighbours[entry]]
            bits[rank[v], r >> 6] |= np.uint64(1) << np.uint64(r & 63)
    return bits


@compiled
def anneal(bits: Any, line: Any, changes: Any, cost: Any, near: Any, draws: Any, temperature: float) -> int:
    """Move single nodes along the line, by simulated annealing; how many moves were accepted.

    Nodes are numbered by their ranks in the order of removal, which stays as it is, so row t sees only nodes of rank t
    and more. ``cost`` is the cost of a row with 0, 1, 2, ... sign changes. A row of ``draws`` holds uniform numbers
    that choose the node, where it goes (next to one of its ``near`` nodes, or anywhere), and whether a move that raises
    the cost is accepted. ``line`` and ``changes`` are updated in place.
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
"""A de Bruijn sequence: its 64 windows of six bits all differ, so a product with it shows which bit is set."""

_WHICH = np.array(sorted(range(64), key=lambda bit: ((int(_SEQUENCE) << bit) % 2**64) >> 58))
"""The position of the bit that is set, for each of the 64 windows."""


@compiled
def _judge(
    bits: Any, line: Any, changes: Any, cost: Any, old: int, new: int, rows: Any, become: Any
) -> tuple[int, float]:
    """Which rows change if the node at ``old`` is moved to ``new``, to what, and by how much the cost rises.

    The neighbours on the line of both positions are those that remain when a row's node goes: they are further and
    further away for later rows. Between two such steps 64 rows are compared at a time.
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


@cache
def prepare_signs() -> None:
    """Compile the loops that find and size wrong terms before they are used, or load them from the cache."""
    rows = np.array([0, 1, 2]), np.array([1, 0])
    polynomials = np.array([2, 4]), np.array([0, 1, 1]), np.array([3]), np.array([1, -1], np.int8)
    with announced("compiling the signs of polynomials"):
        counts = wrong_counts(0, 2, rows, polynomials)
        wrong_terms(0, 2, counts.sum(), rows, polynomials)
        sizes_at(np.array([0]), np.array([1]), np.array([2, 4]), polynomials[1], polynomials[2], logarithm_table(9))
        rough_sizes_at(np.array([0]), np.array([1]), np.array([2.0, 4.0]), polynomials[1], np.array([3.0]))


@cache
def prepare_construction() -> None:
    """Compile the loops that build polynomials before they are used, or load them from the cache."""
    with announced("compiling the construction of polynomials"):
        rows = np.array([0, 1, 2]), np.array([1, 0])
        starts, roots, signs, _ = place_roots(rows[0], rows[1], 1)
        polynomials, exponents = (np.array([2, 4]), starts, roots, signs), np.zeros(2, np.int64)
        raise_exponents(np.array([0, 1]), np.array([0, 1]), exponents, rows, polynomials, logarithm_table(9))


@compiled
def _first_beyond(numbers: Any, low: int, high: int, at: int) -> int:
    """The first position from ``low`` on, before ``high``, whose number is larger; ``high`` if there is none."""
    while low < high:
        middle = (low + high) // 2
        if numbers[middle] > at:
            high = middle
        else:
            low = middle + 1
    return low


@compiled
def _sign_at(v: int, at: int, starts: Any, roots: Any, signs: Any) -> Any:
    """The sign of polynomial v at a point that is not a root: it flips at every root to the right of the point."""
    beyond = starts[v + 1] - _first_beyond(roots, starts[v], starts[v + 1], at)
    return signs[v] if beyond % 2 == 0 else -signs[v]


@compiled
def _find_wrong(v: int, rows: Any, polynomials: Any, found: Any) -> int:
    """Where polynomial v has the wrong sign, into ``found``: position p if there is no link, -1 - p if there is one.

    Only the nodes between roots where the polynomial is positive are looked at, and the links of v: each node there is
    a link or wrong, and each link elsewhere is wrong. The result is how many were found.
    """
    starts, neighbours = rows
    points, root_starts, roots, signs = polynomials
    first, degree = root_starts[v], root_starts[v + 1] - root_starts[v]
    entry, end, count, high = starts[v], starts[v + 1], 0, 0
    interval = degree % 2 if signs[v] > 0 else (degree + 1) % 2
    while interval <= degree:
        low = 0 if interval == 0 else _first_beyond(points, high, points.size, roots[first + interval - 1])
        high = points.size if interval == degree else _first_beyond(points, low, points.size, roots[first + interval])
        while entry < end and neighbours[entry] < low:
            found[count] = -1 - neighbours[entry]
            count, entry = count + 1, entry + 1
        for p in range(low, high):
            if entry < end and neighbours[entry] == p:
                entry += 1
            else:
                found[count] = p
                count += 1
        interval += 2
    for missed in range(entry, end):
        found[count] = -1 - neighbours[missed]
        count += 1
    return count


@compiled
def wrong_counts(first: int, last: int, rows: Any, polynomials: Any) -> Any:
    """The number of nodes at which each polynomial from ``first`` up to ``last`` has the wrong sign."""
    counts, found = np.empty(last - first, np.int64), np.empty(polynomials[0].size, np.int64)
    for v in range(first, last):
        counts[v - first] = _find_wrong(v, rows, polynomials, found)
    return counts


@compiled
def wrong_terms(first: int, last: int, total: int, rows: Any, polynomials: Any) -> tuple[Any, Any, Any, Any]:
    """The wrong terms of the polynomials from ``first`` up to ``last``, of which there are ``total``.

    For each: the polynomial v, the node u at which it is wrong, the sign that the score should have, and the sign of
    polynomial u at v.
    """
    points, root_starts, roots, signs = polynomials
    owners, nodes = np.empty(total, np.int64), np.empty(total, np.int64)
    wanted, others = np.empty(total, np.int8), np.empty(total, np.int8)
    found, t = np.empty(points.size, np.int64), 0
    for v in range(first, last):
        for k in range(_find_wrong(v, rows, polynomials, found)):
            owners[t], wanted[t] = v, 1 if found[k] < 0 else -1
            nodes[t] = max(found[k], -1 - found[k])
            others[t] = _sign_at(nodes[t], points[v], root_starts, roots, signs)
            t += 1
    return owners, nodes, wanted, others


@compiled
def _logarithm(number: int) -> Any:
    """The logarithm of a number from 1 to 2³² - 1, as in :mod:`philia.exact.logarithms`."""
    shift, top = 31, np.uint64(number)
    while top < np.uint64(1 << 31):
        shift, top = shift - 1, top << np.uint64(1)
    total: Any = shift
    for _ in range(DIGITS):
        square = top * top
        large = square >> np.uint64(63)
        top = square >> (np.uint64(31) + large)
        total = 2 * total + np.int64(large)
    return total


@compiled
def _size_at(v: int, at: int, starts: Any, roots: Any, table: Any) -> int:
    size, first, end = 0, starts[v], starts[v + 1]
    if first == end:
        return 0
    if max(abs(at - roots[first]), abs(at - roots[end - 1])) < table.size:  # no root is farther away than these
        for entry in range(first, end):
            size += table[abs(at - roots[entry])]
    else:
        for entry in range(first, end):
            size += _logarithm(abs(at - roots[entry]))
    return size


@compiled
def sizes_at(polynomials: Any, nodes: Any, points: Any, starts: Any, roots: Any, table: Any) -> Any:
    """The size of each listed polynomial at the point of the node listed with it."""
    sizes = np.empty(polynomials.size, np.int64)
    for t in range(polynomials.size):
        sizes[t] = _size_at(polynomials[t], points[nodes[t]], starts, roots, table)
    return sizes


@compiled
def rough_sizes_at(polynomials: Any, nodes: Any, points: Any, starts: Any, roots: Any) -> Any:
    """The size of each listed polynomial at a node's point in whole bits: an E with E - 2 < log₂ size < E + 1.

    ``points`` and ``roots`` are floats without an error, below 2²⁵. Products of them are rounded, once per root, by far
    less than a factor of two in all, and the exponent of a float tells its logarithm to one bit. After 32 factors the
    exponent is set aside, so that nothing overflows.
    """
    sizes = np.empty(polynomials.size, np.int64)
    for t in range(polynomials.size):
        first, end, at = starts[polynomials[t]], starts[polynomials[t] + 1], points[nodes[t]]
        size, product = 0, 1.0
        while first < end:
            last = min(first + 32, end)
            for entry in range(first, last):
                product *= at - roots[entry]
            product, exponent = math.frexp(product)
            size, first = size + exponent, last
        sizes[t] = size
    return sizes


@compiled
def place_roots(starts: Any, neighbours: Any, most: int) -> tuple[Any, Any, Any, Any]:
    """For each node a polynomial with the signs of its row at all nodes that remain when it goes, and its round.

    Nodes are numbered by their positions 0, …, n - 1 on the line; position p is at the point 2p + 2, and roots are odd.
    In each round all nodes go whose rows have at most ``most`` sign changes along the remaining ones; if there are
    none, those with the fewest.
    """
    n = starts.size - 1
    before, after = np.arange(-1, n), np.arange(1, n + 2)  # among the remaining nodes; n stands for the end
    linked, changes = np.zeros(n + 1, np.bool_), np.empty(n, np.int64)
    rounds, signs, counts = np.full(n, -1), np.empty(n, np.int8), np.zeros(n + 1, np.int64)
    owners, found = [0 for _ in range(0)], [0 for _ in range(0)]
    left, this_round = n, 0
    while left > 0:
        fewest = n
        for v in range(n):
            if rounds[v] < 0:
                changes[v] = _sign_changes(neighbours[starts[v] : starts[v + 1]], linked, before, after)
                fewest = min(fewest, changes[v])
        for v in range(n):
            if rounds[v] < 0 and changes[v] <= max(fewest, most):
                row = neighbours[starts[v] : starts[v + 1]]
                signs[v] = _add_roots(row, linked, before, after, found)
                for _ in range(changes[v]):
                    owners.append(v)
                rounds[v], counts[v + 1] = this_round, changes[v]
        for v in range(n):
            if rounds[v] == this_round:
                before[after[v]] = before[v]
                if before[v] >= 0:
                    after[before[v]] = after[v]
                after[v] = _GONE
                left -= 1
        this_round += 1
    ends = np.cumsum(counts)
    roots, free = np.empty(len(found), np.int64), ends[:-1].copy()
    for v, root in zip(owners, found):  # noqa: B905 (numba has no strict)
        roots[free[v]] = root
        free[v] += 1
    return ends, roots, signs, rounds


@compiled
def _sign_changes(row: Any, linked: Any, before: Any, after: Any) -> int:
    """How often a row changes its sign along the remaining nodes."""
    linked[row] = True
    changes, n = 0, before.size - 1
    for u in row:
        if after[u] != _GONE:
            changes += before[u] >= 0 and not linked[before[u]]
            changes += after[u] < n and not linked[after[u]]
    linked[row] = False
    return changes


@compiled
def _add_roots(row: Any, linked: Any, before: Any, after: Any, found: Any) -> int:
    """Add a root wherever the row changes its sign along the remaining nodes, left to right; the last sign."""
    linked[row] = True
    n = before.size - 1
    for u in row:
        if after[u] != _GONE:
            if before[u] >= 0 and not linked[before[u]]:
                found.append(_best_gap(linked, before[u], u))
            if after[u] < n and not linked[after[u]]:
                found.append(_best_gap(linked, u, after[u]))
    last = 1 if linked[before[n]] else -1
    linked[row] = False
    return last


@compiled
def _best_gap(linked: Any, low: int, high: int) -> int:
    """The odd number between two positions of different signs that gives the fewest positions between a wrong sign."""
    mistakes = 0
    best, fewest = low, 0
    for p in range(low + 1, high):
        # Moving the root beyond p gives p the sign of the lower position.
        mistakes += -1 if linked[p] == linked[low] else 1
        if mistakes <= fewest:
            best, fewest = p, mistakes
    return 2 * best + 3


@compiled
def raise_exponents(going: Any, rank: Any, exponents: Any, rows: Any, polynomials: Any, table: Any) -> None:
    """Raise the exponents of earlier nodes until the wrong terms of the ``going`` nodes are less than half of theirs.

    ``rank`` is each node's place in the order of removal, in which nodes go last to first, so that the exponent of a
    node is final when its turn comes. Where its term is wrong at a node v that goes earlier,
    2^e_v |f_v(x_u)| ≥ 2 · 2^e_u |f_u(x_v)| is ensured by logarithms from below on the left and from above on the right.
    """
    points, root_starts, roots, _ = polynomials
    found = np.empty(points.size, np.int64)
    for u in going:
        for k in range(_find_wrong(u, rows, polynomials, found)):
            v = max(found[k], -1 - found[k])
            if rank[v] < rank[u]:
                theirs = _size_at(u, points[v], root_starts, roots, table)
                own = _size_at(v, points[u], root_starts, roots, table)
                above = own - theirs - SLACK * (root_starts[u + 1] - root_starts[u])
                exponents[v] = max(exponents[v], exponents[u] + 1 - above // UNIT)


@compiled
def near_pairs(scores: Any, top: int, starts: Any, neighbours: Any, least: float) -> Any:
    """The pairs of some rows with all nodes from ``top`` on that are linked, or whose scores are above ``least``.

    ``scores`` has one row for each node from ``top`` on, and one column for each of all nodes from there. Each pair is
    found in the row that comes first, and a node with itself too. Returned are how many pairs each row has, the other
    node of each pair, and 1 or -1, as the two are linked or not.
    """
    counts = np.zeros(scores.shape[0], np.int64)
    columns, signs = np.empty(scores.size, np.int32), np.empty(scores.size, np.int8)
    found = 0
    for row in range(scores.shape[0]):
        before, entry, last = found, starts[top + row], starts[top + row + 1]
        while entry < last and neighbours[entry] < top + row:
            entry += 1
        for column in range(row, scores.shape[1]):
            linked = entry < last and neighbours[entry] == top + column
            if linked or scores[row, column] > least:
                columns[found], signs[found] = top + column, 1 if linked else -1
                found += 1
                entry += linked
        counts[row] = found - before
    return counts, columns[:found].copy(), signs[:found].copy()


@compiled
def hinge_at(starts: Any, columns: Any, signs: Any, F: Any, P: Any) -> Any:
    """The squared hinge of listed pairs in both orders, its gradient, and how many of the pairs have the wrong sign.

    The score of i and j is F_i · P_j + a_j, where a is the last column of F, and that of P is 1. So the score of i and
    j changes by dF_i · P_j + P_i · dF_j.
    """
    gradient, value, wrong = np.zeros_like(F), 0.0, 0
    last = F.shape[1] - 1
    for i in range(starts.size - 1):
        for entry in range(starts[i], starts[i + 1]):
            j, sign = columns[entry], F.dtype.type(signs[entry])
            score = F[j, last]
            for k in range(F.shape[1]):
                score += F[i, k] * P[j, k]
            slope = score - sign
            if sign * slope < 0:
                weight = F.dtype.type(1 if i == j else 2)
                value += 0.5 * weight * slope * slope
                wrong += sign * score <= 0
                slope *= weight
                for k in range(F.shape[1]):
                    gradient[i, k] += slope * P[j, k]
                    gradient[j, k] += slope * P[i, k]
    return value, gradient, wrong

"""The compiled loops behind polynomials with whole roots: their signs, their sizes, where to put roots, how to weigh.

Arrays in, arrays out, whole numbers of 64 bits throughout, so that nothing is rounded. The roots of all polynomials
stand in one array, sorted within each polynomial, and ``starts`` says where those of each begin. Sizes are logarithms
in the units of :mod:`philia.exact.logarithms`, from below, out of a ``table`` of the logarithms of 0, 1, 2, …

numba is loaded with this file, so whoever needs it imports it when it is needed.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from philia._compilation import announced, compiled
from philia.exact.logarithms import logarithm_table

_GONE = -1


@cache
def prepare_signs() -> None:
    """Compile what decides signs before it is used, or find it in the cache."""
    starts, roots, signs = np.array([0, 1, 1]), np.array([3]), np.array([1, -1], np.int8)
    with announced("compiling the signs of polynomials"):
        term_signs(np.array([0]), np.array([2, 4]), starts, roots, signs)
        sizes_at(np.array([0]), np.array([1]), np.array([2, 4]), starts, roots, logarithm_table(9))


@cache
def prepare_construction() -> None:
    """Compile what makes polynomials before it is used, or find it in the cache."""
    with announced("compiling the construction of polynomials"):
        rows = np.array([0, 1, 2]), np.array([1, 0])
        starts, roots, signs, _ = place_roots(rows[0], rows[1], 1)
        dominating_exponents(np.array([0, 1]), rows, (np.array([2, 4]), starts, roots, signs), logarithm_table(9))


@compiled
def _sign_at(v: int, at: int, starts: Any, roots: Any, signs: Any) -> Any:
    """The sign of polynomial v at a point that is no root: it turns at every root to the right of the point."""
    low, high = starts[v], starts[v + 1]
    while low < high:
        middle = (low + high) // 2
        if roots[middle] > at:
            high = middle
        else:
            low = middle + 1
    return signs[v] if (starts[v + 1] - low) % 2 == 0 else -signs[v]


@compiled
def term_signs(rows: Any, points: Any, starts: Any, roots: Any, signs: Any) -> tuple[Any, Any]:
    """The signs of every polynomial at the points of some rows, and of these rows' polynomials at every point.

    Only the order of points and roots counts, so ranks serve as well as the numbers themselves.
    """
    n = points.size
    theirs, own = np.empty((rows.size, n), np.int8), np.empty((rows.size, n), np.int8)
    for i in range(rows.size):
        u = rows[i]
        for v in range(n):
            theirs[i, v] = _sign_at(v, points[u], starts, roots, signs)
            own[i, v] = _sign_at(u, points[v], starts, roots, signs)
    return theirs, own


@compiled
def _size_at(v: int, at: int, starts: Any, roots: Any, table: Any) -> int:
    size = 0
    for entry in range(starts[v], starts[v + 1]):
        size += table[abs(at - roots[entry])]
    return size


@compiled
def sizes_at(polynomials: Any, nodes: Any, points: Any, starts: Any, roots: Any, table: Any) -> Any:
    """The size of each listed polynomial at the point of the node listed beside it."""
    sizes = np.empty(polynomials.size, np.int64)
    for t in range(polynomials.size):
        sizes[t] = _size_at(polynomials[t], points[nodes[t]], starts, roots, table)
    return sizes


@compiled
def place_roots(starts: Any, neighbours: Any, most: int) -> tuple[Any, Any, Any, Any]:
    """For each node a polynomial with the signs of its row at all nodes still there when it goes, and its round.

    Nodes are called by their places 0, …, n - 1 on the line; place p is at the point 2p + 2, and roots are odd. In each
    round all nodes go whose rows have at most ``most`` sign changes along those still there; if there are none, those
    with the fewest.
    """
    n = starts.size - 1
    before, after = np.arange(-1, n), np.arange(1, n + 2)  # among those still there; n stands for the end
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
    for v, root in zip(owners, found):  # noqa: B905 (numba knows no strict)
        roots[free[v]] = root
        free[v] += 1
    return ends, roots, signs, rounds


@compiled
def _sign_changes(row: Any, linked: Any, before: Any, after: Any) -> int:
    """How often a row changes its sign along the nodes still there."""
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
    """Add a root wherever the row changes its sign along the nodes still there, from left to right; its last sign."""
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
    """The odd number between two places of different signs that gives the fewest of those between a wrong sign."""
    mistakes = 0
    best, fewest = low, 0
    for p in range(low + 1, high):
        # Moving the root beyond p gives p the sign of the lower place.
        mistakes += -1 if linked[p] == linked[low] else 1
        if mistakes <= fewest:
            best, fewest = p, mistakes
    return 2 * best + 3


@compiled
def dominating_exponents(removal: Any, rows: Any, polynomials: Any, table: Any) -> Any:
    """The least whole exponents, none negative, with which each wrong term is less than half of the right one.

    Nodes that go last are weighed first. Where the term of such a node u is wrong at a node v that goes earlier,
    2^e_v |f_v(x_u)| ≥ 2 · 2^e_u |f_u(x_v)| is ensured by logarithms from below on the left and from above on the right.
    """
    starts, neighbours = rows
    points, root_starts, roots, signs = polynomials
    n = points.size
    unit = table[2]
    exponents, linked = np.zeros(n, np.int64), np.zeros(n, np.bool_)
    for at in range(n - 1, -1, -1):
        v = removal[at]
        row = neighbours[starts[v] : starts[v + 1]]
        linked[row] = True
        for later in range(at + 1, n):
            u = removal[later]
            right = 1 if linked[u] else -1
            if _sign_at(u, points[v], root_starts, roots, signs) == right:
                continue
            theirs = _size_at(u, points[v], root_starts, roots, table) + 2 * (root_starts[u + 1] - root_starts[u])
            own = _size_at(v, points[u], root_starts, roots, table)
            needed = -((own - theirs) // unit) + 1 + exponents[u]
            exponents[v] = max(exponents[v], needed)
        linked[row] = False
    return exponents

"""The compiled loop that moves whole pieces between groups.

A group that was put together wrongly can seldom be mended node by node: each node alone is best off where its piece is.
So pieces of groups, which are groups from which a search began, move as single nodes do. numba is loaded with this
file, so callers import it only when they need it.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np

from philia._compilation import announced, compiled, part
from philia.reading.kernels import added, chances

_NONE = -1
"""The label of a piece in no group."""

_TIE = 1e-9
"""A move must gain more than rounding."""


@cache
def prepare() -> None:
    """Compile the loop, or load it from the cache."""
    with announced("compiling the moves of pieces"):
        links = np.array([0, 1, 2]), np.array([1, 0]), np.ones(2)
        pieces = np.array([0, 1, 2]), np.zeros(2, np.int64), np.ones(2), np.zeros(2), np.ones(2)
        groups = np.full((1, 1), 2.0), np.full(1, 2.0), np.ones((1, 1))
        move(links, pieces, np.zeros(1), 0.0, np.zeros(2, np.int64), np.ones(1), groups, np.arange(2))


@compiled
def move(links: Any, pieces: Any, a: Any, s: float, labels: Any, w: Any, groups: Any, order: Any) -> int:
    """Move each piece, in this order, to where it costs least; the number of moves.

    ``links`` are those between pieces in compressed rows, with their numbers. ``pieces`` holds the histogram of each
    over classes in compressed rows (starts, classes, numbers of nodes), its links inside and its size. ``groups`` holds
    histograms, sizes and the costs of one more node; they and ``labels`` are changed. A piece may go to a group that it
    is linked with or to none.
    """
    starts, others, counts = links
    sizes_of, sizes = pieces[4], groups[1]
    into, touched, moves = np.zeros(len(w)), np.zeros(len(w), np.int64), 0
    in_none, strong = 0.0, (chances(a, s), w, np.expm1(w))
    for i in range(len(labels)):
        in_none += sizes_of[i] if labels[i] == _NONE else 0.0
    for i in order:
        own, count, size = labels[i], 0, sizes_of[i]
        for t in range(starts[i], starts[i + 1]):
            c = labels[others[t]]
            if c != _NONE:
                if into[c] == 0:
                    touched[count] = c
                    count += 1
                into[c] += counts[t]
        left = in_none - size if own == _NONE else in_none
        best, value = own, _saved_by_code(left, size)
        if own != _NONE:
            outside, value = value, _value(i, own, own, into[own], pieces, strong, groups)
            if outside > value + _TIE:
                best, value = _NONE, outside
        for t in range(count):
            c = touched[t]
            if c != own:
                joined = _value(i, c, own, into[c], pieces, strong, groups)
                if joined > value + _TIE:
                    best, value = c, joined
            into[c] = 0
        if best == own:
            continue
        moves += 1
        labels[i] = best
        in_none = left if own == _NONE else in_none + (size if best == _NONE else 0.0)
        for c, change in ((own, -1.0), (best, 1.0)):
            if c != _NONE:
                sizes[c] += change * size
                _change(i, c, change, pieces, strong, groups)
    return moves


@part
def _saved_by_code(others: float, size: float) -> float:
    """What the code for all labels saves if this many nodes have the label of as many others."""
    return math.lgamma(others + size + 1) - math.lgamma(others + 1)


@part
def _value(i: int, c: int, own: int, links: float, pieces: Any, strong: Any, groups: Any) -> float:
    """By how much the description is shorter with a piece in a group that it has these links with than without it."""
    firsts, kinds, numbers, inside, sizes_of = pieces
    p, w, more = strong
    _, sizes, costs = groups
    across = both = itself = 0.0
    for x in range(firsts[i], firsts[i + 1]):
        b = kinds[x]
        across += numbers[x] * costs[c, b]
        own_class = added(p[b, b], more[c])
        itself += numbers[x] * own_class
        both += numbers[x] ** 2 * own_class
        for y in range(firsts[i], x):
            both += 2 * numbers[x] * numbers[y] * added(p[b, kinds[y]], more[c])
    others = sizes[c]
    if c == own:  # the costs of one more node then count the piece's own nodes as well
        across -= both
        others -= sizes_of[i]
    return float(w[c] * (links + inside[i]) - across - (both - itself) / 2 + _saved_by_code(others, sizes_of[i]))


@part
def _change(i: int, c: int, change: float, pieces: Any, strong: Any, groups: Any) -> None:
    """Add a piece to a group, or take it away."""
    firsts, kinds, numbers, _, _ = pieces
    p, _, more = strong
    H, _, costs = groups
    for x in range(firsts[i], firsts[i + 1]):
        b = kinds[x]
        H[c, b] += change * numbers[x]
        for d in range(len(p)):
            costs[c, d] += change * numbers[x] * added(p[b, d], more[c])

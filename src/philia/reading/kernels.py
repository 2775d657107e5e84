"""The compiled loops of description lengths: strengths of groups, costs of nodes, and moves between groups.

Nodes come in classes of equal popularity, so a group is a histogram over classes and no loop runs over pairs of nodes.
``H`` (k × classes) counts the members of each group by class, ``a`` holds the popularity of each class, ``s`` the
level, ``w`` the strength of each group, ``p`` (classes × classes) the ``chances`` of links outside groups: with them a
pair takes one logarithm, or none. numba is loaded with this file, so callers import it only when they need it.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np

from philia._compilation import announced, compiled, inlined, part

_LONGEST_STEP = 2.0
"""The longest Newton step of a strength: beyond it the sums are too far from the parabola that the step assumes."""

_TOLERANCE = 1e-6
"""Newton steps shorter than this no longer change a description length by a thousandth of a nat."""

_NONE = -1
"""The label of a node in no group."""

_TIE = 1e-9
"""A move must gain more than rounding."""


@cache
def prepare() -> None:
    """Compile the loops, or load them from the cache."""
    with announced("compiling the search for communities"):
        one, starts = np.ones(1), np.array([0, 1, 2])
        H, w = np.full((1, 1), 2.0), np.ones(1)
        fit_strengths(H, np.zeros(1), np.zeros(1), np.ones((1, 1)), 1.0, 0.0, w, 0.05)
        strengths(H, np.zeros(1), np.zeros(1), 0.0, 0.05)
        group_costs(H, np.zeros(1), 0.0, w)
        neighbours, classes = np.array([1, 0]), np.zeros(2, np.int64)
        move((starts, neighbours), classes, np.zeros(1), 0.0, np.zeros(2, np.int64), w, (H, one * 2, one[:, None]),
             np.arange(2), 1.0)  # fmt: skip


@compiled
def chances(a: Any, s: float) -> Any:
    """The probability of a link between nodes of two classes that have no group in common (classes × classes)."""
    p = np.empty((len(a), len(a)))
    for b in range(len(a)):
        for d in range(b, len(a)):
            p[b, d] = p[d, b] = 1.0 / (1.0 + math.exp(-(a[b] + a[d] + s)))
    return p


@inlined
def added(p: float, more: float) -> float:
    """What a strength w adds to the log-normalizer of a pair that is linked with probability p; ``more`` is e^w - 1."""
    return float(math.log1p(p * more))


@inlined
def _softplus(x: float) -> float:
    """log(1 + e^x)."""
    return float(x) if x > 30.0 else math.log1p(math.exp(x))


@inlined
def _pairs(h: Any, b: int, d: int) -> float:
    """The number of pairs inside a group with one end in class b and the other in class d."""
    return float(h[b] * (h[b] - 1) / 2 if b == d else h[b] * h[d])


@part
def _cost(h: Any, p: Any, w: float) -> float:
    """What the strength of a group adds to the log-normalizers of its pairs."""
    cost, more = 0.0, math.expm1(w)
    for b in range(len(p)):
        if h[b] != 0:
            for d in range(b, len(p)):
                if h[d] != 0:
                    cost += _pairs(h, b, d) * added(p[b, d], more)
    return cost


@part
def _slopes(h: Any, p: Any, w: float) -> tuple[float, float]:
    """Sums over the pairs of a group: their probability, and its slope."""
    p_sum, slope, more = 0.0, 0.0, math.expm1(w)
    for b in range(len(p)):
        if h[b] != 0:
            row, expected, varying = p[b], 0.0, 0.0
            for d in range(b + 1, len(p)):
                q = (row[d] + row[d] * more) / (1 + row[d] * more)
                expected += h[d] * q
                varying += h[d] * q * (1 - q)
            q = (row[b] + row[b] * more) / (1 + row[b] * more)
            p_sum += h[b] * (expected + (h[b] - 1) / 2 * q)
            slope += h[b] * (varying + (h[b] - 1) / 2 * q * (1 - q))
    return p_sum, slope


@part
def _strength(h: Any, p: Any, links: float, ridge: float, w: float, steps: float, tolerance: float) -> Any:
    """The strength of a group that makes its links likeliest, and the cost of the group with it."""
    for _ in range(int(steps)):
        p_sum, slope = _slopes(h, p, w)
        step = (p_sum - links + 2 * ridge * w) / (slope + 2 * ridge)
        step = min(max(step, -_LONGEST_STEP), _LONGEST_STEP)
        w = max(0.0, w - step)
        if abs(step) < tolerance or (w == 0.0 and step > 0):
            break
    return w, _cost(h, p, w) - w * links + ridge * w * w


@compiled
def merged(H: Any, c: int, d: int, links: float, p: Any, w: float, ridge: float) -> Any:
    """The strength and the cost of groups c and d as one group with this many links inside.

    A hundredth is close enough: the cost is flat at its minimum.
    """
    h = np.empty(len(p))
    for b in range(len(p)):
        h[b] = H[c, b] + H[d, b]
    return _strength(h, p, links, ridge, w, 12.0, 0.01)


@compiled
def strengths(H: Any, links: Any, a: Any, s: float, ridge: float) -> Any:
    """The strength of each group, as if there were no other, with this many links inside."""
    w, p = np.empty(len(links)), chances(a, s)
    for c in range(len(links)):
        w[c] = _strength(H[c], p, links[c], ridge, 2.0, 60.0, _TOLERANCE)[0]
    return w


@compiled
def fit_strengths(H: Any, links: Any, a: Any, pairs: Any, m: float, s: float, w: Any, ridge: float) -> Any:
    """The level and all strengths that make the m links likeliest together; the cost of the level and of each group.

    Each strength meets the level and no other strength, so a Newton step is solved by eliminating the strengths.
    ``pairs`` (classes × classes) counts the pairs of nodes, half of them in each triangle. ``w`` is changed.
    """
    k, slopes, gradients = len(w), np.zeros(len(w)), np.zeros(len(w))
    for _ in range(60):
        g, h, p = -m, 1e-9, chances(a, s)
        for b in range(len(a)):
            for d in range(len(a)):
                g += pairs[b, d] * p[b, d]
                h += pairs[b, d] * p[b, d] * (1 - p[b, d])
        for c in range(k):
            p_sum, slope = _slopes(H[c], p, w[c])
            p_before, slope_before = _slopes(H[c], p, 0.0)
            g += p_sum - p_before
            h += slope - slope_before
            gradients[c], slopes[c] = p_sum - links[c] + 2 * ridge * w[c], slope
        for c in range(k):
            if w[c] > 0 or gradients[c] < 0:
                g -= slopes[c] * gradients[c] / (slopes[c] + 2 * ridge)
                h -= slopes[c] * slopes[c] / (slopes[c] + 2 * ridge)
        level_step = min(max(g / max(h, 1e-6), -1.0), 1.0)
        largest = abs(level_step)
        for c in range(k):
            if w[c] > 0 or gradients[c] < 0:
                step = (gradients[c] - slopes[c] * level_step) / (slopes[c] + 2 * ridge)
                after = max(0.0, w[c] - min(max(step, -_LONGEST_STEP), _LONGEST_STEP))
                largest = max(largest, abs(after - w[c]))
                w[c] = after
        s -= level_step
        if largest < _TOLERANCE:
            break
    level_cost, p = -s * m, chances(a, s)
    for b in range(len(a)):
        for d in range(len(a)):
            level_cost += pairs[b, d] * _softplus(a[b] + a[d] + s)
    costs = np.zeros(k)
    for c in range(k):
        costs[c] = _cost(H[c], p, w[c]) - w[c] * links[c] + ridge * w[c] * w[c]
    return s, level_cost, costs


@compiled
def group_costs(H: Any, a: Any, s: float, w: Any) -> Any:
    """The cost of one more node of each class in each group (k × classes), before its links are counted."""
    costs, p = np.zeros(H.shape), chances(a, s)
    for c in range(len(w)):
        more = math.expm1(w[c])
        for d in range(len(a)):
            if H[c, d] != 0:
                for b in range(len(a)):
                    costs[c, b] += H[c, d] * added(p[d, b], more)
    return costs


@compiled
def move(rows: Any, classes: Any, a: Any, s: float, labels: Any, w: Any, groups: Any, order: Any, coded: float) -> int:
    """Move each node, in this order, to where it costs least; the number of moves.

    ``rows`` is the graph in compressed rows. ``groups`` holds the histograms H, the sizes and the costs of one more
    node; they and ``labels`` are changed. A node may go to the group of a neighbour or to none. ``coded`` is 1 if
    labels are paid for: joining a group of size m then saves log(m + 1) of the code for all labels.
    """
    starts, neighbours = rows
    H, sizes, costs = groups
    links, touched, moves = np.zeros(len(w)), np.zeros(len(w), np.int64), 0
    in_none, p, more = 0, chances(a, s), np.expm1(w)
    for own in labels:
        in_none += own == _NONE
    for i in order:
        b, own, count = classes[i], labels[i], 0
        for t in range(starts[i], starts[i + 1]):
            c = labels[neighbours[t]]
            if c != _NONE:
                if links[c] == 0:
                    touched[count] = c
                    count += 1
                links[c] += 1
        best = own
        if own == _NONE:
            value = coded * math.log(in_none)
        else:
            itself = added(p[b, b], more[own])
            value = w[own] * links[own] - (costs[own, b] - itself) + coded * math.log(sizes[own])
            outside = coded * math.log(in_none + 1.0)
            if outside > value + _TIE:
                best, value = _NONE, outside
        for t in range(count):
            c = touched[t]
            if c != own:
                joined = w[c] * links[c] - costs[c, b] + coded * math.log(sizes[c] + 1.0)
                if joined > value + _TIE:
                    best, value = c, joined
            links[c] = 0
        if best == own:
            continue
        moves += 1
        labels[i] = best
        for c, change in ((own, -1.0), (best, 1.0)):
            if c == _NONE:
                in_none += int(change)
                continue
            sizes[c] += change
            H[c, b] += change
            for d in range(len(a)):
                costs[c, d] += change * added(p[b, d], more[c])
    return moves

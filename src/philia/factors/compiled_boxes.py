"""Compiled loops over boxes of nodes: building boxes, sampling pairs, and finding the largest scores.

Arrays in, arrays out. ``sides`` are left and right, with scores = left · rightᵀ. ``boxes`` is a binary tree: the order
of the nodes; for each box the start and end of its nodes in that order, the first of its two children (the second
follows; -1 for none), its earliest row, and its extents, the minimum and maximum of each column of left and of right.

This is a separate file because it imports numba, which is slow; ``boxes.py`` imports it when it is needed.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from philia._compilation import announced, compiled, specialized

_ENOUGH = 4.0  # with fewer expected draws than this, splitting two boxes costs more than drawing from them
_TIGHT = 1.5  # ratio of the largest to the smallest chance below which splitting boxes gains little
_DENSE = 0.2  # from this chance on, every pair is examined: skipping would save nothing
_ROUNDING = 2.0**-51  # relative rounding error of a sum, per term
_SHIFT = 2**26  # a call returns after examining this many pairs, so that progress can be reported
_EQUAL = 1e-12  # scores that differ by less are ties, which go to the earlier rows

_HEIGHT, _A, _B, _TRIAL, _END, _ALL, _LOOKED = range(7)


@cache
def drawing(expected: Callable[[Any], Any]) -> Callable[..., int]:
    """:func:`draw`, compiled with this formula or loaded from the cache."""
    chance = specialized(_chance, _expected=expected)
    next_boxes = specialized(_next_boxes, _chance=chance)
    next_stretch = specialized(_next_stretch, _chance=chance, _next_boxes=next_boxes)
    specific = specialized(draw, _chance=chance, _next_stretch=next_stretch)
    with announced("compiling the loops that draw links"):
        side = np.ones((3, 1))
        found = np.empty(4, np.int64), np.empty(4, np.int64), np.empty(4), np.empty(4)
        specific(grow(side, side, 2), (side, side), begun(1.0), np.ones(4), found)
    return specific


@compiled
def grow(left: Any, right: Any, leaf: int) -> tuple[Any, Any, Any, Any, Any, Any]:
    """A tree of boxes of nodes with similar rows, split until each has at most ``leaf`` nodes.

    A box is split in the column in which it is widest, weighted by the effect of that column on a typical score.
    """
    n, width = left.shape
    room = 4 * n // leaf + 3
    order, starts, ends = np.arange(n), np.zeros(room, np.int64), np.zeros(room, np.int64)
    child, first, extents = np.full(room, -1), np.zeros(room, np.int64), np.zeros((room, 4, width))
    weight_left, weight_right = _sizes(right), _sizes(left)
    ends[0], count, open_boxes = n, 1, [0]
    while open_boxes:
        box = open_boxes.pop()  # depth first, so that the parts of a box are close together in memory
        start, end, extent = starts[box], ends[box], extents[box]
        rows = order[start:end]
        first[box] = rows.min()
        _measure(left, rows, extent[0], extent[1])
        _measure(right, rows, extent[2], extent[3])
        if rows.size <= leaf:
            continue
        widest, column, of_left = 0.0, 0, True
        for c in range(width):
            on_left = (extent[1, c] - extent[0, c]) * weight_left[c]
            on_right = (extent[3, c] - extent[2, c]) * weight_right[c]
            if max(on_left, on_right) > widest:
                widest, column, of_left = max(on_left, on_right), c, on_left >= on_right
        middle = start + rows.size // 2
        if widest > 0:
            middle = start + _part(left if of_left else right, column, rows, leaf // 2)
        child[box] = count
        starts[count], ends[count], starts[count + 1], ends[count + 1] = start, middle, middle, end
        open_boxes.append(count + 1)
        open_boxes.append(count)
        count += 2
    return order, starts[:count], ends[:count], child[:count], first[:count], extents[:count].copy()


@compiled
def _sizes(side: Any) -> Any:
    """The root mean square of each column."""
    n, width = side.shape
    total = np.zeros(width)
    for i in range(n):
        for c in range(width):
            total[c] += side[i, c] ** 2
    return np.sqrt(total / max(n, 1))


@compiled
def _measure(side: Any, rows: Any, low: Any, high: Any) -> None:
    low[:], high[:] = side[rows[0]], side[rows[0]]
    for row in rows[1:]:
        for c in range(low.size):
            value = side[row, c]
            low[c] = value if value < low[c] else low[c]
            high[c] = value if value > high[c] else high[c]


@compiled
def _part(side: Any, column: int, rows: Any, least: Any) -> Any:
    """Move the rows below the column's mean to the front, keeping their order, and return their number.

    The mean, not the median, separates members from the many nodes at zero. Each part gets at least 1/32 of the rows,
    which bounds the depth of the tree.
    """
    values = np.empty(rows.size)
    for at in range(rows.size):
        values[at] = side[rows[at], column]
    least = max(least, rows.size // 32)
    cut = values.mean()
    below = np.sum(values < cut)
    wanted = min(max(below, least), rows.size - least)
    if wanted != below:
        cut = np.partition(values, wanted)[wanted]
        below = np.sum(values < cut)
    equals = wanted - below  # number of rows equal to the cut that go to the front
    old, low, high = rows.copy(), 0, wanted
    for at in range(old.size):
        if values[at] == cut and equals > 0:
            equals -= 1
            rows[low] = old[at]
            low += 1
        elif values[at] < cut:
            rows[low] = old[at]
            low += 1
        else:
            rows[high] = old[at]
            high += 1
    return wanted


@compiled
def _bounds(low: Any, high: Any, other: Any) -> tuple[float, float]:
    """Bounds on the scores of left rows between low and high and right rows of another box, including rounding."""
    lower, upper, size = 0.0, 0.0, 0.0
    for c in range(low.size):
        one, two = low[c] * other[2, c], low[c] * other[3, c]
        three, four = high[c] * other[2, c], high[c] * other[3, c]
        most, least = max(max(one, two), max(three, four)), min(min(one, two), min(three, four))
        upper += most
        lower += least
        size += max(abs(most), abs(least))
    slack = _ROUNDING * (low.size + 4) * size
    return lower - slack, upper + slack


@compiled
def _score_of(one: Any, other: Any) -> float:
    """The score of a left and a right row."""
    total = 0.0
    for c in range(one.size):
        total += one[c] * other[c]
    return total


def _expected(score: float) -> float:
    """Placeholder for the predicted entry of the adjacency matrix, which :func:`drawing` replaces."""
    return score


def _chance(score: float) -> Any:
    """The probability of a link: nondecreasing in the score."""
    return min(max(_expected(score), 0.0), 1.0)


def begun(wait: float) -> tuple[Any, Any, Any]:
    """The initial state of a walk over all pairs of boxes.

    A stack of pairs of boxes, beginning with the root and itself; its height, the current two boxes, and among their
    pairs the next one, the end of those with the same chance, and the end of all; the number of pairs examined; then
    the wait until the next draw, and the current chance.
    """
    return np.zeros((4096, 2), np.int64), np.array([1, 0, 0, 0, 0, 0, 0]), np.array([wait, 0.0])


def finished(walk: tuple[Any, Any, Any]) -> bool:
    """Whether a walk has visited all pairs of boxes."""
    at = walk[1]
    return bool(at[_HEIGHT] == 0 and at[_TRIAL] >= at[_ALL])


def looked_at(walk: tuple[Any, Any, Any]) -> int:
    """Number of pairs of nodes that a walk has examined, drawn or not."""
    return int(walk[1][_LOOKED])


def draw(boxes: Any, sides: Any, walk: Any, waits: Any, found: Any) -> int:
    """Draw pairs of nodes independently, each with a chance of at least its probability of a link.

    Rows, columns, scores and chances of the drawn pairs are written to ``found``, and their
    number is returned. Every draw uses one of the exponential times ``waits``; when they are used up the call returns,
    and the next call continues the walk, until it is :func:`finished`.

    Draws arrive at rate one on a clock. A trial lasts -log(1 - chance), so that a draw falls into it with this chance;
    the draw ends the trial, and the wait for the next draw starts again. Trials without a draw are skipped in one step.
    """
    order, starts, ends = boxes[0], boxes[1], boxes[2]
    (left, right), (_, at, clock), (rows, columns, scores, chances) = sides, walk, found
    filled, shift_ends = 0, at[_LOOKED] + _SHIFT
    while filled < waits.size and at[_LOOKED] < shift_ends:
        if at[_TRIAL] >= at[_END]:
            if not _next_stretch(boxes, left, walk):
                break
            continue
        chance = clock[1]
        if chance < _DENSE:
            lasting, trials = -np.log1p(-chance), at[_END] - at[_TRIAL]
            if clock[0] >= trials * lasting:
                clock[0] -= trials * lasting
                at[_TRIAL] = at[_END]
                continue
            at[_TRIAL] += min(int(clock[0] / lasting), trials - 1)
        size = ends[at[_B]] - starts[at[_B]]
        i, j = order[starts[at[_A]] + at[_TRIAL] // size], order[starts[at[_B]] + at[_TRIAL] % size]
        at[_TRIAL] += 1
        at[_LOOKED] += 1
        score = _score_of(left[i], right[j])
        if chance >= _DENSE:
            chance = _chance(score)
            lasting = -np.log1p(-chance) if chance < 1 else np.inf
            if clock[0] >= lasting:
                clock[0] -= lasting
                continue
        rows[filled], columns[filled], scores[filled], chances[filled] = min(i, j), max(i, j), score, chance
        clock[0] = waits[filled]
        filled += 1
    return filled


def _next_stretch(boxes: Any, left: Any, walk: Any) -> bool:
    """Advance to the next pairs with a common bound, of two boxes or of a row and a box; False at the end."""
    order, starts, ends = boxes[0], boxes[1], boxes[2]
    stack, at, clock = walk
    if at[_TRIAL] >= at[_ALL]:
        if not _next_boxes(boxes, stack, at, clock):
            return False
        if at[_END] == at[_ALL]:
            return True
    size = ends[at[_B]] - starts[at[_B]]
    row = at[_TRIAL] // size
    i = order[starts[at[_A]] + row]
    clock[1] = _chance(_bounds(left[i], left[i], boxes[5][at[_B]])[1])
    at[_END] = (row + 1) * size
    if at[_A] == at[_B]:  # every pair once, and no node with itself
        at[_TRIAL] += row + 1
    return True


def _next_boxes(boxes: Any, stack: Any, at: Any, clock: Any) -> bool:
    """Split pairs of boxes until one is small or tight enough to draw from; False if there is none left."""
    starts, ends, child = boxes[1], boxes[2], boxes[3]
    while at[_HEIGHT] > 0:
        at[_HEIGHT] -= 1
        a, b = stack[at[_HEIGHT], 0], stack[at[_HEIGHT], 1]
        pairs = (ends[a] - starts[a]) * (ends[b] - starts[b])
        lower, upper = _bounds(boxes[5][a, 0], boxes[5][a, 1], boxes[5][b])
        chance = _chance(upper)
        loose = chance * pairs > _ENOUGH and chance > _TIGHT * _chance(lower)
        if loose and (child[a] >= 0 or child[b] >= 0):
            at[_HEIGHT] += _cut(starts, ends, child, a, b, stack[at[_HEIGHT] :])
        elif chance > 0:
            at[_A], at[_B], at[_TRIAL], at[_ALL], clock[1] = a, b, 0, pairs, chance
            at[_END] = 0 if loose or a == b else pairs  # 0: row by row
            return True
    return False


@compiled
def _cut(starts: Any, ends: Any, child: Any, a: int, b: int, parts: Any) -> int:
    """Write the parts of a pair of boxes, whose larger box is split, and return their number."""
    if a == b:
        parts[0, 0], parts[0, 1] = child[a], child[a]
        parts[1, 0], parts[1, 1] = child[a], child[a] + 1
        parts[2, 0], parts[2, 1] = child[a] + 1, child[a] + 1
        return 3
    if child[b] < 0 or (child[a] >= 0 and ends[a] - starts[a] >= ends[b] - starts[b]):
        parts[0, 0], parts[0, 1] = child[a], b
        parts[1, 0], parts[1, 1] = child[a] + 1, b
    else:
        parts[0, 0], parts[0, 1] = a, child[b]
        parts[1, 0], parts[1, 1] = a, child[b] + 1
    return 2


@cache
def prepare_search() -> None:
    """Compile :func:`largest` before it is used, or load it from the cache."""
    with announced("compiling the search for the largest scores"):
        side = np.ones((3, 1))
        largest(grow(side, side, 2), (side, side), (np.zeros(4, np.int64), np.zeros(0, np.int32)), 1, (5, 10))


@compiled
def largest(boxes: Any, sides: Any, links: Any, count: int, patience: Any) -> tuple[Any, Any, Any, float]:
    """The rows, columns and scores of the ``count`` largest scores of pairs that are not linked, in no order.

    Links are given in compressed rows. The search opens the pair of boxes with the highest bound first, and so finds
    scores that are hard to beat early. This needs a queue of all unopened pairs, so after ``patience[0]`` pairs of
    boxes the rest is searched depth first, and after ``patience[1]`` the search stops. The last value returned is an
    upper bound on all other scores, minus infinity if the search was complete.
    """
    starts, ends, child, first = boxes[1], boxes[2], boxes[3], boxes[4]
    parts, opened, beyond = np.zeros((4096, 2), np.int64), 0, -np.inf
    best = [(0.0, 0, 0)]
    best.clear()
    ahead = [(-np.inf, 0, 0, 0, 0)]
    while ahead:
        most, row, column, a, b = heapq.heappop(ahead)
        if _cannot_win(-most, row, column, best, count):
            continue
        if opened >= patience[1]:
            beyond = -most
            break
        if opened >= patience[0]:
            opened += _search_within(boxes, sides, links, a, b, count, best, parts)
            continue
        opened += 1
        if child[a] < 0 and child[b] < 0:
            _collect(boxes, sides, links, a, b, count, best)
            continue
        for at in range(_cut(starts, ends, child, a, b, parts)):
            one, two = parts[at, 0], parts[at, 1]
            _, upper = _bounds(boxes[5][one, 0], boxes[5][one, 1], boxes[5][two])
            low, high = min(first[one], first[two]), max(first[one], first[two])
            if not _cannot_win(upper, low, high, best, count):
                heapq.heappush(ahead, (-upper, low, high, one, two))
    scores = np.array([entry[0] for entry in best])
    rows, columns = np.array([-entry[1] for entry in best]), np.array([-entry[2] for entry in best])
    return rows, columns, scores, beyond


@compiled
def _cannot_win(upper: float, row: int, column: int, best: Any, count: int) -> bool:
    """Whether no score up to ``upper``, of pairs from (row, column) on, can still be among the best."""
    if len(best) < count:
        return False
    worst, last_row, last_column = best[0]
    if upper < worst:
        return True
    equal = upper <= worst + _EQUAL * max(1.0, abs(worst))
    return bool(equal and (-row, -column) < (last_row, last_column))


@compiled
def _search_within(boxes: Any, sides: Any, links: Any, a: int, b: int, count: int, best: Any, stack: Any) -> int:
    """Search the pairs of two boxes depth first where bounds allow, and return the number of pairs of boxes visited."""
    starts, ends, child, first = boxes[1], boxes[2], boxes[3], boxes[4]
    stack[0, 0], stack[0, 1] = a, b
    height, opened = 1, 0
    while height > 0:
        height -= 1
        opened += 1
        a, b = stack[height, 0], stack[height, 1]
        _, upper = _bounds(boxes[5][a, 0], boxes[5][a, 1], boxes[5][b])
        if _cannot_win(upper, min(first[a], first[b]), max(first[a], first[b]), best, count):
            continue
        if child[a] < 0 and child[b] < 0:
            _collect(boxes, sides, links, a, b, count, best)
        else:
            height += _cut(starts, ends, child, a, b, stack[height:])
    return opened


@compiled
def _collect(boxes: Any, sides: Any, links: Any, a: int, b: int, count: int, best: Any) -> None:
    """Push the unlinked pairs of two boxes onto the heap of the best, as (score, -row, -column)."""
    order, starts, ends, first = boxes[0], boxes[1], boxes[2], boxes[4]
    (left, right), (begins, neighbours) = sides, links
    for place in range(starts[a], ends[a]):
        one = order[place]
        _, upper = _bounds(left[one], left[one], boxes[5][b])
        if _cannot_win(upper, min(one, first[b]), max(one, first[b]), best, count):
            continue
        for other in range(place + 1 if a == b else starts[b], ends[b]):
            i, j = min(one, order[other]), max(one, order[other])
            entry = (_score_of(left[i], right[j]), -i, -j)
            if len(best) == count and entry <= best[0]:
                continue
            known = neighbours[begins[i] : begins[i + 1]]
            at = np.searchsorted(known, j)
            if at < known.size and known[at] == j:
                continue
            if len(best) < count:
                heapq.heappush(best, entry)
            else:
                heapq.heapreplace(best, entry)

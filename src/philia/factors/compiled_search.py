"""The compiled search for the largest scores: pairs of boxes whose bounds are too low are never opened.

``boxes`` and ``sides`` are those of the file of the boxes. numba is loaded with this file, so whoever needs it imports
it when it is needed.
"""

from __future__ import annotations

import heapq
from functools import cache
from typing import Any

import numpy as np

from philia._compilation import announced, compiled
from philia.factors.compiled import bounds, cut, grow, score_of

_EQUAL = 1e-12  # scores that differ by less are equal to the search, and the earlier rows win


@cache
def prepare_search() -> None:
    """Compile :func:`largest` and all that it calls before they are used, or find them in the cache."""
    with announced("compiling the search for the largest scores"):
        side = np.ones((3, 1))
        largest(grow(side, side, 2), (side, side), (np.zeros(4, np.int64), np.zeros(0, np.int32)), 1, (5, 10))


@compiled
def largest(boxes: Any, sides: Any, links: Any, count: int, patience: Any) -> tuple[Any, Any, Any, float]:
    """The rows, columns and scores of the ``count`` largest scores of pairs that are not linked, in no order.

    Links are given in compressed rows. First the pair of boxes with the highest bound is opened, again and again, which
    soon finds scores that are hard to beat. That needs a queue of all that was not opened, so what is left is then gone
    through in depth. ``patience`` says after how many pairs of boxes that begins, and after how many the search ends;
    the last value returned is what no score beyond those found exceeds, minus infinity where none is left.
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
        for at in range(cut(starts, ends, child, a, b, parts)):
            one, two = parts[at, 0], parts[at, 1]
            _, upper = bounds(boxes[5][one, 0], boxes[5][one, 1], boxes[5][two])
            low, high = min(first[one], first[two]), max(first[one], first[two])
            if not _cannot_win(upper, low, high, best, count):
                heapq.heappush(ahead, (-upper, low, high, one, two))
    scores = np.array([entry[0] for entry in best])
    rows, columns = np.array([-entry[1] for entry in best]), np.array([-entry[2] for entry in best])
    return rows, columns, scores, beyond


@compiled
def _cannot_win(upper: float, row: int, column: int, best: Any, count: int) -> bool:
    """Whether no score up to ``upper``, of pairs from (row, column) on, gets among the best any more."""
    if len(best) < count:
        return False
    worst, last_row, last_column = best[0]
    if upper < worst:
        return True
    equal = upper <= worst + _EQUAL * max(1.0, abs(worst))
    return bool(equal and (-row, -column) < (last_row, last_column))


@compiled
def _search_within(boxes: Any, sides: Any, links: Any, a: int, b: int, count: int, best: Any, stack: Any) -> int:
    """Go through the pairs of two boxes in depth, where bounds allow for one of the best; how many were seen?"""
    starts, ends, child, first = boxes[1], boxes[2], boxes[3], boxes[4]
    stack[0, 0], stack[0, 1] = a, b
    height, opened = 1, 0
    while height > 0:
        height -= 1
        opened += 1
        a, b = stack[height, 0], stack[height, 1]
        _, upper = bounds(boxes[5][a, 0], boxes[5][a, 1], boxes[5][b])
        if _cannot_win(upper, min(first[a], first[b]), max(first[a], first[b]), best, count):
            continue
        if child[a] < 0 and child[b] < 0:
            _collect(boxes, sides, links, a, b, count, best)
        else:
            height += cut(starts, ends, child, a, b, stack[height:])
    return opened


@compiled
def _collect(boxes: Any, sides: Any, links: Any, a: int, b: int, count: int, best: Any) -> None:
    """Put the pairs of two boxes that are not linked on the heap of the best, as (score, -row, -column)."""
    order, starts, ends, first = boxes[0], boxes[1], boxes[2], boxes[4]
    (left, right), (begins, neighbours) = sides, links
    for place in range(starts[a], ends[a]):
        one = order[place]
        _, upper = bounds(left[one], left[one], boxes[5][b])
        if _cannot_win(upper, min(one, first[b]), max(one, first[b]), best, count):
            continue
        for other in range(place + 1 if a == b else starts[b], ends[b]):
            i, j = min(one, order[other]), max(one, order[other])
            entry = (score_of(left[i], right[j]), -i, -j)
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

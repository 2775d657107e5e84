"""The loops behind the sampled objective: some rows against the columns that were drawn, and the rows' own links.

Columns that were drawn lie anywhere and rows of a block beside each other, so scores are held the other way round, one
drawn column a row of the tile: then a weight belongs to a whole row of it, and one logarithm still serves many entries.

The losses are those of ``compiled``, whose loops are called from here.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np

from philia._compilation import announced, compiled
from philia.objective.kernels.compiled import _hide, _link_correction, _without_link
from philia.objective.losses import LOSSES
from philia.objective.omitted import Omitted

_TILE = 256
"""How many drawn columns are scored at a time: with as many rows, a tile that a core's own cache holds."""


@compiled
def drawn_pairs(
    mine: Any,
    top: int,
    theirs: Any,
    columns: Any,
    weights: Any,
    code: int,
    neutral: float,
    omits: bool,
    diagonal: bool,
    keys: Any,
    threshold: Any,
    indptr: Any,
    indices: Any,
    pulled: Any,
) -> float:
    """What pairs of the rows from ``top`` on with drawn columns cost without links; pulls are added to ``pulled``.

    A pair (i, t) has the score mine[i] · theirs[t], stands for weights[t] pairs, and pulls row i along theirs[t].
    """
    b, k = mine.shape
    room, product = np.empty(_TILE * b, mine.dtype), np.empty((b, k), mine.dtype)
    total = 0.0
    for first in range(0, columns.size, _TILE):
        end = min(first + _TILE, columns.size)
        part = theirs[first:end]
        scores = room[: (end - first) * b].reshape(end - first, b)
        np.dot(part, mine.T, scores)
        for t in range(end - first):
            if omits:
                node = columns[first + t]
                _hide(scores[t : t + 1], node, top, neutral, diagonal, keys, threshold, indptr, indices)
            total += weights[first + t] * _without_link(scores[t : t + 1], code)
            weight, row = mine.dtype.type(weights[first + t]), scores[t]
            for i in range(b):
                row[i] *= weight
        np.dot(scores.T, part, product)
        pulled += product
    return total


@compiled
def _pair_without_link(s: float, code: int) -> tuple[float, float]:
    if code == 0:
        e = math.exp(-abs(s))
        return max(s, 0.0) + math.log1p(e), 1.0 / (1.0 + e) if s >= 0 else e / (1.0 + e)
    if code == 1:
        return s * s, 2.0 * s
    return max(s, 0.0), 1.0 if s >= 0 else 0.0


@compiled
def linked_pairs(
    mine: Any, top: int, F: Any, indptr: Any, indices: Any, link_weights: Any, code: int, pulled: Any
) -> float:
    """What the links of the rows from ``top`` on add to the costs above; pulls are added to ``pulled``.

    A link of weight w counts w times with its link, and once without it has been counted already.
    """
    total = 0.0
    for i in range(mine.shape[0]):
        own, pull = mine[i], pulled[i]
        begin, end = indptr[top + i], indptr[top + i + 1]
        if code == 0 and not link_weights.size:  # every link pulls alike, so the scores need not be known one by one
            together = np.zeros(own.size, mine.dtype)
            for t in range(begin, end):
                theirs = F[indices[t]]
                for c in range(own.size):
                    together[c] += theirs[c]
            s = mine.dtype.type(0)
            for c in range(own.size):
                s += own[c] * together[c]
                pull[c] -= together[c]
            total -= s
            continue
        for t in range(begin, end):
            theirs = F[indices[t]]
            s = mine.dtype.type(0)
            for c in range(own.size):
                s += own[c] * theirs[c]
            cost, slope = _link_correction(np.float64(s), code)
            if link_weights.size:
                weight = link_weights[t]
                without, slope_without = _pair_without_link(np.float64(s), code)
                cost, slope = weight * cost + (weight - 1) * without, weight * slope + (weight - 1) * slope_without
            total += cost
            step = mine.dtype.type(slope)
            for c in range(own.size):
                pull[c] += step * theirs[c]
    return total


@cache
def prepare(dtype: str) -> None:
    """Compile for a precision, or fetch it from the cache, before the first block asks for it."""
    F, o = np.zeros((2, 1), dtype), Omitted.of(None, diagonal=False, n=2)
    columns, weights, loss = np.array([0]), np.ones(1), LOSSES[0]
    where = (o.diagonal, o.keys, o.threshold, o.indptr, o.indices)
    indptr, indices = np.zeros(3, np.int32), np.empty(0, np.int32)
    with announced("compiling the sampled evaluation"):
        drawn_pairs(F, 0, F[:1], columns, weights, loss.code, loss.neutral, bool(o), *where, np.zeros_like(F))
        linked_pairs(F, 0, F, indptr, indices, np.empty(0), loss.code, np.zeros_like(F))

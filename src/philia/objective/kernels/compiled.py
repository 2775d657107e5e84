"""The fast twin of ``reference``: tiles through BLAS, entries through vectorised loops, compiled by numba.

Loops run over whole slices from zero: an index that might be negative keeps LLVM from vectorising.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

import numba
import numpy as np
from numba.extending import overload
from scipy import sparse

from philia._compilation import FAST_LOOPS, announced, compiled
from philia._types import FloatArray
from philia.objective.kernels.kernel import LaneSums
from philia.objective.lanes import Lane
from philia.objective.losses import LEAST, LOSSES, Loss
from philia.objective.omitted import Omitted


def _decaying_exp(x: float) -> float:
    """e^x for x <= 0."""
    return math.exp(x)


@overload(_decaying_exp, inline="always", jit_options=FAST_LOOPS)
def _decaying_exp_by_type(x: Any) -> Callable[[Any], Any]:
    # e^x = 2^m e^r with m integer and |r| <= ln(2)/2: a polynomial for e^r, and 2^m by writing m into the exponent's
    # bits. Adding 1.5 times 2^(mantissa bits) leaves m in the lowest bits of the sum, so no conversion to integer is
    # needed.
    if x == numba.float32:

        def single(x: Any) -> Any:
            x = max(x, np.float32(-87.0))
            m = np.floor(x * np.float32(1.4426950408889634) + np.float32(0.5))
            r = x - m * np.float32(0.693359375) + m * np.float32(2.12194440e-4)
            p = np.float32(1 / 720)
            for c in (1 / 120, 1 / 24, 1 / 6, 1 / 2, 1.0, 1.0):
                p = p * r + np.float32(c)
            bits = np.float32(m + np.float32(12582912.0)).view(np.int32)
            return p * np.int32((bits + np.int32(127)) << np.int32(23)).view(np.float32)

        return single

    def double(x: Any) -> Any:
        x = max(x, -708.0)
        m = np.floor(x * 1.4426950408889634 + 0.5)
        r = x - m * 0.693145751953125 - m * 1.4286068203094172e-06
        p = 1 / 479001600
        p = p * r + 1 / 39916800
        p = p * r + 1 / 3628800
        p = p * r + 1 / 362880
        p = p * r + 1 / 40320
        p = p * r + 1 / 5040
        p = p * r + 1 / 720
        p = p * r + 1 / 120
        p = p * r + 1 / 24
        p = p * r + 1 / 6
        p = p * r + 0.5
        p = p * r + 1.0
        p = p * r + 1.0
        bits = np.float64(m + 6755399441055744.0).view(np.int64)
        return p * np.int64((bits + 1023) << 52).view(np.float64)

    return double


@compiled
def _cross_entropy(row: Any, chunk: int) -> float:
    """The sum of log(1 + e^s) over a row; the scores give way to their slopes.

    log(1 + e^s) = max(s, 0) + log(1 + e^-|s|), and one logarithm serves 512 entries: the product of factors between 1
    and 2 stays finite, in single precision over chunks of 64 that are multiplied up in double.
    """
    total = 0.0
    one, zero = row.dtype.type(1), row.dtype.type(0)
    for begin in range(0, row.size, 512):
        factor = 1.0
        for start in range(begin, min(begin + 512, row.size), chunk):
            part = row[start : start + chunk]
            product, linear = one, zero
            for j in range(part.size):
                s = part[j]
                e = _decaying_exp(-abs(s))
                product *= one + e
                linear += max(s, zero)
                inverse = one / (one + e)
                part[j] = inverse if s >= zero else e * inverse
            factor *= np.float64(product)
            total += np.float64(linear)
        total += math.log(factor)
    return total


@compiled
def _squared_error(row: Any) -> float:
    """The sum of s² over a row; the scores give way to their slopes."""
    total = row.dtype.type(0)
    for j in range(row.size):
        s = row[j]
        total += s * s
        row[j] = s + s
    return np.float64(total)


@compiled
def _linear(row: Any) -> float:
    """The sum of the scores of a row that are not below zero; the scores give way to their slopes."""
    total = row.dtype.type(0)
    one, zero = row.dtype.type(1), row.dtype.type(0)
    for j in range(row.size):
        s = row[j]
        total += max(s, zero)
        row[j] = one if s >= zero else zero
    return np.float64(total)


@compiled
def _without_link(scores: Any, code: int) -> float:
    chunk = 512 if scores.itemsize == 8 else 64
    total = 0.0
    for i in range(scores.shape[0]):
        if code == 0:
            total += _cross_entropy(scores[i], chunk)
        elif code == 1:
            total += _squared_error(scores[i])
        else:
            total += _linear(scores[i])
    return total


@compiled
def _hide(
    scores: Any,
    top: int,
    first: int,
    neutral: float,
    diagonal: bool,
    keys: Any,
    threshold: Any,
    indptr: Any,
    indices: Any,
) -> None:
    """Set the omitted pairs of a tile to the neutral score."""
    rows, columns = scores.shape
    nothing = scores.dtype.type(neutral)
    for i in range(rows):
        row = scores[i]
        own = top + i - first  # where the diagonal crosses this row, if it does
        crosses = 0 <= own < columns
        kept = row[own] if crosses else nothing
        if threshold > 0:
            mine, theirs = keys[top + i], keys[first : first + columns]
            for j in range(columns):
                bits = np.uint32(mine ^ theirs[j])
                bits = np.uint32((bits ^ (bits >> np.uint32(16))) * np.uint32(0x85EBCA6B))
                bits = np.uint32((bits ^ (bits >> np.uint32(13))) * np.uint32(0xC2B2AE35))
                bits = np.uint32(bits ^ (bits >> np.uint32(16)))
                row[j] = nothing if bits < threshold else row[j]
        if crosses:
            row[own] = nothing if diagonal else kept
        if indices.size:
            listed = indices[indptr[top + i] : indptr[top + i + 1]]
            for t in range(np.searchsorted(listed, first), np.searchsorted(listed, first + columns)):
                row[listed[t] - first] = nothing


@compiled
def _link_correction(s: float, code: int) -> tuple[float, float]:
    if code == 0:
        return -s, -1.0
    if code == 1:
        return 1.0 - 2.0 * s, -2.0
    short = min(s - LEAST, 0.0)
    s = max(s, LEAST)
    if code == 2:
        linked = -math.expm1(-s)
        return -math.log(linked) - s - short / linked, -1.0 / linked
    return -math.log(s) - 1.0 - short / s, -1.0 / s


@compiled
def _links(
    left: Any,
    right: Any,
    top: int,
    begin: int,
    end: int,
    indptr: Any,
    indices: Any,
    weight: int,
    code: int,
    by_left: Any,
    by_right: Any,
) -> float:
    total = 0.0
    for i in range(begin, end):
        mine, pulled = left[i], by_left[i - top]
        for t in range(indptr[i], indptr[i + 1]):
            theirs, pulling = right[indices[t]], by_right[indices[t]]
            s = left.dtype.type(0)
            for c in range(mine.size):
                s += mine[c] * theirs[c]
            cost, slope = _link_correction(np.float64(s), code)
            total += weight * cost
            pull = left.dtype.type(weight * slope)
            for c in range(mine.size):
                pulled[c] += pull * theirs[c]
                pulling[c] += pull * mine[c]
    return total


@compiled
def _tiles(
    left: Any,
    right: Any,
    top: int,
    tiles: Any,
    code: int,
    neutral: float,
    omits: bool,
    diagonal: bool,
    keys: Any,
    threshold: Any,
    indptr: Any,
    indices: Any,
    by_left: Any,
    by_right: Any,
) -> float:
    k = left.shape[1]
    height, width = 0, 0
    for t in range(tiles.shape[0]):
        height, width = max(height, tiles[t, 1] - tiles[t, 0]), max(width, tiles[t, 3] - tiles[t, 2])
    room = np.empty(height * width, left.dtype)
    product = np.empty(max(height, width) * k, left.dtype)
    total = 0.0
    for t in range(tiles.shape[0]):
        r0, r1, c0, c1, weight = tiles[t]
        mine, theirs = left[r0:r1], right[c0:c1]
        scores = room[: (r1 - r0) * (c1 - c0)].reshape(r1 - r0, c1 - c0)
        np.dot(mine, theirs.T, scores)
        if omits:
            _hide(scores, r0, c0, neutral, diagonal, keys, threshold, indptr, indices)
        total += weight * _without_link(scores, code)
        w = left.dtype.type(weight)
        here = product[: (r1 - r0) * k].reshape(r1 - r0, k)
        np.dot(scores, theirs, here)
        by_left[r0 - top : r1 - top] += w * here
        there = product[: (c1 - c0) * k].reshape(c1 - c0, k)
        np.dot(scores.T, mine, there)
        by_right[c0:c1] += w * there
    return total


def lane_sums(
    left: FloatArray,
    right: FloatArray,
    lane: Lane,
    links: sparse.csr_array,
    link_weight: int,
    loss: Loss,
    omitted: Omitted,
) -> LaneSums:
    """What the lane's tiles cost without links, plus the correction at the links of its rows."""
    tiles, (begin, end) = lane.tiles, lane.link_rows
    top, bottom = int(tiles[:, 0].min(initial=begin)), int(tiles[:, 1].max(initial=end))
    by_left = np.zeros((bottom - top, left.shape[1]), left.dtype)
    by_right = np.zeros_like(right)
    o = omitted
    value = _tiles(
        left,
        right,
        top,
        tiles,
        loss.code,
        loss.neutral,
        bool(o),
        o.diagonal,
        o.keys,
        o.threshold,
        o.indptr,
        o.indices,
        by_left,
        by_right,
    )
    value += _links(
        left, right, top, begin, end, links.indptr, links.indices, link_weight, loss.code, by_left, by_right
    )
    return LaneSums(float(value), top, by_left, by_right)


@cache
def prepare(dtype: str) -> None:
    """Compile for a precision, or fetch it from the cache, before the first evaluation asks for it."""
    side = np.zeros((2, 1), dtype)
    lane = Lane(np.array([[0, 2, 0, 2, 1]]), (0, 2))
    with announced("compiling the fast evaluation"):
        lane_sums(
            side,
            side,
            lane,
            sparse.csr_array((2, 2), dtype=np.int8),
            1,
            LOSSES[0],
            Omitted.of(None, diagonal=False, n=2),
        )

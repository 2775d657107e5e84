"""The compiled kernel: the sums of ``reference``, with tiles through BLAS and vectorized loops through numba.

Kernels are written once and compiled for each loss: ``_non_link``, ``_link``, ``_row_costs`` and the constants beside
them are placeholders that ``_kernels_for`` replaces with those of a loss.

Loops run over whole slices from zero: an index that might be negative prevents LLVM from vectorizing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numba
import numpy as np
from numba.extending import overload
from scipy import sparse

from philia._compilation import FAST_LOOPS, announced, compiled, inlined, specialized, specialized_part
from philia._types import FloatArray
from philia.graphs import Graph, Nodes
from philia.objective.kernels.kernel import DrawnColumns, Lane, LaneSums, Omitted, RowSums
from philia.objective.losses import CrossEntropy, Loss, decaying_ratio

_TILE = 256
"""Sampled columns scored at a time: with as many rows, a tile fits in a core's cache."""

_non_link, _link = CrossEntropy.non_link, CrossEntropy.link
_NEUTRAL, _CANONICAL = CrossEntropy.neutral, CrossEntropy.canonical


_AS_WRITTEN = {**FAST_LOOPS, "fastmath": {"contract"}, "forceinline": True}
"""For formulas in which the order of sums matters: adding a large number and subtracting it again rounds."""


@overload(decaying_ratio, jit_options=_AS_WRITTEN)
def _decaying_ratio_by_type(x: Any) -> Callable[[Any], Any]:
    # e^x = 2^m e^r with m integer and |r| <= ln(2)/2, and e^r = (q + r) / (q - r) with q = r coth(r/2), which is even:
    # a short polynomial of r² (minimax) reaches the precision of the type, and whoever divides anyway needs no division
    # for it. Adding 1.5 times 2^(mantissa bits) leaves m in the lowest bits of the sum; with the exponent's bias added
    # as well, a shift makes them 2^m. Below -87 (-708) e^x would not be a normal number.
    if x == numba.float32:

        def single(x: Any) -> Any:
            x, shift = max(x, np.float32(-87.0)), np.float32(12582912.0 + 127.0)
            shifted = x * np.float32(1.4426950408889634) + shift
            r = x - (shifted - shift) * np.float32(0.6931471805599453)
            square = r * r
            q = np.float32(-0.0027659848436189593) * square + np.float32(0.16666617690572998)
            q = q * square + np.float32(2.0)
            power = np.int32(np.float32(shifted).view(np.int32) << np.int32(23)).view(np.float32)
            return (q + r) * power, q - r

        return single

    def double(x: Any) -> Any:
        x, shift = max(x, -708.0), 6755399441055744.0 + 1023.0
        shifted = x * 1.4426950408889634 + shift
        r = x - (shifted - shift) * 0.6931471805599453
        square = r * r
        q = 4.1360453047842485e-08 * square - 1.6533837098093036e-06
        q = q * square + 6.613756250062132e-05
        q = q * square - 0.0027777777776696086
        q = q * square + 0.16666666666666555
        q = q * square + 2.0
        power = np.int64(np.float64(shifted).view(np.int64) << 52).view(np.float64)
        return (q + r) * power, q - r

    return double


def _row_costs(row: Any) -> float:
    """The cost of a row of scores without links; the row is overwritten with slopes."""
    total = row.dtype.type(0)
    for j in range(row.size):
        cost, slope = _non_link(row[j])
        total += row.dtype.type(cost)
        row[j] = row.dtype.type(slope)
    return np.float64(total)


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
        own = top + i - first  # column of the diagonal entry, if the tile contains it
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


@inlined
def _add(total: Any, weight: Any, piece: Any) -> None:
    """``total += weight * piece`` without an array in between: on narrow tiles that takes a tenth of the time."""
    for i in range(piece.shape[0]):
        to, of = total[i], piece[i]
        for c in range(of.size):
            to[c] += weight * of[c]


def _tiles(
    left: Any,
    right: Any,
    top: int,
    first: int,
    tiles: Any,
    omits: bool,
    diagonal: bool,
    keys: Any,
    threshold: Any,
    indptr: Any,
    indices: Any,
    by_left: Any,
    by_right: Any,
) -> float:
    """The cost of all pairs of the tiles without links; gradients are added from ``top`` and from ``first`` on."""
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
            _hide(scores, r0, c0, _NEUTRAL, diagonal, keys, threshold, indptr, indices)
        costs = 0.0
        for i in range(r1 - r0):
            costs += _row_costs(scores[i])
        total += weight * costs
        w = left.dtype.type(weight)
        here = product[: (r1 - r0) * k].reshape(r1 - r0, k)
        np.dot(scores, theirs, here)
        _add(by_left[r0 - top : r1 - top], w, here)
        there = product[: (c1 - c0) * k].reshape(c1 - c0, k)
        np.dot(scores.T, mine, there)
        _add(by_right[c0 - first : c1 - first], w, there)
    return total


def _links(
    left: Any,
    right: Any,
    top: int,
    begin: int,
    end: int,
    indptr: Any,
    indices: Any,
    weight: int,
    by_left: Any,
    by_right: Any,
) -> float:
    """What the links of rows ``begin`` to ``end`` add, each counted ``weight`` times."""
    total = 0.0
    for i in range(begin, end):
        mine, pulled = left[i], by_left[i - top]
        for t in range(indptr[i], indptr[i + 1]):
            theirs, pulling = right[indices[t]], by_right[indices[t]]
            s = left.dtype.type(0)
            for c in range(mine.size):
                s += mine[c] * theirs[c]
            cost, slope = _link(np.float64(s))
            total += weight * cost
            pull = left.dtype.type(weight * slope)
            for c in range(mine.size):
                pulled[c] += pull * theirs[c]
                pulling[c] += pull * mine[c]
    return total


def _drawn_pairs(
    left: Any,
    top: int,
    theirs: Any,
    columns: Any,
    weights: Any,
    omits: bool,
    diagonal: bool,
    keys: Any,
    threshold: Any,
    indptr: Any,
    indices: Any,
    pulled: Any,
) -> float:
    """The cost of pairs of rows (from ``top``) and sampled columns without links; gradients are added to ``pulled``.

    Sampled columns are scattered and rows are contiguous, so scores are stored transposed, one sampled column per row
    of the tile: then a weight applies to a whole row.
    """
    b, k = left.shape
    room, product = np.empty(_TILE * b, left.dtype), np.empty((b, k), left.dtype)
    total = 0.0
    for first in range(0, columns.size, _TILE):
        end = min(first + _TILE, columns.size)
        part = theirs[first:end]
        scores = room[: (end - first) * b].reshape(end - first, b)
        np.dot(part, left.T, scores)
        for t in range(end - first):
            if omits:
                node = columns[first + t]
                _hide(scores[t : t + 1], node, top, _NEUTRAL, diagonal, keys, threshold, indptr, indices)
            total += weights[first + t] * _row_costs(scores[t])
            weight, row = left.dtype.type(weights[first + t]), scores[t]
            for i in range(b):
                row[i] *= weight
        np.dot(scores.T, part, product)
        pulled += product
    return total


def _linked_pairs(left: Any, top: int, F: Any, indptr: Any, indices: Any, link_weights: Any, pulled: Any) -> float:
    """What the links of the rows from ``top`` on add; if ``link_weights`` is empty, each counts once."""
    total = 0.0
    for i in range(left.shape[0]):
        own, pull = left[i], pulled[i]
        begin, end = indptr[top + i], indptr[top + i + 1]
        if _CANONICAL and not link_weights.size:  # every link adds -s, so sum first and score once
            together = np.zeros(own.size, left.dtype)
            for t in range(begin, end):
                theirs = F[indices[t]]
                for c in range(own.size):
                    together[c] += theirs[c]
            s = left.dtype.type(0)
            for c in range(own.size):
                s += own[c] * together[c]
                pull[c] -= together[c]
            total -= s
            continue
        for t in range(begin, end):
            theirs = F[indices[t]]
            s = left.dtype.type(0)
            for c in range(own.size):
                s += own[c] * theirs[c]
            cost, slope = _link(np.float64(s))
            if link_weights.size:
                weight = link_weights[t]
                without, slope_without = _non_link(np.float64(s))
                cost, slope = weight * cost + (weight - 1) * without, weight * slope + (weight - 1) * slope_without
            total += cost
            step = left.dtype.type(slope)
            for c in range(own.size):
                pull[c] += step * theirs[c]
    return total


@dataclass(frozen=True)
class _Kernels:
    tiles: Callable[..., float]
    links: Callable[..., float]
    drawn_pairs: Callable[..., float]
    linked_pairs: Callable[..., float]


def row_costs_of(loss: type[Loss]) -> Callable[..., float]:
    """The loop over a row of scores: the loss's own, or one with its formula."""
    return loss.tuned_row or specialized_part(_row_costs, _non_link=loss.non_link)


@cache
def _kernels_for(loss: type[Loss]) -> _Kernels:
    """The kernels with the formulas of a loss, compiled when first called."""
    formulas = {"_non_link": loss.non_link, "_link": loss.link, "_NEUTRAL": loss.neutral}
    by_row = {**formulas, "_row_costs": row_costs_of(loss)}
    return _Kernels(
        specialized(_tiles, **by_row),
        specialized(_links, **formulas),
        specialized(_drawn_pairs, **by_row),
        specialized(_linked_pairs, **formulas, _CANONICAL=loss.canonical),
    )


def lane_sums(
    left: FloatArray,
    right: FloatArray,
    lane: Lane,
    links: sparse.csr_array,
    link_weight: int,
    loss: Loss,
    omitted: Omitted,
) -> LaneSums:
    """The cost of the lane's tiles without links, plus what the links of its rows add."""
    tiles, (begin, end), kernels, value = lane.tiles, lane.link_rows, _kernels_for(type(loss)), 0.0
    top, bottom, first, last = _spans(lane, len(right))
    by_left, by_right = (lane.room.zeros((m, left.shape[1]), left.dtype) for m in (bottom - top, last - first))
    if len(tiles):
        value += kernels.tiles(left, right, top, first, tiles, *_masks(omitted), by_left, by_right)
    if begin < end:
        graph = links.indptr, links.indices
        value += kernels.links(left, right, top, begin, end, *graph, link_weight, by_left, by_right)
    return LaneSums(float(value), top, by_left, first, by_right)


def _spans(lane: Lane, n: int) -> tuple[int, int, int, int]:
    """The rows, and the columns, that a lane has a gradient for."""
    tiles, (begin, end) = lane.tiles, lane.link_rows
    if begin < end:  # its links may lead anywhere
        return int(tiles[:, 0].min(initial=begin)), int(tiles[:, 1].max(initial=end)), 0, n
    if not len(tiles):
        return 0, 0, 0, 0
    return int(tiles[:, 0].min()), int(tiles[:, 1].max()), int(tiles[:, 2].min()), int(tiles[:, 3].max())


def row_sums(
    left: FloatArray, top: int, drawn: DrawnColumns, F: FloatArray, graph: Graph, loss: Loss, omitted: Omitted
) -> RowSums:
    """The cost of pairs with sampled columns without links, plus what the links of the rows add."""
    pulled, links = np.zeros_like(left), graph.adjacency
    link_weights = np.empty(0) if graph.weights is None else graph.weights
    kernels = _kernels_for(type(loss))
    value = kernels.drawn_pairs(left, top, drawn.factors, drawn.nodes, drawn.weights, *_masks(omitted), pulled)
    value += kernels.linked_pairs(left, top, F, links.indptr, links.indices, link_weights, pulled)
    return RowSums(float(value), pulled)


def _masks(omitted: Omitted) -> tuple[Any, ...]:
    o = omitted
    return bool(o), o.diagonal, o.keys, o.threshold, o.indptr, o.indices


@cache
def prepare_lanes(loss: type[Loss], dtype: str) -> None:
    """Compile ``lane_sums`` for a loss and a precision, or load it from the cache, before it is needed."""
    side, lane = np.zeros((2, 1), dtype), Lane(np.array([[0, 2, 0, 2, 1]]), (0, 2))
    links = sparse.csr_array((2, 2), dtype=np.int8)
    with announced("compiling the fast evaluation"):
        lane_sums(side, side, lane, links, 1, loss(), Omitted.of(None, diagonal=False, n=2))


@cache
def prepare_rows(loss: type[Loss], dtype: str) -> None:
    """The same for ``row_sums``."""
    F, graph = np.zeros((2, 1), dtype), Graph.from_rows(np.empty(0, np.int32), np.empty(0, np.int32), Nodes.numbered(2))
    drawn = DrawnColumns(np.array([0]), np.ones(1), F[:1])
    with announced("compiling the sampled evaluation"):
        row_sums(F, 0, drawn, F, graph, loss(), Omitted.of(None, diagonal=False, n=2))

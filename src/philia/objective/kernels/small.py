"""The kernel for small graphs: value and gradient at the solver's vector in one compiled call.

A small problem is evaluated thousands of times, and what NumPy does between two loops would take longer than the loops.
Solvers that are compiled too call this kernel from compiled code (``philia.solvers.solver.CompiledFunction``).
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from philia._compilation import announced, specialized, specialized_part
from philia._types import Float64Array, FloatArray, Int64Array
from philia.objective.kernels.compiled import row_costs_of
from philia.objective.losses import CrossEntropy, Loss

_BAND = 48
"""Rows scored together. Within a band both triangles are computed, so it should be narrow; BLAS prefers it wide."""

_row_costs = CrossEntropy.tuned_row


class SmallProblem(NamedTuple):
    """Everything that an evaluation needs besides the solver's vector x.

    Column c of F is ``scale[c] * x[first[c] + i * step[c]]`` in row i, or given in ``fixed`` if its scale is 0.
    ``offsets`` (n × n) is added to every score; ``fixed``, ``mixing`` and ``offsets`` have the precision of the scores.
    """

    fixed: FloatArray
    first: Int64Array
    step: Int64Array
    scale: Float64Array
    mixing: FloatArray
    offsets: FloatArray
    indptr: Int64Array
    indices: Int64Array
    penalties: Float64Array


def _value_and_gradient(x: Any, gradient: Any, problem: Any) -> float:
    """The objective at x; its gradient is written to ``gradient``.

    Each unordered pair is scored once, in bands of rows from the diagonal on, except within a band. With P the slopes,
    the gradient by F is 2 P F M.
    """
    fixed, first, step, scale, mixing, offsets, indptr, indices, penalties = problem
    n, k = fixed.shape
    F, mixed, pulled = np.empty_like(fixed), np.empty_like(fixed), np.zeros((n, k))
    room = np.empty((_BAND + k) * n, fixed.dtype)
    for i in range(n):
        for c in range(k):
            F[i, c] = fixed[i, c] if scale[c] == 0 else scale[c] * x[first[c] + i * step[c]]
    np.dot(F, mixing, mixed)
    total = 0.0
    for top in range(0, n, _BAND):
        height, width = min(_BAND, n - top), n - top
        scores = room[: height * width].reshape(height, width)
        product = room[_BAND * n : _BAND * n + width * k].reshape(width, k)
        np.dot(mixed[top : top + height], F[top:].T, scores)
        for i in range(height):
            total += _band_row(scores[i], offsets[top + i, top:], height, top, indptr, indices, top + i)
        np.dot(scores.T, mixed[top : top + height], product)
        np.dot(scores, mixed[top:], product[:height])
        for i in range(width):
            for c in range(k):
                pulled[top + i, c] += product[i, c]
    for t in range(x.size):
        total += penalties[t] * x[t] * x[t]
        gradient[t] = 2 * penalties[t] * x[t]
    for c in range(k):
        if scale[c] != 0:
            for i in range(n):
                gradient[first[c] + i * step[c]] += 2 * scale[c] * pulled[i, c]
    return total


def _band_row(row: Any, offsets: Any, height: int, top: int, indptr: Any, indices: Any, own: int) -> float:
    """The cost of a row of scores from the column ``top`` on, overwritten with slopes; beyond the band it counts twice.

    A link subtracts its score, as with every canonical loss.
    """
    total = 0.0
    for j in range(row.size):
        row[j] += offsets[j]
    for t in range(indptr[own], indptr[own + 1]):
        j = indices[t] - top
        if j >= 0:
            total -= row[j] if j < height else 2 * row[j]
    for part in range(2):  # in one place, since it is inlined, and inlining takes time to compile
        total += (1 + part) * _row_costs(row[part * height : row.size if part else height])
    for t in range(indptr[own], indptr[own + 1]):
        j = indices[t] - top
        if j >= 0:
            row[j] -= 1
    return total


@cache
def prepared(loss: type[Loss], dtype: str) -> Any:
    """The function ``(x, gradient, problem) -> value`` for a canonical loss, compiled or loaded from the cache."""
    band_row = specialized_part(_band_row, _row_costs=row_costs_of(loss))
    function = specialized(_value_and_gradient, _band_row=band_row)
    one, no_links, number = np.zeros((1, 1), dtype), np.zeros(2, np.int64), np.ones(1)
    rows = no_links[:1]
    with announced("compiling the evaluation of small graphs"):
        function(number, number, SmallProblem(one, rows, rows, number, one, one, no_links, rows[:0], number))
    return function

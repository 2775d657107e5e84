"""Compiled sweeps: every entry of F in turn is set to where the objective is least in it, F being nonnegative.

A sweep takes about as long as an evaluation, and gets much further than a step along the gradient. It visits one node
after another, so it runs on one thread. numba is loaded with this file, so callers import it only when they need it.

For least squares |A - F Fᵀ|² an entry's part is a polynomial of fourth degree, whose minimum is the root of a cubic;
without the diagonal it is a parabola. This is the coordinate descent of Vandaele, Gillis, Lei, Zhong and Dhillon,
"Efficient and non-convex coordinate descent for symmetric nonnegative matrix factorization", IEEE Transactions on
Signal Processing 2016. For probabilities 1 - exp(-f_i·f_j) an entry's part is convex, and Newton's steps find its
minimum; Yang and Leskovec (2013) move a whole row along its gradient instead.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from philia._compilation import announced, compiled, inlined
from philia.objective.kernels import compiled as _vectorized  # noqa: F401  (it has the compiled decaying_ratio)
from philia.objective.losses import LEAST, Loss, NoisyOr, SquaredError, decaying_ratio

_STEPS = 60
"""Newton's steps at most; they begin above the largest root, and a few are usual."""

_ROUGH = 8, 0.02
"""For a convex part: steps at most, and the relative step at which it is left to the next sweep."""

_FLAT = 1e-6
"""A slope that is this small beside its positive part is none."""

Sweep = Callable[[Any, Any, Any, float, float], float]
"""Moves F in place, given the rows of A and F, a penalty, and 1 if the diagonal counts, or 0; returns the objective
before."""


@cache
def prepared(loss: type[Loss]) -> Sweep:
    """The sweep of a loss, compiled or loaded from the cache."""
    known: dict[type[Loss], tuple[Any, Callable[[Any], Any]]] = {
        SquaredError: (sweep_squares, lambda F: F.T @ F),
        NoisyOr: (sweep_noisy_or, lambda F: F.sum(axis=0)),
    }
    sweep, state = known[loss]

    def run(indptr: Any, indices: Any, F: Any, penalty: float, diagonal: float) -> float:
        return float(sweep(indptr, indices, F, state(F), penalty, diagonal))

    with announced("compiling the sweeps of coordinate descent"):
        run(np.zeros(1, np.int32), np.zeros(1, np.int32), np.zeros((0, 1)), 0.0, 1.0)
    return run


@inlined
def _least(quartic: float, a: float, b: float, x: float) -> float:
    """The y >= 0 at which quartic · y⁴ / 4 + a y² / 2 + b y is least; x if it is the same everywhere."""
    if quartic == 0.0:
        return max(0.0, -b / a) if a > 0.0 else x
    if a >= 0.0 and b >= 0.0:
        return 0.0
    if a > 0.0:
        y = -b / a
        if y * y > a:
            y = min(y, (-b) ** (1 / 3))
    else:
        y = max(-b, 0.0) ** (1 / 3) + np.sqrt(-a)
    for _ in range(_STEPS):
        slope = 3 * y * y + a
        if slope <= 0.0:
            break
        step = (y * y * y + a * y + b) / slope
        y -= step
        if abs(step) <= 1e-7 * y:  # each step doubles the digits
            break
    return y if y > 0.0 and (0.25 * y * y + 0.5 * a) * y + b < 0.0 else 0.0


@inlined
def _add(total: Any, row: Any) -> None:
    for c in range(total.size):
        total[c] += row[c]


@inlined
def _dot(u: Any, v: Any) -> Any:
    total = 0.0
    for c in range(u.size):
        total += u[c] * v[c]
    return total


@compiled
def sweep_squares(indptr: Any, indices: Any, H: Any, G: Any, penalty: float, diagonal: float) -> Any:
    """One pass over H (n × k), in place; G is HᵀH and is kept so. ``diagonal`` is 1 if the diagonal counts, or 0.

    Rows ``indptr`` and ``indices`` are those of A, which has no diagonal. Returns the objective before the pass, which
    costs nothing: when a row's turn comes, it and those after it are still what they were.
    """
    n, k = H.shape
    value = indptr[n] + penalty * np.trace(G)
    for c in range(k):
        value += _dot(G[c], G[c])
    pull = np.empty(k)
    for i in range(n):
        h, start, end = H[i], indptr[i], indptr[i + 1]
        pull[:] = 0.0
        for t in range(start, end):
            if indices[t] > i:
                _add(pull, H[indices[t]])
        norm = _dot(h, h)
        value -= 4 * _dot(h, pull) + (1 - diagonal) * norm * norm
        for t in range(start, end):
            if indices[t] < i:
                _add(pull, H[indices[t]])
        for c in range(k):
            x = h[c]
            others = norm - x * x
            a = G[c, c] - x * x + diagonal * others + penalty / 2
            b = _dot(G[c], h) - G[c, c] * x - x * others - pull[c]
            y = _least(diagonal, a, b, x)
            if y != x:
                change = y - x
                for d in range(k):
                    G[c, d] += change * h[d]
                G[c, c] += change * y
                for d in range(k):
                    G[d, c] = G[c, d]
                norm += y * y - x * x
                h[c] = y
    return value


@compiled
def sweep_noisy_or(indptr: Any, indices: Any, F: Any, S: Any, penalty: float, diagonal: float) -> Any:
    """The same for minus the log-likelihood of links with probability 1 - exp(-f_i·f_j); S holds F's column sums."""
    n, k = F.shape
    value = _dot(S, S)
    most = 0
    for i in range(n):
        most = max(most, indptr[i + 1] - indptr[i])
    theirs, scores, used = np.empty((k, most)), np.empty(most), np.empty(k, np.int64)
    for i in range(n):
        f, around = F[i], indices[indptr[i] : indptr[i + 1]]
        s = scores[: around.size]
        value += (penalty + diagonal - 1) * _dot(f, f)
        count = _gather(F, f, around, theirs, s, used)
        for t in range(around.size):
            if around[t] > i:
                value += 2 * _link_cost(s[t])
        for m in range(count):
            c = used[m]
            y = _least_convex(f[c], S[c] - f[c], penalty + diagonal, theirs[m, : around.size], s)
            S[c] += y - f[c]
            f[c] = y
    return value


@inlined
def _gather(F: Any, f: Any, around: Any, theirs: Any, s: Any, used: Any) -> int:
    """The columns that a node or its neighbours use, the neighbours' entries in them, and the scores; their number."""
    s[:] = 0.0
    count = 0
    for c in range(f.size):
        largest = f[c]
        for t in range(around.size):
            entry = F[around[t], c]
            theirs[count, t] = entry
            largest = max(largest, entry)
        if largest > 0.0:
            for t in range(around.size):
                s[t] += f[c] * theirs[count, t]
            used[count] = c
            count += 1
    return count


@inlined
def _link_cost(s: Any) -> Any:
    """``NoisyOr.link``, its value alone."""
    above = max(s, LEAST)
    gap = -np.expm1(-above)
    return -np.log(gap) - above - (s - above) / gap


@inlined
def _slope(y: float, push: float, shrink: float, row: Any, s: Any, ahead: float) -> Any:
    """The slope and the curvature in an entry at y, ``ahead`` of where the scores s were computed."""
    slope, curvature = push + shrink * y, shrink
    for t in range(row.size):
        e, one = decaying_ratio(-max(s[t] + ahead * row[t], LEAST))
        inverse = row[t] / (one - e)
        slope -= one * inverse
        curvature += one * e * inverse * inverse
    return slope, curvature


@inlined
def _least_convex(x: float, push: float, shrink: float, row: Any, s: Any) -> float:
    """The entry y >= 0 at which its part is least, found from x; s is kept the scores with this entry.

    The slope is concave, so that Newton's steps never pass the minimum from below.
    """
    y = x
    for _ in range(_ROUGH[0]):
        slope, curvature = _slope(y, push, shrink, row, s, y - x)
        if -_FLAT * push <= slope <= 0.0:  # a community of nodes that are all linked would grow without end
            break
        new = y - slope / curvature if curvature > 0.0 else 0.0
        if new <= 0.0:
            new = 0.0 if _slope(0.0, push, shrink, row, s, -x)[0] >= 0.0 else 0.25 * y
        step = new - y
        y = new
        if abs(step) <= _ROUGH[1] * y:
            break
    for t in range(row.size):
        s[t] += (y - x) * row[t]
    return y

"""``FloorLBFGS`` in one compiled call, for functions that are compiled too: no Python between two evaluations.

Its steps are those of ``FloorLBFGS`` in ``philia.solvers.lbfgs``, which defines what is right. The code is plain loops
over arrays that the caller allocates, because everything else takes longer to compile.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from philia._compilation import first_call_of, specialized, specialized_part
from philia._types import Float64Array
from philia.solvers.solver import CompiledFunction

_X, _GRADIENT, _NEW, _NEW_GRADIENT, _DIRECTION, _FREE, _BEST, _STEPS = range(8)
"""Rows of the space: the vectors of a search, then its last steps, each followed by what it did to the gradient."""

_CURVED = 0.0
_function: Any = None


def _search(space: Any, weights: Any, lower: Any, history: Any, keep: float, tolerances: Any, data: Any) -> Any:
    """The best value, the numbers of iterations and of evaluations, and the end: 0 to 3 as in ``FloorLBFGS``.

    The last steps are kept in a ring: number t is at t % memory.
    """
    x, gradient, new, new_gradient = space[_X], space[_GRADIENT], space[_NEW], space[_NEW_GRADIENT]
    value = _function(x, gradient, data)
    history[0] = best = value
    taken, evaluations = 0, 1
    known: Any = np.int64(0)  # a plain 0 would be a type of its own, and _direct be compiled twice
    while taken < history.size - 1:
        _direct(space, weights, lower, known)
        lowest, new_value, tries, lowered = _step(space, lower, value, best, keep, known == 0, data)
        best, evaluations = lowest, evaluations + tries
        if not lowered and known == 0:
            return best, taken, evaluations, 0
        if not lowered:  # the curvature was misleading: discard it and try the gradient
            known = np.int64(0)
            continue
        known += _remembered(space, known % weights.shape[1])
        slope = 0.0
        for t in range(x.size):
            x[t], gradient[t] = new[t], new_gradient[t]
            slope = max(slope, abs(min(gradient[t], x[t] - lower[t])))
        fall = (value - new_value) / max(abs(value), max(abs(new_value), 1.0))
        value = new_value
        taken += 1
        history[taken] = value
        if fall <= tolerances[0]:
            return best, taken, evaluations, 1
        if slope < tolerances[1]:
            return best, taken, evaluations, 3
    return best, taken, evaluations, 2


def _direct(space: Any, weights: Any, lower: Any, known: int) -> None:
    """The quasi-Newton direction in the entries that are free to move; zero in the others.

    ``weights`` has room for the amount of each step, and for its curvature among free entries, or 0 if it has none.
    """
    x, gradient, direction, free = space[_X], space[_GRADIENT], space[_DIRECTION], space[_FREE]
    memory = weights.shape[1]
    for t in range(x.size):
        free[t] = 1.0 if x[t] > lower[t] or gradient[t] < 0 else 0.0
        direction[t] = gradient[t] * free[t]
    scale = 0.0
    last = min(known, memory)
    for turn in range(last):  # from the newest step to the oldest
        at = (known - 1 - turn) % memory
        step, bend = space[_STEPS + 2 * at], space[_STEPS + 2 * at + 1]
        curved, bent, along = 0.0, 0.0, 0.0
        for t in range(x.size):
            bending = free[t] * bend[t]
            curved += step[t] * bending
            bent += bend[t] * bending
            along += step[t] * direction[t]
        weights[1, at] = curved if curved > _CURVED * bent else 0.0
        if weights[1, at] == 0:
            continue
        scale = curved / bent if scale == 0 else scale
        weights[0, at] = amount = along / curved
        for t in range(x.size):
            direction[t] -= amount * free[t] * bend[t]
    if scale > 0:
        for t in range(x.size):
            direction[t] *= scale
    for turn in range(last):  # and back
        at = (known - last + turn) % memory
        step, bend = space[_STEPS + 2 * at], space[_STEPS + 2 * at + 1]
        if weights[1, at] == 0:
            continue
        along = 0.0
        for t in range(x.size):
            along += bend[t] * direction[t]
        amount = weights[0, at] - along / weights[1, at]
        for t in range(x.size):
            direction[t] += amount * free[t] * step[t]


def _step(space: Any, lower: Any, value: float, best: float, keep: float, first: bool, data: Any) -> Any:
    """Backtracking: the best value so far, that of the first of ever shorter steps which lowers it enough, the tries.

    And whether there is such a step.
    """
    x, gradient, new, direction = space[_X], space[_GRADIENT], space[_NEW], space[_DIRECTION]
    length, shorter = 1.0, 0.5
    if first:
        slopes = 0.0
        for t in range(x.size):
            slopes += abs(gradient[t])
        length, shorter = min(1.0, 1.0 / max(slopes, 1e-300)), 0.1
    for tried in range(30):  # down to a billionth of the step
        promised = 0.0
        for t in range(x.size):
            new[t] = max(x[t] - length * direction[t], keep * x[t] + (1 - keep) * lower[t])
            promised += gradient[t] * (new[t] - x[t])
        if promised >= 0:
            return best, value, tried, False
        new_value = _function(new, space[_NEW_GRADIENT], data)
        if new_value < best:
            best = new_value
            for t in range(x.size):
                space[_BEST, t] = new[t]
        if new_value <= value + 1e-4 * promised:
            return best, new_value, tried + 1, True
        length *= shorter
    return best, value, 30, False


def _remembered(space: Any, at: int) -> int:
    """Keep the step and what it did to the gradient, if it is curved enough: 1 if it is, otherwise 0."""
    x, gradient, new, new_gradient = space[_X], space[_GRADIENT], space[_NEW], space[_NEW_GRADIENT]
    curved, bent = 0.0, 0.0
    for t in range(x.size):
        change = new_gradient[t] - gradient[t]
        curved += (new[t] - x[t]) * change
        bent += change * change
    if curved <= _CURVED * bent:
        return 0
    for t in range(x.size):
        space[_STEPS + 2 * at, t] = new[t] - x[t]
        space[_STEPS + 2 * at + 1, t] = new_gradient[t] - gradient[t]
    return 1


@cache
def _around(function: Any, curved: float) -> Any:
    """The search, compiled around a compiled function ``(x, gradient, data) -> value``."""
    return specialized(
        _search,
        _function=function,
        _direct=specialized_part(_direct, _CURVED=curved),
        _step=specialized_part(_step, _function=function),
        _remembered=specialized_part(_remembered, _CURVED=curved),
    )


def run(
    function: CompiledFunction,
    start: Float64Array,
    lower: Float64Array,
    iterations: int,
    memory: int,
    keep: float,
    tolerances: tuple[float, float],
    curved: float,
) -> tuple[Float64Array, float, Float64Array, int, int]:
    """The best point, its value, the history, the number of evaluations and the end of a search.

    The first call compiles the search, or loads it from the cache.
    """
    search = _around(function.code, curved)
    space, history = np.empty((_STEPS + 2 * memory, start.size)), np.empty(iterations + 1)
    space[_X] = space[_BEST] = start
    with first_call_of(search, "compiling the search of small graphs"):
        given = space, np.empty((2, memory)), lower, history, float(keep), tolerances, function.data
        best, taken, evaluations, end = search(*given)
    return space[_BEST].copy(), best, history[: taken + 1], evaluations, end

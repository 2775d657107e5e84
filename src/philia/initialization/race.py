"""Successive halving over several starts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from philia._types import Float64Array
from philia.exceptions import InvalidParameterError
from philia.solvers import Solution

_Improve = Callable[[Float64Array, int], Solution]
"""A search from a point for a number of iterations."""

_INTERRUPTED = "interrupted"


def race(points: Sequence[Float64Array], improve: _Improve, iterations: int = 25) -> Solution:
    """The best of several starts, by successive halving.

    In every round each remaining point is improved for the same number of iterations; then the worse half drops out,
    until one is left. Converged searches are not continued. Of equal values the earlier point stays, so the result is
    deterministic. Ctrl-C returns the best point so far.

    The history is the winner's; evaluations and seconds are totals.

    >>> def halve_distance(point, iterations):
    ...     history = (point**2).sum() * 0.25 ** np.arange(iterations + 1)
    ...     return Solution(point / 2**iterations, history[-1], history, iterations, 0.0, "stopped", converged=False)
    >>> race([np.array([3.0]), np.array([-1.0]), np.array([2.0])], halve_distance, iterations=1).point
    array([-0.25])
    """
    if not len(points):
        raise InvalidParameterError("there is no point to start from; give at least one")
    if iterations < 1:
        raise InvalidParameterError(f"iterations is {iterations!r}; it must be a whole number, 1 or more")
    runners = [_waiting(point) for point in points]
    ended: list[Solution] = []
    while True:
        for place, runner in enumerate(runners):
            if not runner.converged:
                try:
                    runners[place] = _joined(runner, improve(runner.point, iterations))
                except KeyboardInterrupt:  # outside of a search, which would have kept its best point
                    if not any(len(other.history) for other in runners):
                        raise
                    return _with_all_costs(min(runners, key=_rank), ended + runners, _INTERRUPTED)
            if runners[place].reason == _INTERRUPTED:
                return _with_all_costs(min(runners, key=_rank), ended + runners, _INTERRUPTED)
        ranked = sorted(runners, key=_rank)
        runners, left = ranked[: (len(ranked) + 1) // 2], ranked[(len(ranked) + 1) // 2 :]
        ended += left
        if len(runners) == 1:
            return _with_all_costs(runners[0], ended + runners, runners[0].reason)


def _waiting(point: Float64Array) -> Solution:
    return Solution(point, np.inf, np.empty(0), 0, 0.0, "not begun", converged=False)


def _joined(before: Solution, after: Solution) -> Solution:
    """Two consecutive searches as one, with the better of their points."""
    best = after if after.value <= before.value or np.isnan(before.value) else before
    return replace(
        after,
        point=best.point,
        value=best.value,
        history=np.concatenate([before.history, after.history[1 if len(before.history) else 0 :]]),
        evaluations=before.evaluations + after.evaluations,
        seconds=before.seconds + after.seconds,
    )


def _rank(runner: Solution) -> float:
    return np.inf if np.isnan(runner.value) else runner.value


def _with_all_costs(winner: Solution, everybody: Sequence[Solution], reason: str) -> Solution:
    return replace(
        winner,
        evaluations=sum(runner.evaluations for runner in everybody),
        seconds=sum(runner.seconds for runner in everybody),
        reason=reason,
        converged=winner.converged and reason != _INTERRUPTED,
    )

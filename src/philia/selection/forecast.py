"""How much of an automatic choice, with the fit that follows it, is done."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from philia.solvers import OnIteration, Progress

_ENDS: Final = {
    "reading": 0.07,
    "first": 0.15,
    "penalty": 0.27,
    "weight": 0.35,
    "fewest": 0.62,
    "penalty again": 0.72,
    "fewest again": 0.77,
    "repelling": 0.87,
    "all pairs": 0.9,
    "last": 1.0,
}
"""The phases of a choice, and the share of the time that has passed at the end of each, as a mean over five networks of
34 to 7,624 nodes. Nobody knows beforehand how many trials a phase takes, so these are no promises."""

_EXPECTED: Final = 0.8
"""The share of a phase that is done after as many runs as are expected; any others share the rest."""

_LAST_ITERATIONS: Final = 100
"""Iterations of the fit at the end, where the numbers are chosen: it begins close to its solution."""


class Forecast:
    """Adds to each report of progress the share of the whole that is done, which never falls.

    >>> ahead = Forecast(lambda progress: print(round(progress.share, 3)))
    >>> ahead.enter("first", runs=2)
    >>> ahead.run()
    >>> ahead(Progress(iteration=25, iterations=50, value=0.0, seconds=0.1))
    0.086
    >>> ahead.enter("last")
    >>> ahead(Progress(iteration=1, iterations=1000, value=0.0, seconds=0.2))
    0.901
    """

    def __init__(self, told: OnIteration | None = None) -> None:
        self._told = told
        self._begin, self._end, self._runs, self._begun = 0.0, _ENDS["reading"], 1.0, 0
        self._last, self._share = False, 0.0

    @property
    def watching(self) -> OnIteration | None:
        """What to call after each iteration; nothing if nobody is told."""
        return None if self._told is None else self

    def enter(self, phase: str, runs: float = 1.0) -> None:
        """Begin a phase, of which so many runs are expected."""
        ends = list(_ENDS.values())
        at = list(_ENDS).index(phase)
        self._begin, self._end = ends[at - 1] if at else 0.0, ends[at]
        self._runs, self._begun, self._last = max(1.0, runs), 0, phase == "last"

    def run(self) -> None:
        """Begin another run of the phase."""
        self._begun += 1

    def __call__(self, progress: Progress) -> None:
        """Pass a report on, with the share of the whole that is done."""
        if self._told is None:
            return
        usual = min(progress.iterations, _LAST_ITERATIONS) if self._last else progress.iterations
        done = (max(0, self._begun - 1) + progress.iteration / max(1, usual)) / self._runs
        within = _EXPECTED * done if done <= 1 else 1 - (1 - _EXPECTED) / done
        self._share = max(self._share, self._begin + (self._end - self._begin) * within)
        self._told(replace(progress, share=self._share))

"""The solvers by name, and the choice of one by the size of the problem."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from philia.exceptions import InvalidParameterError
from philia.solvers.adam import Adam
from philia.solvers.descent import CoordinateDescent
from philia.solvers.lbfgs import LBFGSB, FloorLBFGS, in_one_call
from philia.solvers.solver import Solver, ValueAndGradient, shortened

MOST_WORK: Final = 5e9
"""Most multiplications per evaluation of a function as a whole: a second on a slow machine, some minutes per search.
Time is the limit, not memory: 5e9 corresponds to 11,000 nodes with 40 columns, for which the solver needs 0.2 GB."""

_CONVERGING: Final = LBFGSB(iterations=2000, memory=20, value_tolerance=0.0, gradient_tolerance=1e-6)
"""Stops where the gradient vanishes. With SciPy's own tolerances the third digit of an affinity still depends on
rounding, which differs between processors; a hundred more iterations settle six digits."""

_SETTLED: Final = CoordinateDescent(iterations=2000, value_tolerance=1e-9)
"""The same for sweeps, which have no gradient to look at: the fourth digit of an entry is settled."""

_LONG, _BRIEF = 1e7, CoordinateDescent(value_tolerance=3e-4)
"""From this many entries on a sweep takes half a second and more, and a whole descent a hundred of them. On com-DBLP
with 100 columns an eighth of them comes within 0.3 % of where it ends."""

_CHEAP_WORK, _CHEAP_ROWS = 5e6, 2000
"""An evaluation takes a few milliseconds at most: 500 nodes with 20 columns. The limit on rows is for losses in closed
form, whose work grows with the links, which are not counted here."""

_SETTLING: Final = FloorLBFGS(iterations=20, keep=0.0)
"""From the end of a trial this gets where held-out pairs are likeliest. On the tuning graphs that were tried, more
iterations lower the loss by a percent or so, and make held-out pairs no likelier."""

_MOST_EPOCHS, _FEWEST_EPOCHS, _ROWS_MOVED = 200, 40, 3e7
"""Epochs for small and for very large graphs, and in between the number of rows that a search moves in total."""


@dataclass(frozen=True)
class BySize:
    """L-BFGS-B for functions that can be evaluated as a whole, Adam for larger ones, regardless of the machine.

    Small problems are solved until the gradient vanishes, so that every processor gives the same digits. Otherwise
    L-BFGS-B has 200 iterations, and Adam has 200 epochs for up to 150,000 rows and fewer for more, down to 40.

    >>> BySize().solver(rows=100, work=1e5)
    LBFGSB(iterations=2000, memory=20, value_tolerance=0.0, gradient_tolerance=1e-06, least_fall=0.0)
    >>> BySize().solver(rows=1000, work=4e7)
    LBFGSB(iterations=200, memory=10, value_tolerance=2.2e-09, gradient_tolerance=1e-05, least_fall=0.0)
    >>> BySize().solver(rows=1_000_000, work=4e13).iterations
    40
    """

    iterations: int | None = None

    def solver(self, rows: int, work: float) -> Solver | Adam:
        """The solver for this many rows and this many multiplications per evaluation."""
        whole = _CONVERGING if is_cheap(rows, work) else LBFGSB()
        found: LBFGSB | Adam = whole if work <= MOST_WORK else adam_for(rows)
        return found if self.iterations is None else replace(found, iterations=self.iterations)


def is_cheap(rows: int, work: float) -> bool:
    """Whether a problem is small enough to be solved to convergence, in double precision throughout.

    >>> is_cheap(rows=100, work=1e5), is_cheap(rows=10_000, work=1e9)
    (True, False)
    """
    return work <= _CHEAP_WORK and rows <= _CHEAP_ROWS


def descent_for(rows: int, work: float) -> CoordinateDescent:
    """Coordinate descent with a tolerance that suits the size of the problem.

    >>> descent_for(rows=10_000, work=1e6)
    CoordinateDescent(iterations=200, value_tolerance=1e-06)
    >>> descent_for(rows=300_000, work=3e7)
    CoordinateDescent(iterations=200, value_tolerance=0.0003)
    """
    if is_cheap(rows, work):
        return _SETTLED
    return CoordinateDescent() if work < _LONG else _BRIEF


def unwatched(solver: Any, function: ValueAndGradient) -> bool:
    """Whether a search needs the function itself, because it does more than evaluate it.

    >>> unwatched(CoordinateDescent(), print), unwatched(LBFGSB(), print)
    (True, False)
    """
    return isinstance(solver, CoordinateDescent) or in_one_call(solver, function)


def adam_for(rows: int) -> Adam:
    """Adam with a number of epochs that suits this many rows.

    >>> adam_for(1000).iterations
    200
    """
    return Adam(iterations=int(np.clip(_ROWS_MOVED / max(1, rows), _FEWEST_EPOCHS, _MOST_EPOCHS)))


AnySolver = Solver | Adam | BySize


def settling(solver: str | AnySolver, by_size: Solver | Adam) -> Solver | Adam:
    """The solver for a fit that begins where trials ended, from a setting and what it stands for on the graph.

    >>> settling("auto", LBFGSB())
    FloorLBFGS(iterations=20, memory=10, keep=0.0, value_tolerance=2.2e-09, gradient_tolerance=0.0)
    >>> settling("lbfgsb", LBFGSB()).iterations
    100
    """
    if isinstance(as_solver(solver), BySize) and by_size == LBFGSB():
        return _SETTLING
    return shortened(by_size, 0.5)


SOLVERS: dict[str, type[LBFGSB | FloorLBFGS | Adam | BySize]] = {
    "lbfgsb": LBFGSB,
    "floor": FloorLBFGS,
    "adam": Adam,
    "auto": BySize,
}
"""Every solver by its name. LBFGSB and FloorLBFGS evaluate a function as a whole, Adam a block of rows at a time, and
BySize is one of them, by the size of the problem."""


def as_solver(solver: str | AnySolver) -> AnySolver:
    """The solver with this name, with its defaults; a solver object is returned unchanged.

    >>> as_solver("lbfgsb")
    LBFGSB(iterations=200, memory=10, value_tolerance=2.2e-09, gradient_tolerance=1e-05, least_fall=0.0)
    """
    if not isinstance(solver, str):
        return solver
    if solver not in SOLVERS:
        names = ", ".join(map(repr, SOLVERS))
        raise InvalidParameterError(
            f"there is no solver {solver!r}; use {names}, or a solver object such as LBFGSB(iterations=500)"
        )
    return SOLVERS[solver]()

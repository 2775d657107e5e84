"""The solvers, by name."""

from __future__ import annotations

from philia.exceptions import InvalidParameterError
from philia.solvers.adam import Adam
from philia.solvers.by_size import BySize
from philia.solvers.floor_lbfgs import FloorLBFGS
from philia.solvers.scipy_lbfgsb import LBFGSB
from philia.solvers.solver import Solver

AnySolver = Solver | Adam | BySize

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

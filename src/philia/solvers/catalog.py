"""The solvers by name."""

from __future__ import annotations

from collections.abc import Callable

from philia.exceptions import InvalidParameterError
from philia.solvers.floor_lbfgs import FloorLBFGS
from philia.solvers.scipy_lbfgsb import LBFGSB
from philia.solvers.solver import Solver

SOLVERS: dict[str, Callable[[], Solver]] = {"lbfgsb": LBFGSB, "floor": FloorLBFGS}


def as_solver(solver: str | Solver) -> Solver:
    """The solver called by a name, with its defaults; a solver object is returned as it is.

    >>> as_solver("lbfgsb")
    LBFGSB(iterations=200, memory=10, value_tolerance=2.2e-09, gradient_tolerance=1e-05)
    """
    if not isinstance(solver, str):
        return solver
    if solver not in SOLVERS:
        known = ", ".join(map(repr, SOLVERS))
        raise InvalidParameterError(
            f"there is no solver {solver!r}; use {known}, or a solver object such as LBFGSB(iterations=500)"
        )
    return SOLVERS[solver]()

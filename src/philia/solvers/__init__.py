"""Step 4: solvers, which minimize a function above lower bounds by its gradient."""

from philia.solvers.adam import Adam, Judge, RowBlocks
from philia.solvers.catalog import SOLVERS, AnySolver, BySize, adam_for, as_solver
from philia.solvers.descent import CoordinateDescent
from philia.solvers.lbfgs import LBFGSB, FloorLBFGS
from philia.solvers.solver import OnIteration, Progress, Solution, Solver, shortened, staged

__all__ = [
    "LBFGSB",
    "SOLVERS",
    "Adam",
    "AnySolver",
    "BySize",
    "CoordinateDescent",
    "FloorLBFGS",
    "Judge",
    "OnIteration",
    "Progress",
    "RowBlocks",
    "Solution",
    "Solver",
    "adam_for",
    "as_solver",
    "shortened",
    "staged",
]

"""Step 4: solvers, which minimize a function above lower bounds by its gradient."""

from philia.solvers.adam import Adam, Judge, RowBlocks
from philia.solvers.by_size import BySize, adam_for
from philia.solvers.catalog import SOLVERS, AnySolver, as_solver
from philia.solvers.floor_lbfgs import FloorLBFGS
from philia.solvers.scipy_lbfgsb import LBFGSB
from philia.solvers.solver import OnIteration, Progress, Solution, Solver, shortened, staged

__all__ = [
    "LBFGSB",
    "SOLVERS",
    "Adam",
    "AnySolver",
    "BySize",
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

"""Step 4: minimising a function with its gradient above lower bounds."""

from philia.solvers.adam import Adam, Judge, RowBlocks
from philia.solvers.catalog import SOLVERS, as_solver
from philia.solvers.floor_lbfgs import FloorLBFGS
from philia.solvers.scipy_lbfgsb import LBFGSB
from philia.solvers.solver import OnIteration, Progress, Solution, Solver, shortened

__all__ = [
    "LBFGSB",
    "SOLVERS",
    "Adam",
    "FloorLBFGS",
    "Judge",
    "OnIteration",
    "Progress",
    "RowBlocks",
    "Solution",
    "Solver",
    "as_solver",
    "shortened",
]

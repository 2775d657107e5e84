"""The paper's figures and tables, each of which can be run again: results as files, then pictures and verdicts."""

from philia.experiments.catalog import EXPERIMENTS, reproduce
from philia.experiments.task import QUICK, WHOLE, Claim, Experiment, Result, Scope, Table, Task

__all__ = [
    "EXPERIMENTS",
    "QUICK",
    "WHOLE",
    "Claim",
    "Experiment",
    "Result",
    "Scope",
    "Table",
    "Task",
    "reproduce",
]

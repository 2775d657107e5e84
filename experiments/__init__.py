"""The paper's figures and tables, run again: results are kept as files, pages and verdicts are made from them."""

from experiments.experiment import QUICK, WHOLE, Claim, Experiment, Result, Scope, Table, Task
from experiments.reproduction import EXPERIMENTS, Reproduction, reproduce
from experiments.results import OnTask, Standing

__all__ = [
    "EXPERIMENTS",
    "QUICK",
    "WHOLE",
    "Claim",
    "Experiment",
    "OnTask",
    "Reproduction",
    "Result",
    "Scope",
    "Standing",
    "Table",
    "Task",
    "reproduce",
]

"""The experiments by name, and running them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from philia.exceptions import InvalidParameterError
from philia.experiments.communities import GroundTruth
from philia.experiments.introduction import Introduction
from philia.experiments.links import LinkPrediction
from philia.experiments.page import write_page
from philia.experiments.reconstruction import RebuiltNetworks
from philia.experiments.running import OnTask, run_tasks
from philia.experiments.statements import Statements
from philia.experiments.store import ResultStore
from philia.experiments.table1 import Table1
from philia.experiments.task import WHOLE, Claim, Experiment, Scope, Table

_ALL: tuple[Experiment, ...] = (
    Table1(),
    Introduction(),
    Statements(),
    RebuiltNetworks(),
    GroundTruth(),
    LinkPrediction(),
)
EXPERIMENTS: dict[str, Experiment] = {experiment.name: experiment for experiment in _ALL}


@dataclass(frozen=True)
class Reproduction:
    """What a run leaves: the page, the verdicts, the tables, and what could not be run.

    >>> Reproduction(Path("reproduction.md"), (), (), ("blog is not here",)).missing
    ('blog is not here',)
    """

    page: Path
    claims: tuple[Claim, ...]
    tables: tuple[Table, ...]
    missing: tuple[str, ...]


def reproduce(
    folder: Path, names: Sequence[str] = (), scope: Scope = WHOLE, on_task: OnTask | None = None
) -> Reproduction:
    """Run experiments, all of them or those named, and write a page with pictures into the folder.

    The page shows whatever has been run there so far; claims and tables are those of this run. Results are kept one
    by one in ``folder/reproduction/results``; a run that was stopped goes on where it was.

    >>> reproduce(Path("unused"), ["figure9"])
    Traceback (most recent call last):
    philia.exceptions.InvalidParameterError: there is no experiment 'figure9'; there are 'table1', 'introduction', ...
    """
    for name in names:
        if name not in EXPERIMENTS:
            known = ", ".join(map(repr, EXPERIMENTS))
            raise InvalidParameterError(f"there is no experiment {name!r}; there are {known}")
    chosen = [EXPERIMENTS[name] for name in dict.fromkeys(names)] or list(EXPERIMENTS.values())
    store = ResultStore(folder / "reproduction" / "results")
    tasks = [task for experiment in chosen for task in experiment.tasks(scope)]
    missing = run_tasks(tasks, store, on_task)
    results = {name: store.results(experiment.tasks(scope)) for name, experiment in EXPERIMENTS.items()}
    shown = [experiment for name, experiment in EXPERIMENTS.items() if experiment in chosen or results[name]]
    page = write_page(folder, shown, scope, store, missing)
    claims = [claim for experiment in chosen for claim in experiment.claims(results[experiment.name])]
    tables = [table for experiment in chosen for table in experiment.tables(results[experiment.name])]
    return Reproduction(page, tuple(claims), tuple(tables), tuple(missing))

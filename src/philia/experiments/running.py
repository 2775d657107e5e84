"""Running tasks one after another, skipping what is done, and saying where it stands."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from philia.exceptions import MissingDataError, MissingDependencyError
from philia.experiments.store import ResultStore
from philia.experiments.task import Task

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Standing:
    """Which task is about to run, how many are done and how many there are.

    >>> Standing(Task("figure4", "blog", "SVD", 0, {}, dict), done=3, total=9).total
    9
    """

    task: Task
    done: int
    total: int


OnTask = Callable[[Standing], None]


def run_tasks(tasks: Iterable[Task], store: ResultStore, on_task: OnTask | None = None) -> list[str]:
    """Run the tasks that have no result yet; says in sentences which could not be run for lack of data or programs.

    >>> import tempfile, pathlib
    >>> task = Task("figure4", "blog", "SVD", 0, {}, lambda: {"relative": 0.81})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = ResultStore(pathlib.Path(folder))
    ...     run_tasks([task], store), len(store.results([task]))
    ([], 1)
    """
    listed = list(tasks)
    missing: dict[str, None] = {}
    for done, task in enumerate(listed):
        if store.result(task) is not None:
            continue
        if on_task is not None:
            on_task(Standing(task, done, len(listed)))
        began = time.perf_counter()
        try:
            values = task.run()
        except (MissingDataError, MissingDependencyError) as error:
            missing[str(error)] = None
            continue
        store.keep(task, values, time.perf_counter() - began)
        _log.debug("%s: %.1f s", task.key, time.perf_counter() - began)
    return list(missing)

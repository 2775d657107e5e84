"""Results on disk: a file an experiment, a line a task, always whole, so that a killed run goes on."""

from __future__ import annotations

import json
import platform
from collections.abc import Iterable
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

from philia._version import __version__
from philia.experiments.task import Result, Task
from philia.storage import saving


class ResultStore:
    """A folder of results.

    >>> import tempfile
    >>> task = Task("figure4", "blog", "SVD", 0, {"k": 39}, lambda: {"relative": 0.81})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = ResultStore(Path(folder))
    ...     before = store.result(task)
    ...     store.keep(task, {"relative": 0.81}, seconds=2.0)
    ...     before, store.result(task).values
    (None, {'relative': 0.81})
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._read: dict[str, dict[str, Any]] = {}

    def result(self, task: Task) -> Result | None:
        """The kept result of a task, if there is one with the same settings."""
        kept = self._records(task.experiment).get(task.key)
        if kept is None or kept["settings"] != json.loads(json.dumps(dict(task.settings))):
            return None
        return Result(
            task.experiment, task.dataset, task.method, task.seed, kept["settings"], kept["values"], kept["seconds"]
        )

    def results(self, tasks: Iterable[Task]) -> list[Result]:
        """The results of those tasks that have one."""
        return [found for task in tasks if (found := self.result(task)) is not None]

    def keep(self, task: Task, values: dict[str, Any], seconds: float) -> None:
        """Write the result of a task; what others have written since is kept too."""
        about = {name: value for name, value in asdict(task).items() if name != "run"}
        record = {"key": task.key, **about, "values": values, "seconds": round(seconds, 3), "made_with": versions()}
        self._read.pop(task.experiment, None)
        records = self._records(task.experiment)
        records[task.key] = record
        self.folder.mkdir(parents=True, exist_ok=True)
        with saving(self._path(task.experiment)) as file:
            for kept in records.values():
                file.write((json.dumps(kept, separators=(",", ":"), allow_nan=False) + "\n").encode())

    def made_with(self, tasks: Iterable[Task]) -> list[dict[str, str]]:
        """The different versions of programs that the kept results were made with."""
        records = [self._records(task.experiment).get(task.key) for task in tasks]
        found = {tuple(sorted(kept["made_with"].items())) for kept in records if kept is not None}
        return [dict(pairs) for pairs in sorted(found)]

    def _records(self, experiment: str) -> dict[str, Any]:
        if experiment not in self._read:
            path = self._path(experiment)
            lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
            self._read[experiment] = {kept["key"]: kept for line in lines if (kept := _parsed(line)) is not None}
        return self._read[experiment]

    def _path(self, experiment: str) -> Path:
        return self.folder / f"{experiment}.jsonl"


def _parsed(line: str) -> dict[str, Any] | None:
    """A line's record; None if it was cut short, and its task is run again."""
    try:
        return dict(json.loads(line))
    except ValueError:
        return None


def versions() -> dict[str, str]:
    """The versions of what a result depends on.

    >>> sorted(versions())
    ['numpy', 'philia', 'python', 'scikit-learn', 'scipy']
    """
    others = {name: version(name) for name in ("numpy", "scipy", "scikit-learn")}
    return {"philia": __version__, "python": platform.python_version(), **others}

"""Results on disk, one file per experiment and one line per task, so that a run resumes where it was stopped.

A result belongs to the settings of its task and to the code that made it: after a change of either it is made again.
"""

from __future__ import annotations

import json
import logging
import platform
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from types import FrameType
from typing import Any

from experiments.experiment import Result, Task
from philia._version import __version__
from philia.exceptions import MissingDataError, MissingDependencyError
from philia.storage import saving

_LOG = logging.getLogger(__name__)


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
        """The result of a task, if there is one with the same settings; it may be older than the code."""
        kept = self._records(task.experiment).get(task.key)
        if kept is None or kept["settings"] != json.loads(json.dumps(dict(task.settings))):
            return None
        about = task.experiment, task.dataset, task.method, task.seed
        older = kept.get("code") != task.code
        return Result(*about, kept["settings"], kept["values"], kept["seconds"], older)

    def results(self, tasks: Iterable[Task]) -> list[Result]:
        """The results of the tasks that have one."""
        return [found for task in tasks if (found := self.result(task)) is not None]

    def keep(self, task: Task, values: dict[str, Any], seconds: float) -> None:
        """Write the result of a task, next to those that other processes have written meanwhile."""
        about = {name: value for name, value in asdict(task).items() if name != "run"}
        record = {"key": task.key, **about, "values": values, "seconds": round(seconds, 3)}
        record |= {"code": task.code, "made_with": versions()}
        record = json.loads(json.dumps(record))  # as it will be read: with lists where there were tuples
        self._read.pop(task.experiment, None)
        records = self._records(task.experiment)
        records[task.key] = record
        self.folder.mkdir(parents=True, exist_ok=True)
        with saving(self._path(task.experiment)) as file:
            for kept in records.values():
                file.write((json.dumps(kept, separators=(",", ":"), allow_nan=False) + "\n").encode())

    def made_with(self, tasks: Iterable[Task]) -> list[dict[str, str]]:
        """The versions of Python and its packages that the results were made with, each combination once."""
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
    """The record in a line; None if the line was cut short, and its task has to run again."""
    try:
        return dict(json.loads(line))
    except ValueError:
        return None


def versions() -> dict[str, str]:
    """The versions of the programs that a result depends on.

    >>> sorted(versions())
    ['numpy', 'philia', 'python', 'scikit-learn', 'scipy']
    """
    others = {name: version(name) for name in ("numpy", "scipy", "scikit-learn")}
    return {"philia": __version__, "python": platform.python_version(), **others}


def older_than_the_code(results: Sequence[Result]) -> str:
    """A sentence that names the results which the present code did not make; empty if it made all.

    >>> older_than_the_code([Result("links", "blog", "SVD", 0, {}, {}, 1.0, older=True),
    ...                      Result("links", "blog", "BigClam", 0, {}, {}, 1.0)])
    '*Older than the code: blog (SVD).*'
    """
    methods: dict[str, dict[str, None]] = {}
    for result in results:
        if result.older:
            methods.setdefault(result.dataset, {})[result.method.partition(", length")[0]] = None
    if results and all(result.older for result in results):
        return "*All results of this section are older than the code.*"
    said = "; ".join(f"{name} ({', '.join(each)})" for name, each in methods.items())
    return f"*Older than the code: {said}.*" if said else ""


@dataclass(frozen=True)
class Standing:
    """The task that is about to run, how many are done, and how many there are.

    >>> Standing(Task("figure4", "blog", "SVD", 0, {}, dict), done=3, total=9).total
    9
    """

    task: Task
    done: int
    total: int


OnTask = Callable[[Standing], None]


@contextmanager
def ending_at_ctrl_c() -> Iterator[None]:
    """Ctrl-C inside the block ends it with ``KeyboardInterrupt``, even if a fit caught that and kept its best so far.

    A fit that was cut short is a model, but not a result.
    """
    before, pressed = signal.getsignal(signal.SIGINT), False

    def note(number: int, frame: FrameType | None) -> None:
        nonlocal pressed
        pressed = True
        assert callable(before)
        before(number, frame)

    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield  # signals go to the main thread; and a script in the background may ignore them
        return
    signal.signal(signal.SIGINT, note)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if pressed:
        raise KeyboardInterrupt


def run_tasks(tasks: Iterable[Task], store: ResultStore, on_task: OnTask | None = None) -> list[str]:
    """Run the tasks without a result of this code; returns why others could not run, for lack of data or programs.

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
        kept = store.result(task)
        if kept is not None and not kept.older:
            continue
        if on_task is not None:
            on_task(Standing(task, done, len(listed)))
        began = time.perf_counter()
        try:
            with ending_at_ctrl_c():
                values = task.run()
        except (MissingDataError, MissingDependencyError) as error:
            missing[str(error)] = None
            continue
        store.keep(task, values, time.perf_counter() - began)
        _LOG.debug("%s: %.1f s", task.key, time.perf_counter() - began)
    return list(missing)

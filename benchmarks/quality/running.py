"""Each task in a process of its own: its memory is its own, it can be stopped, and its failure is only its own."""

from __future__ import annotations

import math
import os
import signal
from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from benchmarks.measuring import own_peak
from experiments.experiment import Result, Task
from experiments.results import ResultStore
from philia.exceptions import MissingDataError, MissingDependencyError

Run = Callable[[], dict[str, Any]]

PRELOADED = [
    f"benchmarks.quality.{name}" for name in ("running", "links", "communities", "known_groups", "place", "planted")
]
"""Imported once, by a server that does nothing else and from which each task's process is forked: seconds a task."""


class Reconsidering(ResultStore):
    """A store in which some results do not count as done, so that their tasks are run again."""

    def __init__(self, folder: Path, again: Callable[[Result], bool]) -> None:
        super().__init__(folder)
        self.again = again

    def result(self, task: Task) -> Result | None:
        """The kept result, unless it is to be had again."""
        kept = super().result(task)
        return None if kept is None or self.again(kept) else kept


def failed(result: Result) -> bool:
    """Whether a task left a message instead of figures."""
    return "error" in result.values


def apart(task: Task, limit: float | None) -> Task:
    """The same task, run in a process of its own for at most ``limit`` seconds; says in a line how it went."""

    @wraps(task.run)
    def run() -> dict[str, Any]:
        values = in_own_process(task.run, limit)
        print(values.get("error") or f"{values['peak_gb']:.2f} GB", flush=True)
        return values

    return replace(task, run=run)


def in_own_process(run: Run, limit: float | None = None) -> dict[str, Any]:
    """What ``run`` gives, with its peak memory; an error is given as a message, except that data or programs lack.

    Ctrl-C ends the process and reaches the caller: a fit that was cut short is never taken for a result.
    """
    context = get_context("forkserver")
    context.set_forkserver_preload(PRELOADED)
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_answer, args=(run, theirs), daemon=True)
    process.start()
    theirs.close()
    try:
        if not ours.poll(limit):
            return {"error": f"stopped after {limit:g} seconds"}
        kind, told = ours.recv()
    except EOFError:
        process.join()
        return {"error": f"its process ended with {process.exitcode} and said nothing; -9 is often a lack of memory"}
    finally:
        process.kill()
        process.join()
    if kind is not None:
        raise kind(told)
    return dict(told)


def _answer(run: Run, answers: Connection) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the caller ends this process; a fit would keep what it has so far
    kind: type[Exception] | None = None
    told: Any
    try:
        told = _finite({**run(), **_of_process()})
    except (MissingDataError, MissingDependencyError) as error:
        kind, told = type(error), str(error)
    except Exception as error:
        told = {"error": f"{type(error).__name__}: {error}", **_of_process()}
    answers.send((kind, told))


def _of_process() -> dict[str, Any]:
    """Peak memory and cores."""
    return {"peak_gb": round(own_peak(), 3), "cores": len(os.sched_getaffinity(0))}


def _finite(value: Any) -> Any:
    """The value with None for numbers that are none: a file of results has no room for them."""
    if isinstance(value, dict):
        return {name: _finite(each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value

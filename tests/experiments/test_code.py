"""A result is known by the code that made it: a change that may matter makes it older, a change of words does not."""

from __future__ import annotations

import inspect
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import experiments.data
from experiments import EXPERIMENTS, WHOLE, Scope, Task
from experiments.code import (
    ASIDE,
    EVERYTHING,
    ROOTS,
    UNUSED,
    Definition,
    _digest,
    _functions,
    _module,
    _path,
    _reached_directly,
    _resolved,
    _within,
    digest_of,
    reached,
)
from experiments.results import ResultStore, older_than_the_code, run_tasks
from philia.datasets import Dataset, classic

RUN = '''
"""A module of an experiment."""
from experiments.other import SIZE, check
from experiments.data import dataset

TITLE = "what the page says"
"""A constant that no task uses."""

def run():
    """What a task runs."""
    check(SIZE)
    return helper(SIZE)

@advising("call run()")
def helper(size):
    return {"value": size}

def show():
    return TITLE
'''
OTHER = """
SIZE = 3
BESIDE = 4

_HABITS = {"small": "call check"}

def check(size):
    if size in _HABITS or size < 0:
        raise ValueError("too small")
"""


@pytest.fixture
def digest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str, str], str]]:
    """A function that gives the digest of ``run`` in a made-up experiment with this source."""
    package = sys.modules["experiments"]
    monkeypatch.setattr(package, "__path__", [str(tmp_path), *package.__path__])
    caches = (_digest, _module, _path, _reached_directly, _resolved)

    def of(run: str, other: str) -> str:
        for cached in caches:
            cached.cache_clear()
        (tmp_path / "made_up.py").write_text(run)
        (tmp_path / "other.py").write_text(other)
        return _digest(Definition("experiments.made_up", "run"))

    yield of
    for cached in caches:
        cached.cache_clear()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("helper(SIZE)", "helper(SIZE + 1)"),
        ('{"value": size}', '{"value": 2 * size}'),
        ("SIZE = 3", "SIZE = 4"),
        ("size < 0", "size < 1"),
    ],
)
def test_what_a_task_can_reach_changes_its_digest(digest: Callable[[str, str], str], old: str, new: str) -> None:
    assert digest(RUN, OTHER) != digest(RUN.replace(old, new), OTHER.replace(old, new))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"what the page says"', '"something else"'),
        ("What a task runs.", "Other words."),
        ("    return TITLE", "    # a remark\n    return TITLE.upper()"),
        ("SIZE = 3\n", "SIZE = 3  # three\n"),
        ("BESIDE = 4", "BESIDE = 5"),
        ("too small", "it is below 0"),
        ("call check", "write check"),
        ("call run()", "write run()"),
    ],
)
def test_words_and_what_only_shows_results_do_not(digest: Callable[[str, str], str], old: str, new: str) -> None:
    assert digest(RUN, OTHER) == digest(RUN.replace(old, new), OTHER.replace(old, new))


def test_every_task_depends_on_code_of_the_library() -> None:
    tasks = [task for experiment in EXPERIMENTS.values() for task in experiment.tasks(WHOLE)]
    digests = {task.experiment: task.code for task in tasks}
    assert len(set(digests.values())) == len(EXPERIMENTS)
    assert digest_of(partial(digest_of, digest_of)) != digest_of(digest_of)  # functions that are given count too


@pytest.mark.parametrize("experiment", ["introduction", "reconstruction", "communities", "links"])
def test_whatever_a_task_calls_is_in_its_digest(experiment: str, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = classic("karate")
    labels = {"first": list(graph.nodes)[:17], "second": list(graph.nodes)[17:]}
    monkeypatch.setattr(experiments.data, "load", lambda name: Dataset(name, name, graph, labels, "", "", "", ""))
    experiments.data.dataset.cache_clear()
    scope = Scope(("amazon",), seeds=(0,), iterations=3, quick=True)
    try:
        for task in EXPERIMENTS[experiment].tasks(scope):
            known = {found for part in _functions(task.run) for found in reached(_start(part))}
            whole = {module for module, name in known if name == EVERYTHING}
            called = {each for each in _called(task.run) if not _aside(each) and each.module not in whole}
            assert called <= known, task.key
    finally:
        experiments.data.dataset.cache_clear()


def _start(function: Callable[..., Any]) -> Definition:
    return Definition(function.__module__, function.__qualname__.partition(".")[0])


def _aside(called: Definition) -> bool:
    """Whether something that only shows results was called; nothing that is said to be unused may be."""
    assert not _within(called.module, UNUSED["experiments"]), called
    return _within(called.module, ASIDE)


def _called(run: Callable[[], Any]) -> set[Definition]:
    """The functions and classes of ours that are called while this runs; compiled ones are not seen."""
    found: set[Definition] = set()

    def watch(frame: FrameType, event: str, argument: Any) -> None:
        code, module = frame.f_code, str(frame.f_globals.get("__name__"))
        name = code.co_qualname.partition(".")[0]
        written = code.co_flags & inspect.CO_OPTIMIZED and not code.co_filename.startswith("<")
        if event == "call" and written and not name.startswith("<") and module.partition(".")[0] in ROOTS:
            found.add(Definition(module, name))

    threading.setprofile(watch)
    sys.setprofile(watch)
    try:
        run()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return found


def test_a_result_of_other_code_is_shown_as_older_and_made_again(tmp_path: Path) -> None:
    ran: list[str] = []

    def run() -> dict[str, Any]:
        ran.append("x")
        return {"value": len(ran)}

    task = Task("figure9", "blog", "SVD", 0, {}, run)
    store = ResultStore(tmp_path)
    run_tasks([task], store)
    (file,) = tmp_path.iterdir()
    file.write_text(file.read_text().replace(task.code, "0" * 12))
    store = ResultStore(tmp_path)
    kept = store.result(task)
    assert kept is not None
    assert (kept.older, kept.values) == (True, {"value": 1})
    assert "older than the code" in older_than_the_code([kept])
    run_tasks([task], store)
    again = store.result(task)
    assert again is not None
    assert (again.older, again.values) == (False, {"value": 2})
    assert older_than_the_code([again]) == ""


def test_a_result_without_a_digest_is_older(tmp_path: Path) -> None:
    task = Task("figure9", "blog", "SVD", 0, {}, dict)
    run_tasks([task], ResultStore(tmp_path))
    (file,) = tmp_path.iterdir()
    file.write_text(file.read_text().replace('"code"', '"once"'))
    kept = ResultStore(tmp_path).result(task)
    assert kept is not None
    assert kept.older
    assert older_than_the_code([kept, replace(kept, method="BigClam", older=False)]) == (
        "*Older than the code: blog (SVD).*"
    )

"""A result is known by the code that made it: a change that may matter makes it older, a change of words does not."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from experiments import EXPERIMENTS, WHOLE, Task
from experiments.code import _digest, _imports_of, _parsed, _path, _source_digest, digest_of
from experiments.results import ResultStore, older_than_the_code, run_tasks

RUN = '''
"""A module of an experiment."""
from experiments.other import SIZE
from experiments.data import dataset

TITLE = "what the page says"
"""A constant that no task uses."""

def run():
    """What a task runs."""
    return helper(SIZE)

def helper(size):
    return {"value": size}

def show():
    return TITLE
'''
OTHER = "SIZE = 3\n"


@pytest.fixture
def digest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str, str], str]]:
    """A function that gives the digest of ``run`` in a made-up experiment with this source."""
    package = sys.modules["experiments"]
    monkeypatch.setattr(package, "__path__", [str(tmp_path), *package.__path__])
    caches = (_digest, _imports_of, _parsed, _path, _source_digest)

    def of(run: str, other: str) -> str:
        for cached in caches:
            cached.cache_clear()
        (tmp_path / "made_up.py").write_text(run)
        (tmp_path / "other.py").write_text(other)
        return _digest("experiments.made_up", "run")

    yield of
    for cached in caches:
        cached.cache_clear()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("helper(SIZE)", "helper(SIZE + 1)"),
        ('{"value": size}', '{"value": 2 * size}'),
        ("SIZE = 3", "SIZE = 4"),
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
    ],
)
def test_words_and_what_only_shows_results_do_not(digest: Callable[[str, str], str], old: str, new: str) -> None:
    assert digest(RUN, OTHER) == digest(RUN.replace(old, new), OTHER.replace(old, new))


def test_every_task_depends_on_code_of_the_library() -> None:
    tasks = [task for experiment in EXPERIMENTS.values() for task in experiment.tasks(WHOLE)]
    digests = {task.experiment: task.code for task in tasks}
    assert len(set(digests.values())) == len(EXPERIMENTS)
    assert digest_of(partial(digest_of, digest_of)) != digest_of(digest_of)  # functions that are given count too


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

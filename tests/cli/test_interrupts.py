"""Ctrl-C of ``philia fit`` in every phase: there is a model afterwards, or the screen says that there is none."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from philia import CommunityModel, load, report
from philia.fitting import AllPairs, CommunityParametrization, problem
from philia.models import LinkModel, community
from philia.pairs import PairSample
from philia.selection import search

PROGRAM = "print('begun', flush=True); from philia.__main__ import main; main()"


def on_call(number: int, function: Callable[..., Any]) -> Callable[..., Any]:
    """The same function, interrupted by Ctrl-C during its n-th call."""
    calls = 0

    def interrupted(*arguments: Any, **named: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == number:
            raise KeyboardInterrupt
        return function(*arguments, **named)

    return interrupted


@pytest.mark.parametrize(
    ("owner", "name", "number"),
    [
        (PairSample, "of_factors", 12),  # between two fits of the choice of numbers
        (search, "shrunk", 1),
        (search, "shrunk", 2),
        (problem, "minimized", 12),  # before a trial has evaluated anything
        (community, "settling", 1),  # before the last fit has begun
        (AllPairs, "search", 1),
    ],
)
def test_ctrl_c_while_numbers_are_chosen_saves_the_best_so_far(
    owner: Any, name: str, number: int, folder: Path, run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(owner, name, on_call(number, getattr(owner, name)))
    done = run("fit", "links.csv", "-o", "new.safetensors", code=130)
    assert "The fit was interrupted; the best model so far is saved." in done.stdout
    model = load(folder / "new.safetensors")
    assert model.solution_.reason == "interrupted"
    assert isinstance(model, CommunityModel)
    assert model.factors_.homophilous.shape[1] > 0


@pytest.mark.parametrize(
    ("owner", "name", "options"),
    [
        (CommunityParametrization, "start", []),
        (CommunityParametrization, "start", ["-B", "2", "-C", "1", "--penalty", "1"]),
        (problem, "exact_objective", ["-B", "2", "-C", "1", "--penalty", "1"]),
        (LinkModel, "save", ["-B", "2", "-C", "1", "--penalty", "1"]),
    ],
)
def test_ctrl_c_before_anything_exists_says_that_nothing_is_saved(
    owner: Any, name: str, options: list[str], folder: Path, run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(owner, name, on_call(1, getattr(owner, name)))
    done = run("fit", "links.csv", "-o", "new.safetensors", *options, code=130)
    assert done.stderr.splitlines()[-1] == "Interrupted. No model was saved."
    assert not (folder / "new.safetensors").exists()


def test_ctrl_c_before_the_first_evaluation_leaves_no_model(
    folder: Path, run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_: Any, **__: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr("philia.solvers.solver.CompiledFunction.__call__", never)
    done = run("fit", "links.csv", "-B2", "-C1", "--penalty", "1", "-o", "new.safetensors", code=130)
    assert "No model was saved." in done.stderr
    assert not (folder / "new.safetensors").exists()


def test_ctrl_c_after_saving_says_where_the_model_is(folder: Path, run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report, "write_report", on_call(1, report.write_report))
    small = ["-B2", "-C1", "--penalty", "1", "-o", "new.safetensors", "--report", "new.html"]
    done = run("fit", "links.csv", *small, code=130)
    assert "The model is saved in new.safetensors." in done.stderr
    load(folder / "new.safetensors")


def _started(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    """A running command; Python itself has started."""
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *arguments],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "begun\n"
    return process


@pytest.mark.parametrize("wait", [0.0, 0.03, 0.1, 0.2])
def test_ctrl_c_while_the_program_is_loaded_shows_no_traceback(wait: float, folder: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-X", "importtime", "-m", "philia", "datasets", "list"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    assert process.stderr is not None
    while "typer" not in process.stderr.readline():  # Python has started, and the command line is being loaded
        pass
    time.sleep(wait)
    process.send_signal(signal.SIGINT)
    said = process.stderr.read()
    assert process.wait(timeout=120) in (0, 130, -signal.SIGINT)  # a shell says 130 for both of the latter
    assert "Traceback" not in said
    process.stderr.close()


@pytest.mark.slow
def test_ctrl_c_at_any_moment_leaves_a_model_or_says_that_there_is_none(tmp_path: Path) -> None:
    chance = random.Random(0)
    pairs = ((a, b) for a in range(300) for b in range(a) if chance.random() < (0.2 if a % 5 == b % 5 else 0.01))
    (tmp_path / "links.txt").write_text("".join(f"{a} {b}\n" for a, b in pairs))
    began = time.perf_counter()
    assert _started(tmp_path, "fit", "links.txt", "--quiet").communicate()[0] == ""
    longest, target, saved = time.perf_counter() - began, tmp_path / "links.safetensors", []
    for _ in range(25):
        target.unlink(missing_ok=True)
        process = _started(tmp_path, "fit", "links.txt", "--force")
        time.sleep(chance.uniform(0, longest))
        process.send_signal(signal.SIGINT)
        said, _ = process.communicate(timeout=120)
        assert "Traceback" not in said, said
        assert process.returncode in (0, 130, -signal.SIGINT), said
        saved.append(target.exists())
        if process.returncode == 0 or target.exists():
            interrupted = load(target).solution_.reason == "interrupted"
            assert interrupted == ("The fit was interrupted; the best" in said), said
        else:
            assert "Interrupted." in said, (process.returncode, said)
            assert "No model was saved" in said or "Fitting" not in said, said
    assert 0 < sum(saved) < len(saved)
    assert not list(tmp_path.glob(".*.tmp"))

"""A folder with a small network in it, a model of it, and a way to run commands there."""

from __future__ import annotations

import csv
import json
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from philia.cli import app
from tests.cli.names import NAMES

Run = Callable[..., Result]


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files of every kind that the examples name: links, a model, pairs, known groups, attributes; made once."""
    folder = tmp_path_factory.mktemp("made")
    chance = random.Random(0)
    pairs = [(a, b) for i, a in enumerate(NAMES) for j, b in enumerate(NAMES[:i]) if chance.random() < _odds(i, j)]
    with (folder / "links.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("source", "target"), *pairs, ("ann", "ann"), pairs[0]])
    (folder / "pairs.csv").write_text("source,target\nann,bob\nbob,ann\nann,bob\n")
    (folder / "new_links.csv").write_text("source,target\nzoe,ann\nbob,zoe\nmax,cat\n")
    (folder / "known.txt").write_text("ann n1 n5 n9\nbob n2 n6\n")
    (folder / "people.csv").write_text("node,age\nann,31\nbob,28\nn1,54\nn2,40\n")
    (folder / "network.mtx").write_text("%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 2\n")
    for arguments, output in (
        (["fit", "-B4", "-C1", "--penalty", "1"], "model.safetensors"),
        (["exact", "--by", "max-degree"], "exact.json"),
    ):
        done = CliRunner().invoke(app, [*arguments, str(folder / "links.csv"), "-o", str(folder / output)])
        assert done.exit_code == 0, done.output
    return folder


def _odds(i: int, j: int) -> float:
    return 0.6 if i % 4 == j % 4 else 0.05


@pytest.fixture
def folder(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A fresh copy of the files, which is also the current folder."""
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PHILIA_CACHE", str(tmp_path / "cache"))
    for name in ("COLUMNS", "FORCE_COLOR", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.fixture
def run(folder: Path) -> Run:
    """Run a command in the folder and check its exit code."""

    def command(*arguments: str, code: int = 0, stdin: str | bytes | None = None) -> Result:
        result = CliRunner().invoke(app, list(arguments), input=stdin)
        assert result.exit_code == code, result.output
        return result

    return command


@pytest.fixture
def run_json(run: Run) -> Callable[..., Any]:
    """Run a command with --json and read what it prints."""

    def command(*arguments: str, stdin: str | bytes | None = None) -> Any:
        return json.loads(run(*arguments, "--json", stdin=stdin).stdout)

    return command

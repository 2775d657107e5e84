"""The scripts in examples/ run as they are."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("*.py"))


def run(script: Path, folder: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "error", str(script)],
        capture_output=True,
        text=True,
        timeout=120,
        cwd=folder,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert list(folder.iterdir()) == [], "an example leaves files behind"
    return done.stdout


def test_there_are_examples() -> None:
    assert {script.stem for script in EXAMPLES} >= {"dating_app", "your_own_links"}


@pytest.mark.parametrize("script", EXAMPLES, ids=lambda script: script.stem)
def test_the_example_runs_and_says_something(script: Path, tmp_path: Path) -> None:
    assert run(script, tmp_path).strip()


def test_the_dating_app_example_finds_the_cities_and_the_genders(tmp_path: Path) -> None:
    said = run(next(script for script in EXAMPLES if script.stem == "dating_app"), tmp_path)
    assert "4 of 4 cities" in said
    assert "2 of 2 genders" in said


def test_the_example_with_own_links_counts_the_mess_and_finds_a_missing_link(tmp_path: Path) -> None:
    said = run(next(script for script in EXAMPLES if script.stem == "your_own_links"), tmp_path)
    assert "1 self-loop dropped, 2 repeated links merged, 3 weights dropped" in said
    assert "ann and hugo" in said

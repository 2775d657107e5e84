"""The example lines in the help of every command are run as they are."""

from __future__ import annotations

import hashlib
import re
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from philia.cli import app
from philia.datasets import CATALOG
from tests.cli.commands import commands_of

COMMANDS = commands_of(app)
EXAMPLES = {name: re.findall(r"\$ philia (.*)", command.__doc__ or "") for name, command in COMMANDS.items()}
SMALL = {"demo": ["--nodes", "120", "--cities", "3"]}
"""The demo's thousand users take longer than a test should."""


@pytest.fixture(autouse=True)
def football(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A made-up dataset instead of a real one, and no network access, which no test may need."""
    content = b"graph [ node [ id 0 value 1 ] node [ id 1 value 1 ] edge [ source 0 target 1 ] ]"
    games = CATALOG["football"]
    file = replace(games.links, size=len(content), sha256=hashlib.sha256(content).hexdigest())
    monkeypatch.setitem(CATALOG, "football", replace(games, links=file, labels=file))
    (folder / file.name).write_bytes(content)
    for name in ("PHILIA_DATA", "PHILIA_CACHE"):
        monkeypatch.setenv(name, str(folder))
    monkeypatch.setenv("https_proxy", "http://127.0.0.1:9")  # nobody listens there


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_examples_of_its_own(name: str) -> None:
    assert EXAMPLES[name]
    assert all(line.startswith(name) for line in EXAMPLES[name])


@pytest.mark.parametrize("line", [line for lines in EXAMPLES.values() for line in lines])
def test_the_example_runs(line: str, folder: Path, run: Any) -> None:
    arguments = shlex.split(line)
    made = {"fit": "model.safetensors", "exact": "exact.json"}.get(arguments[0])
    if made is not None:
        (folder / made).unlink()
    before = set(folder.iterdir())
    if arguments[0] == "convert":
        (folder / "links.csv").unlink()
    run(*arguments, *SMALL.get(arguments[0], []))
    for output in re.findall(r"(?:-o|--output|--figure) (\S+)", line):
        assert output == "-" or (folder / output).exists(), f"{line} left {set(folder.iterdir()) - before}"

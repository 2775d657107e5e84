"""The example lines in the help of every command are run as they stand."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from philia.cli import app

COMMANDS = [command.callback for command in app.registered_commands if command.callback is not None]
EXAMPLES = [line for command in COMMANDS for line in re.findall(r"\$ philia (.*)", command.__doc__ or "")]
SMALL = {"demo": ["--nodes", "120", "--cities", "3"]}
"""The demo's thousand users take longer than a test should."""


def test_every_command_has_an_example() -> None:
    assert {line.split()[0] for line in EXAMPLES} == {command.__name__ for command in COMMANDS}


@pytest.mark.parametrize("line", EXAMPLES)
def test_the_example_runs(line: str, folder: Path, run: Any) -> None:
    arguments = shlex.split(line)
    if arguments[0] == "fit":
        (folder / "model.safetensors").unlink()
    before = set(folder.iterdir())
    if arguments[0] == "convert":
        (folder / "links.csv").unlink()
    run(*arguments, *SMALL.get(arguments[0], []))
    for output in re.findall(r"(?:-o|--output|--figure) (\S+)", line):
        assert (folder / output).exists(), f"{line} left {set(folder.iterdir()) - before}"

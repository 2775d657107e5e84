from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import philia
from philia import CommunityModel
from philia.cli import _SUMMARIES, app
from philia.initialization import STARTS
from philia.solvers import SOLVERS
from tests.cli.commands import commands_of

COMMANDS = list(commands_of(app))
GROUPS = [group.name or "" for group in app.registered_groups]
HEAVY = ["numpy", "scipy", "sklearn", "matplotlib", "numba", "philia.models", "philia.graphs"]

SCREENS = 48
"""Lines of two screens of the smallest usual terminal; the help of fit grows with the registries that it lists."""


@pytest.fixture
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")


@pytest.mark.parametrize("command", [*COMMANDS, *GROUPS, ""])
def test_help_fits_on_two_screens_of_80_columns(command: str, narrow: None) -> None:
    result = CliRunner().invoke(app, [*command.split(), "--help"])
    assert result.exit_code == 0
    assert len(result.stdout.rstrip().splitlines()) <= SCREENS
    assert "<bool>" not in result.stdout
    assert "[]" not in result.stdout  # every argument has its name in the usage line
    assert command not in COMMANDS or "Example:" in result.stdout


def test_what_others_would_type_is_understood() -> None:
    run = CliRunner().invoke
    assert run(app, ["help", "fit"]).stdout == run(app, ["fit", "--help"]).stdout
    assert run(app, ["version"]).stdout == run(app, ["-V"]).stdout == run(app, ["--version"]).stdout


def test_help_loads_nothing_heavy() -> None:
    script = (
        "import sys; from philia.cli import app; from typer.testing import CliRunner; "
        "CliRunner().invoke(app, ['report', '--help']); CliRunner().invoke(app, ['datasets', 'list', '--help']); "
        f"print([name for name in {HEAVY} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("name", _SUMMARIES)
def test_the_list_of_commands_says_what_each_says_of_itself(name: str) -> None:
    groups = {group.name: group.typer_instance.info.help for group in app.registered_groups if group.typer_instance}
    own = groups[name] if name in groups else " ".join((commands_of(app)[name].__doc__ or "").split("\n\n")[0].split())
    assert own == _SUMMARIES[name]


def test_of_all_commands_only_the_one_that_was_asked_for_is_loaded(folder: Path) -> None:
    script = (
        "import sys; from philia.cli import main\n"
        "sys.argv = ['philia', 'explain', 'model.safetensors', 'ann', 'bob']\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "slow = ('philia.cli.fit', 'numba', 'scipy.linalg', 'scipy.special', 'philia.graphs.files')\n"
        "print([name for name in slow if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert "ann and bob" in done.stdout
    assert done.stdout.splitlines()[-1] == "[]"


def test_the_help_of_fit_lists_every_start_and_solver(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setitem(STARTS, "ones", STARTS["uniform"])
    defaults = CommunityModel().get_params()
    shown = run("fit", "--help").stdout
    assert f"{', '.join(STARTS)}." in shown
    assert f"{', '.join(SOLVERS)} ({defaults['solver']}: by size)" in shown


def test_version_is_printed(run: Any) -> None:
    assert run("--version").stdout == f"philia {philia.__version__}\n"


def test_tab_completion_can_be_installed(run: Any) -> None:
    assert "--install-completion" in run("--help").stdout


def test_without_arguments_the_help_is_shown() -> None:
    shown = CliRunner().invoke(app, [])
    assert "fit" in shown.output
    assert shown.exit_code == 0

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
from typer.testing import CliRunner

import philia
from philia.cli import app

COMMANDS = [command.callback.__name__ for command in app.registered_commands if command.callback is not None]
HEAVY = ["numpy", "scipy", "sklearn", "matplotlib", "numba", "philia.models", "philia.graphs"]


@pytest.fixture
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")


@pytest.mark.parametrize("command", [*COMMANDS, ""])
def test_help_fits_on_one_screen(command: str, wide: None) -> None:
    result = CliRunner().invoke(app, [*([command] if command else []), "--help"])
    assert result.exit_code == 0
    assert len(result.stdout.rstrip().splitlines()) <= 40
    assert not command or "Example:" in result.stdout


def test_the_commands_are_the_documented_ones_in_the_order_of_use() -> None:
    assert COMMANDS == ["demo", "fit", "info", "communities", "explain", "predict", "sample", "convert"]


def test_help_loads_nothing_heavy() -> None:
    script = (
        "import sys; from philia.cli import app; from typer.testing import CliRunner; "
        f"CliRunner().invoke(app, ['fit', '--help']); print([name for name in {HEAVY} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_version_is_printed(run: Any) -> None:
    assert run("--version").stdout == f"philia {philia.__version__}\n"


def test_tab_completion_can_be_installed(run: Any) -> None:
    assert "--install-completion" in run("--help").stdout


def test_without_arguments_the_help_is_shown() -> None:
    assert "fit" in CliRunner().invoke(app, []).output

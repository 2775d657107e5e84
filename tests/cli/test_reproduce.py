from __future__ import annotations

import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

import philia
from philia.cli import app


def test_outside_of_the_repository_the_command_says_where_the_experiments_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed = tmp_path / "lib" / "site-packages" / "philia" / "__init__.py"
    monkeypatch.setattr(philia, "__file__", str(installed))
    result = CliRunner().invoke(app, ["reproduce", "table1", "-o", str(tmp_path / "out")])
    assert result.exit_code == 2
    said = " ".join(result.stderr.split())
    assert "the experiments are part of philia's repository, not of the installed package" in said
    assert "pip install --editable ." in said
    assert not (tmp_path / "out").exists()


def test_in_the_repository_the_experiments_are_found_from_any_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [path for path in sys.path if path and not (Path(path) / "experiments").is_dir()])
    for name in [name for name in sys.modules if name.partition(".")[0] == "experiments"]:
        monkeypatch.delitem(sys.modules, name)
    result = CliRunner().invoke(app, ["reproduce", "figure9"])
    assert result.exit_code == 2
    assert "there is no experiment 'figure9'" in result.stderr

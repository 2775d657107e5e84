"""One change, one place: something new of each kind is one class or function and one line.

Each test defines a toy and registers it by that line alone. Nothing else may have to know about it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

import philia
from philia.cli import COMMANDS, app, program
from philia.models import MODELS, NonnegativeFactorization
from philia.objective import SquaredError
from tests.contracts import test_estimators as contracts
from tests.strategies import random_graph


class Toy(NonnegativeFactorization):
    """A model that is a row of the table: everything but its loss is inherited."""

    loss = SquaredError()


def hello(name: str) -> None:
    """Greet someone."""
    typer.echo(f"Hello {name}")


CONTRACTS = [
    check
    for name, check in vars(contracts).items()
    if name.startswith("test_") and inspect.signature(check).parameters.keys() & {"model", "name"}
]
"""The contracts that every model keeps."""


def test_a_model_is_registered_by_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(MODELS, "Toy", Toy)  # the line
    links, saved = tmp_path / "links.csv", tmp_path / "toy.safetensors"
    philia.write_graph(random_graph(30, 0.2, seed=0), links)
    fitting = CliRunner().invoke(app, ["fit", str(links), "--model", "toy", "-B", "2", "-C", "1", "-o", str(saved)])
    assert fitting.exit_code == 0, fitting.output
    assert type(philia.load(saved)) is Toy
    assert philia.Toy is Toy
    assert "Toy" in philia.__all__
    refused = CliRunner().invoke(app, ["fit", str(links), "--model", "Other"])
    assert "Toy" in refused.output


@pytest.mark.parametrize("contract", CONTRACTS)
def test_a_new_model_keeps_the_contracts(contract: Callable[..., None], tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setitem(MODELS, "Toy", Toy)
    graph, links = random_graph(30, 0.2, seed=0), [(0, 1), (2, 3)]
    given = {"name": "Toy", "model": Toy(random_state=0), "graph": graph, "links": links, "tmp_path": tmp_path}
    contract(**{name: given[name] for name in inspect.signature(contract).parameters})


def test_a_command_is_registered_by_one_line() -> None:
    extended = program((*COMMANDS, hello))  # the line
    assert "hello" in CliRunner().invoke(extended, ["--help"]).output
    assert CliRunner().invoke(extended, ["hello", "ann"]).stdout == "Hello ann\n"

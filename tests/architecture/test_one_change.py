"""One change, one place: something new of each kind is one class or function and one line.

Each test defines a toy and registers it by that line alone. Nothing else may have to know about it. Four kinds have
tests of their own, in the same manner: a loss (tests/objective/test_losses.py), a membership rule
(tests/explain/test_rules.py), a kind of held-out pairs (tests/pairs/test_new_kind.py), and a file format and a reading
option (tests/architecture/test_file_formats.py).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

import philia
from philia import CommunityModel
from philia._types import Float64Array
from philia.cli import COMMANDS, app, program
from philia.graphs import Graph
from philia.initialization import STARTS
from philia.models import MODELS, LinkModel, NonnegativeFactorization
from philia.objective import AllPairsObjective, SampledPairsObjective, SquaredError
from philia.objective.kernels import LaneSums, RowSums, reference
from philia.solvers import LBFGSB, SOLVERS, OnIteration, Solution
from philia.solvers.solver import ValueAndGradient
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


@pytest.mark.slow
@pytest.mark.parametrize("contract", CONTRACTS)
def test_a_new_model_keeps_the_contracts(contract: Callable[..., None], tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setitem(MODELS, "Toy", Toy)
    graph, links = random_graph(30, 0.2, seed=0), [(0, 1), (2, 3)]
    given = {"name": "Toy", "model": Toy(random_state=0), "graph": graph, "links": links, "tmp_path": tmp_path}
    contract(**{name: given[name] for name in inspect.signature(contract).parameters})


def ones(
    graph: Graph, n_homophilous: int, n_heterophilous: int, baseline: float, rng: np.random.Generator
) -> tuple[Float64Array, Float64Array]:
    """A start at which all nodes are alike but for a little chance."""
    return tuple(1 + 0.1 * rng.random((graph.n_nodes, k)) for k in (n_homophilous, n_heterophilous))  # type: ignore[return-value]


@dataclass(frozen=True)
class Descent:
    """A solver: steps down the gradient, each half as long as the last if it leads up."""

    iterations: int = 50

    def minimize(
        self,
        function: ValueAndGradient,
        start: Float64Array,
        lower_bound: Float64Array,
        on_iteration: OnIteration | None = None,
    ) -> Solution:
        """The point after the last step."""
        point, size = np.maximum(start, lower_bound), 0.01
        value, gradient = function(point)
        history = [value]
        for _ in range(self.iterations):
            after = np.maximum(point - size * gradient, lower_bound)
            lower, next_gradient = function(after)
            if lower < value:
                point, value, gradient = after, lower, next_gradient
            else:
                size /= 2
            history.append(value)
        return Solution(point, value, np.array(history), len(history), 0.0, "stopped", converged=False)


class Backwards:
    """An executor that computes the last item first and gives results in order."""

    def __init__(self) -> None:
        self.items = 0

    def map(self, function: Callable[[Any], Any], items: Iterable[Any], /) -> Iterator[Any]:
        """The function's result for each item, in the items' order."""
        listed = list(items)
        self.items += len(listed)
        return iter([function(item) for item in reversed(listed)][::-1])


class Counting:
    """A kernel that counts its calls, and leaves the work to the reference kernel."""

    def __init__(self) -> None:
        self.calls = 0

    def lane_sums(self, *given: Any) -> LaneSums:
        """Sums over the pairs of a lane."""
        self.calls += 1
        return reference.lane_sums(*given)

    def row_sums(self, *given: Any) -> RowSums:
        """Sums over some rows and the drawn columns."""
        self.calls += 1
        return reference.row_sums(*given)


def fitted_by_command(folder: Path, *options: str) -> LinkModel:
    """What ``philia fit`` saves for a small graph."""
    philia.write_graph(random_graph(30, 0.2, seed=0), folder / "links.csv")
    saved = folder / "model.safetensors"
    command = ["fit", str(folder / "links.csv"), "-B", "2", "-C", "1", "--penalty", "1", "-o", str(saved), *options]
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 0, done.output
    return philia.load(saved)


def test_a_start_is_registered_by_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(STARTS, "ones", ones)  # the line
    graph = random_graph(30, 0.2, seed=0)
    by_name, by_function = (
        CommunityModel(2, 1, penalty=1, start=start, random_state=0).fit(graph).solution_ for start in ("ones", ones)
    )
    np.testing.assert_array_equal(by_name.history, by_function.history)
    assert fitted_by_command(tmp_path, "--start", "ones").get_params()["start"] == "ones"
    with pytest.raises(philia.exceptions.InvalidParameterError, match="'ones'"):
        CommunityModel(2, 1, penalty=1, start="other").fit(graph)


def test_a_solver_is_registered_by_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(SOLVERS, "descent", Descent)  # the line
    solution = CommunityModel(2, 1, penalty=1, solver="descent", random_state=0).fit(random_graph(30, 0.2, 0)).solution_
    assert solution.value < solution.history[0]
    assert solution.iterations == 50
    model = fitted_by_command(tmp_path, "--solver", "descent", "--iterations", "7")
    assert model.get_params()["solver"] == Descent(7)
    assert model.solution_.iterations == 7


def test_an_executor_is_an_object_with_a_map() -> None:
    graph, executor = random_graph(600, 0.02, seed=0), Backwards()
    settings: dict[str, Any] = {"penalty": 1, "solver": LBFGSB(5), "random_state": 0}
    usual, toy = (CommunityModel(2, 1, executor=e, **settings).fit(graph).factors_ for e in (None, executor))
    assert executor.items > 0
    np.testing.assert_array_equal(usual.homophilous, toy.homophilous)


@pytest.mark.parametrize("kind", [AllPairsObjective, SampledPairsObjective])
def test_a_kernel_is_an_object_with_two_methods(kind: Any) -> None:
    graph, recipe, kernel = random_graph(600, 0.02, seed=0), CommunityModel(2, 1).recipe(), Counting()
    F = np.random.default_rng(0).random((600, len(recipe.mixing)))

    def value(objective: Any) -> float:
        if kind is AllPairsObjective:
            return float(objective.value_and_gradient(recipe.point(F))[0])
        return float(objective.value(F.astype(np.float32), np.random.default_rng(1)))

    assert value(kind(graph, recipe, kernel=kernel)) == pytest.approx(value(kind(graph, recipe)))
    assert kernel.calls > 0


def test_a_command_is_registered_by_one_line() -> None:
    extended = program((*COMMANDS, hello))  # the line
    assert "hello" in CliRunner().invoke(extended, ["--help"]).output
    assert CliRunner().invoke(extended, ["hello", "ann"]).stdout == "Hello ann\n"

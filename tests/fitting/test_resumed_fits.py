from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

from philia import SVD, BigClam, CommunityModel, LogisticPCA
from philia._types import Float64Array
from philia.exceptions import CheckpointError
from philia.fitting import Checkpoint, checkpoint
from philia.fitting.warm_starts import FromFactors
from philia.graphs import Graph
from philia.models import LinkModel
from philia.solvers import LBFGSB, Adam, Progress
from philia.solvers.solver import CompiledFunction
from philia.storage.tensors import read_arrays
from tests.fitting.killed_fits import FAST, Killed, graph, left_by, often, same

__all__ = ["graph", "often"]


def killed(model: LinkModel, graph: Graph, folder: Path, after: int, **fitting: Any) -> bool:
    """Fit for this many iterations and leave the folder as a signal would then; False if the fit ends first."""
    left, found = iter(range(after)), folder.with_name("found")

    def on_iteration(progress: Progress) -> None:
        if next(left, None) is None:
            if folder.exists():
                shutil.copytree(folder, found)
            else:
                found.mkdir()
            raise Killed

    try:
        model.fit(graph, checkpoint=folder, on_iteration=on_iteration, **fitting)
    except Killed:
        shutil.rmtree(folder, ignore_errors=True)
        found.rename(folder)
        return True
    return False


MODELS = {
    "lbfgsb": CommunityModel(3, 2, penalty=1, solver="lbfgsb", random_state=0),
    "floor": CommunityModel(3, 2, penalty=1, solver="floor", random_state=0),
    "starts": CommunityModel(3, 2, penalty=1, solver=LBFGSB(60), n_starts=3, start="uniform", random_state=0),
    "signed": CommunityModel(3, 2, penalty=1, solver=LBFGSB(30), start="signed", random_state=0),
    "chosen": CommunityModel(n_heterophilous=0, penalty=1, random_state=0, solver=LBFGSB(40)),
    "adam": CommunityModel(3, 2, penalty=1, solver=Adam(30), random_state=0),
    "patient": CommunityModel(3, 2, penalty=1, solver=Adam(60, hidden=0.3, patience=2), random_state=0),
    "unhidden": CommunityModel(3, 2, penalty=1, solver=Adam(20, hidden=0.0), n_starts=2, random_state=0),
    "logistic": LogisticPCA(3, random_state=0, solver=LBFGSB(50)),
    "bigclam": BigClam(3, random_state=0),
}


@pytest.mark.parametrize("name", MODELS)
def test_a_fit_that_is_killed_again_and_again_ends_in_the_same_bits(name: str, graph: Graph, tmp_path: Path) -> None:
    seen: list[Progress] = []
    whole = clone(MODELS[name]).fit(graph, on_iteration=seen.append)
    folder, model, deaths = tmp_path / "kept", clone(MODELS[name]), 0
    while killed(model, graph, folder, after=len(seen) * (5 + deaths) // 9):
        deaths += 1
    assert deaths > 0
    assert same(model, whole)
    assert not folder.exists()


def test_recorded_results_are_not_computed_again(graph: Graph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    compute = CompiledFunction.__call__

    def counted(self: CompiledFunction, point: Float64Array) -> tuple[float, Float64Array]:
        asked.append(1)
        return compute(self, point)

    monkeypatch.setattr(CompiledFunction, "__call__", counted)
    whole = clone(FAST).fit(graph).solution_.evaluations
    folder = left_by(FAST, graph, tmp_path / "kept")
    before = len(asked)
    clone(FAST).fit(graph, checkpoint=folder)
    assert before - whole >= 10
    assert len(asked) == 2 * whole + 2  # the last replayed value and the final one are recomputed


@pytest.mark.parametrize("random_state", [None, np.random.RandomState(5), np.random.Generator(np.random.MT19937(3))])
def test_without_a_seed_the_same_random_numbers_are_drawn(random_state: Any, graph: Graph, tmp_path: Path) -> None:
    first: list[float] = []
    again: list[float] = []

    def first_ten(progress: Progress) -> None:
        first.append(progress.value)
        if len(first) == 10:
            raise Killed

    model = clone(FAST).set_params(random_state=random_state, start="uniform")
    folder = Checkpoint(tmp_path / "kept", every=0.0)
    with pytest.raises(Killed):
        model.fit(graph, held_out=0.2, checkpoint=folder, on_iteration=first_ten)
    model.fit(graph, held_out=0.2, checkpoint=folder, on_iteration=lambda progress: again.append(progress.value))
    assert again[:10] == first


def test_the_number_of_threads_may_change(graph: Graph, tmp_path: Path) -> None:
    folder = left_by(FAST, graph, tmp_path / "kept")
    resumed = clone(FAST).set_params(n_jobs=1).fit(graph, checkpoint=folder)
    assert same(resumed, clone(FAST).fit(graph))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"penalty": 2.0}, "penalty was 1 and is 2.0"),
        ({"random_state": 1}, "random_state was 0 and is 1"),
        ({"solver": LBFGSB(30)}, "solver was LBFGSB(iterations=20"),
        ({"start": "uniform"}, "start was 'spectral' and is 'uniform'"),
    ],
)
def test_another_model_is_refused(change: dict[str, Any], said: str, graph: Graph, tmp_path: Path) -> None:
    folder = left_by(FAST, graph, tmp_path / "kept")
    with pytest.raises(CheckpointError, match=r"is of another fit.*remove the folder") as error:
        clone(FAST).set_params(**change).fit(graph, checkpoint=folder)
    assert said in str(error.value)
    assert same(clone(FAST).fit(graph, checkpoint=folder), clone(FAST).fit(graph))  # the checkpoint is unchanged


def test_checkpoints_of_another_graph_other_held_out_pairs_or_another_version_are_refused(
    graph: Graph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = left_by(FAST, graph, tmp_path / "kept")
    rows, columns = graph.links
    for other, said in (
        (Graph.from_rows(rows[1:], columns[1:], graph.nodes), f"links was {len(rows)} and is {len(rows) - 1}"),
        (
            Graph.from_rows(rows, columns, graph.nodes, weights=np.arange(1.0, 1 + len(rows))),
            "the links or their weights differ",
        ),
    ):
        with pytest.raises(CheckpointError, match=said):
            clone(FAST).fit(other, checkpoint=folder)
    for pairs in (0.1, [(0, 1)]):
        with pytest.raises(CheckpointError, match="held out was None and is"):
            clone(FAST).fit(graph, held_out=pairs, checkpoint=folder)
    with pytest.raises(CheckpointError, match="model was CommunityModel and is SVD"):
        SVD(2).fit(graph, checkpoint=folder)
    monkeypatch.setattr("philia.fitting.checkpoint.__version__", "99.0")
    with pytest.raises(CheckpointError, match=r"philia was .* and is 99\.0"):
        clone(FAST).fit(graph, checkpoint=folder)


def test_starts_that_hold_arrays_are_told_apart(graph: Graph, tmp_path: Path) -> None:
    factors = clone(FAST).fit(graph).factors_
    folder = left_by(clone(FAST).set_params(start=FromFactors(factors)), graph, tmp_path / "kept", after=1)
    other = FromFactors(clone(FAST).set_params(random_state=1, start="uniform").fit(graph).factors_)
    with pytest.raises(CheckpointError, match="start was"):
        clone(FAST).set_params(start=other).fit(graph, checkpoint=folder)
    same_again = FromFactors(clone(FAST).fit(graph).factors_)
    clone(FAST).set_params(start=same_again).fit(graph, checkpoint=folder)


@pytest.mark.parametrize("model", [FAST, MODELS["patient"], MODELS["chosen"]])
def test_ctrl_c_leaves_a_checkpoint_that_resumes(model: LinkModel, graph: Graph, tmp_path: Path) -> None:
    def on_iteration(progress: Progress) -> None:
        if progress.iteration == 10:
            raise KeyboardInterrupt

    kept = Checkpoint(tmp_path / "kept", every=0.0)
    stopped = clone(model).fit(graph, checkpoint=kept, on_iteration=on_iteration)
    assert stopped.solution_.reason == "interrupted"
    assert kept.about is not None
    assert same(clone(model).fit(graph, checkpoint=tmp_path / "kept"), clone(model).fit(graph))


def test_a_short_fit_writes_nothing(graph: Graph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkpoint, "EVERY", 1000.0)
    folder = tmp_path / "kept"
    assert not killed(clone(FAST), graph, folder, after=1000)
    assert killed(clone(FAST), graph, folder, after=5)
    assert not list(folder.iterdir())


def test_a_checkpoint_that_stays_holds_the_end_of_the_fit(graph: Graph, tmp_path: Path) -> None:
    kept = Checkpoint(tmp_path / "kept", every=0.0, stays=True)
    first = clone(FAST).fit(graph, checkpoint=kept)
    seen: list[Progress] = []
    again = clone(FAST).fit(graph, checkpoint=kept, on_iteration=seen.append)
    assert same(first, again)
    assert not seen
    assert again.solution_.seconds == first.solution_.seconds
    kept.clear()
    assert not kept.path.exists()


def test_the_time_of_earlier_runs_counts(graph: Graph, tmp_path: Path) -> None:
    folder = left_by(FAST, graph, tmp_path / "kept", after=15)
    records = [record for path in folder.glob("records-*") for record in read_arrays(path)[1]["records"].values()]
    earlier = sum(record["seconds"] for record in records if record["key"] != "start")
    assert clone(FAST).fit(graph, checkpoint=folder).solution_.seconds > earlier > 0

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save_file
from sklearn.base import clone

from philia import SVD, CommunityModel, as_graph
from philia.exceptions import CheckpointError
from philia.fitting import Checkpoint, checkpoint
from philia.fitting.checkpoint import Record, description
from philia.graphs import Graph
from philia.storage.tensors import _checksum_of_arrays, read_arrays
from tests.fitting.killed_fits import FAST, graph, left_by, often, same, signed

__all__ = ["graph", "often"]


def test_torn_and_foreign_files_do_no_harm(graph: Graph, tmp_path: Path) -> None:
    folder = left_by(FAST, graph, tmp_path / "kept")
    (folder / ".records-00000099.safetensors.0a1b.tmp").write_bytes(b"half a rec")
    (folder / "notes.txt").write_text("mine")
    assert same(clone(FAST).fit(graph, checkpoint=folder), clone(FAST).fit(graph))
    assert [path.name for path in folder.iterdir()] == ["notes.txt"]


@pytest.mark.parametrize("name", ["fit.json", "records-*.safetensors"])
def test_a_checkpoint_that_is_damaged_anywhere_is_refused_before_it_is_used(
    name: str, graph: Graph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = left_by(FAST, graph, tmp_path / "kept")
    monkeypatch.setattr(CommunityModel, "_learn", lambda *_: pytest.fail("the checkpoint is used"))
    path = max(folder.glob(name))
    content = path.read_bytes()
    places = range(0, len(content), 1 + len(content) // 400)  # all parts of the header, and some of the numbers
    flipped = [content[:at] + bytes([content[at] ^ 1 << at % 8]) + content[at + 1 :] for at in places]
    for damaged in (*flipped, content[: len(content) // 2], content + b" ", b"", b"{}", b"[]", b"[" * 100_000):
        path.write_bytes(damaged)
        with pytest.raises(CheckpointError, match=r"is damaged.*remove the folder") as error:
            clone(FAST).fit(graph, checkpoint=folder)
        assert path.name in str(error.value)


@pytest.mark.parametrize(
    "change",
    [
        lambda about: about.pop("fit"),
        lambda about: about.pop("generator"),
        lambda about: about.update(generator={}),
        lambda about: about.update(generator=[]),
        lambda about: about.update(begun=7),
        lambda about: about.update(color="red"),
        lambda about: about["fit"].update(nodes="many"),
        lambda about: about["fit"].update(settings=[]),
        lambda about: about["fit"].pop("links"),
    ],
)
def test_a_malformed_description_is_refused(
    change: Callable[[dict[str, Any]], object], graph: Graph, tmp_path: Path
) -> None:
    folder = left_by(FAST, graph, tmp_path / "kept")
    about = json.loads((folder / "fit.json").read_text())
    del about["checksum"]  # as earlier versions wrote it
    change(about)
    (folder / "fit.json").write_text(json.dumps(about, indent=1))
    with pytest.raises(CheckpointError, match=r"fit\.json"):
        clone(FAST).fit(graph, checkpoint=folder)


def test_a_checkpoint_of_an_earlier_version_is_resumed(graph: Graph, tmp_path: Path) -> None:
    folder = left_by(FAST, graph, tmp_path / "kept")
    about = json.loads((folder / "fit.json").read_text())
    del about["checksum"]
    (folder / "fit.json").write_text(json.dumps(about, indent=1))
    for path in folder.glob("records-*"):
        arrays, header = read_arrays(path)
        del header["fit"]
        header |= {"format": 1, "checksum": _checksum_of_arrays(arrays)}
        save_file(arrays, path, {"philia": json.dumps(header)})
    assert same(clone(FAST).fit(graph, checkpoint=folder), clone(FAST).fit(graph))


@pytest.mark.parametrize("name", ["", "a", "-1", "01", "1_0", "0//1", "9" * 5000, "٣"])
def test_a_record_with_a_strange_name_is_refused(name: str, graph: Graph, tmp_path: Path) -> None:
    folder = left_by(FAST, graph, tmp_path / "kept")
    signed(min(folder.glob("records-*")), lambda _, header: header.update(records={name: {}}))
    with pytest.raises(CheckpointError, match="is damaged"):
        clone(FAST).fit(graph, checkpoint=folder)


def test_a_file_with_a_strange_name_is_left_alone(graph: Graph, tmp_path: Path) -> None:
    folder = left_by(FAST, graph, tmp_path / "kept")
    (folder / "records-mine.safetensors").write_text("mine")
    assert same(clone(FAST).fit(graph, checkpoint=folder), clone(FAST).fit(graph))
    assert [path.name for path in folder.iterdir()] == ["records-mine.safetensors"]


def _records(change: Callable[[str, dict[str, Any]], object]) -> Callable[[dict[str, Any], dict[str, Any]], None]:
    def every(_: dict[str, Any], header: dict[str, Any]) -> None:
        for name, record in header["records"].items():
            change(name, record)

    return every


@pytest.mark.parametrize(
    "change",
    [
        lambda arrays, _: arrays.update({name: array[:-1] for name, array in arrays.items()}),
        lambda arrays, _: arrays.update({name: array.astype(np.int64) for name, array in arrays.items()}),
        lambda arrays, _: arrays.clear(),
        _records(lambda _, record: record.update(plain={"value": "low"})),
        _records(lambda _, record: record.update(plain={"color": "red"})),
        _records(lambda _, record: record.update(generator={"bit_generator": "PCG64"})),
        _records(lambda _, record: record.update(generator=[1])),
        _records(lambda _, record: record.update(seconds="long")),
        _records(lambda _, record: record.pop("key")),
        lambda _, header: header.update(fit="another"),
        lambda _, header: header.pop("fit"),
        lambda _, header: header.update(records=[]),
    ],
)
def test_records_of_the_wrong_types_or_shapes_are_refused_even_with_a_valid_checksum(
    change: Callable[[dict[str, Any], dict[str, Any]], object], graph: Graph, tmp_path: Path
) -> None:
    folder = left_by(FAST, graph, tmp_path / "kept")
    for path in folder.glob("records-*"):
        signed(path, change)
    with pytest.raises(CheckpointError, match=r"is damaged.*remove the folder"):
        clone(FAST).fit(graph, checkpoint=folder)


def _value_times(folder: Path, which: int, factor: float) -> None:
    """Multiply the value in the records of one file, and write a matching checksum."""

    def other_value(name: str, record: dict[str, Any]) -> None:
        record["plain"]["value"] *= factor

    signed(sorted(folder.glob("records-*"))[which], _records(other_value))


@pytest.mark.parametrize(("which", "factor"), [(1, 0.5), (4, 0.5), (4, 2.0), (-1, 0.5), (-1, 0.99), (-1, 2.0)])
def test_a_value_that_the_graph_does_not_give_is_refused(
    which: int, factor: float, graph: Graph, tmp_path: Path
) -> None:
    folder = left_by(FAST, graph, tmp_path / "kept")
    _value_times(folder, which, factor)
    with pytest.raises(CheckpointError, match="the graph gives"):
        clone(FAST).fit(graph, checkpoint=folder)


@pytest.mark.parametrize(("which", "factor"), [(1, 0.99), (1, 2.0), (4, 0.99)])
def test_a_value_that_affects_no_step_does_not_affect_the_model(
    which: int, factor: float, graph: Graph, tmp_path: Path
) -> None:
    folder = left_by(FAST, graph, tmp_path / "kept")
    _value_times(folder, which, factor)
    resumed, whole = clone(FAST).fit(graph, checkpoint=folder), clone(FAST).fit(graph)
    np.testing.assert_array_equal(resumed.features(), whole.features())
    assert resumed.solution_.value == whole.solution_.value


def test_a_recorded_search_whose_value_is_wrong_is_refused(graph: Graph, tmp_path: Path) -> None:
    kept = Checkpoint(tmp_path / "kept", every=0.0, stays=True)
    clone(FAST).fit(graph, checkpoint=kept)

    def lower(_: str, record: dict[str, Any]) -> None:
        if "reason" in record["plain"]:
            record["plain"]["value"] /= 2

    for path in kept.path.glob("records-*"):
        signed(path, _records(lower))
    with pytest.raises(CheckpointError, match="the graph gives"):
        clone(FAST).fit(graph, checkpoint=kept)


def test_records_of_another_fit_are_refused(graph: Graph, tmp_path: Path) -> None:
    folder = left_by(FAST, graph, tmp_path / "kept")
    other = left_by(clone(FAST).set_params(penalty=3.0), graph, tmp_path / "other")
    for path in other.glob("records-*"):
        path.replace(folder / path.name)
    with pytest.raises(CheckpointError, match="belong to another fit"):
        clone(FAST).fit(graph, checkpoint=folder)


def test_records_without_a_description_are_ignored(graph: Graph, tmp_path: Path) -> None:
    folder = left_by(FAST, graph, tmp_path / "kept")
    (folder / "fit.json").unlink()  # as if the process had been killed while clearing
    assert same(
        clone(FAST).set_params(penalty=3).fit(graph, checkpoint=folder), clone(FAST).set_params(penalty=3).fit(graph)
    )


def test_one_warning_says_that_the_folder_cannot_be_written(
    graph: Graph, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("not a folder")
    with caplog.at_level(logging.WARNING, "philia"):
        fitted = clone(FAST).fit(graph, checkpoint=Checkpoint(tmp_path / "file" / "kept", every=0.0))
    assert same(fitted, clone(FAST).fit(graph))
    assert len([r for r in caplog.records if "the fit continues without it" in r.message]) == 1
    with pytest.raises(CheckpointError, match="is a file"):
        clone(FAST).fit(graph, checkpoint=tmp_path / "file")


def test_a_fit_that_departs_from_its_checkpoint_is_computed_again(
    graph: Graph, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder = left_by(FAST, graph, tmp_path / "kept")

    def backwards(_: dict[str, Any], header: dict[str, Any]) -> None:
        for record in header["records"].values():
            record["key"] = record["key"] if record["key"] == "start" else record["key"][::-1]

    for path in folder.glob("records-*"):
        signed(path, backwards)
    with caplog.at_level(logging.WARNING, "philia"):
        resumed = clone(FAST).fit(graph, checkpoint=folder)
    assert "departs from its checkpoint" in caplog.text
    assert same(resumed, clone(FAST).fit(graph))


def begun(folder: Path) -> Checkpoint:
    checkpoint = Checkpoint(folder, every=0.0)
    checkpoint.begin(description(SVD(2), as_graph([(0, 1)]), None), {"bit_generator": "PCG64"})
    return checkpoint


def test_optional_records_stay_within_their_budget(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkpoint, "_SHARE", 0.05)
    kept = begun(tmp_path / "kept")
    assert not kept.affords(10**9)
    kept._budget.began -= 1000
    assert kept.affords(10**9)
    monkeypatch.setattr(kept._budget, "free", 1.5 * 10**9)
    monkeypatch.setattr(kept._budget, "least_free", 10**9)
    assert not kept.affords(10**9)


def test_files_without_a_needed_record_are_removed(tmp_path: Path) -> None:
    kept = begun(tmp_path / "kept")
    for step in range(5):
        kept.put((0, step), Record("value", {"gradient": np.ones(3)}))
    assert len(list(kept.path.glob("records-*"))) == 5
    kept.put((0,), Record("end", {"point": np.ones(3)}))
    assert len(list(kept.path.glob("records-*"))) == 1
    again = begun(kept.path)
    assert again.find((0, 0)) is None
    assert again.find((0,)) is not None


def test_a_search_that_departs_replaces_its_earlier_result_and_all_that_followed(tmp_path: Path) -> None:
    kept = begun(tmp_path / "kept")
    kept.every = 1000.0
    for number in range(3):
        kept.put((number,), Record(f"search {number}", {}))
    kept.write()
    kept.forget_from((1,))
    kept.put((1, 0), Record("value", {}))
    kept.write()
    again = begun(kept.path)
    assert again.find((0,)) is not None
    assert again.find((1,)) is None
    assert again.find((1, 0)) is not None
    again.put((1,), Record("search 1", {}))
    assert again.find((1, 0)) is None

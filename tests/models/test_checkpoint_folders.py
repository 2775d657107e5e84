from __future__ import annotations

import json
import logging
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone

from philia.exceptions import CheckpointError
from philia.graphs import Graph
from philia.models import checkpoints
from philia.models.checkpoints import Checkpoint
from philia.models.records import Record
from tests.models.ended_fits import FAST, graph, left_by, often, same

__all__ = ["graph", "often"]


def test_what_is_torn_or_foreign_does_no_harm(graph: Graph, tmp_path: Path) -> None:
    folder = left_by(FAST, graph, tmp_path / "kept")
    (folder / ".records-00000099.safetensors.0a1b.tmp").write_bytes(b"half a rec")
    (folder / "notes.txt").write_text("mine")
    assert same(clone(FAST).fit(graph, checkpoint=folder), clone(FAST).fit(graph))
    assert [path.name for path in folder.iterdir()] == ["notes.txt"]


@pytest.mark.parametrize("name", ["fit.json", "records-*.safetensors"])
@pytest.mark.parametrize("harm", ["cut", "changed"])
def test_a_damaged_checkpoint_is_refused(name: str, harm: str, graph: Graph, tmp_path: Path) -> None:
    folder = left_by(FAST, graph, tmp_path / "kept")
    path = max(folder.glob(name))
    content = bytearray(path.read_bytes())
    if harm == "changed":
        content[-9] ^= 255
    path.write_bytes(content if harm == "changed" else content[: len(content) // 2])
    with pytest.raises(CheckpointError, match=r"is damaged.*remove the folder") as error:
        clone(FAST).fit(graph, checkpoint=folder)
    assert path.name in str(error.value)


def test_records_without_a_fit_are_not_taken(graph: Graph, tmp_path: Path) -> None:
    folder = left_by(FAST, graph, tmp_path / "kept")
    (folder / "fit.json").unlink()  # as if clearing had been ended in the middle
    assert same(
        clone(FAST).set_params(penalty=3).fit(graph, checkpoint=folder), clone(FAST).set_params(penalty=3).fit(graph)
    )


def test_a_folder_that_cannot_be_written_is_remarked_on_once(
    graph: Graph, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("not a folder")
    with caplog.at_level(logging.WARNING, "philia"):
        fitted = clone(FAST).fit(graph, checkpoint=Checkpoint(tmp_path / "file" / "kept", every=0.0))
    assert same(fitted, clone(FAST).fit(graph))
    assert len([r for r in caplog.records if "the fit goes on without" in r.message]) == 1
    with pytest.raises(CheckpointError, match="is a file"):
        clone(FAST).fit(graph, checkpoint=tmp_path / "file")


def test_another_way_than_before_is_computed_anew(
    graph: Graph, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder = left_by(FAST, graph, tmp_path / "kept")
    for path in folder.glob("records-*"):
        text = path.read_bytes()
        head = json.loads(text[8 : 8 + int.from_bytes(text[:8], "little")])
        for record in json.loads(head["__metadata__"]["philia"])["records"].values():
            if record["key"] != "start":
                text = text.replace(record["key"].encode(), record["key"][::-1].encode())
        path.write_bytes(text)
    with caplog.at_level(logging.WARNING, "philia"):
        resumed = clone(FAST).fit(graph, checkpoint=folder)
    assert "takes another way" in caplog.text
    assert same(resumed, clone(FAST).fit(graph))


def test_needless_records_cost_no_more_than_their_share(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkpoints, "_SHARE", 0.05)
    checkpoint = Checkpoint(tmp_path / "kept", every=0.0)
    checkpoint.begin({})
    assert not checkpoint.affords(10**9)
    checkpoint._costs.began -= 1000
    assert checkpoint.affords(10**9)
    monkeypatch.setattr(checkpoint._costs, "free", 1.5 * 10**9)
    monkeypatch.setattr(checkpoint._costs, "least", 10**9)
    assert not checkpoint.affords(10**9)


def test_files_are_removed_once_nothing_in_them_is_needed(tmp_path: Path) -> None:
    checkpoint = Checkpoint(tmp_path / "kept", every=0.0)
    checkpoint.begin({})
    for at in range(5):
        checkpoint.put((0, at), Record("value", {"gradient": np.ones(3)}))
    assert len(list(checkpoint.path.glob("records-*"))) == 5
    checkpoint.put((0,), Record("end", {"point": np.ones(3)}))
    assert len(list(checkpoint.path.glob("records-*"))) == 1
    again = Checkpoint(checkpoint.path)
    again.begin({})
    assert again.find((0, 0)) is None
    assert again.find((0,)) is not None

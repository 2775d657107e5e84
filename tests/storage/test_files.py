"""Opening and saving files: whose error is raised, and what is left behind."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from philia import as_graph, read_graph, write_graph
from philia.exceptions import GraphFileError, ModelFileError, PhiliaError, StorageError
from philia.storage import opened, saving


@pytest.mark.parametrize("error", [StorageError, GraphFileError, ModelFileError])
def test_the_caller_chooses_the_error(tmp_path: Path, error: type[PhiliaError]) -> None:
    with pytest.raises(error, match="there is no folder"), saving(tmp_path / "no" / "x.txt", error):
        pass
    with pytest.raises(error, match="there is no file"), opened(tmp_path / "x.txt", error):
        pass


def test_a_file_of_another_kind_is_not_a_graph_file(tmp_path: Path) -> None:
    with pytest.raises(StorageError) as caught, saving(tmp_path / "no" / "report.html"):
        pass
    assert not isinstance(caught.value, GraphFileError)


def test_graphs_raise_graph_file_errors_which_are_storage_errors(tmp_path: Path) -> None:
    with pytest.raises(GraphFileError) as caught:
        write_graph(as_graph([("ann", "bob")]), tmp_path / "no" / "x.txt")
    assert isinstance(caught.value, StorageError)
    with pytest.raises(GraphFileError):
        read_graph(tmp_path / "x.txt")


def test_an_error_raised_while_a_file_is_read_keeps_its_class(tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text("ann bob")
    with pytest.raises(ModelFileError, match=r"x\.txt: not a model"), opened(tmp_path / "x.txt", GraphFileError):
        raise ModelFileError("not a model")
    with pytest.raises(GraphFileError, match=r"x\.txt: too large"), opened(tmp_path / "x.txt", GraphFileError):
        raise StorageError("too large")


@pytest.mark.parametrize("suffix", ["", ".gz", ".bz2", ".xz"])
def test_what_is_saved_is_opened_whatever_its_name(tmp_path: Path, suffix: str) -> None:
    with saving(tmp_path / f"x.txt{suffix}") as file:
        file.write(b"ann bob")
    (tmp_path / f"x.txt{suffix}").rename(tmp_path / "y")
    with opened(tmp_path / "y") as source:
        assert source.stream.read() == b"ann bob"


def test_a_block_that_fails_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    with saving(tmp_path / "x.gz") as file:
        file.write(b"old")
    with pytest.raises(TypeError), saving(tmp_path / "x.gz") as file:
        file.writelines([b"new", "no bytes"])  # type: ignore[list-item]
    assert gzip.decompress((tmp_path / "x.gz").read_bytes()) == b"old"
    assert [path.name for path in tmp_path.iterdir()] == ["x.gz"]

"""Loading by name: files on this machine are used, missing ones are downloaded, wrong ones are refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from philia.datasets import CATALOG, fetch, load
from philia.datasets.catalog import largest_communities, largest_component
from philia.exceptions import GraphFileError, InvalidParameterError
from philia.graphs import as_graph
from philia.storage import COMPRESSION_SUFFIXES
from tests.datasets.server import LABELS, LINKS, FileServer


@pytest.fixture(autouse=True)
def tiny(server: FileServer, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(CATALOG, "tiny", server.entry())


def test_a_dataset_is_downloaded_once(server: FileServer) -> None:
    for _ in range(2):
        people = load("tiny")
        assert repr(people) == "Dataset('tiny': 5 nodes, 4 links, 2 labels)"
        assert people.communities == {"red": ["ann", "bob"], "blue": ["dan"]}
        assert (people.name, people.title, people.licence) == ("tiny", "Five people", "None.")
    assert server.asked == ["links.csv", "labels.csv"]


def test_files_that_are_here_are_not_downloaded(
    server: FileServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PHILIA_DATA", str(tmp_path))
    (tmp_path / "links.csv").write_bytes(LINKS)
    (tmp_path / "tiny").mkdir()
    (tmp_path / "tiny" / "labels.csv").write_bytes(LABELS)
    assert list(fetch("tiny").values()) == [tmp_path / "links.csv", tmp_path / "tiny" / "labels.csv"]
    assert server.asked == []


@pytest.mark.parametrize("variable", ["PHILIA_DATA", "PHILIA_CACHE"])
def test_a_wrong_file_is_refused_wherever_it_is(
    variable: str, server: FileServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, str(tmp_path))
    (tmp_path / "links.csv").write_bytes(LINKS[:-1])
    with pytest.raises(GraphFileError) as caught:
        load("tiny")
    said = str(caught.value)
    assert str(tmp_path / "links.csv") in said
    assert f"found {len(LINKS) - 1} bytes" in said
    assert f"expected {len(LINKS)} bytes with {server.file().sha256}" in said
    assert server.asked == []


def test_progress_is_reported_per_file() -> None:
    told: dict[str, int] = {}
    fetch("tiny", on_bytes=lambda file, arrived: told.update({file.name: arrived}))
    assert told == {"links.csv": len(LINKS), "labels.csv": len(LABELS)}


def test_an_unknown_name_is_refused_with_the_known_ones() -> None:
    with pytest.raises(InvalidParameterError, match="no dataset 'blogs'; choose one of 'blog', 'youtube'"):
        load("blogs")


def test_a_dataset_without_labels_has_none(server: FileServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(CATALOG, "tiny", replace(server.entry(), labels=None))
    assert load("tiny").communities == {}
    assert server.asked == ["links.csv"]


def test_no_file_is_compressed_a_second_time_on_its_way_to_the_disk() -> None:
    """Downloads are written by `saving`, which compresses files with these suffixes."""
    files = [file for entry in CATALOG.values() for file in entry.files]
    assert not [file.path for file in files if file.name.endswith(COMPRESSION_SUFFIXES)]


def test_every_file_of_the_catalog_has_one_path_and_one_checksum() -> None:
    files = {file for entry in CATALOG.values() for file in entry.files}
    assert len({file.path for file in files}) == len({file.sha256 for file in files}) == len(files)
    assert all(len(file.sha256) == 64 and file.address.endswith("/" + file.name) for file in files)


def test_communities_outside_of_the_largest_component_are_left_out() -> None:
    graph, communities = largest_component(
        as_graph([("a", "b"), ("c", "d"), ("d", "e"), ("x", "x")]), {"one": ["a", "c", "x"], "two": ["b"]}
    )
    assert list(graph.nodes) == ["c", "d", "e"]
    assert graph.changes.loops == 1
    assert communities == {"one": ["c"]}


def test_equal_communities_are_kept_apart() -> None:
    graph, communities = largest_communities(2)(
        as_graph([(1, 2), (2, 3), (3, 4)]), {"a": [4], "b": [1, 2], "c": [2, 1], "d": [3]}
    )
    assert communities == {"b": [1, 2], "c": [2, 1]}
    assert (list(graph.nodes), graph.n_links) == ([1, 2], 1)

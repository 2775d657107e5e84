"""philia datasets: list, info and fetch, with a server on this machine."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from philia.cli.datasets import _bars
from philia.cli.output import Output
from philia.datasets import CATALOG
from tests.datasets.server import LABELS, LINKS, FileServer, serving


@pytest.fixture(autouse=True)
def server(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FileServer]:
    """A tiny dataset on a server, an empty cache, and no data folder."""
    monkeypatch.setenv("no_proxy", "*")
    monkeypatch.delenv("PHILIA_DATA", raising=False)
    monkeypatch.setenv("PHILIA_CACHE", str(folder / "cache"))
    with serving() as files:
        monkeypatch.setitem(CATALOG, "tiny", files.entry())
        yield files


def test_list_shows_every_dataset_and_whether_it_is_downloaded(run: Any, run_json: Any, folder: Path) -> None:
    assert {row["name"]: row["found"] for row in run_json("datasets", "list")["datasets"]} == dict.fromkeys(
        CATALOG, False
    )
    run("datasets", "fetch", "tiny", "--quiet")
    rows = {row["name"]: row for row in run_json("datasets", "list")["datasets"]}
    assert rows["tiny"] == {"name": "tiny", "nodes": 5, "links": 4, "labels": 2, "found": True}
    assert rows["blog"] == {"name": "blog", "nodes": 10_312, "links": 333_983, "labels": 39, "found": False}
    said = run("datasets", "list").stdout
    assert "333,983" in said
    assert "BlogCatalog" in said
    assert str(folder / "cache") in said


def test_list_fits_into_eighty_columns(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    table, _ = run("datasets", "list").stdout.split("\n\n")
    assert len(table.splitlines()) == 2 + len(CATALOG)


def test_info_describes_a_dataset_before_its_files_are_downloaded(run: Any, run_json: Any, folder: Path) -> None:
    found = run_json("datasets", "info", "tiny")
    assert (found["title"], found["licence"], found["counts"]) == ("Five people", "None.", None)
    assert [file["path"] for file in found["files"]] == [
        str(folder / "cache" / "tiny" / name) for name in ("links.csv", "labels.csv")
    ]
    said = run("datasets", "info", "tiny").stdout
    assert "5 nodes, 4 links and 2 labels, according to the catalog." in said
    assert "philia datasets fetch tiny" in said
    assert found["files"][0]["sha256"] in said


def test_info_counts_once_the_files_are_downloaded(run: Any, run_json: Any, server: FileServer) -> None:
    run("datasets", "fetch", "tiny", "--quiet")
    counts = run_json("datasets", "info", "tiny")["counts"]
    assert counts == {"nodes": 5, "links": 4, "labels": 2, "largest_degree": 2, "degeneracy": 2}
    assert "largest degree 2, degeneracy 2." in run("datasets", "info", "tiny").stdout
    assert server.asked == ["links.csv", "labels.csv"]


def test_fetch_downloads_once_and_says_where_files_are(run: Any, run_json: Any, folder: Path) -> None:
    places = {"links.csv": LINKS, "labels.csv": LABELS}
    for found in (False, True):
        files = run_json("datasets", "fetch", "tiny")["files"]
        assert [file["found"] for file in files] == [found, found]
        assert {Path(file["path"]).name: Path(file["path"]).read_bytes() for file in files} == places
    assert str(folder / "cache" / "tiny" / "links.csv") in run("datasets", "fetch", "tiny", "tiny").stdout


def test_fetch_remarks_on_downloads_and_can_be_quiet(run: Any, folder: Path) -> None:
    assert "downloading links.csv" in run("datasets", "fetch", "tiny").stderr
    for file in (folder / "cache" / "tiny").iterdir():
        file.unlink()
    assert run("datasets", "fetch", "tiny", "--quiet").output == ""


def test_fetch_all_gets_all(run_json: Any, server: FileServer, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in CATALOG:
        monkeypatch.setitem(CATALOG, name, server.entry())
    files = run_json("datasets", "fetch", "--all")["files"]
    assert list(dict.fromkeys(file["dataset"] for file in files)) == list(CATALOG)
    assert server.asked == ["links.csv", "labels.csv"]


@pytest.mark.parametrize("arguments", [[], ["--all", "tiny"]])
def test_fetch_needs_names_or_all(arguments: list[str], run: Any) -> None:
    assert "--all" in run("datasets", "fetch", *arguments, code=2).stderr


def test_an_unknown_name_is_one_sentence_before_any_download(run: Any, server: FileServer) -> None:
    for command in ("info", "fetch"):
        assert "'blog', 'youtube'" in run("datasets", command, "blogs", code=2).stderr
    run("datasets", "fetch", "tiny", "blogs", code=2)
    assert server.asked == []


def test_a_failed_download_is_one_sentence(
    run: Any, server: FileServer, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(CATALOG, "tiny", server.entry("missing"))
    said = run("datasets", "fetch", "tiny", code=2).stderr.splitlines()
    assert said[0].startswith("downloading links.csv")
    assert "404" in said[1]
    assert str(folder / "cache" / "tiny" / "links.csv") in said[1]
    assert len(said) == 2


def test_a_wrong_file_is_one_sentence(run: Any, folder: Path) -> None:
    (folder / "cache").mkdir()
    (folder / "cache" / "links.csv").write_text("1,2\n")
    (folder / "cache" / "labels.csv").write_bytes(LABELS)
    for command in ("info", "fetch"):
        assert "sha256" in run("datasets", command, "tiny", code=2).stderr


def test_a_missing_data_folder_is_one_sentence(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PHILIA_DATA", "nowhere")
    for command in (["list"], ["info", "tiny"], ["fetch", "tiny"]):
        assert "$PHILIA_DATA is 'nowhere'" in run("datasets", *command, code=2).stderr


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_shows_a_progress_bar(server: FileServer, monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", terminal)
    file = server.file()
    with _bars(Output()) as on_bytes:
        assert on_bytes is not None
        on_bytes(file, 10)
        on_bytes(file, file.size)
    assert "links.csv" in terminal.getvalue()
    assert f"{file.size}/{file.size} bytes" in terminal.getvalue()

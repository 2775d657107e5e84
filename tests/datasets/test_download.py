"""Downloads from a local server: complete and checked, or an error and no file."""

from __future__ import annotations

import logging
import os
import re
import signal
import socket
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from philia.datasets import DataFile
from philia.datasets import cache as philia_cache
from philia.datasets.cache import OnBytes, download
from philia.exceptions import GraphFileError
from tests.datasets.server import BAD_WAYS, LINKS, FileServer


def fetched(file: DataFile, cache: Path, on_bytes: OnBytes | None = None) -> Path:
    download(file, cache / file.path, on_bytes)
    return cache / file.path


def remains(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def complaint(file: DataFile, cache: Path) -> str:
    """The error of a failed download, after which no file is left."""
    with pytest.raises(GraphFileError) as caught:
        fetched(file, cache)
    assert remains(cache) == []
    said = str(caught.value)
    assert "\n" not in said
    return said


def test_a_file_arrives_unchanged_and_its_progress_is_reported(server: FileServer, cache: Path) -> None:
    told: list[int] = []
    place = fetched(server.file(), cache, lambda file, arrived: told.append(arrived))
    assert place.read_bytes() == LINKS
    assert remains(cache) == [place]
    assert told == sorted(told)
    assert told[-1] == len(LINKS)


def test_a_download_is_logged(server: FileServer, cache: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "philia"):
        fetched(server.file(), cache)
    assert f"downloading links.csv ({len(LINKS)} bytes) from {server.address}/good/links.csv" in caplog.text


@pytest.mark.parametrize("way", BAD_WAYS)
def test_an_error_says_which_file_to_put_where(
    way: str, server: FileServer, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(philia_cache, "TIMEOUT", 0.3)
    file = server.file(way)
    said = complaint(file, cache)
    for part in (file.name, f"{file.size} bytes", file.sha256, file.address, str(cache / file.path), "$PHILIA_DATA"):
        assert part in said


@pytest.mark.parametrize(
    ("way", "reason"),
    [
        ("missing", "the server says 404 Not Found"),
        ("wrong", "found a file with the sha256 [0-9a-f]{64}, expected the sha256 [0-9a-f]{64}"),
        ("longer", f"found more than {len(LINKS)} bytes"),
        ("cut", f"stopped after {len(LINKS) // 2} of {len(LINKS)} bytes"),
        ("stalled", r"no answer for 0\.3 seconds"),
        ("silent", r"no answer for 0\.3 seconds"),
    ],
)
def test_an_error_says_its_reason(
    way: str, reason: str, server: FileServer, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(philia_cache, "TIMEOUT", 0.3)
    assert re.search(reason, complaint(server.file(way), cache))


def test_a_server_that_is_not_there_is_one_sentence(server: FileServer, cache: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound but not listening: whoever connects is refused
        gone = replace(server.file(), address=f"http://127.0.0.1:{taken.getsockname()[1]}/links.csv")
        assert "(Connection refused)" in complaint(gone, cache)


def test_an_interrupt_leaves_nothing_behind(server: FileServer, cache: Path) -> None:
    def interrupt(file: DataFile, arrived: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fetched(server.file(), cache, interrupt)
    assert remains(cache) == []


PROGRAM = """
import sys
from pathlib import Path
from philia.datasets import DataFile
from philia.datasets.cache import download

path, size, sha256, address, cache = sys.argv[1:]
file = DataFile(path, int(size), sha256, address)
download(file, Path(cache) / file.path)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such signal")
def test_ctrl_c_in_the_middle_of_a_download_leaves_nothing_behind(server: FileServer, cache: Path) -> None:
    file = server.file("stalled")
    told = [file.path, str(file.size), file.sha256, file.address, str(cache)]
    process = subprocess.Popen([sys.executable, "-c", PROGRAM, *told], stderr=subprocess.DEVNULL)
    try:
        assert server.half_way.wait(timeout=60)
        assert len(remains(cache)) == 1
        os.kill(process.pid, signal.SIGINT)
        assert process.wait(timeout=60) != 0
    finally:
        process.kill()
        process.wait(timeout=60)
    assert remains(cache) == []


def test_a_folder_that_cannot_be_made_is_one_sentence(server: FileServer, cache: Path) -> None:
    cache.write_text("a file where the folder would have to be")
    with pytest.raises(GraphFileError, match=r"cannot be made .* set \$PHILIA_CACHE"):
        fetched(server.file(), cache)
    assert server.asked == []


def test_a_good_file_that_is_there_stays_until_a_new_one_is_complete(server: FileServer, cache: Path) -> None:
    place = fetched(server.file(), cache)
    with pytest.raises(GraphFileError):
        fetched(server.file("cut"), cache)
    assert place.read_bytes() == LINKS

"""A server with a tiny dataset, and empty folders for data and cache."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.datasets.server import FileServer, serving


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FileServer]:
    """A server on this machine, which no proxy may come between."""
    monkeypatch.setenv("no_proxy", "*")
    with serving() as files:
        yield files


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache that does not exist yet, and no folder of data."""
    monkeypatch.delenv("PHILIA_DATA", raising=False)
    monkeypatch.setenv("PHILIA_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from philia.datasets import CATALOG
from philia.datasets.cache import cache_folder, data_folder, find
from philia.exceptions import InvalidParameterError

FILE = CATALOG["football"].links


def put(place: Path) -> Path:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(b"")
    return place


def test_the_folder_of_the_user_comes_before_the_cache(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert find(FILE) is None
    cached = put(cache / FILE.path)
    assert find(FILE) == cached
    monkeypatch.setenv("PHILIA_DATA", str(tmp_path))
    assert find(FILE) == cached
    bare = put(tmp_path / FILE.name)
    assert find(FILE) == bare
    filed = put(tmp_path / FILE.path)
    assert find(FILE) == filed


def test_a_missing_folder_of_data_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PHILIA_DATA", "no/such/folder")
    with pytest.raises(InvalidParameterError, match=r"\$PHILIA_DATA is 'no/such/folder', which is not a folder"):
        find(FILE)


def test_variables_that_are_empty_count_as_unset(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PHILIA_DATA", "PHILIA_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.setenv(name, "")
    assert data_folder() is None
    assert cache_folder().is_relative_to(Path.home())


@pytest.mark.parametrize(
    ("system", "variable", "usual"),
    [
        ("linux", "XDG_CACHE_HOME", ".cache/philia"),
        ("darwin", None, "Library/Caches/philia"),
        ("win32", "LOCALAPPDATA", "AppData/Local/philia"),
    ],
)
def test_each_system_has_its_own_cache(
    system: str, variable: str | None, usual: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(sys, "platform", system)
    for name in ("PHILIA_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", lambda: tmp_path / "me")
    assert cache_folder() == tmp_path / "me" / usual
    if variable:
        monkeypatch.setenv(variable, str(tmp_path / "there"))
        assert cache_folder() == tmp_path / "there" / "philia"
    monkeypatch.setenv("PHILIA_CACHE", str(tmp_path / "mine"))
    assert cache_folder() == tmp_path / "mine"


def test_without_a_home_folder_the_cache_has_to_be_set(monkeypatch: pytest.MonkeyPatch) -> None:
    def homeless() -> Path:
        raise RuntimeError("Could not determine home directory.")

    for name in ("PHILIA_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", homeless)
    with pytest.raises(InvalidParameterError, match=r"set \$PHILIA_CACHE"):
        cache_folder()

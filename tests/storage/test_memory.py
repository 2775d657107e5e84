from __future__ import annotations

import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from philia.exceptions import InvalidParameterError, NotEnoughMemoryError
from philia.storage import MemoryBound, in_words, memory


@pytest.mark.parametrize(
    ("told", "size"),
    [
        ("4G", 4 * 10**9),
        ("4g", 4 * 10**9),
        ("4GB", 4 * 10**9),
        ("4GiB", 4 * 2**30),
        (" 1.5 MiB ", 3 * 2**19),
        ("500M", 5 * 10**8),
        ("2k", 2000),
        ("0.5T", 5 * 10**11),
        ("12345", 12345),
        ("12345B", 12345),
        (12345, 12345),
        (MemoryBound(7), 7),
    ],
)
def test_sizes_are_read_as_people_write_them(told: str | int | MemoryBound, size: int) -> None:
    assert MemoryBound.of(told).size == size


@pytest.mark.parametrize("told", ["", "G", "4X", "-4G", "4iB", "four", "4G5", -1])
def test_anything_else_is_refused_with_examples(told: str | int) -> None:
    with pytest.raises(InvalidParameterError, match="500M, 4G, 4GiB"):
        MemoryBound.of(told)


@given(st.integers(1, 10**14))
def test_a_size_in_words_is_enough_and_hardly_more(size: int) -> None:
    assert size <= MemoryBound.of(in_words(size)).size <= size + 10**8


def test_the_error_says_how_much_would_be_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "private_memory", lambda: 300 * 10**6)
    monkeypatch.setattr(memory, "available_memory", lambda: 10**11)
    with pytest.raises(NotEnoughMemoryError, match=r"a cake needs about 200M, .* 400M, 100M are left; .* least 500M"):
        MemoryBound.of("400M").require(2 * 10**8, "a cake")
    MemoryBound.of("500M").require(2 * 10**8, "a cake")
    assert MemoryBound.of("500M").left == 2 * 10**8
    assert MemoryBound.of("200M").left == 0


def test_a_bound_above_the_free_memory_does_not_help(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "available_memory", lambda: 10**6)
    with pytest.raises(NotEnoughMemoryError, match=r"0\.0 GB are free"):
        MemoryBound.of("1T").require(10**8, "a cake")


def group(folder: Path, **files: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (folder / name.replace("__", ".")).write_text(content)


def test_the_limit_of_any_group_above_the_process_counts(tmp_path: Path) -> None:
    memberships = tmp_path / "cgroup"
    memberships.write_text("0::/job/step\n")
    group(tmp_path / "job", memory__max="1000\n", memory__current="900\n", memory__stat="anon 1\ninactive_file 50\n")
    group(tmp_path / "job" / "step", memory__max="max\n", memory__current="100\n")
    assert memory._free_in_group(tmp_path, memberships) == 150


def test_the_first_version_of_groups_is_read_too_and_a_container_sees_its_own_at_the_root(tmp_path: Path) -> None:
    memberships = tmp_path / "cgroup"
    memberships.write_text("5:cpu,memory:/docker/abc\n1:name=systemd:/\n")
    group(tmp_path / "memory", memory__limit_in_bytes="5000\n", memory__usage_in_bytes="6000\n")
    assert memory._free_in_group(tmp_path, memberships) == 0


def test_without_groups_there_is_no_limit(tmp_path: Path) -> None:
    assert memory._free_in_group(tmp_path, tmp_path / "nothing") == sys.maxsize

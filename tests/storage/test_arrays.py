"""Arrays in temporary files, against the same in memory."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from philia.exceptions import StorageError
from philia.storage.arrays import TemporaryArray


@given(st.lists(st.tuples(st.integers(0, 30), st.lists(st.integers(-9, 9), max_size=6)), max_size=8), st.integers(1, 9))
def test_a_temporary_array_is_an_array(writes: list[tuple[int, list[int]]], count: int) -> None:
    array, expected = TemporaryArray(np.int16), np.zeros(40, np.int16)
    for at, values in writes:
        array.put(at, np.array(values, np.int16))
        expected[at : at + len(values)] = values
    np.testing.assert_array_equal(array.mapped(), expected[: array.size])
    pieces = list(array.pieces(count))
    assert all(piece.size == count for piece in pieces[:-1])
    np.testing.assert_array_equal(np.concatenate([np.empty(0, np.int16), *pieces]), expected[: array.size])


def test_temporary_files_have_no_name_and_mapped_arrays_outlive_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    array = TemporaryArray(np.int64)
    array.append(np.arange(5))
    mapped = array.mapped()
    assert list(tmp_path.iterdir()) == []
    del array
    assert mapped.tolist() == [0, 1, 2, 3, 4]
    assert not mapped.flags.writeable


def test_a_folder_that_cannot_be_written_to_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "nowhere"))
    with pytest.raises(StorageError, match=r"nowhere.* TMPDIR"):
        TemporaryArray(np.int64)


def test_a_full_disk_is_noticed_when_it_is_written_to() -> None:
    array = TemporaryArray(np.int64)
    with Path("/dev/full").open("r+b", buffering=0) as full:
        array._file.close()
        array._file = full  # type: ignore[assignment]
        with pytest.raises(StorageError, match=r"No space left .* TMPDIR"):
            array.append(np.arange(5))

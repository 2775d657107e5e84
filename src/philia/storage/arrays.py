"""Arrays that are made piece by piece, in memory or in memory-mapped temporary files."""

from __future__ import annotations

import mmap
import tempfile
import weakref
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from philia.exceptions import StorageError


class TemporaryArray:
    """Numbers in an unnamed temporary file, which the system removes once it is unused, however the program ends.

    The file is in the temporary folder, which the environment variable TMPDIR chooses.

    >>> numbers = TemporaryArray(np.int64)
    >>> numbers.append(np.array([3, 1, 4]))
    >>> numbers.put(1, np.array([7]))
    >>> numbers.mapped()
    array([3, 7, 4])
    """

    def __init__(self, dtype: npt.DTypeLike) -> None:
        self.dtype, self.size = np.dtype(dtype), 0
        try:
            self._file = tempfile.TemporaryFile()  # noqa: SIM115 (closed with this object; mapped pages remain)
        except OSError as error:
            raise _unwritable(error) from error
        weakref.finalize(self, self._file.close)

    def append(self, values: npt.NDArray[Any]) -> None:
        """Append numbers."""
        self.put(self.size, values)

    def put(self, at: int, values: npt.NDArray[Any]) -> None:
        """Write numbers from index ``at`` on, which may be beyond the end."""
        if not values.size:
            return
        try:
            self._file.seek(at * self.dtype.itemsize)
            self._file.write(np.ascontiguousarray(values, self.dtype).data)
            self._file.flush()  # so that a full disk shows here, not as a crash when mapped pages are read
        except OSError as error:
            raise _unwritable(error) from error
        self.size = max(self.size, at + values.size)

    def read(self, start: int, stop: int) -> npt.NDArray[Any]:
        """A copy in memory of the numbers from ``start`` to ``stop``."""
        values = np.empty(max(0, min(stop, self.size) - start), self.dtype)
        self._file.seek(start * self.dtype.itemsize)
        self._file.readinto(values.data.cast("B"))
        return values

    def pieces(self, count: int) -> Iterator[npt.NDArray[Any]]:
        """All numbers, ``count`` at a time."""
        for start in range(0, self.size, count):
            yield self.read(start, start + count)

    def mapped(self) -> npt.NDArray[Any]:
        """All numbers as a read-only memory-mapped array."""
        if not self.size:
            return frozen(np.empty(0, self.dtype))
        pages = mmap.mmap(self._file.fileno(), self.size * self.dtype.itemsize, access=mmap.ACCESS_READ)
        return np.frombuffer(pages, self.dtype)


def _unwritable(error: OSError) -> StorageError:
    return StorageError(
        f"a temporary file in the folder {tempfile.gettempdir()!r} cannot be written ({error.strerror or error}); "
        "set the environment variable TMPDIR to a folder on a disk with more space"
    )


class Storage(Protocol):
    """Where arrays that are made piece by piece are kept."""

    def gathered(self, pieces: Iterable[npt.NDArray[Any]], dtype: npt.DTypeLike, most: int) -> npt.NDArray[Any]:
        """The pieces joined into one read-only array of at most ``most`` numbers."""
        ...


@dataclass(frozen=True)
class InMemory:
    """Arrays in memory.

    >>> InMemory().gathered([np.array([1, 2]), np.array([3])], np.int32, most=5)
    array([1, 2, 3], dtype=int32)
    """

    def gathered(self, pieces: Iterable[npt.NDArray[Any]], dtype: npt.DTypeLike, most: int) -> npt.NDArray[Any]:
        """The pieces joined; memory beyond them is reserved but never touched."""
        whole, done = np.empty(most, dtype), 0
        for piece in pieces:
            whole[done : done + piece.size] = piece
            done += piece.size
        return frozen(whole[:done])


@dataclass(frozen=True)
class OnDisk:
    """Arrays in temporary files, mapped into memory.

    >>> OnDisk().gathered([np.array([1, 2]), np.array([3])], np.int32, most=5)
    array([1, 2, 3], dtype=int32)
    """

    def gathered(self, pieces: Iterable[npt.NDArray[Any]], dtype: npt.DTypeLike, most: int) -> npt.NDArray[Any]:
        """The pieces joined in a memory-mapped file."""
        whole = TemporaryArray(dtype)
        for piece in pieces:
            whole.append(piece)
        return whole.mapped()


def storage_of(array: npt.NDArray[Any]) -> Storage:
    """Where an array is kept, so that arrays derived from it can be kept there too.

    >>> storage_of(np.ones(3)), storage_of(OnDisk().gathered([np.ones(3)], np.float64, most=3))
    (InMemory(), OnDisk())
    """
    base: Any = array
    while isinstance(base, np.ndarray):
        base = base.base
    mapped = isinstance(base.obj if isinstance(base, memoryview) else base, mmap.mmap)
    return OnDisk() if mapped else InMemory()


def frozen(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The array itself, made read-only."""
    array.flags.writeable = False
    return array

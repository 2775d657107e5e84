"""Arrays that live in temporary files instead of in memory, and the two places where large arrays can be."""

from __future__ import annotations

import mmap
import tempfile
import weakref
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from scipy import sparse

from philia.exceptions import GraphFileError

_PIECE = 1 << 20


class TemporaryArray:
    """Numbers in a file without a name, which is gone when nobody uses it any more, however the program ends.

    It stands in the folder for temporary files, which the environment variable TMPDIR chooses.

    >>> numbers = TemporaryArray(np.int64)
    >>> numbers.append(np.array([3, 1, 4]))
    >>> numbers.put(1, np.array([7]))
    >>> numbers.mapped()
    array([3, 7, 4])
    """

    def __init__(self, dtype: npt.DTypeLike) -> None:
        self.dtype, self.size = np.dtype(dtype), 0
        try:
            self._file = tempfile.TemporaryFile()  # noqa: SIM115 (closed with this object; mapped pages stay)
        except OSError as error:
            raise _complaint(error) from error
        weakref.finalize(self, self._file.close)

    def append(self, values: npt.NDArray[Any]) -> None:
        """Add numbers at the end."""
        self.put(self.size, values)

    def put(self, at: int, values: npt.NDArray[Any]) -> None:
        """Write numbers to a place, which may lie behind the end."""
        if not values.size:
            return
        try:
            self._file.seek(at * self.dtype.itemsize)
            self._file.write(np.ascontiguousarray(values, self.dtype).data)
            self._file.flush()  # a full disk is to be noticed here, not by whoever reads the mapped pages
        except OSError as error:
            raise _complaint(error) from error
        self.size = max(self.size, at + values.size)

    def read(self, start: int, stop: int) -> npt.NDArray[Any]:
        """A copy, in memory, of the numbers from ``start`` to ``stop``."""
        values = np.empty(max(0, min(stop, self.size) - start), self.dtype)
        self._file.seek(start * self.dtype.itemsize)
        self._file.readinto(values.data.cast("B"))
        return values

    def pieces(self, count: int) -> Iterator[npt.NDArray[Any]]:
        """All numbers, ``count`` at a time."""
        for start in range(0, self.size, count):
            yield self.read(start, start + count)

    def mapped(self) -> npt.NDArray[Any]:
        """All numbers as a read-only array whose pages are read when they are looked at."""
        if not self.size:
            return frozen(np.empty(0, self.dtype))
        pages = mmap.mmap(self._file.fileno(), self.size * self.dtype.itemsize, access=mmap.ACCESS_READ)
        return np.frombuffer(pages, self.dtype)


def _complaint(error: OSError) -> GraphFileError:
    return GraphFileError(
        f"a temporary file in the folder {tempfile.gettempdir()!r} cannot be written ({error.strerror or error}); "
        "choose a folder on a disk with more room by the environment variable TMPDIR"
    )


class Storage(Protocol):
    """A place for arrays that are made piece by piece."""

    def gathered(self, pieces: Iterable[npt.NDArray[Any]], dtype: npt.DTypeLike, most: int) -> npt.NDArray[Any]:
        """The pieces one after the other as one read-only array of at most ``most`` numbers."""
        ...


@dataclass(frozen=True)
class InMemory:
    """Arrays in memory.

    >>> InMemory().gathered([np.array([1, 2]), np.array([3])], np.int32, most=5)
    array([1, 2, 3], dtype=int32)
    """

    def gathered(self, pieces: Iterable[npt.NDArray[Any]], dtype: npt.DTypeLike, most: int) -> npt.NDArray[Any]:
        """The pieces one after the other; what ``most`` asks for and they leave empty is never touched."""
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
        """The pieces one after the other."""
        whole = TemporaryArray(dtype)
        for piece in pieces:
            whole.append(piece)
        return whole.mapped()


def compressed_rows(indices: npt.NDArray[Any], counts: npt.NDArray[Any], storage: Storage) -> sparse.csr_array:
    """The symmetric 0/1 matrix with ``counts[i]`` entries in row i, their sorted columns in ``indices``; read-only.

    >>> compressed_rows(np.array([1, 0]), np.array([1, 1]), InMemory()).toarray().tolist()
    [[0, 1], [1, 0]]
    """
    starts = np.zeros(counts.size + 1, indices.dtype)
    np.cumsum(counts, out=starts[1:])
    ones = (np.ones(min(_PIECE, indices.size - start), np.int8) for start in range(0, indices.size, _PIECE))
    matrix = sparse.csr_array((counts.size, counts.size), dtype=np.int8)
    # Given to the constructor, the arrays would be checked, and copied where another kind of integer would do.
    matrix.data = storage.gathered(ones, np.int8, indices.size)
    matrix.indices, matrix.indptr = frozen(indices), frozen(starts)
    matrix.has_sorted_indices = matrix.has_canonical_format = True
    return matrix


def storage_of(array: npt.NDArray[Any]) -> Storage:
    """Where an array is, so that what is made of it can be put there too.

    >>> storage_of(np.ones(3)), storage_of(OnDisk().gathered([np.ones(3)], np.float64, most=3))
    (InMemory(), OnDisk())
    """
    base: Any = array
    while isinstance(base, np.ndarray):
        base = base.base
    mapped = isinstance(base.obj if isinstance(base, memoryview) else base, mmap.mmap)
    return OnDisk() if mapped else InMemory()


def frozen(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The array itself, read-only from now on."""
    array.flags.writeable = False
    return array

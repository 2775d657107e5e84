"""Arrays and a header in one safetensors file: no pickle, saved atomically, and checked when read.

Arrays are written in pieces, so a file may hold more than fits into memory a second time. The format is the size of the
header in bytes, the header in JSON, and the bytes of all arrays. The header begins with a checksum of every other byte
of the file, so no part of it can change unnoticed.
"""

from __future__ import annotations

import hashlib
import json
import math
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from philia._version import __version__
from philia.exceptions import ModelFileError
from philia.storage.files import FilePath, saving

FORMAT = 2
"""Increased whenever an older philia could misread a newer file. The checksum of format 1 covered only the arrays."""

_BEGINNING = b'{"__metadata__": {"checksum": "'
"""The beginning of a header. The checksum follows at a fixed offset, so it is checked before anything is parsed."""

_DIGITS = 32
"""Hexadecimal digits of a checksum: 128 bits, enough against accidents (it is not meant against forgery)."""

_PIECE = 1 << 20
"""Numbers written at a time: at most 8 MB."""

_Arrays = Mapping[str, npt.NDArray[Any]]


@dataclass(frozen=True)
class InPieces:
    """An array that is computed piece by piece while it is written, from front to back, each time it is needed.

    >>> squares = InPieces(np.dtype(np.int64), (4,), lambda: (np.arange(i, i + 2) ** 2 for i in (0, 2)))
    >>> [piece.tolist() for piece in squares.pieces()]
    [[0, 1], [4, 9]]
    """

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    pieces: Callable[[], Iterable[npt.NDArray[Any]]]

    @classmethod
    def of(cls, array: npt.NDArray[Any] | InPieces) -> InPieces:
        """An array that exists already, a few rows at a time.

        >>> [piece.shape for piece in InPieces.of(np.ones((3, 2**19))).pieces()]
        [(2, 524288), (1, 524288)]
        """
        if isinstance(array, InPieces):
            return array
        rows = max(1, _PIECE // max(1, math.prod(array.shape[1:])))
        whole = np.atleast_1d(array)
        return cls(
            array.dtype,
            array.shape,
            lambda: (whole[top : top + rows] for top in range(0, len(whole), rows)),
        )

    @property
    def nbytes(self) -> int:
        """Its size in the file, in bytes."""
        return math.prod(self.shape) * self.dtype.itemsize

    def contents(self) -> Iterator[memoryview]:
        """Its bytes as the file holds them."""
        for piece in self.pieces():
            yield np.ascontiguousarray(piece, self.dtype.newbyteorder("<")).reshape(-1).view(np.uint8).data


def write_arrays(path: FilePath, arrays: Mapping[str, npt.NDArray[Any] | InPieces], header: Mapping[str, Any]) -> None:
    """Write arrays and a header to a file atomically."""
    parts = {name: InPieces.of(array) for name, array in arrays.items()}
    # Wider types come first, so that each array is aligned for its type.
    ordered = sorted(parts, key=lambda name: (-parts[name].dtype.itemsize, name))
    about = json.dumps({"format": FORMAT, "philia": __version__, **header})
    table: dict[str, Any] = {"__metadata__": {"checksum": "0" * _DIGITS, "philia": about}}
    ends = list(accumulate((parts[name].nbytes for name in ordered), initial=0))
    for name, offsets in zip(ordered, pairwise(ends), strict=True):
        part = parts[name]
        table[name] = {"dtype": _written_type(part.dtype), "shape": part.shape, "data_offsets": offsets}
    front = json.dumps(table).encode()
    front += b" " * (-len(front) % 8)
    before, after = len(front).to_bytes(8, "little") + _BEGINNING, front[len(_BEGINNING) + _DIGITS :]
    digest = hashlib.blake2b(before + after, digest_size=_DIGITS // 2)
    for name in ordered:
        for content in parts[name].contents():
            digest.update(content)
    with saving(path, ModelFileError) as file:
        file.write(before + digest.hexdigest().encode() + after)
        for name in ordered:
            file.writelines(parts[name].contents())


def _written_type(dtype: np.dtype[Any]) -> str:
    """The name of a dtype in safetensors."""
    return "BOOL" if dtype.kind == "b" else f"{dtype.kind.upper()}{8 * dtype.itemsize}"


def read_arrays(path: FilePath) -> tuple[dict[str, npt.NDArray[Any]], dict[str, Any]]:
    """The arrays and the header of a file; a ``ModelFileError`` if it is missing, damaged, foreign or too new.

    Files of format 1, whose checksum does not cover the header, are still read.
    """
    if not Path(path).is_file():
        raise ModelFileError(
            f"there is no model file {str(path)!r}; models are written by `philia fit -o`, or by model.save(path)"
        )
    try:
        with Path(path).open("rb") as file:
            protected = _is_whole(file)
        if protected is False:
            raise _damaged(path)
        arrays, header = _parsed(path)
    except ModelFileError:
        raise
    except Exception as error:  # the parsers of JSON and safetensors raise many kinds; the file is at fault
        raise _unreadable(path, error) from error
    if not isinstance(header, dict):
        raise ModelFileError(f"{str(path)!r} was not written by philia: it has no philia header")
    version = header.get("format")
    if type(version) is not int:
        raise ModelFileError(f"{str(path)!r} is damaged: its header has no format number; restore it or fit again")
    if version > FORMAT:
        raise ModelFileError(
            f"{str(path)!r} was written by philia {header.get('philia')} in format {version}, and this is philia "
            f"{__version__}, which reads formats up to {FORMAT}; upgrade philia to read it"
        )
    if protected is None and not (version == 1 and header.get("checksum") == _checksum_of_arrays(arrays)):
        raise _damaged(path)
    return arrays, header


def _is_whole(file: BinaryIO) -> bool | None:
    """Whether every byte matches the checksum; None for a file that does not begin with one (format 1)."""
    before, found = file.read(8 + len(_BEGINNING)), file.read(_DIGITS)
    if not before.endswith(_BEGINNING):
        return None
    digest = hashlib.blake2b(before, digest_size=_DIGITS // 2)
    while content := file.read(_PIECE):
        digest.update(content)
    return digest.hexdigest().encode() == found


def _parsed(path: FilePath) -> tuple[dict[str, npt.NDArray[Any]], Any]:
    from safetensors import safe_open

    with safe_open(path, framework="numpy") as file:
        header = json.loads((file.metadata() or {}).get("philia", "null"))
        return {name: file.get_tensor(name) for name in file.keys()}, header  # noqa: SIM118  (not a mapping)


def _unreadable(path: FilePath, error: Exception) -> ModelFileError:
    """The error about a file that is no model: a text, which is no damaged model for sure, or anything else."""
    with Path(path).open("rb") as file:
        start = file.read(_PIECE)
    fit = f"`philia fit {shlex.quote(str(path))}` or CommunityModel().fit(path)"
    if start.strip() and b"\0" not in start and not start[8:].startswith(b"{"):
        return ModelFileError(
            f"{str(path)!r} is a text, not a model. If it holds links, fit a model to them with {fit}"
        )
    return ModelFileError(
        f"{str(path)!r} is not a readable model file. If it holds links, fit a model to them first, with {fit}; if it "
        f"is a model, it is damaged ({str(error) or type(error).__name__}): restore it, or fit again"
    )


def _damaged(path: FilePath) -> ModelFileError:
    return ModelFileError(f"{str(path)!r} is damaged: its content does not match its checksum; restore it or fit again")


def _checksum_of_arrays(arrays: _Arrays) -> str:
    """The checksum of format 1."""
    digest = hashlib.blake2b(digest_size=16)
    for name in sorted(arrays):
        digest.update(f"{name}:{arrays[name].dtype.str}:{arrays[name].shape};".encode())
        for content in InPieces.of(arrays[name]).contents():
            digest.update(content)
    return digest.hexdigest()

"""Arrays and a header in one safetensors file: no pickle, written whole or not at all, checked when read.

Arrays are written in pieces, so that a file may hold more than there is room for beside what is there already. The
format is the number of bytes of a header, the header in JSON, and the bytes of all arrays.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from philia._version import __version__
from philia.exceptions import GraphFileError, ModelFileError
from philia.graphs.files.saving import saving

FORMAT = 1
"""Raised by one whenever an older philia could misread a newer file."""

_PIECE = 1 << 20
"""About how many numbers are written at a time."""

Arrays = Mapping[str, npt.NDArray[Any]]


@dataclass(frozen=True)
class InPieces:
    """An array that is made while it is written, as often as it is asked for, from front to back.

    >>> squares = InPieces(np.dtype(np.int64), (4,), lambda: (np.arange(i, i + 2) ** 2 for i in (0, 2)))
    >>> [piece.tolist() for piece in squares.pieces()]
    [[0, 1], [4, 9]]
    """

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    pieces: Callable[[], Iterable[npt.NDArray[Any]]]

    @classmethod
    def of(cls, array: npt.NDArray[Any] | InPieces) -> InPieces:
        """An array that is there already, some rows at a time.

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
        """How many bytes of the file it takes."""
        return math.prod(self.shape) * self.dtype.itemsize

    def contents(self) -> Iterator[memoryview]:
        """Its bytes as the file has them."""
        for piece in self.pieces():
            yield np.ascontiguousarray(piece, self.dtype.newbyteorder("<")).reshape(-1).view(np.uint8).data


def write_arrays(
    path: str | os.PathLike[str], arrays: Mapping[str, npt.NDArray[Any] | InPieces], header: Mapping[str, Any]
) -> None:
    """Write arrays and header to a file, whole or not at all."""
    parts = {name: InPieces.of(array) for name, array in arrays.items()}
    stamp = {"format": FORMAT, "philia": __version__, "checksum": _checksum(parts)}
    # Larger numbers come first, so that each array begins where its numbers may lie in memory.
    ordered = sorted(parts, key=lambda name: (-parts[name].dtype.itemsize, name))
    table: dict[str, Any] = {"__metadata__": {"philia": json.dumps({**stamp, **header})}}
    ends = list(accumulate((parts[name].nbytes for name in ordered), initial=0))
    for name, offsets in zip(ordered, pairwise(ends), strict=True):
        part = parts[name]
        table[name] = {"dtype": _written_type(part.dtype), "shape": part.shape, "data_offsets": offsets}
    told = json.dumps(table).encode()
    told += b" " * (-len(told) % 8)
    try:
        with saving(path) as file:
            file.write(len(told).to_bytes(8, "little") + told)
            for name in ordered:
                file.writelines(parts[name].contents())
    except GraphFileError as error:
        raise ModelFileError(str(error)) from None


def _written_type(dtype: np.dtype[Any]) -> str:
    """What safetensors calls a kind of numbers."""
    return "BOOL" if dtype.kind == "b" else f"{dtype.kind.upper()}{8 * dtype.itemsize}"


def read_arrays(path: str | os.PathLike[str]) -> tuple[dict[str, npt.NDArray[Any]], dict[str, Any]]:
    """The arrays and the header of a file; a sentence if it is missing, damaged, foreign or too new."""
    from safetensors import SafetensorError, safe_open

    if not Path(path).is_file():
        raise ModelFileError(
            f"there is no model file {str(path)!r}; models are written by `philia fit -o` or model.save(path)"
        )
    try:
        with safe_open(path, framework="numpy") as file:
            header = json.loads((file.metadata() or {}).get("philia", "null"))
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118  (not a mapping)
    except (SafetensorError, ValueError, OSError) as error:
        raise ModelFileError(
            f"{str(path)!r} is not a readable model file ({error}); write it again with model.save(path)"
        ) from error
    if not isinstance(header, dict):
        raise ModelFileError(f"{str(path)!r} was not written by philia: it has no philia header")
    if header["format"] > FORMAT:
        raise ModelFileError(
            f"{str(path)!r} was written by philia {header['philia']} in format {header['format']}, and this is philia "
            f"{__version__}, which reads formats up to {FORMAT}; upgrade philia to read it"
        )
    if header["checksum"] != _checksum({name: InPieces.of(array) for name, array in arrays.items()}):
        raise ModelFileError(
            f"{str(path)!r} is damaged: its content does not match its checksum; restore it or fit again"
        )
    return arrays, header


def _checksum(parts: Mapping[str, InPieces]) -> str:
    digest = hashlib.blake2b(digest_size=16)
    for name in sorted(parts):
        digest.update(f"{name}:{parts[name].dtype.str}:{parts[name].shape};".encode())
        for content in parts[name].contents():
            digest.update(content)
    return digest.hexdigest()

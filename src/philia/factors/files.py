"""Arrays and a header in one safetensors file: no pickle, written whole or not at all, checked when read."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from philia._version import __version__
from philia.exceptions import GraphFileError, ModelFileError
from philia.graphs.files.saving import saving

FORMAT = 1
"""Raised by one whenever an older philia could misread a newer file."""

Arrays = Mapping[str, npt.NDArray[Any]]


def write_arrays(path: str | os.PathLike[str], arrays: Arrays, header: Mapping[str, Any]) -> None:
    """Write arrays and header to a file, whole or not at all."""
    from safetensors.numpy import save

    whole = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    stamp = {"format": FORMAT, "philia": __version__, "checksum": _checksum(whole)}
    content = save(whole, metadata={"philia": json.dumps({**stamp, **header})})
    try:
        with saving(path) as file:
            file.write(content)
    except GraphFileError as error:
        raise ModelFileError(str(error)) from None


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
    if header["checksum"] != _checksum(arrays):
        raise ModelFileError(
            f"{str(path)!r} is damaged: its content does not match its checksum; restore it or fit again"
        )
    return arrays, header


def _checksum(arrays: Arrays) -> str:
    digest = hashlib.blake2b(digest_size=16)
    for name in sorted(arrays):
        digest.update(f"{name}:{arrays[name].dtype.str}:{arrays[name].shape};".encode())
        digest.update(np.ascontiguousarray(arrays[name]).data)
    return digest.hexdigest()

"""Answers that need not be computed again, several of them in one safetensors file."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import NoneType
from typing import Any

import numpy as np
import numpy.typing as npt

from philia.storage.tensors import read_arrays, write_arrays

_HEAD = 500
"""Bytes that a record takes beside its arrays, about."""


@dataclass(frozen=True, eq=False)
class Record:
    """An answer: named arrays and plain values, the key of the question, and the seconds it took.

    ``generator`` is the state of the fit's random generator after the answer.

    >>> sorted(Record("start", {"F": np.zeros((2, 3)), "epoch": 7}).arrays)
    ['F']
    """

    key: str
    values: Mapping[str, Any]
    generator: Mapping[str, Any] | None = None
    seconds: float = 0.0

    @property
    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Those of its values that are arrays."""
        return {name: value for name, value in self.values.items() if isinstance(value, np.ndarray)}

    @property
    def nbytes(self) -> int:
        """How much it takes, about."""
        return _HEAD + sum(array.nbytes for array in self.arrays.values())

    def copied(self) -> Record:
        """The same with arrays of its own, which nobody else changes."""
        return replace(self, values={**self.values, **{name: array.copy() for name, array in self.arrays.items()}})


def write_records(path: str | os.PathLike[str], records: Mapping[str, Record], fit: str) -> None:
    """Write records by name, all or nothing; ``fit`` tells the fit that they belong to from others.

    >>> import tempfile
    >>> path = tempfile.mkdtemp() + "/two.safetensors"
    >>> write_records(path, {"0": Record("", {"x": np.arange(3)}), "1": Record("", {"y": 0.5})}, fit="mine")
    >>> found = read_records(path, "mine")
    >>> found["0"].values["x"].tolist(), found["1"].values
    ([0, 1, 2], {'y': 0.5})
    """
    arrays = {f"{at}:{name}": array for at, record in records.items() for name, array in record.arrays.items()}
    heads = {at: _head(record) for at, record in records.items()}
    write_arrays(path, arrays, {"fit": fit, "records": json.loads(json.dumps(heads, default=_plain))})


def read_records(path: str | os.PathLike[str], fit: str) -> dict[str, Record]:
    """The records of a file by name; a ``ValueError`` if it is damaged, or belongs to another fit."""
    arrays, header = read_arrays(path)
    if header["format"] > 1 and header["fit"] != fit:  # format 1 did not know the fit
        raise ValueError("its records are those of another fit")
    return {at: _record(at, head, arrays) for at, head in header["records"].items()}


def _record(at: str, head: dict[str, Any], arrays: Mapping[str, npt.NDArray[Any]]) -> Record:
    key, seconds, generator = head["key"], head["seconds"], head["generator"]
    values = {**head["plain"], **{name: arrays[f"{at}:{name}"] for name in head["arrays"]}}
    if not isinstance(key, str) or type(seconds) not in (int, float) or not isinstance(generator, (dict, NoneType)):
        raise ValueError(f"record {at} has a key, a time or a generator of the wrong kind")
    return Record(key, values, generator, seconds)


def _head(record: Record) -> dict[str, Any]:
    arrays = record.arrays
    return {
        "key": record.key,
        "plain": {name: value for name, value in record.values.items() if name not in arrays},
        "arrays": list(arrays),
        "generator": record.generator,
        "seconds": record.seconds,
    }


def _plain(value: Any) -> Any:
    """What JSON does not know: the arrays in the state of some generators, and NumPy's numbers."""
    return value.tolist()

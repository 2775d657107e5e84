"""Named columns of one length, for conversion to a pandas or polars frame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt

from philia.exceptions import InvalidParameterError, MissingDependencyError

Column = npt.NDArray[Any] | Sequence[Any]
"""Values in a fixed order: numbers in an array, anything else in a sequence."""

_PLAIN: tuple[set[type], ...] = (set(), {str}, {int}, {float}, {bool})


@dataclass(frozen=True, eq=False)
class Frame:
    """Named columns of one length.

    >>> frame = Frame({"node": ["ann", "bob"], "B1": np.array([1.0, 0.5])})
    >>> frame.to_pandas()
      node   B1
    0  ann  1.0
    1  bob  0.5
    >>> frame.to_polars().row(1)
    ('bob', 0.5)
    """

    columns: Mapping[str, Column]

    def __post_init__(self) -> None:
        lengths = {name: len(column) for name, column in self.columns.items()}
        if len(set(lengths.values())) > 1:
            raise InvalidParameterError(f"the columns have {lengths} values; give each column the same number")

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    def to_pandas(self) -> Any:
        """The columns as a ``pandas.DataFrame``."""
        columns = {name: values if _plain(values) else _boxed(values) for name, values in self.columns.items()}
        return library("pandas").DataFrame(columns)

    def to_polars(self) -> Any:
        """The columns as a ``polars.DataFrame``."""
        polars = library("polars")
        kinds = {name: None if _plain(values) else polars.Object for name, values in self.columns.items()}
        return polars.DataFrame([polars.Series(name, self.columns[name], dtype=kinds[name]) for name in kinds])


def _plain(values: Column) -> bool:
    """Whether all values are text, or numbers of one type; a name may be anything, a tuple for example."""
    return isinstance(values, np.ndarray) or {type(value) for value in values} in _PLAIN


def _boxed(values: Column) -> npt.NDArray[Any]:
    """The values as an array of objects; libraries would unpack tuples, and take mixed names for text."""
    boxed = np.empty(len(values), object)
    for index, value in enumerate(values):
        boxed[index] = value
    return boxed


def library(name: str) -> Any:
    """An optional library, or an error that says how to install it.

    >>> library("no_such_library")
    Traceback (most recent call last):
    philia.exceptions.MissingDependencyError: this needs no_such_library, which is not installed; ...
    """
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        raise MissingDependencyError(
            f"this needs {name}, which is not installed; install it with `pip install {name}`"
        ) from None

"""Names and columns of a described graph as XML holds them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import repeat
from typing import Any
from xml.sax.saxutils import quoteattr

import numpy as np

from philia.graphs.described import DescribedGraph, plain
from philia.graphs.files.names import refuse_control_characters
from philia.graphs.frames import Column
from philia.graphs.nodes import Nodes
from philia.graphs.weights import written_weight

_ESCAPES = {"\n": "&#10;", "\r": "&#13;", "\t": "&#9;"}


def quoted(value: object) -> str:
    """The text of a value in quotes, as an attribute of an element.

    >>> print(quoted("a < b"), quoted(7))
    "a &lt; b" "7"
    """
    return quoteattr(str(value), _ESCAPES)


def check_text(described: DescribedGraph) -> None:
    """Complain about names and texts with characters that XML has no way to write."""
    refuse_control_characters(described.graph.nodes)
    for columns in (described.node_columns, described.link_columns):
        texts = [[*columns], *(list(map(str, values)) for values in columns.values() if _kind(values) == "string")]
        for values in texts:
            refuse_control_characters(Nodes(values))


@dataclass(frozen=True, eq=False)
class WrittenColumns:
    """Columns with a key each, their kinds, and all values of a row as one text.

    >>> columns = WrittenColumns({"age": [31, 45], "group": ["B1", ""]}, "n")
    >>> list(columns.declared)
    [('n0', '"age"', 'long'), ('n1', '"group"', 'string')]
    >>> list(columns.rows("<{key}={value}>", 2))
    ['<n0="31"><n1="B1">', '<n0="45"><n1="">']
    """

    columns: Mapping[str, Column]
    prefix: str

    @property
    def declared(self) -> Iterator[tuple[str, str, str]]:
        """The key of each column, its name in quotes, and its kind."""
        for place, (name, values) in enumerate(self.columns.items()):
            yield f"{self.prefix}{place}", quoted(name), _kind(values)

    def rows(self, form: str, count: int, write: Callable[[object], str] = quoted) -> Iterator[str]:
        """Row by row, the form filled with key and value of each column, one after the other."""
        if not self.columns:
            return repeat("", count)
        whole = "".join(form.format(key=key, value="%s") for key, _, _ in self.declared)
        written = [map(_numbers.get(_kind(values), str), plain(values)) for values in self.columns.values()]
        return (whole % tuple(map(write, row)) for row in zip(*written, strict=True))


def _kind(values: Column) -> str:
    kinds = {values.dtype.kind} if isinstance(values, np.ndarray) else {type(value) for value in values}
    if kinds in ({"f"}, {float}):
        return "double"
    return "long" if kinds in ({"i"}, {"u"}, {int}) else "string"


def _number(value: float) -> str:
    if math.isfinite(value):
        return written_weight(value)
    return "NaN" if math.isnan(value) else "INF" if value > 0 else "-INF"


_numbers: dict[str, Callable[[Any], str]] = {"double": _number}

"""XML, as GraphML and GEXF share it: graphs read as a stream, and attributes written as elements."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import repeat
from typing import Any, ClassVar
from xml.parsers import expat

import numpy as np

from philia.exceptions import GraphFileError, PhiliaError
from philia.graphs.described import DescribedGraph, plain
from philia.graphs.files.declarations import DeclaredGraph
from philia.graphs.files.names import check_xml, typed
from philia.graphs.files.text import LONGEST
from philia.graphs.frames import Column
from philia.graphs.graph import Graph
from philia.graphs.nodes import Nodes
from philia.graphs.weights import written_weight
from philia.storage import Source

_CHUNK = 1 << 20
"""Bytes given to the parser at a time."""

_ESCAPES = {"\n": "&#10;", "\r": "&#13;", "\t": "&#9;"}
"""Characters that an attribute would lose without an escape."""


class XmlReader(ABC):
    """Handles the elements of a file as the parser finds them; only the nodes and links are kept."""

    format: ClassVar[str]

    def __init__(self) -> None:
        self._found = DeclaredGraph()
        self._graphs = 0

    def read(self, source: Source, *, keep_weights: bool) -> Graph:
        """The one graph of a file; names become integers if all of them are, unless the file declares them as text."""
        source.weigh(2)  # nodes and links become Python objects
        parser = expat.ParserCreate(namespace_separator="}")
        parser.buffer_text = True
        parser.StartElementHandler, parser.EndElementHandler = self.start, self.end
        parser.CharacterDataHandler, parser.StartDoctypeDeclHandler = self.data, self.doctype
        fed = 0
        try:
            while chunk := source.stream.read(_CHUNK):
                parser.Parse(chunk, False)
                fed += len(chunk)
                # The parser rescans an unfinished tag with every chunk, so it must not grow without limit.
                if fed - parser.CurrentByteIndex > LONGEST:
                    raise GraphFileError(f"the file has a tag or a comment of more than {LONGEST:,} bytes; remove it")
            parser.Parse(b"", True)
        except PhiliaError:
            raise
        except (expat.ExpatError, LookupError, ValueError) as error:  # the latter two are about the encoding
            raise GraphFileError(f"this is not valid XML ({error})") from None
        if not self._graphs:
            raise GraphFileError(f"there is no <graph> in the file; expected a {self.format} file")
        names = self._found.names()
        if not self.names_are_text:
            names = typed([str(name).encode() for name in names])
        return self._found.graph(Nodes(names), keep_weights=keep_weights)

    def begin_graph(self, *, directed: bool) -> None:
        """Begin a graph; a second one is an error."""
        self._graphs += 1
        if self._graphs > 1:
            raise GraphFileError("the file holds more than one graph; expected one: save each in a file of its own")
        self._found.directed = directed

    @property
    @abstractmethod
    def names_are_text(self) -> bool:
        """Whether the file declares its names as text, even if they look like numbers."""

    @abstractmethod
    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """Handle the beginning of an element."""

    @abstractmethod
    def end(self, tag: str) -> None:
        """Handle the end of an element."""

    @abstractmethod
    def data(self, text: str) -> None:
        """Handle text between two tags."""

    def doctype(self, *_: object) -> None:
        """Refuse a DOCTYPE: its entities can make a small file endless, or read other files."""
        raise GraphFileError(
            "the file has a DOCTYPE, which can be used for attacks; graphs need none: remove that line"
        )


def required(attributes: dict[str, str], name: str, kind: str) -> str:
    """The value of a required attribute.

    >>> required({"id": "7"}, "id", "node")
    '7'
    """
    if name not in attributes:
        raise GraphFileError(f"a <{kind}> has no {name}; every <{kind}> needs one")
    return attributes[name]


def quoted(value: object) -> str:
    """A value as a quoted attribute.

    >>> print(quoted("a < b"), quoted(7))
    "a &lt; b" "7"
    """
    from xml.sax.saxutils import quoteattr  # it loads what speaks HTTP

    return quoteattr(str(value), _ESCAPES)


def check_text(described: DescribedGraph) -> None:
    """Raise an error for names and texts with characters that XML has no way to write."""
    check_xml(described.graph.nodes)
    for columns in (described.node_columns, described.link_columns):
        texts = [[*columns], *(list(map(str, values)) for values in columns.values() if _kind(values) == "string")]
        for values in texts:
            check_xml(Nodes(values))


@dataclass(frozen=True, eq=False)
class WrittenColumns:
    """Columns with their keys and types, written row by row.

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
        """The key of each column, its quoted name, and its type."""
        for index, (name, values) in enumerate(self.columns.items()):
            yield f"{self.prefix}{index}", quoted(name), _kind(values)

    def rows(self, form: str, count: int, write: Callable[[object], str] = quoted) -> Iterator[str]:
        """Per row, the form filled with the key and value of each column, joined."""
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

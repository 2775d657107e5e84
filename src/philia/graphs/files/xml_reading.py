"""Graphs in XML files, taken in as a stream, element by element."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar
from xml.etree.ElementTree import ParseError, XMLParser

from philia.exceptions import GraphFileError
from philia.graphs.files.compression import Source
from philia.graphs.files.declared import DeclaredGraph
from philia.graphs.files.lines import typed
from philia.graphs.graph import Graph
from philia.graphs.nodes import Nodes

_CHUNK = 1 << 20


class XmlReader(ABC):
    """Is told of the beginnings, the texts and the ends of elements as they come; only names and ends are kept."""

    format: ClassVar[str]

    def __init__(self) -> None:
        self._found = DeclaredGraph()
        self._graphs = 0

    def read(self, source: Source, *, keep_weights: bool) -> Graph:
        """The one graph of a file; names become integers if all of them are, unless the file says they are text."""
        parser = XMLParser(target=self)
        try:
            while chunk := source.stream.read(_CHUNK):
                parser.feed(chunk)
            parser.close()
        except ParseError as error:
            raise GraphFileError(f"this is not XML as it should be ({error})") from None
        if not self._graphs:
            raise GraphFileError(f"there is no <graph> in the file; a {self.format} file is expected")
        names = self._found.names()
        if not self.names_are_text:
            names = typed([str(name).encode() for name in names])
        return self._found.graph(Nodes(names), keep_weights=keep_weights)

    def begin_graph(self, *, directed: bool) -> None:
        """Note that a graph begins, and complain if it is not the first."""
        self._graphs += 1
        if self._graphs > 1:
            raise GraphFileError("the file holds more than one graph; one is expected: save each in a file of its own")
        self._found.directed = directed

    @property
    @abstractmethod
    def names_are_text(self) -> bool:
        """Whether the file says that its names are text, even if they look like numbers."""

    @abstractmethod
    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """An element begins."""

    @abstractmethod
    def end(self, tag: str) -> None:
        """An element ends."""

    def doctype(self, *_: str | None) -> None:
        """Complain: definitions of one's own are a way to make a small file endless, or to read other files."""
        raise GraphFileError(
            "the file has a DOCTYPE, through which XML can do harm; graphs need none: take that line out"
        )


def required(attributes: dict[str, str], name: str, kind: str) -> str:
    """The value of an attribute that has to be there.

    >>> required({"id": "7"}, "id", "node")
    '7'
    """
    if name not in attributes:
        raise GraphFileError(f"a <{kind}> has no {name}; every one needs it")
    return attributes[name]

"""Graphs in XML files, taken in as a stream, element by element."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar
from xml.parsers import expat

from philia.exceptions import GraphFileError, PhiliaError
from philia.graphs.files.compression import Source
from philia.graphs.files.declared import DeclaredGraph
from philia.graphs.files.lines import typed
from philia.graphs.files.text import LONGEST
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
        source.weigh(2)
        parser = expat.ParserCreate(namespace_separator="}")
        parser.buffer_text = True
        parser.StartElementHandler, parser.EndElementHandler = self.start, self.end
        parser.CharacterDataHandler, parser.StartDoctypeDeclHandler = self.data, self.doctype
        fed = 0
        try:
            while chunk := source.stream.read(_CHUNK):
                parser.Parse(chunk, False)
                fed += len(chunk)
                # What is not closed is gone through again with every chunk, so it must not grow without end.
                if fed - parser.CurrentByteIndex > LONGEST:
                    raise GraphFileError(f"the file has a tag or a comment of more than {LONGEST:,} bytes; take it out")
            parser.Parse(b"", True)
        except PhiliaError:
            raise
        except (expat.ExpatError, LookupError, ValueError) as error:  # the latter two about its encoding
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

    @abstractmethod
    def data(self, text: str) -> None:
        """Text between two tags."""

    def doctype(self, *_: object) -> None:
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

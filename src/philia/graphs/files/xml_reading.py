"""XML files taken in as a stream, element by element."""

from __future__ import annotations

from abc import ABC, abstractmethod
from xml.etree.ElementTree import ParseError, XMLParser

from philia.exceptions import GraphFileError
from philia.graphs.files.compression import Source

_CHUNK = 1 << 20


class XmlReader(ABC):
    """Is told of the beginnings, the texts and the ends of elements as they come; nothing else of the file is kept."""

    def read(self, source: Source) -> None:
        """Take in the whole file."""
        parser = XMLParser(target=self)
        try:
            while chunk := source.stream.read(_CHUNK):
                parser.feed(chunk)
            parser.close()
        except ParseError as error:
            raise GraphFileError(f"this is not XML as it should be ({error})") from None

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

"""Node names as files hold them: which can be written, how text is told from integers, and when it is quoted."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from philia._types import Int64Array, Node
from philia.exceptions import GraphFileError
from philia.graphs.nodes import Nodes

_INTEGER = re.compile(rb"0|-?[1-9][0-9]*")
_MOST_DIGITS = 20
"""Characters of a 64-bit integer, sign included; longer ones are not even converted."""

_LARGEST = 2**63 - 1
_SURROGATE = re.compile("[\ud800-\udfff]")
_LINE_BREAK = re.compile("[\n\r\0]")
_NOT_IN_XML = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_SPECIAL_STARTS = ("#", "%", "/", "{")
"""Begin comments, or communities in braces."""


class Quoted(bytes):
    """A field that was in double quotes: the same name as without them, but never a number."""


class Padded(bytes):
    """A field that had blanks after it: the same name as without them."""


def as_integers(names: Sequence[bytes]) -> Int64Array | None:
    """The names as integers if all of them are written as integers, without leading zeros or plus; else None.

    >>> as_integers([b"12", b"-3"]), as_integers([b"12", b"007"])
    (array([12, -3]), None)
    """
    if not all(_INTEGER.fullmatch(name) for name in names):
        return None
    values = [int(name) for name in names if len(name) <= _MOST_DIGITS]
    if len(values) < len(names) or any(abs(value) > _LARGEST for value in values):
        return None
    return np.array(values, np.int64)


def typed(names: Sequence[bytes]) -> list[Node]:
    """Names as a user sees them: integers if all of them are, else text."""
    integers = None if any(isinstance(name, Quoted) for name in names) else as_integers(names)
    return [name.decode() for name in names] if integers is None else integers.tolist()


def written_name(name: Node) -> str:
    """The name as it is written in an edge list: in quotes where it would otherwise be read as something else.

    >>> written_name(12), written_name("12"), written_name("New York"), written_name("ann")
    ('12', '"12"', '"New York"', 'ann')
    """
    if isinstance(name, int):
        return str(name)
    text = str(name)
    special = not text or text.startswith(_SPECIAL_STARTS) or any(letter in text for letter in ' \t,;|"')
    if special or as_integers([text.encode()]) is not None:
        return '"' + text.replace('"', '""') + '"'
    return text


def is_numbered(nodes: Nodes) -> bool:
    """Whether the names are 0, 1, …, so that they need not be written.

    >>> is_numbered(Nodes.numbered(3)), is_numbered(Nodes("abc"))
    (True, False)
    """
    return len(nodes) == 0 or (nodes.integers is not None and np.array_equal(nodes.integers, np.arange(len(nodes))))


def check_names(nodes: Nodes) -> None:
    """Raise an error for names that no file could bring back: only text, or only 64-bit integers, survive."""
    if nodes.integers is not None:
        return
    for name in nodes:
        if type(name) is not str:
            raise GraphFileError(
                f"the name {name!r} is a {type(name).__name__}; files hold names that are all text or all integers of "
                "at most 64 bits. Rename the nodes first: graph.renamed(Nodes(map(str, graph.nodes)))"
            )
    nodes.check_unique()
    _refuse(nodes, _SURROGATE, "contains a lone surrogate (half a character), which no file can hold; rename it")


def check_one_line(nodes: Nodes) -> None:
    """Raise an error for names that cannot be written on one line."""
    _refuse(nodes, _LINE_BREAK, "does not fit on one line of text; write .npz, .gml or .parquet instead, or rename it")


def check_xml(nodes: Nodes) -> None:
    """Raise an error for names that XML has no way to write."""
    _refuse(nodes, _NOT_IN_XML, "contains a character that XML cannot hold; write .npz, .gml or .parquet, or rename it")


def _refuse(nodes: Nodes, pattern: re.Pattern[str], why: str) -> None:
    if nodes.integers is None:
        for name in nodes:
            if pattern.search(name):
                raise GraphFileError(f"the name {name!r} {why}")

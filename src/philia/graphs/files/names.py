"""Which names a file can hold, said before anything is written."""

from __future__ import annotations

import re

from philia.exceptions import GraphFileError
from philia.graphs.nodes import Nodes

_HALF_CHARACTER = re.compile("[\ud800-\udfff]")
_LINE_BREAK = re.compile("[\n\r\0]")
_NOT_IN_XML = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")


def check_names(nodes: Nodes) -> None:
    """Complain about names that no file could bring back: only text, or only integers of 64 bits, survive."""
    if nodes.integers is not None:
        return
    for name in nodes:
        if type(name) is not str:
            raise GraphFileError(
                f"the name {name!r} is a {type(name).__name__}; files hold names that are all text or all integers of "
                "at most 64 bits. Rename the nodes first: graph.renamed(Nodes(map(str, graph.nodes)))"
            )
    nodes.check_unique()
    _refuse(nodes, _HALF_CHARACTER, "holds half a character (a lone surrogate), which no file can hold; rename it")


def refuse_line_breaks(nodes: Nodes) -> None:
    """Complain about names that cannot stand on one line."""
    _refuse(nodes, _LINE_BREAK, "does not fit on one line of text; write .npz, .gml or .parquet instead, or rename it")


def refuse_control_characters(nodes: Nodes) -> None:
    """Complain about names that XML has no way to write."""
    _refuse(
        nodes, _NOT_IN_XML, "holds a character that XML cannot hold; write .npz, .gml or .parquet instead, or rename it"
    )


def _refuse(nodes: Nodes, pattern: re.Pattern[str], why: str) -> None:
    if nodes.integers is None:
        for name in nodes:
            if pattern.search(name):
                raise GraphFileError(f"the name {name!r} {why}")

"""GML: nested lists of keys and values, as Newman's collection, networkx and igraph write it."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from itertools import repeat
from math import isfinite
from typing import Any, BinaryIO

from philia._types import Node
from philia.exceptions import GraphFileError
from philia.graphs.described import DescribedGraph
from philia.graphs.files.declarations import DeclaredGraph
from philia.graphs.files.text import whole_text
from philia.graphs.graph import Graph
from philia.graphs.nodes import Nodes
from philia.storage import ReadingOptions, Source

_TOKEN = re.compile(
    r"(?m:^[ \t]*#[^\r\n]*)|[\r\n]+|[ \t]+"  # comments and blanks, which belong to no group
    r'|(?P<text>"[^"]*")|(?P<list>[\[\]])|(?P<word>[^ \t\r\n"\[\]]+)'
)
_NUMBER = re.compile(r"[+-]?\d+\Z")
_ENTITY = re.compile(r"&(?:#(\d+)|#x([0-9a-fA-F]+)|(amp|lt|gt|quot|apos));")
_ENTITIES = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
_PLAIN = re.compile(r"[^ !#-%\'-~]")
_KEPT = {"graph", "node", "edge"}
"""The lists that describe the graph; the contents of others are checked and dropped."""

_DEEPEST = 100
"""Nested lists; real files have three or four, and more could exhaust memory."""

_LONGEST = 100
"""An integer with more characters stays text: as a float it could equal others, or be infinite."""

_Entry = tuple[str, Any]
"""A key with its value: text, a number, or a list of entries."""


def read_gml(source: Source, options: ReadingOptions) -> Graph:
    """The graph of a GML file.

    A node's name is its ``label`` if all nodes have one and no two are equal, else its ``name`` under the same
    condition, else its ``id``. A value in quotes is text; a number without quotes is a number. The weight of an edge is
    its ``weight``, or else its ``value``.
    """
    found, _ = declared_graph(source, options.encoding)
    return found.graph(Nodes(found.names()), keep_weights=options.keep_weights)


def declared_graph(source: Source, encoding: str) -> tuple[DeclaredGraph, list[Any]]:
    """The nodes and links of a GML file, and the ``value`` of each node (None if it has none)."""
    source.weigh(3)  # the text, its tokens and their values
    graphs = [
        value
        for key, value in _parse(whole_text(source.stream, encoding))
        if key == "graph" and isinstance(value, list)
    ]
    if len(graphs) != 1:
        raise GraphFileError(f"the file holds {len(graphs)} graphs; expected one, as in: graph [ node [ id 0 ] ]")
    nodes = [dict(value) for key, value in graphs[0] if key == "node" and isinstance(value, list)]
    found = DeclaredGraph()
    found.directed = dict(graphs[0]).get("directed", 0) == 1
    title = next((key for key in ("label", "name") if _are_distinct([node.get(key) for node in nodes])), "id")
    for node in nodes:
        found.add_node(_required(node, "id", "node"), node.get(title))
    for key, value in graphs[0]:
        if key == "edge" and isinstance(value, list):
            edge = dict(value)
            weight = edge.get("weight", edge.get("value"))
            found.add_link(_required(edge, "source", "edge"), _required(edge, "target", "edge"), found.directed, weight)
    return found, [node.get("value") for node in nodes]


def _are_distinct(names: list[Any]) -> bool:
    hashable = all(name is not None and not isinstance(name, list) for name in names)
    return hashable and len(set(names)) == len(names)


def _required(entry: dict[str, Any], key: str, kind: str) -> Node:
    if key not in entry or isinstance(entry[key], list):
        raise GraphFileError(f"a {kind} has no {key}; every {kind} needs one")
    value: Node = entry[key]
    return value


def _parse(text: str) -> list[_Entry]:
    """The entries of a GML text.

    >>> _parse('graph [ node [ id 0 label "A &#38; B" ] ]')
    [('graph', [('node', [('id', 0), ('label', 'A & B')])])]
    """
    outer: list[list[_Entry]] = [[]]
    key: str | None = None
    for kind, token, at in _tokens(text):
        if token == "]" and kind == "list":
            if len(outer) == 1 or key is not None:
                raise _wrong(text, at, "a ] that closes nothing" if key is None else f"the key {key!r} without a value")
            outer.pop()
        elif key is None:
            if kind != "word":
                raise _wrong(text, at, f"{token[:30]} where a key should be")
            key = token
        else:
            value: Any = [] if kind == "list" else _value(kind, token)
            if kind != "list" or key in _KEPT:
                outer[-1].append((key, value))
            key = None
            if kind == "list":
                outer.append(value)
                if len(outer) > _DEEPEST:
                    raise _wrong(text, at, f"more than {_DEEPEST} nested lists")
    if len(outer) > 1 or key is not None:
        raise GraphFileError("the file ends inside a list; it is truncated or a ] is missing")
    return outer[0]


def _tokens(text: str) -> Iterator[tuple[str, str, int]]:
    at = 0
    for match in _TOKEN.finditer(text):
        if match.start() != at:
            break
        if match.lastgroup is not None:
            yield match.lastgroup, match.group(), at
        at = match.end()
    if at < len(text):
        raise _wrong(text, at, "a double quote that is never closed")


def _wrong(text: str, at: int, what: str) -> GraphFileError:
    line = text.count("\n", 0, at) + 1
    return GraphFileError(
        f'line {line:,} has {what}; a GML file consists of keys with values, as in: node [ id 0 label "ann" ]'
    )


def _value(kind: str, token: str) -> Any:
    if kind == "text":
        return _ENTITY.sub(_character, token[1:-1])
    if _NUMBER.match(token):
        return int(token) if len(token) <= _LONGEST else token
    try:
        value = float(token)
    except ValueError:
        return token
    return value if isfinite(value) else token


def _character(match: re.Match[str]) -> str:
    decimal, hexadecimal, name = match.groups()
    if name:
        return _ENTITIES[name]
    digits = (decimal or hexadecimal).lstrip("0")
    code = int(digits or "0", 10 if decimal else 16) if len(digits) <= 7 else 0x110000
    return chr(code) if code < 0x110000 and not 0xD800 <= code < 0xE000 else match.group()


def write_gml(described: DescribedGraph, file: BinaryIO) -> None:
    """Write nodes numbered from 0 with their names as labels, text in quotes and integers without, then the links."""
    graph = described.graph
    text = io.TextIOWrapper(file, encoding="ascii", newline="\n")
    text.write("graph [\n  directed 0\n")
    text.writelines(
        f"  node [\n    id {row}\n    label {_written(name)}\n  ]\n" for row, name in enumerate(graph.nodes)
    )
    rows, columns = graph.links
    weights = repeat("", rows.size) if graph.link_weights is None else map(_weight_line, graph.link_weights.tolist())
    links = zip(rows.tolist(), columns.tolist(), weights, strict=True)
    text.writelines(f"  edge [\n    source {u}\n    target {v}\n{weight}  ]\n" for u, v, weight in links)
    text.write("]\n")
    text.flush()
    text.detach()


def _weight_line(weight: float) -> str:
    mantissa, exponent, power = repr(weight).partition("e")
    mantissa += "" if "." in mantissa else ".0"  # other readers take a number without a point for an integer
    return f"    weight {mantissa}{exponent}{power}\n"


def _written(name: Node) -> str:
    if isinstance(name, int):
        return str(name)
    return '"' + _PLAIN.sub(lambda match: f"&#{ord(match.group())};", str(name)) + '"'

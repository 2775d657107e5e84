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
from philia.graphs.files.compression import Source
from philia.graphs.files.declared import DeclaredGraph
from philia.graphs.files.text import whole_text
from philia.graphs.graph import Graph
from philia.graphs.nodes import Nodes

_TOKEN = re.compile(
    r"(?m:^[ \t]*#[^\r\n]*)|[\r\n]+|[ \t]+"  # comments and blanks, which belong to no group
    r'|(?P<text>"[^"]*")|(?P<list>[\[\]])|(?P<word>[^ \t\r\n"\[\]]+)'
)
_NUMBER = re.compile(r"[+-]?\d+\Z")
_ENTITY = re.compile(r"&(?:#(\d+)|#x([0-9a-fA-F]+)|(amp|lt|gt|quot|apos));")
_ENTITIES = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
_PLAIN = re.compile(r"[^ !#-%\'-~]")
_KEPT = {"graph", "node", "edge"}
"""The lists that say something about the graph; what stands in others is checked and forgotten."""
_DEEPEST = 100
_LONGEST = 100
"""An integer with more digits stays the text that it is: as a float it could be the same as others, or infinite."""

Entry = tuple[str, Any]
"""A key with its value: text, a number, or a list of entries."""


def read_gml(source: Source, encoding: str, *, keep_weights: bool = False) -> Graph:
    """The graph of a GML file.

    A node is called by its ``label`` if every node has one of its own, else by its ``name`` if that is so, else by
    its ``id``. Text is what stands in quotes; a number without quotes is a number. The weight of an edge is its
    ``weight``, or its ``value``.
    """
    found, _ = declared_graph(source, encoding)
    return found.graph(Nodes(found.names()), keep_weights=keep_weights)


def declared_graph(source: Source, encoding: str) -> tuple[DeclaredGraph, list[Any]]:
    """The nodes and links of a GML file, and the ``value`` of each node (None where there is none)."""
    source.weigh(3)
    graphs = [
        value for key, value in parse(whole_text(source.stream, encoding)) if key == "graph" and isinstance(value, list)
    ]
    if len(graphs) != 1:
        raise GraphFileError(f"the file holds {len(graphs)} graphs; one is expected, as in: graph [ node [ id 0 ] ]")
    nodes = [dict(value) for key, value in graphs[0] if key == "node" and isinstance(value, list)]
    found = DeclaredGraph()
    found.directed = dict(graphs[0]).get("directed", 0) == 1
    title = next((key for key in ("label", "name") if _tells_apart([node.get(key) for node in nodes])), "id")
    for node in nodes:
        found.add_node(_required(node, "id", "node"), node.get(title))
    for key, value in graphs[0]:
        if key == "edge" and isinstance(value, list):
            edge = dict(value)
            weight = edge.get("weight", edge.get("value"))
            found.add_link(_required(edge, "source", "edge"), _required(edge, "target", "edge"), found.directed, weight)
    return found, [node.get("value") for node in nodes]


def _tells_apart(names: list[Any]) -> bool:
    hashable = all(name is not None and not isinstance(name, list) for name in names)
    return hashable and len(set(names)) == len(names)


def _required(entry: dict[str, Any], key: str, kind: str) -> Node:
    if key not in entry or isinstance(entry[key], list):
        raise GraphFileError(f"a {kind} has no {key}; every one needs it")
    value: Node = entry[key]
    return value


def parse(text: str) -> list[Entry]:
    """The entries of a GML text.

    >>> parse('graph [ node [ id 0 label "A &#38; B" ] ]')
    [('graph', [('node', [('id', 0), ('label', 'A & B')])])]
    """
    outer: list[list[Entry]] = [[]]
    key: str | None = None
    for kind, token, place in _tokens(text):
        if token == "]" and kind == "list":
            if len(outer) == 1 or key is not None:
                raise _wrong(
                    text, place, "a ] that closes nothing" if key is None else f"the key {key!r} without a value"
                )
            outer.pop()
        elif key is None:
            if kind != "word":
                raise _wrong(text, place, f"{token[:30]} where a key should stand")
            key = token
        else:
            value: Any = [] if kind == "list" else _value(kind, token)
            if kind != "list" or key in _KEPT:
                outer[-1].append((key, value))
            key = None
            if kind == "list":
                outer.append(value)
                if len(outer) > _DEEPEST:
                    raise _wrong(text, place, f"more than {_DEEPEST} lists in each other")
    if len(outer) > 1 or key is not None:
        raise GraphFileError("the file ends inside a list; it is cut off or a ] is missing")
    return outer[0]


def _tokens(text: str) -> Iterator[tuple[str, str, int]]:
    place = 0
    for match in _TOKEN.finditer(text):
        if match.start() != place:
            break
        if match.lastgroup is not None:
            yield match.lastgroup, match.group(), place
        place = match.end()
    if place < len(text):
        raise _wrong(text, place, "a double quote that is never closed")


def _wrong(text: str, place: int, what: str) -> GraphFileError:
    line = text.count("\n", 0, place) + 1
    return GraphFileError(
        f'line {line:,} has {what}; a GML file is made of keys with values, as in: node [ id 0 label "ann" ]'
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


def write_gml(graph: Graph, file: BinaryIO) -> None:
    """Nodes numbered from 0 with their names as labels, text in quotes and integers without, then links."""
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
    mantissa += "" if "." in mantissa else ".0"  # other readers know a number with a fraction by its point
    return f"    weight {mantissa}{exponent}{power}\n"


def _written(name: Node) -> str:
    if isinstance(name, int):
        return str(name)
    return '"' + _PLAIN.sub(lambda match: f"&#{ord(match.group())};", str(name)) + '"'

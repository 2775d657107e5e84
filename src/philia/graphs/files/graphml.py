"""GraphML: XML with nodes and edges, as networkx, igraph, Gephi and yEd write it."""

from __future__ import annotations

import io
from itertools import repeat
from typing import BinaryIO
from xml.etree.ElementTree import ParseError, XMLParser
from xml.sax.saxutils import quoteattr

from philia.exceptions import GraphFileError
from philia.graphs.files.compression import Source
from philia.graphs.files.declared import DeclaredGraph
from philia.graphs.files.lines import typed
from philia.graphs.files.names import refuse_control_characters
from philia.graphs.graph import Graph
from philia.graphs.nodes import Nodes
from philia.graphs.weights import written_weight

_CHUNK = 1 << 20
_NAMES = "philia_names"
"""The attribute of the graph that says whether its names are text or integers."""

_ESCAPES = {"\n": "&#10;", "\r": "&#13;", "\t": "&#9;"}
_WEIGHT_KEY = '  <key id="weight" for="edge" attr.name="weight" attr.type="double"/>\n'
_HEAD = f"""<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key id="{_NAMES}" for="graph" attr.name="{_NAMES}" attr.type="string"/>
"""


def read_graphml(source: Source, *, keep_weights: bool = False) -> Graph:
    """The graph of a GraphML file, read as a stream.

    A node is called by its attribute "name" if every node has one of its own (as igraph writes), otherwise by its id;
    names become integers if all of them are. The weight of an edge is its attribute "weight".
    """
    reader = _Reader()
    parser = XMLParser(target=reader)
    try:
        while chunk := source.stream.read(_CHUNK):
            parser.feed(chunk)
        parser.close()
    except ParseError as error:
        raise GraphFileError(f"this is not XML as it should be ({error})") from None
    return reader.graph(keep_weights)


class _Reader:
    """Takes the elements in as they come; nothing of the file is kept but names and ends."""

    def __init__(self) -> None:
        self._found = DeclaredGraph()
        self._graphs = 0
        self._keys: dict[str, tuple[str, str]] = {}  # id of a key → what it is about, and its name
        self._defaults: dict[tuple[str, str], str] = {}
        self._path: list[str] = []
        self._key: str | None = None
        self._text: list[str] = []
        self._values: dict[str, dict[str, str]] = {}
        self._edge: tuple[str, str, bool] = ("", "", False)
        self._node = ""

    def doctype(self, *_: str | None) -> None:
        raise GraphFileError(
            "the file has a DOCTYPE, through which XML can do harm; GraphML needs none: take that line out"
        )

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        kind = tag.rpartition("}")[2]
        self._path.append(kind)
        if kind in ("graph", "node", "edge"):
            self._values[kind] = {}
        if kind == "graph":
            self._start_graph(attributes)
        elif kind == "node":
            self._node = _required(attributes, "id", "node")
        elif kind == "edge":
            directed = attributes.get("directed", str(self._found.directed).lower()) == "true"
            self._edge = (_required(attributes, "source", "edge"), _required(attributes, "target", "edge"), directed)
        elif kind == "key":
            self._key = attributes.get("id", "")
            self._keys[self._key] = (attributes.get("for", "all"), attributes.get("attr.name", self._key))
        elif kind == "data":
            self._key = attributes.get("key", "")
        elif kind == "hyperedge":
            raise GraphFileError(
                "the file has a hyperedge, which joins more than two nodes; only edges between two are read"
            )
        if kind in ("data", "default"):
            self._text = []

    def _start_graph(self, attributes: dict[str, str]) -> None:
        self._graphs += 1
        if self._graphs > 1:
            raise GraphFileError("the file holds more than one graph; one is expected: save each in a file of its own")
        self._found.directed = attributes.get("edgedefault") == "directed"

    def data(self, text: str) -> None:
        self._text.append(text)

    def end(self, _tag: str) -> None:
        kind = self._path.pop()
        owner = self._path[-1] if self._path else ""
        text = "".join(self._text) if kind in ("data", "default") else ""
        if kind == "data" and owner in self._values:
            self._values[owner][self._keys.get(self._key or "", ("", self._key or ""))[1]] = text
        elif kind == "default" and self._key is not None:
            self._defaults[self._keys[self._key]] = text
        elif kind == "node":
            self._found.add_node(self._node, self._values["node"].get("name"))
        elif kind == "edge":
            source, target, directed = self._edge
            default = self._defaults.get(("edge", "weight"))
            self._found.add_link(source, target, directed, self._values["edge"].get("weight", default))
        self._text = []

    def close(self) -> None:
        """Nothing is left to do; the parser wants to be told."""

    def graph(self, keep_weights: bool) -> Graph:
        if not self._graphs:
            raise GraphFileError("there is no <graph> in the file; a GraphML file is expected")
        names = self._found.names()
        if self._values["graph"].get(_NAMES) != "text":
            names = typed([str(name).encode() for name in names])
        return self._found.graph(Nodes(names), keep_weights=keep_weights)


def _required(attributes: dict[str, str], name: str, kind: str) -> str:
    if name not in attributes:
        raise GraphFileError(f"a <{kind}> has no {name}; every one needs it")
    return attributes[name]


def write_graphml(graph: Graph, file: BinaryIO) -> None:
    """Nodes by name, then links, with their weights if there are any."""
    refuse_control_characters(graph.nodes)
    names = [quoteattr(str(name), _ESCAPES) for name in graph.nodes]
    text = io.TextIOWrapper(file, encoding="utf-8", newline="\n")
    weights = graph.link_weights
    text.write(_HEAD + ("" if weights is None else _WEIGHT_KEY) + '  <graph edgedefault="undirected">\n')
    text.write(f'    <data key="{_NAMES}">{"text" if graph.nodes.integers is None else "integers"}</data>\n')
    text.writelines(f"    <node id={name}/>\n" for name in names)
    rows, columns = graph.links
    closings = repeat("/>", rows.size) if weights is None else map(_closing, weights.tolist())
    links = zip(rows.tolist(), columns.tolist(), closings, strict=True)
    text.writelines(f"    <edge source={names[u]} target={names[v]}{closing}\n" for u, v, closing in links)
    text.write("  </graph>\n</graphml>\n")
    text.flush()
    text.detach()


def _closing(weight: float) -> str:
    return f'><data key="weight">{written_weight(weight)}</data></edge>'

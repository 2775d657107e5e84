"""GraphML: XML with nodes and edges, as networkx, igraph, Gephi and yEd write it."""

from __future__ import annotations

import io
from typing import BinaryIO

from philia.exceptions import GraphFileError
from philia.graphs.described import DescribedGraph
from philia.graphs.files.xml import WrittenColumns, XmlReader, check_text, quoted, required
from philia.graphs.graph import Graph
from philia.storage import ReadingOptions, Source

_NAMES = "philia_names"
"""The attribute of the graph that declares its names as text or integers."""

_HEAD = f"""<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key id="{_NAMES}" for="graph" attr.name="{_NAMES}" attr.type="string"/>
"""


def read_graphml(source: Source, options: ReadingOptions) -> Graph:
    """The graph of a GraphML file, read as a stream.

    A node's name is its attribute "name" if all nodes have one and no two are equal (as igraph writes), otherwise its
    id; names become integers if all of them are. The weight of an edge is its attribute "weight".
    """
    return _Reader().read(source, keep_weights=options.keep_weights)


class _Reader(XmlReader):
    """Collects the data of an element, which follow its opening tag."""

    format = "GraphML"

    def __init__(self) -> None:
        super().__init__()
        self._keys: dict[str, tuple[str, str]] = {}  # id of a key → the element that it describes, and its name
        self._defaults: dict[tuple[str, str], str] = {}
        self._path: list[str] = []
        self._key: str | None = None
        self._text: list[str] = []
        self._values: dict[str, dict[str, str]] = {}
        self._edge: tuple[str, str, bool] = ("", "", False)
        self._node = ""

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        kind = tag.rpartition("}")[2]
        self._path.append(kind)
        if kind in ("graph", "node", "edge"):
            self._values[kind] = {}
        if kind == "graph":
            self.begin_graph(directed=attributes.get("edgedefault") == "directed")
        elif kind == "node":
            self._node = required(attributes, "id", "node")
        elif kind == "edge":
            directed = attributes.get("directed", str(self._found.directed).lower()) == "true"
            self._edge = (required(attributes, "source", "edge"), required(attributes, "target", "edge"), directed)
        elif kind == "key":
            self._key = attributes.get("id", "")
            self._keys[self._key] = (attributes.get("for", "all"), attributes.get("attr.name", self._key))
        elif kind == "data":
            self._key = attributes.get("key", "")
        elif kind == "hyperedge":
            raise GraphFileError(
                "the file has a hyperedge, which joins more than two nodes; only edges between two nodes are read"
            )
        if kind in ("data", "default"):
            self._text = []

    def data(self, text: str) -> None:
        self._text.append(text)

    def end(self, tag: str) -> None:
        kind = self._path.pop()
        owner = self._path[-1] if self._path else ""
        text = "".join(self._text) if kind in ("data", "default") else ""
        if kind == "data" and owner in self._values:
            self._values[owner][self._keys.get(self._key or "", ("", self._key or ""))[1]] = text
        elif kind == "default" and self._key in self._keys:
            self._defaults[self._keys[self._key]] = text
        elif kind == "node":
            self._found.add_node(self._node, self._values["node"].get("name"))
        elif kind == "edge":
            source, target, directed = self._edge
            default = self._defaults.get(("edge", "weight"))
            self._found.add_link(source, target, directed, self._values["edge"].get("weight", default))
        self._text = []

    @property
    def names_are_text(self) -> bool:
        return self._values["graph"].get(_NAMES) == "text"


def write_graphml(described: DescribedGraph, file: BinaryIO) -> None:
    """Write the nodes by name, then the links with their weights, if any; further columns become attributes."""
    graph = described.graph
    check_text(described)
    names = [quoted(name) for name in graph.nodes]
    nodes, links = WrittenColumns(described.node_columns, "n"), WrittenColumns(described.all_link_columns(), "e")
    text = io.TextIOWrapper(file, encoding="utf-8", newline="\n")
    text.write(_HEAD)
    for owner, columns in (("node", nodes), ("edge", links)):
        text.writelines(
            f'  <key id="{key}" for="{owner}" attr.name={title} attr.type="{kind}"/>\n'
            for key, title, kind in columns.declared
        )
    text.write('  <graph edgedefault="undirected">\n')
    text.write(f'    <data key="{_NAMES}">{"text" if graph.nodes.integers is None else "integers"}</data>\n')
    data = '<data key="{key}">{value}</data>'
    filled = zip(names, nodes.rows(data, len(names), _escaped), strict=True)
    text.writelines(f"    <node id={name}{_closed('node', values)}\n" for name, values in filled)
    rows, others = (end.tolist() for end in graph.links)
    ends = zip(rows, others, links.rows(data, len(rows), _escaped), strict=True)
    text.writelines(
        f"    <edge source={names[u]} target={names[v]}{_closed('edge', values)}\n" for u, v, values in ends
    )
    text.write("  </graph>\n</graphml>\n")
    text.flush()
    text.detach()


def _escaped(value: object) -> str:
    from xml.sax.saxutils import escape  # it loads what speaks HTTP

    return escape(str(value), {"\r": "&#13;"})


def _closed(kind: str, values: str) -> str:
    return f">{values}</{kind}>" if values else "/>"

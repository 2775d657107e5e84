"""GEXF: Gephi's XML, with nodes and edges, their attributes and their colours."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from colorsys import hsv_to_rgb
from itertools import repeat
from typing import BinaryIO

from philia.graphs.described import DescribedGraph, plain
from philia.graphs.files.xml import WrittenColumns, XmlReader, check_text, quoted, required
from philia.graphs.graph import Graph
from philia.graphs.weights import written_weight
from philia.storage import ReadingOptions, Source

_HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<gexf xmlns="http://gexf.net/1.3" xmlns:viz="http://gexf.net/1.3/viz" version="1.3">
  <graph defaultedgetype="undirected" idtype="{}">
"""
_VALUE = '<attvalue for="{key}" value={value}/>'
_TURN = 0.618034
"""The golden ratio as a step on the colour wheel: each colour is far from those before, however many there are."""


def read_gexf(source: Source, options: ReadingOptions) -> Graph:
    """The graph of a GEXF file, read as a stream.

    A node's name is its label if all nodes have one and no two are equal, otherwise its id. Names become integers if
    all of them are, unless the file declares its ids as text. The weight of an edge is its attribute "weight".
    """
    return _Reader().read(source, keep_weights=options.keep_weights)


class _Reader(XmlReader):
    """Everything needed is in the opening tags."""

    format = "GEXF"
    names_are_text = False

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        kind = tag.rpartition("}")[2]
        if kind == "graph":
            self.begin_graph(directed=attributes.get("defaultedgetype") == "directed")
            self.names_are_text = attributes.get("idtype") == "string"
        elif kind == "node":
            self._found.add_node(required(attributes, "id", "node"), attributes.get("label"))
        elif kind == "edge":
            directed = attributes.get("type", "directed" if self._found.directed else "") == "directed"
            ends = required(attributes, "source", "edge"), required(attributes, "target", "edge")
            self._found.add_link(*ends, directed, attributes.get("weight"))

    def end(self, tag: str) -> None:
        """Do nothing: closing tags carry no data."""

    def data(self, text: str) -> None:
        """Do nothing: text between tags carries no data."""


def write_gexf(described: DescribedGraph, file: BinaryIO) -> None:
    """Write the nodes by name, with columns as attributes and colours if asked for, then the links."""
    graph = described.graph
    check_text(described)
    names = [quoted(name) for name in graph.nodes]
    nodes, links = WrittenColumns(described.node_columns, "n"), WrittenColumns(described.link_columns, "e")
    text = io.TextIOWrapper(file, encoding="utf-8", newline="\n")
    text.write(_HEAD.format("string" if graph.nodes.integers is None else "long"))
    text.writelines(_declarations("node", nodes))
    text.writelines(_declarations("edge", links))
    filled = zip(names, nodes.rows(_VALUE, len(names)), _colours(described), strict=True)
    text.write("    <nodes>\n")
    text.writelines(f"      <node id={name} label={name}{_closed('node', values, c)}\n" for name, values, c in filled)
    text.write("    </nodes>\n    <edges>\n")
    rows, columns = (end.tolist() for end in graph.links)
    weights = repeat("") if graph.link_weights is None else map(_weight, graph.link_weights.tolist())
    ends = zip(rows, columns, weights, links.rows(_VALUE, len(rows)), strict=False)
    text.writelines(
        f'      <edge id="{index}" source={names[u]} target={names[v]}{weight}{_closed("edge", values)}\n'
        for index, (u, v, weight, values) in enumerate(ends)
    )
    text.write("    </edges>\n  </graph>\n</gexf>\n")
    text.flush()
    text.detach()


def _declarations(owner: str, columns: WrittenColumns) -> Iterator[str]:
    if columns.columns:
        yield f'    <attributes class="{owner}">\n'
        for key, title, kind in columns.declared:
            yield f'      <attribute id="{key}" title={title} type="{kind}"/>\n'
        yield "    </attributes>\n"


def _closed(kind: str, values: str, further: str = "") -> str:
    attributes = f"<attvalues>{values}</attvalues>" if values else ""
    return f">{attributes}{further}</{kind}>" if attributes or further else "/>"


def _weight(weight: float) -> str:
    return f' weight="{written_weight(weight)}"'


def _colours(described: DescribedGraph) -> Iterator[str]:
    """The colour of each node: one per distinct text, in their order, and grey for empty ones."""
    if described.colour_by is None:
        return repeat("", described.graph.n_nodes)
    texts = [str(value) for value in plain(described.node_columns[described.colour_by])]
    known = {text: _colour(index) for index, text in enumerate(_in_order(texts))}
    return (known.get(text, _element((0.7, 0.7, 0.7))) for text in texts)


def _in_order(texts: Sequence[str]) -> list[str]:
    """The distinct texts, shorter ones first, so that B2 comes before B10."""
    return sorted(set(texts) - {""}, key=lambda text: (text[:1], len(text), text))


def _colour(index: int) -> str:
    # The first is blue; saturation and brightness are those of readable, not glaring colours, and
    # neighbours in the sequence also differ in brightness.
    return _element(hsv_to_rgb((0.58 + index * _TURN) % 1, 0.65, 0.85 - 0.2 * (index % 2)))


def _element(shares: tuple[float, float, float]) -> str:
    r, g, b = (round(255 * share) for share in shares)
    return f'<viz:color r="{r}" g="{g}" b="{b}"/>'

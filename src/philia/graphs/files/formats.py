"""The file formats: one line per format, from which the choice of readers and writers and their messages follow."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import BinaryIO

from philia._types import Node
from philia.exceptions import GraphFileError, InvalidParameterError
from philia.graphs.described import DescribedGraph
from philia.graphs.files.communities import read_gml_values, read_mat_groups, read_npz_labels
from philia.graphs.files.edge_list import read_edge_list, read_julia_graph, write_edge_list
from philia.graphs.files.gexf import read_gexf, write_gexf
from philia.graphs.files.gml import read_gml, write_gml
from philia.graphs.files.graphml import read_graphml, write_graphml
from philia.graphs.files.matlab import read_mat
from philia.graphs.files.matrix_market import read_matrix_market, write_matrix_market
from philia.graphs.files.npz import read_npz, write_npz
from philia.graphs.files.parquet import read_parquet, write_parquet
from philia.graphs.graph import Graph
from philia.storage import FilePath, ReadingOptions, Source, suffix_of

Reader = Callable[[Source, ReadingOptions], Graph]
Writer = Callable[[DescribedGraph, BinaryIO], None]

_FIRST_BYTES = 16
"""Bytes that the longest magic needs, with some white space before it."""

_XML = b"<?xml"
_XML_HEAD = 2048
"""Bytes that may come before the first element of an XML file."""

_BYTES_PER_BYTE = 16
"""Bytes of memory per byte of a file that is read as a whole."""


@dataclass(frozen=True)
class Format:
    """A file format: its suffixes, how to read and write it, and how to recognize it.

    ``magic`` lists first bytes, in lower case, that identify the format whatever the file is called. ``options`` names
    the reading options that apply to it besides those of every format. A format that ``describes`` holds the columns of
    a ``DescribedGraph`` too. Text formats are edge lists: every option applies, and files are read in blocks.
    """

    suffixes: tuple[str, ...]
    read: Reader
    write: Writer | None = None
    magic: tuple[bytes, ...] = ()
    options: frozenset[str] = frozenset()
    read_communities: Callable[[Source, ReadingOptions], dict[Node, list[Node]]] | None = None
    describes: bool = False
    text: bool = False

    def __str__(self) -> str:
        return self.suffixes[0]

    def check(self, source: Source, options: ReadingOptions) -> None:
        """Raise an error for options that do not apply, and for a file that is too large to read as a whole."""
        if self.text:
            return
        refused = options.refused(self.options)
        if refused:
            raise InvalidParameterError(
                f"{' and '.join(refused)} {'do' if len(refused) > 1 else 'does'} not apply to {self} files; leave "
                f"{'them' if len(refused) > 1 else 'it'} out"
            )
        options.bound.require(_BYTES_PER_BYTE * source.size, f"a {self} file, which is read as a whole,")


EDGE_LIST = Format(("", ".txt", ".tsv", ".edges", ".edgelist", ".ncol"), read_edge_list, write_edge_list, text=True)
"""Also the format of files with any other suffix, when they are read."""

FORMATS: tuple[Format, ...] = (
    EDGE_LIST,
    Format((".csv",), read_edge_list, partial(write_edge_list, delimiter=","), text=True),
    Format((".mtx",), read_matrix_market, write_matrix_market, (b"%%matrixmarket",)),
    Format((".npz",), read_npz, write_npz, (b"pk\x03\x04",), read_communities=read_npz_labels),
    Format((".gml",), read_gml, write_gml, options=frozenset({"encoding"}), read_communities=read_gml_values),
    Format((".parquet",), read_parquet, write_parquet, (b"par1",), frozenset({"columns"})),
    Format((".graphml",), read_graphml, write_graphml, (b"<graphml", _XML), describes=True),
    Format((".gexf",), read_gexf, write_gexf, (b"<gexf",), describes=True),
    Format((".mat",), read_mat, magic=(b"matlab ",), read_communities=read_mat_groups),
    Format((".jlg",), read_julia_graph, options=frozenset({"encoding"})),
)

_READ_ELSEWHERE = {
    ".adjlist": "philia.as_graph(networkx.read_adjlist(path))",
    ".net": "philia.as_graph(networkx.read_pajek(path))",
    ".pajek": "philia.as_graph(networkx.read_pajek(path))",
    ".json": "networkx.node_link_graph, and pass its graph to philia.as_graph",
    ".xlsx": "pandas.read_excel, and pass the frame to philia.as_graph",
}
"""Suffixes of formats that could be mistaken for an edge list, and what reads them."""


def format_of_suffix(suffix: str) -> Format | None:
    """The format that a suffix stands for."""
    return next((one for one in FORMATS if suffix in one.suffixes), None)


def format_of(source: Source) -> Format:
    """The format of an open file; its first bytes count more than its name."""
    start = source.stream.peek(_FIRST_BYTES)[:_FIRST_BYTES].lstrip().lower()
    if start.startswith(b"*vertices"):
        raise GraphFileError(f"this is a Pajek file, which is not supported; read it with {_READ_ELSEWHERE['.net']}")
    for one in FORMATS:
        if start.startswith(one.magic):
            return _format_of_xml(source, one) if start.startswith(_XML) else one
    if source.suffix in _READ_ELSEWHERE:
        raise GraphFileError(f"{source.suffix} files are not supported; use {_READ_ELSEWHERE[source.suffix]}")
    return format_of_suffix(source.suffix) or EDGE_LIST


def _format_of_xml(source: Source, default: Format) -> Format:
    """The XML format whose first element comes first."""
    head = source.stream.peek(_XML_HEAD)[:_XML_HEAD]
    elements = [(magic, one) for one in FORMATS for magic in one.magic if magic.startswith(b"<") and magic != _XML]
    found = {head.find(magic): one for magic, one in elements if magic in head}
    return found[min(found)] if found else default


def writer_of(path: FilePath, *, describes: bool = False) -> Writer:
    """The writer that a file name asks for, or an error that lists the suffixes that have one."""
    suffix = suffix_of(path)
    found = format_of_suffix(suffix)
    if found is None or found.write is None:
        raise GraphFileError(
            f"{path}: graphs are not written with the suffix {suffix!r}; use one of {', '.join(written_suffixes())}"
        )
    if describes and not found.describes:
        raise GraphFileError(
            f"{path}: a {suffix or 'nameless'} file holds nodes and links, but nothing about them; use "
            f"{' or '.join(str(one) for one in FORMATS if one.describes)}, or write the graph alone"
        )
    return found.write


def written_suffixes() -> list[str]:
    """The suffixes with which graphs are written."""
    return [suffix for one in FORMATS if one.write is not None for suffix in one.suffixes if suffix]

"""The formats of files of graphs and communities, and reading and writing in any of them."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, BinaryIO

from philia._types import Node
from philia.exceptions import GraphFileError, InvalidParameterError
from philia.graphs.conversion import as_communities
from philia.graphs.described import DescribedGraph
from philia.graphs.files.communities import (
    Form,
    read_gml_values,
    read_mat_groups,
    read_npz_labels,
    read_text,
    write_lines,
    write_table,
)
from philia.graphs.files.edge_list import read_edge_list, read_julia_graph, write_edge_list
from philia.graphs.files.gexf import read_gexf, write_gexf
from philia.graphs.files.gml import read_gml, write_gml
from philia.graphs.files.graphml import read_graphml, write_graphml
from philia.graphs.files.matlab import read_mat
from philia.graphs.files.matrix_market import read_matrix_market, write_matrix_market
from philia.graphs.files.names import check_names, check_one_line
from philia.graphs.files.npz import read_npz, write_npz
from philia.graphs.files.parquet import read_parquet, write_parquet
from philia.graphs.graph import Graph
from philia.graphs.nodes import Nodes
from philia.graphs.notices import warn_of_changes
from philia.storage import FilePath, MemoryBound, ReadingOptions, Source, opened, saving, suffix_of

_Reader = Callable[[Source, ReadingOptions], Graph]
_Writer = Callable[[DescribedGraph, BinaryIO], None]

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
    read: _Reader
    write: _Writer | None = None
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


_EDGE_LIST = Format(("", ".txt", ".tsv", ".edges", ".edgelist", ".ncol"), read_edge_list, write_edge_list, text=True)
"""Also the format of files with any other suffix, when they are read."""

FORMATS: tuple[Format, ...] = (
    _EDGE_LIST,
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
    ".adjlist": "networkx.read_adjlist",
    ".net": "networkx.read_pajek",
    ".pajek": "networkx.read_pajek",
    ".json": "networkx.node_link_graph",
    ".xlsx": "pandas.read_excel",
}
"""Suffixes of formats that could be mistaken for an edge list, and what reads them."""


def format_of_suffix(suffix: str) -> Format | None:
    """The format that a suffix stands for."""
    return next((one for one in FORMATS if suffix in one.suffixes), None)


def _format_of(source: Source) -> Format:
    """The format of an open file; its first bytes count more than its name."""
    start = source.stream.peek(_FIRST_BYTES)[:_FIRST_BYTES].lstrip().lower()
    if start.startswith(b"*vertices"):
        raise _unsupported("this is a Pajek file, which is", ".net")
    if source.stream.peek(_FIRST_BYTES)[8:_FIRST_BYTES].startswith(b'{"__meta'):
        raise GraphFileError(
            "this is a model file, not a file of links; list its communities with `philia communities`, or load it "
            "with philia.load(path)"
        )
    if start.startswith(b"{") and start[1:].lstrip().startswith(b'"philia'):
        raise GraphFileError(
            "this is an exact representation, not a file of links; check it with `philia verify links.csv exact.json`"
        )
    for one in FORMATS:
        if start.startswith(one.magic):
            return _format_of_xml(source, one) if start.startswith(_XML) else one
    if source.suffix in _READ_ELSEWHERE:
        raise _unsupported(f"{source.suffix} files are", source.suffix)
    return format_of_suffix(source.suffix) or _EDGE_LIST


def _unsupported(found: str, suffix: str) -> GraphFileError:
    return GraphFileError(
        f"{found} not supported; save the links as a .csv file, one per line, or pass what {_READ_ELSEWHERE[suffix]} "
        "reads to philia.as_graph"
    )


def _format_of_xml(source: Source, default: Format) -> Format:
    """The XML format whose first element comes first."""
    head = source.stream.peek(_XML_HEAD)[:_XML_HEAD]
    elements = [(magic, one) for one in FORMATS for magic in one.magic if magic.startswith(b"<") and magic != _XML]
    found = {head.find(magic): one for magic, one in elements if magic in head}
    return found[min(found)] if found else default


def _writer_of(path: FilePath, *, describes: bool = False) -> _Writer:
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


def read_graph(
    path: FilePath,
    *,
    delimiter: str | None = None,
    comment: str | None = None,
    header: bool | None = None,
    columns: tuple[int | str, int | str] | None = None,
    encoding: str = "utf-8",
    symmetrize: bool = False,
    weights: bool | None = None,
    memory: MemoryBound | str | int | None = None,
) -> Graph:
    r"""The graph in a file, undirected; everything dropped is counted in ``changes``.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "friends.csv"
    >>> _ = path.write_text("source,target,weight\nann,bob,1\nbob,cat,3\ndan,dan,1\n")
    >>> graph = read_graph(path)
    >>> graph
    Graph(4 nodes, 2 links; 1 self-loop dropped, 1 weight dropped)
    >>> list(graph.nodes)
    ['ann', 'bob', 'cat', 'dan']
    >>> read_graph(path, weights=True)
    Graph(4 nodes, 2 links, weighted; 1 self-loop dropped)

    The format follows from the suffix, without .gz, .bz2 or .xz, and from the first bytes: MatrixMarket (.mtx), scipy
    and numpy (.npz with a saved sparse matrix, or with links in ``edges`` or ``edge_index``), MATLAB (.mat, the matrix
    ``network`` or the only square one), GraphML, GEXF, GML, Parquet, JuliaGraphs (.jlg). Everything else is an edge
    list, and so is "-", the standard input.

    An edge list has one link per line. Options that are not given are detected from the first lines:

    - ``delimiter``: one character; " " stands for runs of spaces and tabs.
    - ``comment``: the prefix of lines to skip; by default "#", "%" and "//", and "" for no comments.
    - ``header``: whether the first line names the columns. It does if it says source and target, from and to, u and v,
      node1 and node2 or the like, if it is text above integers, if it names a further column of numbers, or if its two
      names occur nowhere else in the file; the last is a guess, which is warned of.
    - ``columns``: the two columns with the ends of the links, as numbers from 0 or as names in the header. A third
      column of numbers, or with a header one called "weight", holds weights; unless weights are kept, a weight of 0
      is a link like any other. Further columns are ignored, with a warning unless ``columns`` or usual names say which
      two matter. If the first of three columns seems to number the rows, ``columns`` has to be given.
    - ``encoding``: of the text; UTF-16 and UTF-32 are recognized by their byte order mark.

    A field may be in double quotes, with quotes inside doubled, but has to end on its line. If all names are integers
    (no quotes, leading zeros or plus, at most 64 bits) they become integers in ascending order; otherwise all names are
    text as written, in order of appearance. A node whose only link is a self-loop is kept, without links.

    Which columns were read as what is logged. Weights and directions are dropped with a warning unless ``weights`` is
    set: see :func:`philia.as_graph`. Large edge lists are then read more
    slowly. A .jlg file, and an .npz file of links instead of a matrix, has no weights; repeated links are counted.

    ``memory`` limits the private memory of this process while it reads, Python and its libraries included, for example
    "4G". An edge list whose links need more is sorted on disk, in the temporary folder (the environment variable TMPDIR
    chooses it); the graph is the same, but its adjacency is memory-mapped from there. The node names always stay in
    memory. Other formats, and edge lists with weights, are read as a whole, if that fits. What cannot be done within
    the limit is refused with a ``NotEnoughMemoryError``.

    No file is trusted: what a header announces is compared with what the file holds. A line may have 64 MB. A
    compressed file may unpack to 64 MB, and a larger one to 64 times its size; for formats that take more memory per
    byte the limits are lower (a half for XML and edge lists with weights, a third for GML). A header may announce two
    million nodes without links, and one more per byte of the file.

    With ``symmetrize`` a matrix may be asymmetric: an entry on either side is a link. A file that cannot be read as a
    graph raises a :class:`philia.exceptions.GraphFileError` or, if its content is not a graph, an
    ``InvalidGraphError``.
    """
    given = ReadingOptions(delimiter, comment, header, columns, encoding, symmetrize, weights, memory)
    return warn_of_changes(read(path, given), weights=weights is None, directions=not symmetrize)


def read(path: FilePath, options: ReadingOptions) -> Graph:
    """The same as :func:`read_graph`, with all options as one value, and without warnings of what was dropped."""
    with opened(path, GraphFileError) as source:
        found = _format_of(source)
        found.check(source, options)
        return found.read(source, options)


def write_graph(graph: Graph | DescribedGraph, path: FilePath) -> None:
    """Write the graph to a file from which :func:`read_graph` brings back the same nodes, links and weights.

    >>> import pathlib, tempfile
    >>> from philia import as_graph
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "friends.txt.gz"
    >>> write_graph(as_graph([("ann", "bob"), ("bob", "cat")]), path)
    >>> read_graph(path)
    Graph(3 nodes, 2 links)

    The suffix chooses the format: an edge list with tabs (.txt, .tsv, .edges, .edgelist, .ncol or none) or with commas
    and a header (.csv), .mtx, .npz, .graphml, .gexf, .gml or .parquet; .gz, .bz2 or .xz after it compresses. The file
    appears when it is complete, and replaces an older one only then. All formats hold weights, edge lists in a third
    column. GraphML and GEXF, which Gephi opens, also hold the columns of a ``DescribedGraph``:
    ``write_graph(model.described(), "net.gexf")``.

    Names have to be all text or all integers. Text that looks like a number stays text: edge lists put it in quotes,
    the other formats keep the type (.mtx in comments and .npz in arrays of their own, which other programs skip). In
    edge lists and Parquet a node without links is written as a self-loop, which reading drops and counts. A name that a
    format cannot hold, such as one with a line break in an edge list, is refused.
    """
    described = graph if isinstance(graph, DescribedGraph) else DescribedGraph(graph)
    write = _writer_of(path, describes=bool(described.node_columns or described.link_columns))
    check_names(described.graph.nodes)
    with saving(path, GraphFileError) as file:
        write(described, file)


def read_communities(
    path: FilePath,
    *,
    form: Form | None = None,
    delimiter: str | None = None,
    comment: str | None = None,
    encoding: str = "utf-8",
) -> dict[Node, list[Node]]:
    r"""The members of each community in a file, by the community's name.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "clubs.txt"
    >>> _ = path.write_text("ann\tbob\tcat\ncat\tdan\n")
    >>> read_communities(path)
    {0: ['ann', 'bob', 'cat'], 1: ['cat', 'dan']}

    Text files come in three forms. In "lines", as SNAP has them, and "braces", as in ``{15, 72}``, each line is a
    community and communities are called 0, 1, …; in a "table" each line is a node and its label, which names the
    community, and a node may have several lines. If ``form`` is not given, braces show themselves, and a file whose
    every line has two columns, or whose header says so, is a table. So a file of communities with two members each is
    taken for a table unless you pass ``form="lines"``. ``delimiter``, ``comment`` and ``encoding`` are as in
    :func:`read_graph`, and names become integers if all of them are.

    From a MATLAB file this reads the matrix ``group`` (nodes and communities are numbered from 0, as in the graph of
    that file), from an .npz file the array ``node_labels``, and from a GML file the ``value`` of its nodes.
    """
    if form not in (None, "lines", "braces", "table"):
        raise InvalidParameterError(f"form is {form!r}; expected 'lines', 'braces' or 'table'")
    options = ReadingOptions(delimiter=delimiter, comment=comment, encoding=encoding)
    with opened(path, GraphFileError) as source:
        found = _format_of(source)
        if found.text:
            return read_text(source, form, options)
        if found.read_communities is None:
            raise GraphFileError(f"a {found} file holds no communities; give the file that does")
        return found.read_communities(source, options)


def write_communities(communities: Any, path: FilePath) -> None:
    """Write communities to a file from which :func:`read_communities` brings back the same.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "clubs.csv"
    >>> write_communities({"red": [1, 2], "blue": [2, 3]}, path)
    >>> read_communities(path)
    {'red': [1, 2], 'blue': [2, 3]}

    ``communities`` is anything that :func:`philia.graphs.as_communities` accepts. A .csv file becomes a table of nodes
    and communities with a header; any other has one community per line, separated by tabs, without names: give the
    members alone (a list of lists), or communities called 0, 1, ….
    """
    members = as_communities(communities)
    empty = next((name for name, listed in members.items() if not listed), None)
    if not members:
        raise GraphFileError("there are no communities; a file holds at least one")
    if empty is not None:
        raise GraphFileError(f"the community {empty!r} has no members, which no file can show; leave it out")
    everyone = Nodes(list(dict.fromkeys(node for listed in members.values() for node in listed)))
    check_names(everyone)
    check_one_line(everyone)
    suffix = suffix_of(path)
    if (found := format_of_suffix(suffix)) is not None and not found.text:
        advice = "use the suffix .txt or .csv, or write_graph(model.described(), path) for the graph with them"
        raise GraphFileError(f"{os.fspath(path)}: communities are written as text; {advice}")
    with saving(path, GraphFileError) as file:
        if suffix == ".csv":
            write_table(members, file)
        else:
            write_lines(members, file)

"""Graphs and communities in files: one function to read and one to write each, and the table of formats."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, BinaryIO

from philia._types import Node
from philia.exceptions import GraphFileError, InvalidParameterError
from philia.graphs.described import DescribedGraph
from philia.graphs.files.arrays import read_npz, write_npz
from philia.graphs.files.communities import (
    Form,
    read_gml_values,
    read_mat_groups,
    read_npz_labels,
    read_text,
    write_lines,
    write_table,
)
from philia.graphs.files.compression import Source, opened, suffix_of
from philia.graphs.files.dialect import Options
from philia.graphs.files.edge_list import read_edge_list, read_julia_graph, write_edge_list
from philia.graphs.files.gexf import read_gexf, write_gexf
from philia.graphs.files.gml import read_gml, write_gml
from philia.graphs.files.graphml import read_graphml, write_graphml
from philia.graphs.files.matlab import read_mat
from philia.graphs.files.matrix_market import read_matrix_market, write_matrix_market
from philia.graphs.files.names import check_names, refuse_line_breaks
from philia.graphs.files.saving import saving
from philia.graphs.files.tables import read_parquet, write_parquet
from philia.graphs.given_communities import as_communities
from philia.graphs.graph import Graph
from philia.graphs.memory import WHOLE_MACHINE, MemoryBound
from philia.graphs.nodes import Nodes

__all__ = ["read_communities", "read_graph", "write_communities", "write_graph"]

FilePath = str | os.PathLike[str]

_READERS: dict[str, Callable[[Source, Options, bool, bool], Graph]] = {
    ".jlg": lambda source, options, _, keep: read_julia_graph(source, options, keep_weights=keep),
    ".mtx": lambda source, _, either, keep: read_matrix_market(source, symmetrize=either, keep_weights=keep),
    ".npz": lambda source, _, either, keep: read_npz(source, symmetrize=either, keep_weights=keep),
    ".mat": lambda source, _, either, keep: read_mat(source, symmetrize=either, keep_weights=keep),
    ".graphml": lambda source, _options, _, keep: read_graphml(source, keep_weights=keep),
    ".gexf": lambda source, _options, _, keep: read_gexf(source, keep_weights=keep),
    ".gml": lambda source, options, _, keep: read_gml(source, options.encoding, keep_weights=keep),
    ".parquet": lambda source, options, _, keep: read_parquet(source, options.columns, keep_weights=keep),
}
"""Everything else is an edge list."""

_WRITERS: dict[str, Callable[[Graph, BinaryIO], None]] = {
    **dict.fromkeys(
        ("", ".txt", ".tsv", ".edges", ".edgelist", ".ncol"), lambda graph, file: write_edge_list(graph, file, "\t")
    ),
    ".csv": lambda graph, file: write_edge_list(graph, file, ","),
    ".mtx": write_matrix_market,
    ".npz": write_npz,
    ".gml": write_gml,
    ".parquet": write_parquet,
}

DESCRIBING: dict[str, Callable[[DescribedGraph, BinaryIO], None]] = {
    ".graphml": write_graphml,
    ".gexf": write_gexf,
}
"""The formats that can say more of a node than its name."""

_OPTIONS = {".jlg": {"encoding"}, ".gml": {"encoding"}, ".parquet": {"columns"}}
"""Which settings of an edge list the other formats know as well."""

_WHOLE = 16
"""Bytes of memory for each byte of a file that is read whole."""

_CONTENTS = (
    (b"%%matrixmarket", ".mtx"),
    (b"pk\x03\x04", ".npz"),
    (b"par1", ".parquet"),
    (b"matlab ", ".mat"),
    (b"<?xml", ".graphml"),
    (b"<graphml", ".graphml"),
    (b"<gexf", ".gexf"),
)
"""First bytes, in small letters, that tell the format whatever the file is called."""

_HEAD = 2048
"""So many bytes may stand before the first element of an XML file."""

_FOREIGN = {
    ".adjlist": "philia.as_graph(networkx.read_adjlist(path))",
    ".net": "philia.as_graph(networkx.read_pajek(path))",
    ".pajek": "philia.as_graph(networkx.read_pajek(path))",
    ".json": "networkx.node_link_graph, and pass its graph to philia.as_graph",
    ".xlsx": "pandas.read_excel, and pass the frame to philia.as_graph",
}
"""Formats that look like an edge list to a careless reader, and who reads them."""


def read_graph(
    path: FilePath,
    *,
    delimiter: str | None = None,
    comment: str | None = None,
    header: bool | None = None,
    columns: tuple[int | str, int | str] | None = None,
    encoding: str = "utf-8",
    symmetrize: bool = False,
    weights: bool = False,
    memory: MemoryBound | str | int | None = None,
) -> Graph:
    r"""The graph that a file holds, undirected; everything dropped is counted in ``changes``.

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

    The format follows from the ending of the name, without .gz, .bz2 or .xz, and from the first bytes: MatrixMarket
    (.mtx), scipy and numpy (.npz with a saved sparse matrix, or with links in ``edges`` or ``edge_index``), MATLAB
    (.mat, the matrix ``network`` or the only square one), GraphML, GEXF, GML, Parquet, JuliaGraphs (.jlg). Everything
    else is an edge list, and so is "-", the standard input.

    An edge list has one link a line. What is not told is found in the first lines:

    - ``delimiter``: one character; " " stands for runs of spaces and tabs.
    - ``comment``: what a line begins with that is skipped; "#", "%" and "//" if not told, "" for no comments.
    - ``header``: whether the first line names the columns. Found if it says source and target, from and to, u and v,
      node1 and node2 or the like, or if it is text above integers, or names a further column of numbers.
    - ``columns``: the two columns with the ends of the links, as numbers from 0 or as names in the header. A third
      column of numbers, or with a header one called "weight", holds weights; unless they are asked for, a weight of 0
      is a link like any other. Further columns are ignored.
    - ``encoding``: of the text; UTF-16 and UTF-32 are recognised by the mark at their beginning.

    A field may stand in double quotes, with quotes inside doubled, but has to end on its line. If all names are
    integers (no quotes, leading zeros or plus, at most 64 bits) they become integers in ascending order; otherwise
    all are text as written, in order of appearance. A node that only has a link to itself is kept, without links.

    Weights are dropped, unless ``weights`` asks for them: see :func:`philia.as_graph`. Large edge lists are then read
    more slowly. A .jlg file, and an .npz file of links instead of a matrix, has no weights; repeated links are counted.

    ``memory`` is a bound of memory that reading keeps to, such as "4G": how much this process may hold of its own,
    Python and its libraries included. An edge list whose links need more is sorted on disk, in the folder of temporary
    files (the environment variable TMPDIR chooses it), and the graph is the same as ever, but its adjacency is mapped
    from there; the names of the nodes always stay in memory. Other formats, and edge lists with weights, are read
    whole, if that fits. Whatever cannot be done within the bound is refused with a ``NotEnoughMemoryError``.

    No file is trusted: what a header announces is compared with what the file holds. A line may have 64 MB. A packed
    file may unpack to 64 MB, and a larger one to 64 times its size; for formats that take more memory per byte the
    bounds are lower (a half for XML and edge lists with weights, a third for GML). A header may announce two million
    nodes without links, and one more for each byte of the file.

    With ``symmetrize`` a matrix may be asymmetric: an entry on either side is a link. A file that cannot be read as a
    graph gives a :class:`philia.exceptions.GraphFileError` or, if what it holds is no graph, an ``InvalidGraphError``.
    """
    options = Options(delimiter, comment, header, columns, encoding)
    options.check()
    bound = WHOLE_MACHINE if memory is None else MemoryBound.of(memory)
    with opened(path) as source:
        form = _form(source)
        if form not in _READERS:
            return read_edge_list(source, options, keep_weights=weights, memory=bound)
        _refuse_options(options, form)
        bound.require(_WHOLE * source.size, f"a {form} file, which is read whole,")
        return _READERS[form](source, options, symmetrize, weights)


def _form(source: Source) -> str:
    """The format, named by its ending; contents tell more than names."""
    start = source.stream.peek(16)[:16].lstrip().lower()
    if start.startswith(b"*vertices"):
        raise GraphFileError(f"this is a Pajek file, which is not read here; read it with {_FOREIGN['.net']}")
    found = next((form for beginning, form in _CONTENTS if start.startswith(beginning)), None)
    if found == ".graphml" and b"<gexf" in source.stream.peek(_HEAD)[:_HEAD]:
        found = ".gexf"
    if found is None and source.suffix in _FOREIGN:
        raise GraphFileError(f"{source.suffix} files are not read here; use {_FOREIGN[source.suffix]}")
    return found or source.suffix


def _refuse_options(options: Options, form: str) -> None:
    told = {name for name, value in vars(options).items() if value != getattr(Options(), name)}
    useless = sorted(told - _OPTIONS.get(form, set()))
    if useless:
        raise InvalidParameterError(f"{' and '.join(useless)} cannot be told for a {form} file; leave it out")


def write_graph(graph: Graph | DescribedGraph, path: FilePath) -> None:
    """Write the graph to a file from which :func:`read_graph` brings back the same nodes, links and weights.

    >>> import pathlib, tempfile
    >>> from philia import as_graph
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "friends.txt.gz"
    >>> write_graph(as_graph([("ann", "bob"), ("bob", "cat")]), path)
    >>> read_graph(path)
    Graph(3 nodes, 2 links)

    The ending of the name gives the format: an edge list with tabs (.txt, .tsv, .edges, .edgelist, .ncol or none) or
    with commas and a header (.csv), .mtx, .npz, .graphml, .gexf, .gml or .parquet; .gz, .bz2 or .xz after it
    compresses. The file appears when it is complete; whatever had its name stays until then. All of them can hold
    weights, which edge lists have in a third column. GraphML and GEXF, which Gephi opens, also hold what a
    ``DescribedGraph`` says of nodes and links: ``write_graph(model.described(), "net.gexf")``.

    Names have to be all text or all integers. Text that looks like a number stays text: edge lists put it in quotes,
    the other formats keep the type (.mtx in comments and .npz in arrays of their own, which other programs skip). In
    edge lists and Parquet a node without links is written as a link to itself, which reading drops and counts. A name
    that a format cannot hold, such as one with a line break in an edge list, is refused.
    """
    suffix = suffix_of(path)
    if suffix not in {**_WRITERS, **DESCRIBING}:
        raise GraphFileError(
            f"{os.fspath(path)}: no graph is written with the ending {suffix!r}; "
            f"use one of {', '.join(filter(None, [*_WRITERS, *DESCRIBING]))}"
        )
    described = graph if isinstance(graph, DescribedGraph) else DescribedGraph(graph)
    if suffix not in DESCRIBING and (described.node_columns or described.link_columns):
        raise GraphFileError(
            f"{os.fspath(path)}: a {suffix or 'nameless'} file holds nodes and links, but nothing about them; use "
            f"{' or '.join(DESCRIBING)}, or write the graph alone"
        )
    check_names(described.graph.nodes)
    with saving(path) as file:
        if suffix in DESCRIBING:
            DESCRIBING[suffix](described, file)
        else:
            _WRITERS[suffix](described.graph, file)


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
    community, and a node may have several lines. If ``form`` is not told, braces show themselves, and a file whose
    every line has two columns, or whose header says so, is a table. So a file of communities with two members each is
    taken for a table unless you pass ``form="lines"``. ``delimiter``, ``comment`` and ``encoding`` are as in
    :func:`read_graph`, and names become integers if all of them are.

    A MATLAB file gives its matrix ``group`` (nodes and communities are numbered from 0, as in the graph of that file),
    an .npz file its array ``node_labels``, and a GML file the ``value`` of its nodes.
    """
    if form not in (None, "lines", "braces", "table"):
        raise InvalidParameterError(f"form is {form!r}; it is 'lines', 'braces' or 'table'")
    options = Options(delimiter=delimiter, comment=comment, encoding=encoding)
    options.check()
    with opened(path) as source:
        kind = _form(source)
        if kind == ".mat":
            return read_mat_groups(source)
        if kind == ".npz":
            return read_npz_labels(source)
        if kind == ".gml":
            return read_gml_values(source, encoding)
        if kind in _READERS:
            raise GraphFileError(f"a {kind} file holds no communities; give the file that does")
        return read_text(source, form, options)


def write_communities(communities: Any, path: FilePath) -> None:
    """Write communities to a file from which :func:`read_communities` brings back the same.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "clubs.csv"
    >>> write_communities({"red": [1, 2], "blue": [2, 3]}, path)
    >>> read_communities(path)
    {'red': [1, 2], 'blue': [2, 3]}

    ``communities`` is whatever :func:`philia.graphs.as_communities` takes. A .csv file becomes a table of nodes and
    communities with a header; any other has one community a line, separated by tabs, which keeps no names: give the
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
    refuse_line_breaks(everyone)
    if suffix_of(path) in _READERS:
        advice = "use the ending .txt or .csv, or write_graph(model.described(), path) for the graph with them"
        raise GraphFileError(f"{os.fspath(path)}: communities are written as text; {advice}")
    with saving(path) as file:
        (write_table if suffix_of(path) == ".csv" else write_lines)(members, file)

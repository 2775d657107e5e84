"""Graphs and communities in files: one function to read and one to write each."""

from __future__ import annotations

import os
from typing import Any

from philia._types import Node
from philia.exceptions import GraphFileError, InvalidParameterError
from philia.graphs.conversion import as_communities
from philia.graphs.described import DescribedGraph
from philia.graphs.files.communities import Form, read_text, write_lines, write_table
from philia.graphs.files.formats import format_of, format_of_suffix, writer_of
from philia.graphs.files.names import check_names, check_one_line
from philia.graphs.graph import Graph
from philia.graphs.nodes import Nodes
from philia.storage import FilePath, MemoryBound, ReadingOptions, opened, saving, suffix_of

__all__ = ["read", "read_communities", "read_graph", "write_communities", "write_graph"]


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
      node1 and node2 or the like, if it is text above integers, or if it names a further column of numbers.
    - ``columns``: the two columns with the ends of the links, as numbers from 0 or as names in the header. A third
      column of numbers, or with a header one called "weight", holds weights; unless weights are kept, a weight of 0
      is a link like any other. Further columns are ignored.
    - ``encoding``: of the text; UTF-16 and UTF-32 are recognized by their byte order mark.

    A field may be in double quotes, with quotes inside doubled, but has to end on its line. If all names are integers
    (no quotes, leading zeros or plus, at most 64 bits) they become integers in ascending order; otherwise all names are
    text as written, in order of appearance. A node whose only link is a self-loop is kept, without links.

    Weights are dropped unless ``weights`` is set: see :func:`philia.as_graph`. Large edge lists are then read more
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
    return read(path, ReadingOptions(delimiter, comment, header, columns, encoding, symmetrize, weights, memory))


def read(path: FilePath, options: ReadingOptions) -> Graph:
    """The same as :func:`read_graph`, with all options as one value."""
    with opened(path, GraphFileError) as source:
        found = format_of(source)
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
    write = writer_of(path, describes=bool(described.node_columns or described.link_columns))
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
        found = format_of(source)
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
        (write_table if suffix == ".csv" else write_lines)(members, file)

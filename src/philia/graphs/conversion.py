"""Conversion of objects that hold a network or communities, our own or those of other libraries.

Other libraries are never imported here: their objects are recognized by the module of their type, and then the library
is loaded already.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from philia._types import Node
from philia.exceptions import InvalidGraphError, InvalidParameterError
from philia.graphs.graph import Graph
from philia.graphs.links import (
    SAMPLE_ROWS,
    ends_in_table,
    graph_from_names,
    graph_from_pairs,
    graph_from_rows,
    graph_from_table,
)
from philia.graphs.matrices import graph_from_entries, graph_from_matrix
from philia.graphs.nodes import Nodes
from philia.graphs.notices import warn_of_changes
from philia.graphs.weights import weight_values

_Columns = tuple[int | str, int | str] | None


def as_graph(x: Any, *, symmetrize: bool = False, weights: bool | None = None, columns: _Columns = None) -> Graph:
    """The graph that ``x`` holds, undirected; everything dropped is counted in ``changes``.

    >>> as_graph([("ann", "bob"), ("bob", "cat")])
    Graph(3 nodes, 2 links)
    >>> as_graph(np.array([[0, 1, 0], [0, 0, 1], [0, 0, 0]]), symmetrize=True)
    Graph(3 nodes, 2 links; 2 directions dropped)
    >>> as_graph([("ann", "bob", 2), ("bob", "ann"), ("bob", "cat")], weights=True).link_weights
    array([3., 1.])

    Weights and directions are dropped with a warning (:class:`philia.exceptions.InputWarning`). With ``weights=False``
    weights are dropped without one; with ``weights=True`` they are kept as the confidence or the count of each link,
    and have to be finite and above 0. A link without a weight weighs 1; the weights of a repeated link, and of the two
    directions of a directed one, are added. A matrix that is symmetric, weights included, has each link twice, and so
    has ``edge_index``: their weights are counted once.

    ``x`` may be

    - a :class:`Graph`, which is returned as it is, or what ``datasets.load`` returns, which has one;
    - a square numpy array or a scipy sparse matrix: entries other than 0 are links. It has to be symmetric, unless
      ``symmetrize`` is set: then an entry on either side is enough. Nodes are called 0, 1, …;
    - a numpy array with two columns, one row per link. An array of two rows and two columns could be either; it is read
      as a matrix, so pass ``array.tolist()`` for links;
    - an iterable of pairs of names, such as ``G.edges`` of networkx. A third value in a pair is a weight;
    - a mapping from names to collections of neighbours, as ``networkx.to_dict_of_lists`` makes it;
    - a graph of networkx or igraph; isolated nodes and names are kept (in igraph the attribute "name", else numbers);
    - a frame of pandas or polars with one link per row, in the columns called source and target, from and to, u and v
      or src and dst, else in the first two; a numeric column called "weight" holds weights. ``columns`` names two
      others, as in ``as_graph(frame, columns=("author1", "author2"))``. If the first column seems to number the rows,
      they have to be named. A pandas frame whose index equals its columns is a matrix with names;
    - an object with ``edge_index`` and ``num_nodes``, as in PyTorch Geometric;
    - the path of a file, for which see :func:`read_graph`.

    A name may be anything hashable and stays as it is; integers from arrays become ``int``. Where links are given by
    names, integers are put in ascending order, other names in order of appearance.
    """
    if isinstance(x, Graph):
        return x
    held = getattr(x, "graph", None)
    if isinstance(held, Graph):  # a dataset
        return held
    if isinstance(x, (str, os.PathLike)):
        from philia.graphs.files import read_graph  # imported here, since the readers need this module

        return read_graph(x, symmetrize=symmetrize, weights=weights, columns=columns)
    if columns is not None and not is_frame(x):
        raise InvalidParameterError(
            f"columns is {columns!r}, but a {type(x).__name__} has no named columns; leave it out, or give a frame or "
            "the path of a file"
        )
    graph = _converted(x, symmetrize, bool(weights), columns)
    return warn_of_changes(graph, weights=weights is None, directions=not symmetrize)


def _converted(x: Any, symmetrize: bool, keep_weights: bool, columns: _Columns) -> Graph:
    if sparse.issparse(x):
        return graph_from_matrix(x, symmetrize=symmetrize, keep_weights=keep_weights)
    if isinstance(x, np.ndarray):
        return _from_array(x, symmetrize, keep_weights)
    foreign = _from_library(x, symmetrize, keep_weights, columns)
    if foreign is not None:
        return foreign
    if isinstance(x, Mapping) and x and all(_is_collection(neighbours) for neighbours in x.values()):
        return _from_neighbours(x)
    if isinstance(x, Iterable) and not isinstance(x, (Mapping, bytes, bytearray)):
        return graph_from_pairs(x, keep_weights=keep_weights)
    raise InvalidGraphError(
        f"a {type(x).__name__} cannot be read as a graph; give a philia Graph, a square numpy array or scipy sparse "
        "matrix, an iterable of pairs, a graph of networkx or igraph, a pandas or polars frame with one link per row, "
        "an object with edge_index and num_nodes, or the path of a file"
    )


def _is_collection(x: object) -> bool:
    return isinstance(x, Collection) and not isinstance(x, (str, bytes, bytearray, Mapping))


def _from_neighbours(x: Mapping[Any, Collection[Any]]) -> Graph:
    """The graph of a mapping from nodes to their neighbours; that both ends name each other is no repetition.

    >>> _from_neighbours({"ann": ["bob"], "bob": ["ann", "cat"], "dan": []})
    Graph(4 nodes, 2 links)
    """
    names = list(dict.fromkeys(chain(x, *x.values())))
    nodes = Nodes(sorted(names) if all(isinstance(name, int) for name in names) else names)
    links = {frozenset((node, other)) for node, neighbours in x.items() for other in neighbours}
    ends = [(min(rows), max(rows)) for rows in (nodes.rows(list(link)).tolist() for link in links)]
    array = np.array(sorted(ends), dtype=np.int64).reshape(-1, 2)
    return graph_from_rows(array[:, 0], array[:, 1], nodes)


def _libraries(x: Any) -> set[str]:
    return {base.__module__.split(".")[0] for base in type(x).__mro__}


def is_frame(x: Any) -> bool:
    """Whether ``x`` is a frame of pandas or polars."""
    return bool({"pandas", "polars"} & _libraries(x)) and hasattr(x, "columns")


def columns_of_frame(x: Any) -> tuple[list[Node], list[Node]]:
    """The names in the two columns of a frame that hold the ends of links.

    >>> import pandas
    >>> columns_of_frame(pandas.DataFrame({"source": ["ann"], "target": ["bob"]}))
    (['ann'], ['bob'])
    """
    headers = list(x.columns)
    columns = [list(x[name]) for name in headers]
    first, second = ends_in_table(headers, [column[:SAMPLE_ROWS] for column in columns])
    return columns[first], columns[second]


def _from_library(x: Any, symmetrize: bool, keep_weights: bool, columns: _Columns) -> Graph | None:
    """The graph of another library's object, or None if the library is not known here."""
    libraries = _libraries(x)
    if "networkx" in libraries and hasattr(x, "edges"):
        return _from_networkx(x, keep_weights)
    if "networkx" in libraries and isinstance(x, Iterable):  # a view of links, such as G.edges
        return graph_from_pairs(x, keep_weights=keep_weights)
    if "igraph" in libraries and hasattr(x, "get_edgelist"):
        return _from_igraph(x, keep_weights)
    if "pandas" in libraries and hasattr(x, "columns"):
        return _from_pandas(x, symmetrize, keep_weights, columns)
    if "polars" in libraries and hasattr(x, "collect_schema"):
        return _from_polars(x, keep_weights, columns)
    if hasattr(x, "edge_index") and hasattr(x, "num_nodes"):
        return _from_edge_index(x, keep_weights)
    return None


def _from_array(x: npt.NDArray[Any], symmetrize: bool, keep_weights: bool) -> Graph:
    named = x.dtype.kind in "US" or (x.dtype.kind == "O" and not _holds_numbers(x))
    links = x.ndim == 2 and x.shape[1] == 2 and (named or x.shape[0] != 2)
    if links:
        return _from_link_array(x, keep_weights)
    if x.ndim == 2 and x.shape[0] == 2 and x.dtype.kind in "iu" and x.shape[1] != 2:
        raise InvalidGraphError(
            f"the array is 2 x {x.shape[1]:,}; if its columns are links, pass it transposed (array.T). "
            "A matrix is square and an array of links has two columns"
        )
    matrix = x.astype(np.float64) if x.dtype.kind == "O" and not named else x
    return graph_from_matrix(matrix, symmetrize=symmetrize, keep_weights=keep_weights)


def _holds_numbers(x: npt.NDArray[Any]) -> bool:
    return all(isinstance(value, (int, float, np.number, np.bool_)) for value in x.flat)


def _from_link_array(x: npt.NDArray[Any], keep_weights: bool) -> Graph:
    if x.dtype.kind not in "iuf" or not len(x):
        return graph_from_pairs(x.tolist(), keep_weights=keep_weights)
    whole = np.isfinite(x) & (x == np.floor(x))
    if not whole.all():
        row = int(np.argmin(whole.all(axis=1)))
        raise InvalidGraphError(f"link number {row} is {x[row].tolist()}; an array of links holds whole numbers")
    return graph_from_names(x[:, 0], x[:, 1], keep_weights=keep_weights)


def _from_networkx(x: Any, keep_weights: bool) -> Graph:
    nodes = Nodes(x.nodes)
    rows = {name: row for row, name in enumerate(x.nodes)}
    links = list(x.edges(data="weight", default=1))
    first, second = (np.fromiter((rows[link[end]] for link in links), np.int64, len(links)) for end in (0, 1))
    weights = weight_values(link[2] for link in links)
    return graph_from_rows(first, second, nodes, directed=x.is_directed(), weights=weights, keep_weights=keep_weights)


def _from_igraph(x: Any, keep_weights: bool) -> Graph:
    nodes = Nodes(x.vs["name"]) if "name" in x.vs.attributes() else Nodes.numbered(x.vcount())
    nodes.check_unique()
    ends = np.array(x.get_edgelist(), np.int64).reshape(-1, 2)
    weights = weight_values(x.es["weight"]) if "weight" in x.es.attributes() else None
    return graph_from_rows(
        ends[:, 0], ends[:, 1], nodes, directed=x.is_directed(), weights=weights, keep_weights=keep_weights
    )


def _from_edge_index(x: Any, keep_weights: bool) -> Graph:
    ends = _to_array(x.edge_index)
    if ends.ndim != 2 or ends.shape[0] != 2:
        raise InvalidGraphError(
            f"edge_index has the shape {ends.shape}; it has two rows, one for each end of the links"
        )
    count = int(x.num_nodes)
    if ends.size and (ends.min() < 0 or ends.max() >= count):
        raise InvalidGraphError(
            f"edge_index holds {ends.min()} to {ends.max()}, but there are {count:,} nodes, from 0 to {count - 1}"
        )
    weight = getattr(x, "edge_weight", None)
    weights = None if weight is None else _to_array(weight).reshape(-1).astype(np.float64)
    return graph_from_entries(ends[0], ends[1], Nodes.numbered(count), weights=weights, keep_weights=keep_weights)


def _to_array(tensor: Any) -> npt.NDArray[Any]:
    if hasattr(tensor, "detach"):  # a tensor may carry gradients or be on a GPU
        tensor = tensor.detach().cpu().numpy()
    return np.asarray(tensor)


def _from_pandas(x: Any, symmetrize: bool, keep_weights: bool, wanted: _Columns) -> Graph:
    if not hasattr(x, "iloc") or x.ndim != 2:
        raise InvalidGraphError(
            f"a pandas {type(x).__name__} cannot be read as a graph; give a frame with one link per row"
        )
    if wanted is None and len(x) and x.shape[0] == x.shape[1] and x.index.equals(x.columns):
        names = Nodes(x.index.tolist())
        return graph_from_matrix(x.to_numpy(), nodes=names, symmetrize=symmetrize, keep_weights=keep_weights)
    headers, columns = list(x.columns), [x.iloc[:, column] for column in range(x.shape[1])]
    ends = ends_in_table(headers, [column.iloc[:SAMPLE_ROWS].tolist() for column in columns], wanted)
    _refuse_missing(sum(int(columns[end].isna().sum()) for end in ends))
    return graph_from_table(headers, [column.to_numpy() for column in columns], ends, keep_weights=keep_weights)


def _from_polars(x: Any, keep_weights: bool, wanted: _Columns) -> Graph:
    if not hasattr(x, "get_columns"):
        raise InvalidGraphError(f"a polars {type(x).__name__} holds no rows yet; pass its .collect()")
    columns = x.get_columns()
    ends = ends_in_table(x.columns, [column.head(SAMPLE_ROWS).to_list() for column in columns], wanted)
    _refuse_missing(sum(int(columns[end].null_count()) for end in ends))
    arrays = [column.to_numpy() if column.dtype.is_numeric() else column.to_list() for column in columns]
    return graph_from_table(x.columns, arrays, ends, keep_weights=keep_weights)


def _refuse_missing(count: int) -> None:
    if count:
        raise InvalidGraphError(
            f"{count:,} {'name is' if count == 1 else 'names are'} missing in the table; "
            "drop those rows (frame.dropna() or frame.drop_nulls())"
        )


def as_communities(x: Any) -> dict[Node, list[Node]]:
    """The members of each community, by the community's name; those without one are called 0, 1, ….

    >>> as_communities({"red": {"ann"}, "blue": ["bob", "cat", "bob"]})
    {'red': ['ann'], 'blue': ['bob', 'cat']}
    >>> as_communities([["ann", "bob"], ["bob", "cat"]])
    {0: ['ann', 'bob'], 1: ['bob', 'cat']}

    >>> as_communities({"ann": "red", "bob": "blue", "cat": "red"})
    {'red': ['ann', 'cat'], 'blue': ['bob']}

    ``x`` may be a mapping from names to nodes, a mapping from nodes to labels (text or numbers), an iterable of
    collections of nodes, as networkx's methods return, the communities of a model, a ``NodeClustering`` of cdlib, or a
    ``VertexClustering`` or ``VertexCover`` of igraph, whose node numbers become the names of its graph.
    """
    given = _unpacked(x)
    if isinstance(given, Mapping) and given and all(isinstance(label, _LABELS) for label in given.values()):
        return _grouped(given)
    if not isinstance(given, Mapping):
        if isinstance(given, (str, bytes)) or not isinstance(given, Iterable):
            raise InvalidParameterError(
                f"found {given!r}, expected communities; give the nodes of each, as in [{{1, 2}}, {{2, 3}}], or "
                "model.communities()"
            )
        given = dict(enumerate(given))
    return {name: _members(nodes) for name, nodes in given.items()}


_LABELS = (str, int, float, np.number, np.bool_)
"""What labels of nodes are; the nodes of a community are in a collection."""


def _grouped(labels: Mapping[Node, Any]) -> dict[Node, list[Node]]:
    """The nodes of each label, in order of appearance."""
    found: dict[Node, list[Node]] = {}
    for node, label in labels.items():
        found.setdefault(label.item() if isinstance(label, np.generic) else label, []).append(node)
    return found


def _unpacked(x: Any) -> Any:
    """The mapping, or the collections of nodes, in objects of other libraries and of a model."""
    libraries = _libraries(x)
    if "cdlib" in libraries and hasattr(x, "communities"):
        return x.communities
    if "igraph" in libraries and hasattr(x, "membership") and hasattr(x, "graph"):
        named = "name" in x.graph.vs.attributes()
        names = x.graph.vs["name"] if named else range(x.graph.vcount())
        return [[names[number] for number in numbers] for numbers in x]
    return x.as_sets() if hasattr(x, "as_sets") else x


def _members(nodes: Any) -> list[Node]:
    try:
        if isinstance(nodes, (str, bytes)):  # a name would be taken for the collection of its letters
            raise TypeError
        return list(dict.fromkeys(nodes))
    except TypeError:
        raise InvalidParameterError(
            f"found {nodes!r}, expected the nodes of a community; give their names in a set or a list. If there is one "
            "label per node, give a mapping from nodes to labels: dict(zip(model.graph_.nodes, labels))"
        ) from None

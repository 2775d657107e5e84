"""Link predictors that need no fit: formulas of the degrees and neighbours of two nodes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import sparse

from philia._types import Float64Array, Int64Array
from philia.graphs import Graph

_Predictor = Callable[[Graph, Int64Array, Int64Array], Float64Array]
"""The scores of the pairs (rows[t], columns[t]), given a graph with only the links that may be known."""

_ROWS = 512
"""Rows of the product of matrices that are computed at once, 80 MB in the largest graph that is small."""

_SMALL = 20_000
"""Largest graph in which rows of that product are computed in full; in larger ones, pair by pair."""

_ENTRIES = 2**22
"""Neighbours that are looked up at once in large graphs, some hundred megabytes."""


def _constant_density(graph: Graph, rows: Int64Array, columns: Int64Array) -> Float64Array:
    """The same for every pair: the density of the graph.

    >>> from philia import as_graph
    >>> _constant_density(as_graph([(0, 1), (1, 2), (2, 3)]), np.array([0, 0]), np.array([2, 3])).tolist()
    [0.5, 0.5]
    """
    return np.full(np.broadcast_shapes(rows.shape, columns.shape), graph.density)


def _preferential_attachment(graph: Graph, rows: Int64Array, columns: Int64Array) -> Float64Array:
    """The product of the two degrees.

    >>> from philia import as_graph
    >>> _preferential_attachment(as_graph([(0, 1), (1, 2), (2, 3)]), np.array([0, 0]), np.array([2, 3])).tolist()
    [2.0, 1.0]
    """
    degrees = graph.degrees.astype(np.float64)
    return np.asarray(degrees[rows] * degrees[columns])


def _common_neighbours(graph: Graph, rows: Int64Array, columns: Int64Array) -> Float64Array:
    """The number of nodes that are linked with both.

    >>> from philia import as_graph
    >>> _common_neighbours(as_graph([(0, 1), (1, 2), (2, 3)]), np.array([0, 0]), np.array([2, 3])).tolist()
    [1.0, 0.0]
    """
    return _over_neighbours(graph, np.ones(graph.n_nodes), rows, columns)


def _adamic_adar(graph: Graph, rows: Int64Array, columns: Int64Array) -> Float64Array:
    """The sum of 1 / log(degree) over the common neighbours: one with few links counts for more (Adamic and Adar 2003).

    >>> from philia import as_graph
    >>> _adamic_adar(as_graph([(0, 1), (1, 2), (2, 3)]), np.array([0, 0]), np.array([2, 3])).round(3).tolist()
    [1.443, 0.0]
    """
    # A common neighbour of two nodes has a degree of at least 2, so the weight of a lower one is never used.
    return _over_neighbours(graph, 1 / np.log(np.maximum(graph.degrees, 2)), rows, columns)


def _resource_allocation(graph: Graph, rows: Int64Array, columns: Int64Array) -> Float64Array:
    """The sum of 1 / degree over the common neighbours (Zhou, Lü and Zhang 2009).

    >>> from philia import as_graph
    >>> _resource_allocation(as_graph([(0, 1), (1, 2), (2, 3)]), np.array([0, 0]), np.array([2, 3])).tolist()
    [0.5, 0.0]
    """
    return _over_neighbours(graph, 1 / np.maximum(graph.degrees, 1), rows, columns)


PREDICTORS: dict[str, _Predictor] = {
    "constant density": _constant_density,
    "preferential attachment": _preferential_attachment,
    "common neighbours": _common_neighbours,
    "Adamic-Adar": _adamic_adar,
    "resource allocation": _resource_allocation,
}


def _over_neighbours(graph: Graph, weights: Float64Array, rows: Int64Array, columns: Int64Array) -> Float64Array:
    """The entries of A diag(weights) A at the pairs."""
    by = _block_by_block if graph.n_nodes <= _SMALL else _pair_by_pair
    return by(graph, weights, rows, columns)


def _pair_by_pair(graph: Graph, weights: Float64Array, rows: Int64Array, columns: Int64Array) -> Float64Array:
    """From the neighbours of both nodes of each pair, in chunks with at most about _ENTRIES neighbours."""
    A = graph.adjacency.astype(np.float64)
    weighted = (A @ sparse.diags_array(weights)).tocsr()
    chunk = np.cumsum(graph.degrees[rows] + graph.degrees[columns]) // _ENTRIES
    scores = np.empty(len(rows))
    for some in np.split(np.arange(len(rows)), np.flatnonzero(np.diff(chunk)) + 1):
        scores[some] = A[rows[some]].multiply(weighted[columns[some]]).sum(axis=1)
    return scores


def _block_by_block(graph: Graph, weights: Float64Array, rows: Int64Array, columns: Int64Array) -> Float64Array:
    """From blocks of rows of the product."""
    A = graph.adjacency.astype(np.float64)
    weighted = sparse.diags_array(weights) @ A
    scores = np.empty(len(rows))
    order = np.argsort(rows, kind="stable")
    asked, first = np.unique(rows[order], return_index=True)
    ends = np.append(first, len(rows))
    for at in range(0, len(asked), _ROWS):
        some = order[ends[at] : ends[min(at + _ROWS, len(asked))]]
        block = (A[asked[at : at + _ROWS]] @ weighted).toarray()
        scores[some] = block[np.searchsorted(asked, rows[some]) - at, columns[some]]
    return scores

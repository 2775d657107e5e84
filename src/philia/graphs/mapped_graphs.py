"""Graphs made of graphs without a copy of all links in between, in memory or on disk as the first one is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from philia._types import BoolArray
from philia.graphs.graph import Graph
from philia.graphs.mapped import OnDisk, Storage, compressed_rows, storage_of

_PIECE = 1 << 20
"""How many entries are worked on at a time, or as many as there are nodes, if those are more."""

Keep = Callable[[npt.NDArray[Any], npt.NDArray[Any]], BoolArray]


def part_of(graph: Graph, keep: Keep) -> Graph:
    """The graph with those links alone of which ``keep``, given rows and columns, says so; in either direction alike.

    >>> from philia import as_graph
    >>> part_of(as_graph([("a", "b"), ("b", "c"), ("a", "c")]), lambda rows, columns: rows + columns != 1)
    Graph(3 nodes, 2 links)
    """
    adjacency, storage, degrees = graph.adjacency, storage_of(graph.adjacency.indices), np.zeros(graph.n_nodes, int)

    def kept() -> Iterator[BoolArray]:
        for part in _parts(graph):
            first, entries = part.start, slice(*adjacency.indptr[[part.start, part.stop]])
            rows = np.repeat(np.arange(first, part.stop), graph.degrees[part])
            wanted = keep(rows, adjacency.indices[entries])
            degrees[part] = np.bincount(rows[wanted] - first, minlength=part.stop - first)
            yield wanted

    mask = storage.gathered(kept(), np.bool_, adjacency.nnz)
    indices = _sifted(adjacency.indices, mask, storage)
    weights = None if graph.weights is None else _sifted(graph.weights, mask, storage)
    if weights is not None and (weights == 1).all():
        weights = None
    return Graph(compressed_rows(indices, degrees, storage), graph.nodes, weights=weights)


def link_parts(graph: Graph) -> Iterator[tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any]]]:
    """The rows, the columns and the entries of the adjacency of ``graph.links``, some of them at a time.

    >>> from philia import as_graph
    >>> [(rows.tolist(), columns.tolist()) for rows, columns, _ in link_parts(as_graph([(0, 1), (1, 2), (0, 2)]))]
    [([0, 0, 1], [1, 2, 2])]
    """
    adjacency = graph.adjacency
    for part in _parts(graph):
        start, stop = adjacency.indptr[[part.start, part.stop]]
        rows, columns = np.repeat(np.arange(part.start, part.stop), graph.degrees[part]), adjacency.indices[start:stop]
        above = rows < columns
        yield rows[above], columns[above], start + np.flatnonzero(above)


def on_disk(graph: Graph) -> Graph:
    """The same graph with its links mapped from a temporary file.

    >>> from philia import as_graph
    >>> graph = on_disk(as_graph([("a", "b"), ("b", "c")]))
    >>> graph, storage_of(graph.adjacency.indices)
    (Graph(3 nodes, 2 links), OnDisk())
    """
    storage = OnDisk()

    def moved(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return storage.gathered([array], array.dtype, array.size)

    weights = None if graph.weights is None else moved(graph.weights)
    adjacency = compressed_rows(moved(graph.adjacency.indices), graph.degrees, storage)
    return replace(graph, adjacency=adjacency, weights=weights)


def _sifted(array: npt.NDArray[Any], mask: BoolArray, storage: Storage) -> npt.NDArray[Any]:
    parts = (slice(start, start + _PIECE) for start in range(0, array.size, _PIECE))
    return storage.gathered((array[part][mask[part]] for part in parts), array.dtype, int(np.count_nonzero(mask)))


def _parts(graph: Graph) -> Iterator[slice]:
    """Runs of rows with about equally many entries."""
    starts, n = graph.adjacency.indptr, graph.n_nodes
    first, most = 0, max(_PIECE, n)
    while first < n:
        stop = max(int(np.searchsorted(starts, int(starts[first]) + most, side="right")) - 1, first + 1)
        yield slice(first, stop)
        first = stop

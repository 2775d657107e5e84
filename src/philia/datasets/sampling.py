"""Drawing a graph from link probabilities, block by block."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from philia._types import Float64Array
from philia.graphs import Graph, Nodes

Probabilities = Callable[[slice, slice], Float64Array]
_BLOCK = 2048
"""Rows and columns drawn at a time: 32 MB of random numbers. Graphs drawn with a seed depend on it."""


def sample_graph(probabilities: Probabilities, nodes: Nodes, rng: np.random.Generator) -> Graph:
    """A graph in which each pair of nodes is linked independently, with its own probability.

    ``probabilities`` returns the probabilities of all pairs of a slice of rows and a slice of columns.

    >>> certain = sample_graph(lambda rows, columns: np.ones((3, 3)), Nodes("abc"), np.random.default_rng(0))
    >>> certain
    Graph(3 nodes, 3 links)
    """
    rows, columns = [], []
    for top in range(0, len(nodes), _BLOCK):
        for first in range(top, len(nodes), _BLOCK):
            block = probabilities(slice(top, top + _BLOCK), slice(first, first + _BLOCK))
            i, j = np.nonzero(rng.random(block.shape) < block)
            above = top + i < first + j
            rows.append(top + i[above])
            columns.append(first + j[above])
    return Graph.from_rows(np.concatenate(rows), np.concatenate(columns), nodes)

"""Community overlap threshold (COT) graphs: a link wherever two nodes share enough and clash little enough."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from philia._types import Int64Array
from philia.exceptions import InvalidParameterError
from philia.graphs import Graph, Nodes

_ROWS = 1024
"""Rows compared with all others at a time, which bounds the memory."""


@dataclass(frozen=True, eq=False)
class OverlapThresholdGraph:
    """A COT graph and what defines it: binary memberships b and c, and the integer threshold t.

    The rule b_i·b_j - c_i·c_j >= t may also link a node to itself; ``loops`` says which, the graph has no loops.

    >>> overlap_threshold(b=[[1], [1]], c=[[0], [0]], threshold=1).loops.tolist()
    [True, True]
    """

    graph: Graph
    b: Int64Array
    c: Int64Array
    threshold: int
    loops: npt.NDArray[np.bool_]


def overlap_threshold(b: npt.ArrayLike, c: npt.ArrayLike, threshold: int) -> OverlapThresholdGraph:
    """The COT graph of given memberships: nodes i and j are linked if and only if b_i·b_j - c_i·c_j >= threshold.

    >>> cot = overlap_threshold(b=[[1], [1], [0]], c=[[1], [0], [0]], threshold=1)
    >>> cot.graph
    Graph(3 nodes, 1 link)
    >>> cot.loops.tolist()
    [False, True, False]
    """
    B, C = np.asarray(b, dtype=np.int64), np.asarray(c, dtype=np.int64)
    if B.ndim != 2 or C.ndim != 2 or len(B) != len(C):
        raise InvalidParameterError(f"b and c must have one row per node; found shapes {B.shape} and {C.shape}")
    if not (np.isin(B, (0, 1)).all() and np.isin(C, (0, 1)).all()):
        raise InvalidParameterError("memberships of a COT graph are 0 or 1; found other values")
    n = len(B)
    rows, columns = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for top in range(0, n, _ROWS):
        i, j = np.nonzero(B[top : top + _ROWS] @ B.T - C[top : top + _ROWS] @ C.T >= threshold)
        above = top + i < j
        rows.append(top + i[above])
        columns.append(j[above])
    loops = (B * B).sum(axis=1) - (C * C).sum(axis=1) >= threshold
    graph = Graph.from_rows(np.concatenate(rows), np.concatenate(columns), Nodes.numbered(n))
    return OverlapThresholdGraph(graph, B, C, threshold, loops)


def random_overlap_threshold(
    n: int,
    n_homophilous: int,
    n_heterophilous: int,
    threshold: int = 1,
    *,
    share: float = 0.3,
    random_state: Any = None,
) -> OverlapThresholdGraph:
    """A COT graph in which each node joins each community with probability ``share``.

    >>> random_overlap_threshold(30, 3, 1, random_state=0).graph.n_nodes
    30
    """
    rng = np.random.default_rng(random_state)
    b = rng.random((n, n_homophilous)) < share
    c = rng.random((n, n_heterophilous)) < share
    return overlap_threshold(b, c, threshold)

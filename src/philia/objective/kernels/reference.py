"""The reference kernel: the formulas in NumPy, as they are written."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from philia._types import FloatArray
from philia.graphs.graph import Graph
from philia.objective.kernels.kernel import DrawnColumns, Lane, LaneSums, Omitted, RowSums
from philia.objective.losses import Loss


def lane_sums(
    left: FloatArray,
    right: FloatArray,
    lane: Lane,
    links: sparse.csr_array,
    link_weight: int,
    loss: Loss,
    omitted: Omitted,
) -> LaneSums:
    """The cost of the lane's tiles without links, plus what the links of its rows add."""
    value, by_left, by_right = 0.0, np.zeros_like(left), np.zeros_like(right)

    for top, bottom, first, end, weight in lane.tiles.tolist():
        scores = left[top:bottom] @ right[first:end].T
        scores[omitted.mask(top, bottom, first, end)] = loss.neutral
        costs, slopes = loss.without_link(scores)
        value += weight * float(costs.sum(dtype=np.float64))
        by_left[top:bottom] += weight * (slopes @ right[first:end])
        by_right[first:end] += weight * (slopes.T @ left[top:bottom])

    top, bottom = lane.link_rows
    starts = links.indptr[top : bottom + 1]
    columns = links.indices[starts[0] : starts[-1]]
    scores = (left[np.repeat(np.arange(top, bottom), np.diff(starts))] * right[columns]).sum(axis=1)
    costs, slopes = loss.link_correction(scores)
    value += link_weight * float(costs.sum(dtype=np.float64))
    pull = sparse.csr_array((link_weight * slopes, columns, starts - starts[0]), shape=(bottom - top, len(right)))
    by_left[top:bottom] += pull @ right
    by_right += pull.T @ left[top:bottom]
    return LaneSums(value, 0, by_left, 0, by_right)


def row_sums(
    left: FloatArray, top: int, drawn: DrawnColumns, F: FloatArray, graph: Graph, loss: Loss, omitted: Omitted
) -> RowSums:
    """The cost of pairs with sampled columns without links, plus what the links of the rows add."""
    bottom = top + len(left)
    scores = left @ drawn.factors.T
    scores[omitted.mask(top, bottom, 0, graph.n_nodes)[:, drawn.nodes]] = loss.neutral
    costs, slopes = loss.without_link(scores)
    value = float((costs * drawn.weights).sum(dtype=np.float64))
    pulled = (slopes * drawn.weights).astype(left.dtype) @ drawn.factors

    linked = graph.adjacency[top:bottom].tocoo()
    scores = (left[linked.row] * F[linked.col]).sum(axis=1)
    costs, slopes = loss.link_correction(scores)
    if graph.weights is not None:
        weights = graph.weights[graph.adjacency.indptr[top] : graph.adjacency.indptr[bottom]]
        without, slopes_without = loss.without_link(scores)
        costs, slopes = weights * costs + (weights - 1) * without, weights * slopes + (weights - 1) * slopes_without
    value += float(costs.sum(dtype=np.float64))
    pulled += sparse.csr_array((slopes.astype(left.dtype), (linked.row, linked.col)), shape=linked.shape) @ F
    return RowSums(value, pulled)

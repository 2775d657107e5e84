"""The interface of kernels, and the choice of one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt
from scipy import sparse

from philia._types import Float64Array, FloatArray, Int64Array
from philia.graphs.graph import Graph
from philia.objective.lanes import Lane
from philia.objective.losses import Loss
from philia.objective.omitted import Omitted

_SMALL = 512
"""Largest graph for which NumPy is fast enough, so that nobody has to wait for the compiler."""


@dataclass(frozen=True, eq=False)
class LaneSums:
    """A lane's contribution to the value and to the gradients by both sides; ``left`` starts at row ``top``."""

    value: float
    top: int
    left: FloatArray
    right: FloatArray


@dataclass(frozen=True, eq=False)
class DrawnColumns:
    """Sampled nodes, how many nodes each of them represents, and their rows of F."""

    nodes: Int64Array
    weights: Float64Array
    factors: FloatArray


@dataclass(frozen=True, eq=False)
class RowSums:
    """The contribution of some rows to the value, and its gradient by their left side."""

    value: float
    left: FloatArray


class Kernel(Protocol):
    """Computes sums over pairs; the only part that knows the device."""

    def lane_sums(
        self,
        left: FloatArray,
        right: FloatArray,
        lane: Lane,
        links: sparse.csr_array,
        link_weight: int,
        loss: Loss,
        omitted: Omitted,
    ) -> LaneSums:
        """For scores = left · rightᵀ: the cost of the lane's tiles without links, plus what its links add."""
        ...

    def row_sums(
        self,
        left: FloatArray,
        top: int,
        drawn: DrawnColumns,
        F: FloatArray,
        graph: Graph,
        loss: Loss,
        omitted: Omitted,
    ) -> RowSums:
        """For scores = left · Fᵀ, where ``left`` starts at row ``top``: sampled pairs, and all links of these rows.

        A pair with a sampled column is charged as a non-link, times the column's weight. A link of weight w is charged
        w times as a link, minus the one non-link that the sample already accounts for.
        """
        ...


def kernel_for_all_pairs(n: int, loss: Loss, dtype: npt.DTypeLike) -> Kernel:
    """NumPy for small graphs, compiled code for others; it depends only on n, so that results are reproducible."""
    if n <= _SMALL:
        from philia.objective.kernels import reference

        return reference
    from philia.objective.kernels import compiled

    compiled.prepare_lanes(type(loss), np.dtype(dtype).name)
    return compiled


def kernel_for_sampled_pairs(loss: Loss, dtype: npt.DTypeLike) -> Kernel:
    """Compiled code: graphs that are sampled are large."""
    from philia.objective.kernels import compiled

    compiled.prepare_rows(type(loss), np.dtype(dtype).name)
    return compiled

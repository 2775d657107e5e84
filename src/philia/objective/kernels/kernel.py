"""What every kernel takes and returns, and which one serves a problem."""

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
"""Up to this many nodes NumPy is quick enough, and nobody should wait for a compiler."""


@dataclass(frozen=True, eq=False)
class LaneSums:
    """A lane's part of the value, and of the gradients by both sides; ``left`` belongs to the rows from ``top`` on."""

    value: float
    top: int
    left: FloatArray
    right: FloatArray


@dataclass(frozen=True, eq=False)
class DrawnColumns:
    """Nodes drawn to stand for all, how many each one stands for, and their rows of F."""

    nodes: Int64Array
    weights: Float64Array
    factors: FloatArray


@dataclass(frozen=True, eq=False)
class RowSums:
    """What some rows add to the value, and its gradient by the left side of their scores."""

    value: float
    left: FloatArray


class Kernel(Protocol):
    """A way to compute sums over pairs: the one place that knows how and on what device."""

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
        """For scores = left · rightᵀ: what the lane's tiles cost without links, plus what the links of its rows add."""
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
        """For scores = left · Fᵀ, ``left`` being the rows from ``top`` on: drawn pairs, and all links of these rows.

        A pair with a drawn column counts as often as that column's weight says, without a link. A link of weight w
        counts w times with its link; once without it has been counted already.
        """
        ...


def kernel_for_all_pairs(n: int, loss: Loss, dtype: npt.DTypeLike) -> Kernel:
    """NumPy for small graphs, compiled code for others; the choice depends on n alone, so results can be repeated."""
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

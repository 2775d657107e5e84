"""What every kernel takes and gives, and which one serves a problem."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt
from scipy import sparse

from philia._types import FloatArray
from philia.objective.lanes import Lane
from philia.objective.losses import Loss
from philia.objective.omitted import Omitted

SMALL = 512
"""Up to this many nodes NumPy is quick enough, and nobody should wait for a compiler."""


@dataclass(frozen=True, eq=False)
class LaneSums:
    """A lane's part of the value, and of the gradients by both sides; ``left`` belongs to the rows from ``top`` on."""

    value: float
    top: int
    left: FloatArray
    right: FloatArray


class Kernel(Protocol):
    """A way to compute a lane's sums for scores = left · rightᵀ."""

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
        """What the lane's tiles cost without links, plus the correction at the links of its rows."""
        ...


def choose_kernel(n: int, dtype: npt.DTypeLike) -> Kernel:
    """NumPy for small graphs, compiled code for others; the choice depends on n alone, so results can be repeated."""
    if n <= SMALL:
        from philia.objective.kernels import reference

        return reference
    from philia.objective.kernels import compiled

    compiled.prepare(np.dtype(dtype).name)
    return compiled

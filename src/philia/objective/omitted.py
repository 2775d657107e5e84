"""The pairs that a sum over all pairs omits, in the form that kernels read."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from philia._types import BoolArray, Int64Array, UInt32Array
from philia.graphs.hashing import mixed
from philia.pairs import HeldOut, RandomPairs


@dataclass(frozen=True, eq=False)
class Omitted:
    """Omitted pairs: optionally the diagonal, pairs whose hash is below a threshold, and pairs in compressed rows.

    Inside its tile an omitted pair gets the loss's neutral score, where cost and slope are zero, so nothing has to be
    subtracted afterwards.
    """

    diagonal: bool
    keys: UInt32Array
    threshold: np.uint32
    indptr: Int64Array
    indices: Int64Array

    @classmethod
    def of(cls, held_out: HeldOut | None, *, diagonal: bool, n: int) -> Omitted:
        """The omitted pairs of a graph of n nodes."""
        held_out = held_out or RandomPairs(0.0)
        return cls(diagonal, *held_out.hashed(n), *held_out.listed(n))

    def __bool__(self) -> bool:
        return bool(self.diagonal or self.threshold or self.indices.size)

    def mask(self, top: int, bottom: int, first: int, end: int) -> BoolArray:
        """True at the omitted pairs of the tile of rows [top, bottom) and columns [first, end)."""
        rows, columns = np.arange(top, bottom)[:, None], np.arange(first, end)[None, :]
        same = rows == columns
        mask = same & self.diagonal
        if self.threshold:
            mask |= (mixed(self.keys[rows] ^ self.keys[columns]) < self.threshold) & ~same
        if self.indices.size:
            for row in range(top, bottom):
                listed = self.indices[self.indptr[row] : self.indptr[row + 1]]
                mask[row - top, listed[(listed >= first) & (listed < end)] - first] = True
        return np.asarray(mask)

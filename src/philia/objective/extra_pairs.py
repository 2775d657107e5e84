"""Pairs that count more or less often than the sum over all pairs has them, added one by one."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy import sparse

from philia._types import Float64Array, Int64Array
from philia.objective.losses import Scores

Sides = tuple[Float64Array, Float64Array]

_CHUNK = 65536


class ExtraPairs:
    """Ordered pairs (rows[t], columns[t]), each once, that count ``times[t]`` times on top of what they count already.

    >>> pairs = ExtraPairs(2, np.array([0]), np.array([1]), np.array([3.0]))
    >>> sides, by_sides = (np.ones((2, 1)), np.ones((2, 1))), (np.zeros((2, 1)), np.zeros((2, 1)))
    >>> pairs.add(sides, by_sides, lambda scores: (scores**2, 2 * scores))
    3.0
    >>> by_sides[0].tolist()
    [[6.0], [0.0]]
    """

    def __init__(
        self, n: int, rows: npt.NDArray[np.integer], columns: npt.NDArray[np.integer], times: Float64Array
    ) -> None:
        self.times = sparse.csr_array((times, (rows, columns)), shape=(n, n))

    def __len__(self) -> int:
        return int(self.times.nnz)

    @cached_property
    def _rows(self) -> Int64Array:
        return np.repeat(np.arange(self.times.shape[0]), np.diff(self.times.indptr))

    def add(self, sides: Sides, by_sides: Sides, charge: Callable[[Scores], tuple[Scores, Scores]]) -> float:
        """What the pairs cost; what they pull is added to the gradients by the two sides.

        ``charge`` gives costs and slopes of scores, as a loss does. Scores are taken a chunk at a time, because a row
        of both sides for every pair may not fit; everything is summed in one order, whatever the number of threads.
        """
        (left, right), (by_left, by_right) = sides, by_sides
        times, indices = self.times.data, self.times.indices
        total, pulls = 0.0, np.empty(len(self))
        for at in range(0, len(self), _CHUNK):
            part = slice(at, at + _CHUNK)
            costs, slopes = charge(np.einsum("ij,ij->i", left[self._rows[part]], right[indices[part]]))
            total += float((times[part] * costs).sum())
            pulls[part] = times[part] * slopes
        pull = sparse.csr_array((pulls, indices, self.times.indptr), shape=self.times.shape)
        by_left += pull @ right
        by_right += pull.T @ left
        return total

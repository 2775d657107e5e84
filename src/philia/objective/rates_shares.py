"""Places drawn in proportion to weights, for many runs of weights at once."""

from __future__ import annotations

import numpy as np

from philia._types import BoolArray, Float64Array, Int64Array
from philia.objective.rates_groups import LARGEST


class Shares:
    """Weights (profiles × nodes) whose columns are cut into runs at ``starts``; each run of each profile is a lottery.

    >>> shares = Shares(np.array([[1.0, 3.0, 5.0], [0.0, 2.0, 1.0]]), np.array([0, 2]))
    >>> shares.totals
    array([[4., 5.],
           [2., 1.]])
    >>> shares.pick(np.array([1, 1]), np.array([0, 1]), np.array([0.5, 0.5]))  # nodes 1 and 2 of the second profile
    array([4, 5])
    """

    def __init__(self, weights: Float64Array, starts: Int64Array) -> None:
        profiles, nodes = weights.shape
        sizes = np.diff(starts, append=nodes)
        self.weights = weights
        self.totals: Float64Array = np.add.reduceat(weights, starts, axis=1)
        first = np.arange(profiles)[:, None] * nodes + starts
        self._first, self._last = first, first + sizes - 1
        # Each run adds up to one, so that a heavy one takes no digits from a light one behind it.
        each = np.divide(1.0, self.totals, out=np.zeros_like(self.totals), where=self.totals > 0)
        self._added = np.cumsum(weights * np.repeat(each, sizes, axis=1))
        self._before = np.where(first > 0, self._added[first - 1], 0.0)

    @property
    def too_large(self) -> BoolArray:
        """The runs that may hold a weight that was cut off."""
        return np.asarray(self.totals > LARGEST / 2)

    def pick(self, profiles: Int64Array, runs: Int64Array, uniform: Float64Array) -> Int64Array:
        """Places in ``weights.ravel()``, one for each profile and run, drawn by numbers between 0 and 1."""
        before, last = self._before[profiles, runs], self._last[profiles, runs]
        at = np.searchsorted(self._added, before + uniform * (self._added[last] - before), side="right")
        return np.asarray(np.clip(at, self._first[profiles, runs], last))

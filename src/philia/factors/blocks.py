"""Factors of a partition: the density of links within and between groups."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from philia._types import Float64Array, Int64Array
from philia.factors.community import CommunityFactors
from philia.factors.factors import LowRankFactors


@dataclass(frozen=True, eq=False)
class BlockFactors(LowRankFactors):
    """The group of each node (n), and the density of links for each pair of groups (g × g, symmetric).

    >>> factors = BlockFactors(np.array([0, 0, 1]), np.array([[0.9, 0.1], [0.1, 0.5]]))
    >>> factors.scores(np.array([0, 0]), np.array([1, 2])).tolist()
    [0.9, 0.1]
    """

    groups: Int64Array
    densities: Float64Array

    def features(self) -> Float64Array:
        """One column per group, 1 for its nodes."""
        return self.readable().homophilous.astype(bool).astype(np.float64)

    def readable(self) -> CommunityFactors:
        """One community per group, with all of its nodes as full members."""
        strengths = np.maximum(np.diag(self.densities), 1e-2)  # a group without links is a community nonetheless
        return CommunityFactors.attracting(self._indicators() * np.sqrt(strengths))

    def _product(self) -> tuple[Float64Array, Float64Array]:
        indicators = self._indicators()
        return indicators, indicators @ self.densities

    def _indicators(self) -> Float64Array:
        return np.eye(len(self.densities))[self.groups]

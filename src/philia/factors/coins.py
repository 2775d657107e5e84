"""Factors of the random baseline: a random number per pair."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from philia._types import Float64Array, Int64Array
from philia.factors.community import CommunityFactors
from philia.factors.factors import Factors, Rows
from philia.graphs.hashing import mixed, node_keys


@dataclass(frozen=True, eq=False)
class CoinFactors(Factors):
    """A seed that gives every pair a random number between 0 and 1, and a group for every node.

    Nothing is stored per pair: the number is a hash of the two rows and the seed, the same in both directions.

    >>> coins = CoinFactors(np.array([5]), np.array([0, 1, 0]))
    >>> bool(coins.scores(np.array([0]), np.array([2])) == coins.scores(np.array([2]), np.array([0])))
    True
    """

    seed: Int64Array
    groups: Int64Array

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return len(self.groups)

    def scores(self, rows: npt.NDArray[np.integer], columns: npt.NDArray[np.integer]) -> Float64Array:
        """The number of each pair."""
        keys = node_keys(self.n_nodes, int(self.seed[0]))
        return np.asarray((mixed(keys[rows] ^ keys[columns]) + 0.5) / 2.0**32)

    def score_block(self, rows: Rows, columns: Rows) -> Float64Array:
        """The numbers of all pairs of some rows with some columns."""
        every = np.arange(self.n_nodes)
        return self.scores(every[rows][:, None], every[columns][None, :])

    def features(self) -> Float64Array:
        """One column per group, 1 for its nodes."""
        return self.readable().homophilous.astype(bool).astype(np.float64)

    def readable(self) -> CommunityFactors:
        """The groups, as communities."""
        return CommunityFactors.attracting(np.eye(int(self.groups.max(initial=0)) + 1)[self.groups])

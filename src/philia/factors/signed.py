"""Factors of any sign, as from a spectrum."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from philia._types import Float64Array
from philia.factors.community import CommunityFactors
from philia.factors.factors import LowRankFactors


@dataclass(frozen=True, eq=False)
class SignedFactors(LowRankFactors):
    """P (n × k_P) and N (n × k_N) of any sign: score_ij = p_i·p_j - n_i·n_j.

    >>> factors = SignedFactors(np.array([[1.0], [-1.0], [2.0]]), np.empty((3, 0)))
    >>> factors.score_block(slice(0, 1), slice(0, 3)).tolist()
    [[1.0, -1.0, 2.0]]
    >>> factors.readable().homophilous.tolist()
    [[1.0, 0.0], [0.0, 1.0], [2.0, 0.0]]
    """

    positive: Float64Array
    negative: Float64Array

    def readable(self) -> CommunityFactors:
        """Each column as two communities, one per sign.

        Nodes on the same side of a column of P attract each other, and on the same side of a column of N repel each
        other. Between the sides it is the opposite, which these communities do not show.
        """
        return CommunityFactors(_apart(self.positive), _apart(self.negative), np.zeros(self.n_nodes))

    def _product(self) -> tuple[Float64Array, Float64Array]:
        return np.hstack([self.positive, -self.negative]), np.hstack([self.positive, self.negative])


def _apart(X: Float64Array) -> Float64Array:
    """The positive and negative parts of the columns, side by side."""
    n, k = X.shape
    return np.stack([np.maximum(X, 0), np.maximum(-X, 0)], axis=2).reshape(n, 2 * k)

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
        return CommunityFactors(apart(self.positive), apart(self.negative), np.zeros(self.n_nodes))

    def terms(self, i: int, j: int) -> dict[str, float]:
        """What each community, or the meeting of the two sides of a column, adds to the score of a pair.

        >>> SignedFactors(np.array([[1.0], [-2.0]]), np.empty((2, 0))).terms(0, 1)
        {'B1 meets B2': -2.0}
        """
        P, N = self.positive, self.negative
        return meetings("B", P[i], P[j], 1.0) | meetings("C", N[i], N[j], -1.0)

    def _product(self) -> tuple[Float64Array, Float64Array]:
        return np.hstack([self.positive, -self.negative]), np.hstack([self.positive, self.negative])


def apart(X: Float64Array) -> Float64Array:
    """The positive and negative parts of the columns, side by side.

    >>> apart(np.array([[1.0], [-2.0]])).tolist()
    [[1.0, 0.0], [0.0, 2.0]]
    """
    n, k = X.shape
    return np.stack([np.maximum(X, 0), np.maximum(-X, 0)], axis=2).reshape(n, 2 * k)


def meetings(letter: str, mine: Float64Array, theirs: Float64Array, sign: float) -> dict[str, float]:
    """The products of two rows of any sign, times ``sign``, by the names that ``apart`` gives to their sides.

    >>> meetings("C", np.array([1.0, 2.0]), np.array([3.0, -1.0]), -1.0)
    {'C1': -3.0, 'C3 meets C4': 2.0}
    """
    found = {}
    for c, (x, y) in enumerate(zip(mine.tolist(), theirs.tolist(), strict=True)):
        own, other = (f"{letter}{2 * c + (1 if value >= 0 else 2)}" for value in (x, y))
        found[own if own == other else f"{own} meets {other}"] = sign * x * y
    return found

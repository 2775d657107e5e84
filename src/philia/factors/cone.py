"""Factors in a cone: communities with two sides, whose scores are never negative."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from philia._types import Float64Array
from philia.factors.community import CommunityFactors
from philia.factors.factors import LowRankFactors
from philia.factors.signed import apart, meetings


@dataclass(frozen=True, eq=False)
class ConeFactors(LowRankFactors):
    """U and V (n × k), nonnegative: score_ij = u_i·v_j + v_i·u_j, so the first side of a community meets the second.

    With t = (u + v) / √2 and s = (v - u) / √2 this is t_i·t_j - s_i·s_j: ``inclusive`` columns attract, ``exclusive``
    ones repel, and |s| ≤ t, entry by entry, is the cone in which U and V are nonnegative. The scores of points in it
    cannot be negative. ``density`` (n) has the log-density of each node under a learned prior, zeros without one.

    >>> factors = ConeFactors(np.array([[1.0], [0.0], [1.0]]), np.array([[0.0], [1.0], [1.0]]), np.zeros(3))
    >>> factors.score_block(slice(0, 1), slice(0, 3)).tolist()  # only on the first side, so it meets the second
    [[0.0, 1.0, 1.0]]
    """

    first: Float64Array
    second: Float64Array
    density: Float64Array

    def features(self) -> Float64Array:
        """T and S."""
        return np.hstack([self.inclusive, self.exclusive])

    @property
    def inclusive(self) -> Float64Array:
        """T (n × k), nonnegative."""
        return np.asarray((self.first + self.second) / np.sqrt(2))

    @property
    def exclusive(self) -> Float64Array:
        """S (n × k) of any sign, nowhere larger than T."""
        return np.asarray((self.second - self.first) / np.sqrt(2))

    def readable(self) -> CommunityFactors:
        """Each column of T as an attracting community, and each of S as two that repel, one per sign.

        Nodes on different sides of a column of S attract each other, which these communities do not show.
        """
        return CommunityFactors(self.inclusive, apart(self.exclusive), np.zeros(self.n_nodes))

    def terms(self, i: int, j: int) -> dict[str, float]:
        """What each community, or the meeting of two sides, adds to the score of a pair.

        >>> factors = ConeFactors(np.array([[1.0], [0.0]]), np.array([[0.0], [1.0]]), np.zeros(2))
        >>> {name: round(term, 3) for name, term in factors.terms(0, 1).items()}
        {'B1': 0.5, 'C2 meets C1': 0.5}
        """
        T, S = self.inclusive, self.exclusive
        attraction = {f"B{c + 1}": float(term) for c, term in enumerate(T[i] * T[j])}
        return attraction | meetings("C", S[i], S[j], -1.0)

    def _product(self) -> tuple[Float64Array, Float64Array]:
        return np.hstack([self.first, self.second]), np.hstack([self.second, self.first])

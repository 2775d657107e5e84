"""Factors of a latent feature model: memberships that are all or nothing, and a strength for each pair of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from philia._types import Float64Array
from philia.factors.community import CommunityFactors
from philia.factors.factors import LowRankFactors


@dataclass(frozen=True, eq=False)
class FeatureFactors(LowRankFactors):
    """Z (n × k) of zeros and ones, W (k × k) symmetric of any sign, and a constant: score_ij = z_i W z_j + constant.

    Communities whose members attract each other come first.

    >>> Z, W = np.array([[1.0, 0.0], [1.0, 1.0]]), np.array([[2.0, -3.0], [-3.0, -1.0]])
    >>> FeatureFactors(Z, W, np.array([0.5])).scores(np.array([0]), np.array([1])).tolist()
    [-0.5]
    """

    features_of: Float64Array
    strengths: Float64Array
    constant: Float64Array

    @property
    def names(self) -> tuple[str, ...]:
        """B1, B2, … for communities whose members attract each other, C1, C2, … for the others."""
        return self.readable().names

    def features(self) -> Float64Array:
        """Z."""
        return self.features_of

    def readable(self) -> CommunityFactors:
        """Each community with the strength within it; strengths between communities are not shown."""
        own = np.diag(self.strengths)
        columns, k = self.features_of * np.sqrt(np.abs(own)), int((own >= 0).sum())
        return CommunityFactors(columns[:, :k], columns[:, k:], np.full(self.n_nodes, self.constant[0] / 2))

    def terms(self, i: int, j: int) -> dict[str, float]:
        """What each community, and each pair of communities that two nodes are in, adds to their score.

        >>> Z, W = np.array([[1.0, 0.0], [1.0, 1.0]]), np.array([[2.0, -3.0], [-3.0, -1.0]])
        >>> FeatureFactors(Z, W, np.array([0.5])).terms(0, 1)
        {'B1': 2.0, 'B1 with C1': -3.0}
        """
        names, found = self.names, dict[str, float]()
        met = np.outer(self.features_of[i], self.features_of[j])
        for c, d in np.argwhere(np.triu(met + met.T)).tolist():
            times = met[c, d] + (met[d, c] if c != d else 0.0)
            found[names[c] if c == d else f"{names[c]} with {names[d]}"] = float(times * self.strengths[c, d])
        return found

    @property
    def usable(self) -> bool:
        """Whether all numbers are finite, those of Z are zeros and ones, and W is sorted and symmetric."""
        own, Z, W = np.diag(self.strengths) >= 0, self.features_of, self.strengths
        binary = bool(((Z == 0) | (Z == 1)).all())
        return super().usable and binary and bool((W == W.T).all()) and bool((np.sort(own)[::-1] == own).all())

    def _product(self) -> tuple[Float64Array, Float64Array]:
        ones = np.ones((len(self.features_of), 1))
        return np.hstack([self.features_of @ self.strengths, self.constant * ones]), np.hstack([self.features_of, ones])

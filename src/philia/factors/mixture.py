"""Factors of a mixture over communities of links."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from philia._types import Float64Array
from philia.factors.community import CommunityFactors
from philia.factors.factors import LowRankFactors


@dataclass(frozen=True, eq=False)
class MixtureFactors(LowRankFactors):
    """p(z|i) and p(i|z) (n × k), degrees (n), and the share of each node's links in each community (n × k).

    A link of node i chooses a community z by p(z|i) and then its other end j by p(j|z). So of the d_i links of i, an
    expected d_i Σ_z p(z|i) p(j|z) lead to j; the score is the mean of that and of the same seen from j.

    >>> one = np.ones((2, 1))
    >>> MixtureFactors(one, one / 2, np.array([1.0, 1.0]), one).scores(np.array([0]), np.array([1]))
    array([0.5])
    """

    memberships: Float64Array
    emissions: Float64Array
    degrees: Float64Array
    shares: Float64Array

    def readable(self) -> CommunityFactors:
        """The shares of links, each column relative to its largest."""
        largest = self.shares.max(axis=0, initial=0.0)
        return CommunityFactors.attracting(self.shares / np.where(largest > 0, largest, 1.0))

    def _product(self) -> tuple[Float64Array, Float64Array]:
        sent = self.degrees[:, None] * self.memberships
        return np.hstack([sent, self.emissions]) / 2, np.hstack([self.emissions, sent])

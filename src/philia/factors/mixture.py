"""Factors of a mixture model of links."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from philia._types import Float64Array
from philia.factors.community import CommunityFactors
from philia.factors.factors import LowRankFactors


@dataclass(frozen=True, eq=False)
class MixtureFactors(LowRankFactors):
    """p(z|i) and p(i|z) (n × k), degrees (n), and the share of each node's links in each community (n × k).

    A link of node i draws a community z from p(z|i), and its other end j from p(j|z). So an expected number of
    d_i Σ_z p(z|i) p(j|z) links of i lead to j; the score is the mean of this and the same from j to i.

    >>> one = np.ones((2, 1))
    >>> MixtureFactors(one, one / 2, np.array([1.0, 1.0]), one).scores(np.array([0]), np.array([1]))
    array([0.5])
    """

    memberships: Float64Array
    emissions: Float64Array
    degrees: Float64Array
    shares: Float64Array

    def readable(self) -> CommunityFactors:
        """The shares of links, each column divided by its maximum."""
        largest = self.shares.max(axis=0, initial=0.0)
        return CommunityFactors.attracting(self.shares / np.where(largest > 0, largest, 1.0))

    def _product(self) -> tuple[Float64Array, Float64Array]:
        sent = self.degrees[:, None] * self.memberships
        return np.hstack([sent, self.emissions]) / 2, np.hstack([self.emissions, sent])

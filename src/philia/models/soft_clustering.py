"""Soft clustering of a graph: H Λ Hᵀ with columns of H that sum to one."""

from __future__ import annotations

import numpy as np

from philia._types import Float64Array
from philia.models.nonnegative import NonnegativeFactorization
from philia.objective import Divergence


class SoftClustering(NonnegativeFactorization):
    """A ≈ H Λ Hᵀ with nonnegative H, whose columns sum to one, and a nonnegative diagonal Λ.

    Yu, Yu and Tresp, "Soft clustering on graphs", NIPS 2005: it minimizes the sum of a·log(a/s) - a + s over
    all entries. They use multiplicative updates; here a solver minimizes the same objective over F = H Λ^½, in
    O(links · k) per step. Parameters are those of ``NonnegativeFactorization``.

    >>> from philia import SoftClustering
    >>> model = SoftClustering(2, random_state=0).fit([("ann", "bob"), ("bob", "cat"), ("cat", "ann"), ("dan", "eve")])
    >>> H, strengths = model.clusters()
    >>> H.sum(axis=0).round(9).tolist(), float(strengths.sum().round(4))  # both directions of four links
    ([1.0, 1.0], 8.0)
    """

    loss = Divergence()

    def clusters(self) -> tuple[Float64Array, Float64Array]:
        """H (n × k), each column a distribution over the nodes, and the diagonal of Λ (k)."""
        F = self.factors_.homophilous
        totals = F.sum(axis=0)
        return F / np.where(totals > 0, totals, 1.0), totals**2

"""The factors of the community model: B, C, and what everybody gets before any community speaks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from philia._types import Float64Array

Rows = npt.NDArray[np.integer] | slice


@dataclass(frozen=True, eq=False)
class CommunityFactors:
    """B (n × k_B) and C (n × k_C), nonnegative, and a background (n): logit_ij = b_i·b_j - c_i·c_j + a_i + a_j.

    Without a background a is zero, and this is the paper's model.

    >>> factors = CommunityFactors(np.array([[1.0], [2.0]]), np.array([[0.0], [3.0]]), np.zeros(2))
    >>> factors.logits(np.array([0, 1]), np.array([1, 1])).tolist()
    [2.0, -5.0]
    """

    homophilous: Float64Array
    heterophilous: Float64Array
    background: Float64Array

    @property
    def n_nodes(self) -> int:
        """How many nodes the factors describe."""
        return len(self.background)

    def contributions(self, rows: npt.NDArray[np.integer], columns: npt.NDArray[np.integer]) -> Float64Array:
        """What the background and then each column of B and C add to the logit of each pair (pairs × 1 + k_B + k_C)."""
        baseline = self.background[rows] + self.background[columns]
        attraction = self.homophilous[rows] * self.homophilous[columns]
        repulsion = self.heterophilous[rows] * self.heterophilous[columns]
        return np.hstack([baseline[:, None], attraction, -repulsion])

    def logits(self, rows: npt.NDArray[np.integer], columns: npt.NDArray[np.integer]) -> Float64Array:
        """The logit of each pair (rows[t], columns[t]), some thousands of pairs at a time."""
        parts = [
            self.contributions(rows[at : at + 65536], columns[at : at + 65536]).sum(axis=1)
            for at in range(0, len(rows), 65536)
        ]
        return np.concatenate(parts) if parts else np.empty(0)

    def logit_block(self, rows: Rows, columns: Rows) -> Float64Array:
        """The logits of all pairs of some rows with some columns."""
        B, C, a = self.homophilous, self.heterophilous, self.background
        block = B[rows] @ B[columns].T - C[rows] @ C[columns].T
        return np.asarray(block + a[rows][:, None] + a[columns])

"""The factors of logistic PCA: two rows per node."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from philia._types import Float64Array
from philia.factors.community import CommunityFactors
from philia.factors.factors import LowRankFactors
from philia.factors.signed import SignedFactors


@dataclass(frozen=True, eq=False)
class LogisticFactors(LowRankFactors):
    """X and Y (n × k) of any sign, with symmetric logits L = (X Yᵀ + Y Xᵀ) / 2.

    The model is fitted to both directions of every link, and X Yᵀ need not be symmetric. Because cross-entropy is
    convex in the logits and the graph is symmetric, L never costs more than X Yᵀ.

    >>> factors = LogisticFactors(np.array([[1.0], [2.0]]), np.array([[3.0], [5.0]]))
    >>> factors.score_block(slice(None), slice(None)).tolist()  # (1·5 + 2·3) / 2 off the diagonal
    [[3.0, 5.5], [5.5, 10.0]]
    """

    left: Float64Array
    right: Float64Array

    def signed(self) -> SignedFactors:
        """P and N with P Pᵀ - N Nᵀ = L, its positive and negative eigenvectors, without an n × n matrix.

        >>> factors = LogisticFactors(np.array([[1.0], [2.0]]), np.array([[3.0], [5.0]]))
        >>> factors.signed().score_block(slice(None), slice(None)).round(9).tolist()
        [[3.0, 5.5], [5.5, 10.0]]
        """
        k = self.left.shape[1]
        Q, R = np.linalg.qr(np.hstack([self.left, self.right]))
        swap = np.kron(np.array([[0.0, 0.5], [0.5, 0.0]]), np.eye(k))
        values, turn = np.linalg.eigh(R @ swap @ R.T)
        vectors = (Q @ turn) * np.sqrt(np.abs(values))
        noise = np.finfo(float).eps * max(len(Q), 1) * np.abs(values).max(initial=0.0)
        return SignedFactors(vectors[:, values > noise][:, ::-1], vectors[:, values < -noise])

    def readable(self) -> CommunityFactors:
        """The two sides of each eigenvector of L, as communities; see ``SignedFactors``."""
        return self.signed().readable()

    def _product(self) -> tuple[Float64Array, Float64Array]:
        return np.hstack([self.left, self.right]) / 2, np.hstack([self.right, self.left])

"""In which order nodes and communities are drawn, so that what belongs together stands together."""

from __future__ import annotations

import numpy as np

from philia._types import Float64Array, Int64Array
from philia.factors import CommunityFactors


def by_community(factors: CommunityFactors) -> Int64Array:
    """Row numbers sorted by each node's strongest homophilous community, then by its strongest heterophilous one.

    Nodes below the mean of their heterophilous community are in none, and come after those that are in one. Within
    all these, the fullest members come first.

    >>> factors = CommunityFactors(np.array([[2.0, 1.0], [0.0, 3.0], [3.0, 0.0]]), np.zeros((3, 1)), np.zeros(3))
    >>> by_community(factors).tolist()
    [2, 0, 1]
    """
    B, C = factors.homophilous, factors.heterophilous
    if not B.shape[1] and not C.shape[1]:
        return np.argsort(-factors.background, kind="stable")
    fullest = -(B if B.shape[1] else C).max(axis=1)
    attracting = B.argmax(axis=1) if B.shape[1] else np.zeros(len(B), np.int64)
    return np.lexsort([fullest, _repelling(C), attracting]).astype(np.int64)  # the last counts most


def _repelling(C: Float64Array) -> Int64Array:
    """The strongest heterophilous community of each node; those below its mean get a number beyond all others."""
    if not C.shape[1]:
        return np.zeros(len(C), np.int64)
    strongest = C.argmax(axis=1)
    return np.asarray(np.where(C.max(axis=1) < C.mean(axis=0)[strongest], C.shape[1], strongest), dtype=np.int64)


def along_diagonal(F: Float64Array) -> Int64Array:
    """Column numbers sorted by where their weight lies among the rows: from the top for the first to the bottom.

    >>> along_diagonal(np.array([[0.0, 1.0], [0.0, 2.0], [3.0, 0.0]])).tolist()
    [1, 0]
    """
    weight = F**2
    total = weight.sum(axis=0)
    middle = (np.arange(len(F)) @ weight) / np.where(total > 0, total, 1.0)
    middle[total == 0] = np.inf
    return np.argsort(middle, kind="stable").astype(np.int64)

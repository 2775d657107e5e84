"""In which order nodes and communities are drawn, so that what belongs together stands together."""

from __future__ import annotations

import numpy as np

from philia._types import Float64Array, Int64Array
from philia.factors import CommunityFactors


def by_community(factors: CommunityFactors) -> Int64Array:
    """Row numbers sorted by each node's strongest homophilous community, then by its strongest heterophilous one.

    Within those, the fullest members come first.

    >>> factors = CommunityFactors(np.array([[2.0, 1.0], [0.0, 3.0], [3.0, 0.0]]), np.zeros((3, 1)), np.zeros(3))
    >>> by_community(factors).tolist()
    [2, 0, 1]
    """
    kinds = [F for F in (factors.homophilous, factors.heterophilous) if F.shape[1]]
    if not kinds:
        return np.argsort(-factors.background, kind="stable")
    fullest = -kinds[0].max(axis=1)
    return np.lexsort([fullest, *(F.argmax(axis=1) for F in reversed(kinds))]).astype(np.int64)  # the last counts most


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

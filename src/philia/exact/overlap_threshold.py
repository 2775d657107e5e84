"""Community overlap threshold graphs: their own memberships, and one community of all nodes for the threshold.

Nodes i and j are linked if and only if b_i·b_j - c_i·c_j ≥ t. All of these numbers are integers, so this is the same as
2 b_i·b_j - 2 c_i·c_j + (1 - 2t) > 0, which is never zero. The rule also applies to a node and itself, and the theorem
holds with the resulting loops: with an empty diagonal it is false, as two linked nodes with b = 1, t = 1 show.
"""

from __future__ import annotations

from math import log

import numpy as np

from philia.datasets import OverlapThresholdGraph
from philia.exact.products import IntegerCommunities
from philia.exact.representation import Construction, Representation, Theorem


def by_overlap_threshold(made: OverlapThresholdGraph) -> IntegerCommunities:
    """The memberships of a COT graph and a community of all nodes, in integers: k + 1 columns.

    The diagonal is that of the rule: certify it with ``loops=made.loops``.

    >>> from philia.datasets import overlap_threshold
    >>> two = by_overlap_threshold(overlap_threshold(b=[[1], [1]], c=[[0], [0]], threshold=1))
    >>> two.signs(np.arange(2)).values.tolist()
    [[1, 1], [1, 1]]
    """
    n, k_b, k_c = len(made.b), made.b.shape[1], made.c.shape[1]
    memberships = np.hstack([made.b, made.c, np.ones((n, 1), dtype=np.int64)])
    weights = np.array([2] * k_b + [-2] * k_c + [1 - 2 * made.threshold], dtype=np.int64)
    return IntegerCommunities(memberships, weights, OVERLAP_THRESHOLD.name)


def probability_scale(n_nodes: int, error: float) -> float:
    """The factor for the integer scores that brings the probabilities as close to the graph as asked.

    With weights multiplied by s / 2, s = 2 ln(n / error) + 1, every probability misses its 0 or 1 by less than
    e^(-s/2) < error / n, and the matrix of probabilities misses the graph by less than ``error`` in the Frobenius norm.

    >>> round(probability_scale(100, 0.01), 2)
    9.71
    """
    return log(n_nodes / error) + 0.5


def _is_overlap_threshold(found: Representation) -> bool:
    """Whether memberships are binary with weights ±2, next to one community of all nodes with an odd weight 1 - 2t."""
    if not isinstance(found, IntegerCommunities) or not found.weights.size:
        return False
    V, W = found.memberships, found.weights
    is_binary = bool(((V == 0) | (V == 1)).all()) and bool((V[:, -1] == 1).all())
    return is_binary and all(abs(int(w)) == 2 for w in W[:-1]) and int(W[-1]) % 2 == 1


OVERLAP_THRESHOLD = Construction(
    "overlap threshold",
    Theorem(
        "k + 1 columns for a graph made by k binary communities and a threshold, with the loops of its rule",
        lambda _, found: int(found.logistic_columns),
        _is_overlap_threshold,
        with_loops=True,
    ),
)

"""SymNMF: the adjacency matrix as H Hᵀ with a nonnegative H."""

from __future__ import annotations

from philia.models.nonnegative import NonnegativeFactorization
from philia.objective import SquaredError


class SymNMF(NonnegativeFactorization):
    """A ≈ H Hᵀ with H ≥ 0, by least squares over all entries.

    Kuang, Yun and Park, "SymNMF: nonnegative low-rank approximation of a similarity matrix for graph clustering",
    Journal of Global Optimization 2015. Entries of H Hᵀ are not probabilities; they are clipped to [0, 1] where one is
    needed. Parameters are those of ``NonnegativeFactorization``.

    The default solver is coordinate descent, which sets each entry of H in turn to where the error is least (Vandaele
    et al., 2016). Graphs with weights, and fits with held-out pairs, are solved by L-BFGS-B.

    >>> from philia import SymNMF
    >>> model = SymNMF(2, random_state=0).fit([("ann", "bob"), ("bob", "cat"), ("cat", "ann"), ("dan", "eve")])
    >>> [sorted(community.members) for community in model.communities()]
    [['ann', 'bob', 'cat'], ['dan', 'eve']]
    """

    loss = SquaredError()

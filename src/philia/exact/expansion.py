"""Polynomials written out: powers and coefficients as columns, in the logistic form and in communities.

With X the powers of the points and Y the weighted coefficients, scores are ∑ₖ (xₖ yₖᵀ + yₖ xₖᵀ). Points are positive,
and so are their powers, which is what makes communities of them (:mod:`philia.exact.pairing`). If all constant terms
are the same number c, the power 0 adds 2c to every score, and one community of all nodes does that.
"""

from __future__ import annotations

import numpy as np

from philia.exact.integers import IntegerCommunities, IntegerLogistic
from philia.exact.pairing import paired_communities
from philia.exact.polynomials import SignPolynomials
from philia.exact.representation import Integers


def powers(polynomials: SignPolynomials) -> Integers:
    """X: the powers 0, …, degree of each node's point, a row a node."""
    points = polynomials.points.astype(object)
    X = np.empty((points.size, polynomials.degree + 1), dtype=object)
    X[:, 0] = 1
    for k in range(polynomials.degree):
        X[:, k + 1] = X[:, k] * points
    return X


def coefficients(polynomials: SignPolynomials) -> Integers:
    """Y: the coefficients of each node's polynomial, times its weight, lowest power first; a row a node."""
    Y = np.zeros((polynomials.n_nodes, polynomials.degree + 1), dtype=object)
    least = int(polynomials.exponents.min(initial=0))
    for v in range(polynomials.n_nodes):
        row = [int(polynomials.leading[v]) << int(polynomials.exponents[v]) - least]
        for root in polynomials.roots_of(v):
            row = [low - root * same for low, same in zip([0, *row], [*row, 0], strict=True)]
        Y[v, : len(row)] = row
    return Y


def logistic(polynomials: SignPolynomials) -> IntegerLogistic:
    """The scores as X Yᵀ with two columns for each power, and one for equal constant terms.

    >>> pair = SignPolynomials(*map(np.array, ([2, 4], [0, 1, 2], [3, 3], [1, -1], [0, 0])))
    >>> logistic(pair).scores(np.arange(2)).tolist()
    [[-2, 2], [2, -2]]
    """
    X, Y = powers(polynomials), coefficients(polynomials)
    if polynomials.equal_constant_terms:
        constant = X[:, :1]
        X, Y, twice = X[:, 1:], Y[:, 1:], 2 * Y[:, :1]
    else:
        constant = twice = np.empty((len(X), 0), dtype=object)
    left, right = np.hstack([constant, X, Y]), np.hstack([twice, Y, X])
    return IntegerLogistic(left, right, polynomials.construction)


def communities(polynomials: SignPolynomials) -> IntegerCommunities:
    """The scores, times a power of two, as V diag(W) Vᵀ with V ≥ 0 in whole numbers.

    >>> pair = SignPolynomials(*map(np.array, ([2, 4], [0, 1, 2], [3, 3], [1, -1], [0, 0])))
    >>> written = communities(pair)
    >>> written.memberships.tolist(), written.weights.tolist()
    ([[1, 7, 3, 1], [7, 1, 3, 5]], [1, -1, 4, -4])
    """
    X, Y = powers(polynomials), coefficients(polynomials)
    pairs = [(X[:, k], Y[:, k]) for k in range(polynomials.degree + 1)]
    if not polynomials.equal_constant_terms:
        return paired_communities(pairs, [], polynomials.construction)
    everybody, constants = pairs[0]
    return paired_communities(pairs[1:], [(everybody, 2 * int(constants[0]))], polynomials.construction)

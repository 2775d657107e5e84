"""Conversion of factors of any sign into nonnegative communities with the same scores, in four ways.

Logistic PCA and the spectrum score pairs by a symmetric low-rank matrix L, with columns of any sign. Every such L also
equals B Bᵀ - C Cᵀ with nonnegative B and C:

| function | columns of B and C together | use |
|---|---|---|
| ``split`` | 3 rank(L) | readable: each eigenvector becomes its two sides and their sum (the paper's Algorithm 1) |
| ``shift`` | rank(L) + 2 | few columns: adds the same large number to B and C |
| ``rational`` | 2k + 2 for X and Y of k columns | exact arithmetic: only sums, and one division by two |
| ``absorbed`` | k + 2 for k columns and a background | few columns, exact arithmetic: a background makes up for signs |

Scores are preserved up to rounding; ``rational``, ``doubled`` and ``absorbed`` preserve integers and fractions exactly.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from philia._types import Float64Array
from philia.exceptions import InvalidParameterError
from philia.factors.community import CommunityFactors
from philia.factors.logistic import LogisticFactors
from philia.factors.signed import SignedFactors

Numbers = npt.NDArray[Any]
"""A matrix of floats, of integers, or of Python's integers and fractions, which have arbitrary precision."""


def split(factors: LogisticFactors | SignedFactors) -> CommunityFactors:
    """Communities with the same scores, three for each eigenvector of L: the paper's Algorithm 1.

    If p and q are the positive and negative parts of a column v, then v vᵀ = 2 p pᵀ + 2 q qᵀ - |v| |v|ᵀ: nodes on the
    same side attract each other twice as strongly as all nodes of the column repel each other, and between the sides
    only the repulsion remains. A column of L's negative part gives the same three with B and C swapped.

    >>> factors = SignedFactors(np.array([[1.0], [-1.0], [2.0]]), np.empty((3, 0)))
    >>> found = split(factors)
    >>> found.homophilous.shape, found.heterophilous.ravel().tolist()
    ((3, 2), [1.0, 1.0, 2.0])
    >>> found.score_block(slice(0, 1), slice(0, 3)).round(9).tolist()
    [[1.0, -1.0, 2.0]]
    """
    signed = _signed(factors)
    P, N = signed.positive, signed.negative
    B = np.hstack([np.sqrt(2) * np.maximum(P, 0), np.sqrt(2) * np.maximum(-P, 0), np.abs(N)])
    C = np.hstack([np.sqrt(2) * np.maximum(N, 0), np.sqrt(2) * np.maximum(-N, 0), np.abs(P)])
    return CommunityFactors(B, C, np.zeros(signed.n_nodes))


def shift(factors: LogisticFactors | SignedFactors) -> CommunityFactors:
    """Communities with the same scores, only two more than the rank of L.

    L = P Pᵀ - N Nᵀ does not change if P and N both get an extra column z, or if the columns of either are rotated. A
    rotation that takes the axis of z to the direction (1, …, 1) spreads z evenly over all columns, so a large enough z
    makes all of a node's entries nonnegative. Each z_i is the smallest that does.

    >>> factors = SignedFactors(np.array([[1.0], [-1.0], [2.0]]), np.empty((3, 0)))
    >>> found = shift(factors)
    >>> found.homophilous.shape, found.heterophilous.shape, bool(found.homophilous.min() >= 0)
    ((3, 2), (3, 1), True)
    >>> found.score_block(slice(0, 1), slice(0, 3)).round(9).tolist()
    [[1.0, -1.0, 2.0]]
    """
    signed = _signed(factors)
    turned = [_turned(signed.positive), _turned(signed.negative)]
    z = np.maximum.reduce([np.zeros(signed.n_nodes), *(np.sqrt(T.shape[1]) * -T.min(axis=1) for T in turned)])
    # The smallest entries are zero up to rounding, which may leave them slightly negative.
    B, C = (np.maximum(T + z[:, None] / np.sqrt(T.shape[1]), 0.0) for T in turned)
    return CommunityFactors(B, C, np.zeros(signed.n_nodes))


def rational(X: Numbers, Y: Numbers) -> tuple[Numbers, Numbers]:
    """Nonnegative B and C (n × k + 1 each) with B Bᵀ - C Cᵀ = (X Yᵀ + Y Xᵀ) / 2, without eigenvectors or roots.

    If X and Y (n × k) hold integers or Python's fractions, the result holds fractions and the equation is exact; if
    they hold floats, so does the result, and the equation holds up to rounding.

    >>> X, Y = np.array([[1], [2]]), np.array([[3], [-5]])
    >>> B, C = rational(X, Y)
    >>> (B @ B.T - C @ C.T).tolist()
    [[Fraction(3, 1), Fraction(1, 2)], [Fraction(1, 2), Fraction(-10, 1)]]
    """
    B, C = doubled(X, Y)
    half: Any = 0.5 if B.dtype == np.float64 else Fraction(1, 2)
    return B * half, C * half


def doubled(X: Numbers, Y: Numbers) -> tuple[Numbers, Numbers]:
    """Twice ``rational``: B Bᵀ - C Cᵀ = 2 (X Yᵀ + Y Xᵀ), which has the same signs; integers give integers.

    For any ξ with one number per node, X' = [X + ξ 1ᵀ, ξ] and Y' = [Y, -Y 1] satisfy X' Y'ᵀ = X Yᵀ. If ξ is large
    enough, X' ≥ |Y'|, so B = X' + Y' and C = X' - Y' are nonnegative, and B Bᵀ - C Cᵀ = 2 (X' Y'ᵀ + Y' X'ᵀ).

    >>> B, C = doubled(np.array([[1], [2]]), np.array([[3], [-5]]))
    >>> B.tolist(), C.tolist()
    ([[7, 0], [2, 10]], [[1, 6], [12, 0]])
    """
    X, Y = _numbers(X), _numbers(Y)
    if X.shape != Y.shape or X.ndim != 2:
        raise InvalidParameterError(f"X is {X.shape} and Y is {Y.shape}; both must be n × k, with the same n and k")
    if not X.shape[1]:
        return X, Y
    total = Y.sum(axis=1)
    xi = np.maximum(np.maximum((np.abs(Y) - X).max(axis=1), np.abs(total)), 0)[:, None]
    lifted, balanced = np.hstack([X + xi, xi]), np.hstack([Y, -total[:, None]])
    # Exact numbers are nonnegative here. Floats may be slightly negative, because X + ξ is rounded.
    return np.maximum(lifted + balanced, 0), np.maximum(lifted - balanced, 0)


def absorbed(background: Numbers, columns: Numbers, signs: Numbers) -> tuple[Numbers, Numbers]:
    """Nonnegative V (n × k + 2) and weights W with the scores of k columns and a background, times a positive number.

    The scores are M = 1 aᵀ + a 1ᵀ + ∑ ε w wᵀ for a ``background`` a, ``columns`` w (n × k) of any sign, and a sign ε of
    +1 or -1 for each. Add a number c to each column so that it is not negative. Then the rest of M is a background too:

        M - ∑ ε (w + c)(w + c)ᵀ = ½ (1 tᵀ + t 1ᵀ),    t = 2a - 2 ∑ ε c w - ∑ ε c²,

    and for h ≥ |t| that is (h + t)(h + t)ᵀ - (h - t)(h - t)ᵀ over 4h: two columns that are not negative. So
    V diag(W) Vᵀ is 4h M, up to rounding; integers give integers, and then it is exact. With a background, nonnegative
    columns cost nothing over the rank (Lemma N in docs/exact.md).

    >>> V, W = absorbed(np.array([1, -3]), np.array([[2], [-1]]), np.array([-1]))
    >>> V.tolist(), W.tolist()
    ([[3, 14, 0], [0, 0, 14]], [-28, 1, -1])
    >>> (V @ np.diag(W) @ V.T // 28).tolist()
    [[-2, 0], [0, -7]]
    """
    a, X = _numbers(background), _numbers(columns)
    signs = np.asarray(signs).astype(X.dtype)
    if a.ndim != 1 or X.ndim != 2 or len(X) != a.size or signs.shape != X.shape[1:]:
        raise InvalidParameterError(
            f"the background has the shape {a.shape}, the columns {X.shape} and the signs {signs.shape}; they must be "
            "n, n × k and k"
        )
    if not all(sign in (1, -1) for sign in signs):
        raise InvalidParameterError(f"the signs are {signs.tolist()}; each must be +1 or -1")
    c = np.maximum(-X.min(axis=0, initial=0), 0)
    t = 2 * a - 2 * (X * (signs * c)).sum(axis=1) - (signs * c * c).sum()
    h = max(abs(t).max(initial=0), 1)
    V = np.hstack([X + c, (h + t)[:, None], (h - t)[:, None]])
    return V, np.concatenate([4 * h * signs, np.array([1, -1], dtype=signs.dtype)])


def strongest(factors: CommunityFactors, k: int) -> CommunityFactors:
    """The k columns of B and C together with the largest norms, in their original order.

    A column b contributes b bᵀ to the scores, a matrix of norm |b|². How many of the k columns attract and how many
    repel follows from that.

    >>> factors = CommunityFactors(np.array([[1.0, 4.0]]), np.array([[3.0, 2.0]]), np.zeros(1))
    >>> kept = strongest(factors, 3)
    >>> kept.homophilous.tolist(), kept.heterophilous.tolist()
    ([[4.0]], [[3.0, 2.0]])
    """
    if k < 1:
        raise InvalidParameterError(f"k is {k!r}; at least one column must be kept, so use 1 or more")
    B, C, k_B = factors.homophilous, factors.heterophilous, factors.counts[0]
    norms = (factors.columns**2).sum(axis=0)
    kept = np.sort(np.argsort(-norms, kind="stable")[:k])
    return CommunityFactors(B[:, kept[kept < k_B]], C[:, kept[kept >= k_B] - k_B], factors.background)


def _signed(factors: LogisticFactors | SignedFactors) -> SignedFactors:
    return factors.signed() if isinstance(factors, LogisticFactors) else factors


def _turned(X: Float64Array) -> Float64Array:
    """X with an extra column of zeros, rotated so that the axis of that column points in the direction (1, …, 1).

    The rotation is the reflection I - 2 w wᵀ / wᵀw that swaps the two directions, where w is their difference.
    """
    n, k = X.shape
    w = np.full(k + 1, -1 / np.sqrt(k + 1))
    w[k] += 1
    widened = np.hstack([X, np.zeros((n, 1))])
    if not k:  # a single axis already points there
        return widened
    return np.asarray(widened - np.outer(widened @ w, 2 * w / (w @ w)))


def _numbers(X: Numbers) -> Numbers:
    """Floats unchanged, and everything else as Python objects, which do not overflow."""
    X = np.asarray(X)
    return X.astype(np.float64) if np.issubdtype(X.dtype, np.floating) else X.astype(object)

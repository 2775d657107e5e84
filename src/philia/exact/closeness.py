"""From right signs to probabilities as close to 0 and 1 as asked: all scores are multiplied by one number.

sigmoid(t) is within ε of 1 if t ≥ ln((1 - ε) / ε), and within ε of 0 if t ≤ -ln((1 - ε) / ε). If m is the smallest size
of a score, the scale ln((1 - ε) / ε) / m is enough for all pairs, the diagonal included.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, log

import numpy as np

from philia._types import Float64Array
from philia.exact.polynomials import SignPolynomials
from philia.exact.products import FloatCommunities, IntegerCommunities, least_size
from philia.exact.representation import Representation
from philia.exceptions import InvalidParameterError, NotExactError
from philia.factors import CommunityFactors

_ROUNDINGS = 8
"""Each of the two factors of a product is rounded four times: V, W, the root of W, and the product of both."""

_ROOM = 1 + 1e-6
"""The scale is larger by this factor, so that rounding the factors cannot bring a probability back."""


@dataclass(frozen=True, eq=False)
class CloseFactors:
    """Factors of a community model without background, and the scale with which their scores were multiplied.

    >>> CloseFactors(2.0, CommunityFactors.attracting(np.ones((3, 1)))).scale
    2.0
    """

    scale: float
    factors: CommunityFactors


def close_factors(representation: Representation, epsilon: float) -> CloseFactors:
    """The factors of an exact representation whose probabilities are within ``epsilon`` of 0 and 1.

    >>> pair = IntegerCommunities(np.array([[1, 1, 2], [1, 2, 1]]), np.array([9, -2, -2]), "given")
    >>> found = close_factors(pair, 0.01)
    >>> bool(found.factors.score_block(slice(0, 1), slice(1, 2))[0, 0] > log(99))
    True
    """
    if not 0 < epsilon < 0.5:
        raise InvalidParameterError(f"epsilon is {epsilon!r}; it must be more than 0 and less than 0.5")
    B, C = _factors(representation)
    smallest = least_size(np.hstack([B, -C]), np.hstack([B, C]), _ROUNDINGS)
    if smallest <= 0:
        raise NotExactError(
            "these numbers are too long to be right as floats; use those of fit_exact or smallest_exact"
        )
    scale = log((1 - epsilon) / epsilon) / smallest * _ROOM
    root = float(np.sqrt(scale))
    return CloseFactors(scale, CommunityFactors(root * B, root * C, np.zeros(len(B))))


def _factors(representation: Representation) -> tuple[Float64Array, Float64Array]:
    """B and C in floats, up to a common factor."""
    if isinstance(representation, FloatCommunities):
        return representation.homophilous, representation.heterophilous
    if isinstance(representation, SignPolynomials):
        representation = representation.communities()
    if not isinstance(representation, IntegerCommunities):
        raise InvalidParameterError(
            f"a {type(representation).__name__} has no nonnegative columns; use exact_community or fit_exact"
        )
    V, W = representation.memberships, representation.weights
    try:
        columns = V.astype(np.float64) * np.sqrt(np.abs(W.astype(np.float64)))
    except OverflowError:
        columns = np.full(V.shape, inf)
    attracts = np.array([int(weight) > 0 for weight in W])
    return columns[:, attracts], columns[:, ~attracts]

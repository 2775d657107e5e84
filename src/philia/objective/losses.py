"""Losses: what a score costs where there is no link, and how that changes where there is one.

A graph is mostly non-links. So every loss is written as "what all pairs would cost without links" plus "a correction
at the links", and only the links are ever stored:

    sum over pairs loss(A_ij, s_ij) = sum over pairs non_link(s_ij) + sum over links link(s_ij)

A loss is one class, and its formulas are written here once, as functions of one score ``s`` that use nothing but
arithmetic, NumPy's functions and SciPy's ``expit``. NumPy applies them to whole arrays (the reference kernel, fold-in,
likelihoods), and numba compiles the same functions into the fast kernels.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt
from scipy.special import expit

Scores = npt.NDArray[Any]

LEAST = 1e-6
"""Below this score the logarithm of a link is replaced by its tangent, so that a score of zero costs much, not all."""

_CERTAIN = 1e-12
"""Probabilities are kept this far from 0 and 1 where a model itself does not: a wrong certainty costs 28, not ∞."""


class Loss(ABC):
    """A loss by its formulas; whole arrays come back entry by entry.

    A loss of your own defines ``neutral``, ``non_link`` and ``link``, and ``expected`` if it has a link function. All
    else has defaults that are right for every loss.

    >>> class Poisson(Loss):  # links are counts with mean e^score
    ...     neutral = -1e4
    ...     non_link = staticmethod(lambda s: (np.exp(s), np.exp(s)))
    ...     link = staticmethod(lambda s: (-s, -1.0))
    >>> Poisson().with_link(np.array([0.0]))
    (array([1.]), array([0.]))
    """

    neutral: ClassVar[float]
    """The score at which the absence of a link costs nothing and pulls nowhere: what an omitted pair is set to."""

    moment: ClassVar[Literal[1, 2] | None] = None
    """The power of the score that the absence of a link costs, if it is one: then all pairs are summed in O(n k²)."""

    canonical: ClassVar[bool] = False
    """Whether a link adds exactly -s, as with a canonical link function: then a node's links are added up unscored."""

    rate_bound: ClassVar[Literal["exponential", "linear"] | None] = None
    """What -log(1 - p) never exceeds, p being the probability of a link: e^s, the score itself, or neither is known."""

    tuned_row: ClassVar[Any] = None
    """A faster loop over ``non_link`` for the compiled kernels: the costs of a row, whose scores give way to slopes."""

    @staticmethod
    @abstractmethod
    def non_link(s: Any) -> tuple[Any, Any]:
        """The cost of a score, and its slope, where there is no link."""

    @staticmethod
    @abstractmethod
    def link(s: Any) -> tuple[Any, Any]:
        """What a link adds to that cost and to that slope."""

    @staticmethod
    def expected(s: Any) -> Any:
        """The entry of the adjacency matrix that a score stands for: the score itself, unless there is a link function.

        It may lie outside [0, 1] where the model does not know of probabilities.
        """
        return s

    def without_link(self, scores: Scores) -> tuple[Scores, Scores]:
        """Costs and slopes of the scores if no pair were linked."""
        return _entrywise(self.non_link(scores), scores)

    def link_correction(self, scores: Scores) -> tuple[Scores, Scores]:
        """What a link adds to those costs and slopes."""
        return _entrywise(self.link(scores), scores)

    def with_link(self, scores: Scores) -> tuple[Scores, Scores]:
        """Costs and slopes of the scores if every pair were linked.

        >>> SquaredError().with_link(np.array([0.5]))
        (array([0.25]), array([-1.]))
        """
        (costs, slopes), (more_costs, more_slopes) = self.without_link(scores), self.link_correction(scores)
        return costs + more_costs, slopes + more_slopes

    def row_costs(self, scores: Scores, space: Scores) -> Scores:
        """The costs of each row (rows × columns) without links; the scores give way to their slopes.

        ``space`` has the shape of the scores and may be written to.
        """
        costs, scores[...] = self.without_link(scores)
        return np.asarray(costs.sum(axis=1))

    def curvature(self, scores: Scores) -> Scores:
        """The second derivative of ``non_link`` at each score: by differences of slopes, unless a loss knows it."""
        return _curvature(self.without_link, scores)

    def link_curvature(self, scores: Scores) -> Scores:
        """The second derivative of ``link`` at each score."""
        return np.zeros_like(scores) if self.canonical else _curvature(self.link_correction, scores)

    def probability(self, scores: Scores) -> Scores:
        """The probability of a link that a score stands for."""
        return np.asarray(np.clip(self.expected(scores), 0, 1))

    def log_likelihood(self, scores: Scores, linked: Scores | bool) -> Scores:
        """The logarithm of the probability of what is there, a link or none."""
        p = np.clip(self.expected(scores), _CERTAIN, 1 - _CERTAIN)
        return np.asarray(np.log(np.where(linked, p, 1 - p)))


class CrossEntropy(Loss):
    """Minus the log-likelihood of links with probability sigmoid(score).

    Without a link a score s costs log(1 + e^s), whose slope is the sigmoid; a link takes s away from that.

    >>> costs, slopes = CrossEntropy().without_link(np.array([0.0]))
    >>> float(costs[0]), float(slopes[0])
    (0.693..., 0.5)
    """

    neutral = -1e4  # sigmoid and softplus are zero there in every precision
    canonical = True
    rate_bound = "exponential"  # -log(1 - p) = log(1 + e^s) < e^s

    @staticmethod
    def non_link(s: Any) -> tuple[Any, Any]:
        """log(1 + e^s) and its slope, the sigmoid."""
        return np.logaddexp(0, s), expit(s)

    @staticmethod
    def link(s: Any) -> tuple[Any, Any]:
        """-s and its slope, -1."""
        return -s, -1.0

    @staticmethod
    def expected(s: Any) -> Any:
        """The sigmoid of the scores."""
        return expit(s)

    @staticmethod
    def tuned_row(row: Any) -> float:
        """The sum of log(1 + e^s) over a row; the scores give way to their slopes.

        log(1 + e^s) = max(s, 0) + log(1 + e^-|s|), and one logarithm serves 512 entries: the product of factors between
        1 and 2 stays finite, in single precision over chunks of 64 that are multiplied up in double.
        """
        chunk = 512 if row.itemsize == 8 else 64
        total = 0.0
        one, zero = row.dtype.type(1), row.dtype.type(0)
        for begin in range(0, row.size, 512):
            factor = 1.0
            for start in range(begin, min(begin + 512, row.size), chunk):
                part = row[start : start + chunk]
                product, linear = one, zero
                for j in range(part.size):
                    s = part[j]
                    e = decaying_exp(-abs(s))
                    product *= one + e
                    linear += max(s, zero)
                    inverse = one / (one + e)
                    part[j] = inverse if s >= zero else e * inverse
                factor *= np.float64(product)
                total += np.float64(linear)
            total += math.log(factor)
        return total

    def row_costs(self, scores: Scores, space: Scores) -> Scores:
        """The same in place: log(1 + e^s) = max(s, 0) - log max(p, 1 - p), and the last is a number from ½ to 1."""
        costs = np.maximum(scores, 0, out=space).sum(axis=1)
        p = expit(scores, out=scores)
        costs -= np.log(np.maximum(p, np.subtract(1, p, out=space), out=space), out=space).sum(axis=1)
        return np.asarray(costs)

    def curvature(self, scores: Scores) -> Scores:
        """p (1 - p)."""
        p = expit(scores)
        return np.asarray(p * (1 - p))

    def log_likelihood(self, scores: Scores, linked: Scores | bool) -> Scores:
        """Exact for certain links too."""
        return np.asarray(np.where(linked, scores, 0.0) - np.logaddexp(0, scores))


class SquaredError(Loss):
    """The squared difference between the score and 1 (link) or 0 (no link).

    >>> SquaredError().link_correction(np.array([1.0]))  # a score of 1 is right at a link: 1² - 1 = 0
    (array([-1.]), array([-2.]))
    """

    neutral = 0.0
    moment = 2

    @staticmethod
    def non_link(s: Any) -> tuple[Any, Any]:
        """s² and its slope, 2s."""
        return s * s, s + s

    @staticmethod
    def link(s: Any) -> tuple[Any, Any]:
        """(1 - s)² - s² = 1 - 2s and its slope, -2."""
        return 1 - 2 * s, -2.0


class _Linear(Loss):
    """A score of s >= 0 costs s where there is no link.

    Scores are products of nonnegative factors; below zero, where none can be, nothing is charged, so that an omitted
    pair has somewhere to go.
    """

    neutral = -1.0
    moment = 1

    @staticmethod
    def non_link(s: Any) -> tuple[Any, Any]:
        """s and its slope, 1; nothing below zero."""
        return np.maximum(s, 0), s >= 0


class NoisyOr(_Linear):
    """Minus the log-likelihood of links with probability 1 - e^-score: each shared community may make the link.

    >>> costs, slopes = NoisyOr().link_correction(np.array([np.log(2.0)]))  # probability ½: -log ½ - log 2 = 0
    >>> float(costs[0].round(9)), float(slopes[0].round(9))
    (0.0, -2.0)
    """

    rate_bound = "linear"  # -log(1 - p) = s

    @staticmethod
    def link(s: Any) -> tuple[Any, Any]:
        """-log(1 - e^-s) - s and its slope; below ``LEAST`` the tangent there."""
        short, s = np.minimum(s - LEAST, 0), np.maximum(s, LEAST)
        slope = 1 / np.expm1(-s)
        return -np.log(-np.expm1(-s)) - s + slope * short, slope

    @staticmethod
    def expected(s: Any) -> Any:
        """1 - e^-s."""
        return -np.expm1(-s)

    def log_likelihood(self, scores: Scores, linked: Scores | bool) -> Scores:
        """log(1 - e^-s) for a link, -s for none."""
        return np.asarray(np.where(linked, np.log(-np.expm1(-np.maximum(scores, _CERTAIN))), -scores))


class Divergence(_Linear):
    """The divergence of the scores from the adjacency matrix: s without a link, s - log s - 1 with one.

    It is zero where the score is right, as a squared error is, but a link with no score at all is worse by far.

    >>> costs, _ = Divergence().link_correction(np.array([1.0]))  # a score of 1 is right at a link: 1 - 1 = 0
    >>> float(costs[0])
    -1.0
    """

    @staticmethod
    def link(s: Any) -> tuple[Any, Any]:
        """-log s - 1 and its slope, -1/s; below ``LEAST`` the tangent there."""
        short, s = np.minimum(s - LEAST, 0), np.maximum(s, LEAST)
        slope = -1 / s
        return -np.log(s) - 1 + slope * short, slope


def decaying_exp(x: float) -> float:
    """e^x for x <= 0; compiled code has its own, which loops over many x can be vectorised around."""
    return math.exp(x)


def _entrywise(formula: tuple[Any, Any], scores: Scores) -> tuple[Scores, Scores]:
    """Costs and slopes as arrays like the scores; a formula may give a slope that is one number, or true and false."""
    costs, slopes = formula
    return costs, np.broadcast_to(slopes, scores.shape).astype(scores.dtype, copy=False)


def _curvature(charge: Callable[[Scores], tuple[Scores, Scores]], scores: Scores) -> Scores:
    step = np.cbrt(np.finfo(np.float64).eps) * (1 + np.abs(scores))  # where rounding and truncation are alike
    return np.asarray((charge(scores + step)[1] - charge(scores - step)[1]) / (2 * step))

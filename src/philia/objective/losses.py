"""Losses: the cost of a score for a non-link, and the correction for a link.

A graph is mostly non-links. So every loss is written as the cost of all pairs if there were no links, plus a correction
at the links, and only the links are ever stored:

    sum over pairs loss(A_ij, s_ij) = sum over pairs non_link(s_ij) + sum over links link(s_ij)

A loss is one class. Its formulas are written once, as functions of one score ``s`` that use only arithmetic, NumPy's
functions and SciPy's ``expit``: NumPy applies them to whole arrays (reference kernel, fold-in, likelihoods), and numba
compiles the same functions into the fast kernels.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt
import scipy

Scores = npt.NDArray[Any]

LEAST = 1e-6
"""Below this score the logarithm at a link is replaced by its tangent: a score of zero then has a high, finite cost."""

_CERTAIN = 1e-12
"""Probabilities are kept this far from 0 and 1: a certainty that turns out wrong costs 28, not ∞."""


class Loss(ABC):
    """A loss, defined by its formulas; methods that take arrays work entry by entry.

    To add a loss, define ``neutral``, ``non_link`` and ``link``, and ``expected`` if there is a link function. The
    defaults of everything else are correct for any loss.

    >>> class Poisson(Loss):  # links are counts with mean e^score
    ...     neutral = -1e4
    ...     non_link = staticmethod(lambda s: (np.exp(s), np.exp(s)))
    ...     link = staticmethod(lambda s: (-s, -1.0))
    >>> Poisson().with_link(np.array([0.0]))
    (array([1.]), array([0.]))
    """

    neutral: ClassVar[float]
    """The score whose cost and slope for a non-link are zero: omitted pairs are set to it."""

    moment: ClassVar[Literal[1, 2] | None] = None
    """The power of the score that a non-link costs, if it is one: then all pairs are summed in O(n k²)."""

    canonical: ClassVar[bool] = False
    """Whether a link adds exactly -s, as with a canonical link function: then links are summed without scoring them."""

    link_line: ClassVar[tuple[float, float] | None] = None
    """(a, b) if a link adds a + b s, besides a ``moment``: then links are summed by one sparse product."""

    rate_bound: ClassVar[Literal["exponential", "linear"] | None] = None
    """An upper bound on -log(1 - p), where p is the probability of a link: e^s, the score itself, or none."""

    tuned_row: ClassVar[Any] = None
    """A faster loop over ``non_link`` for the compiled kernels: returns the cost of a row, overwritten with slopes."""

    @staticmethod
    @abstractmethod
    def non_link(s: Any) -> tuple[Any, Any]:
        """The cost of a score for a non-link, and its slope."""

    @staticmethod
    @abstractmethod
    def link(s: Any) -> tuple[Any, Any]:
        """What a link adds to that cost and slope."""

    @staticmethod
    def expected(s: Any) -> Any:
        """The predicted entry of the adjacency matrix: the score itself, unless there is a link function.

        It may lie outside [0, 1] if the model is not probabilistic.
        """
        return s

    def without_link(self, scores: Scores) -> tuple[Scores, Scores]:
        """Costs and slopes of the scores as if no pair were linked."""
        return _entrywise(self.non_link(scores), scores)

    def link_correction(self, scores: Scores) -> tuple[Scores, Scores]:
        """What a link adds to those costs and slopes."""
        return _entrywise(self.link(scores), scores)

    def with_link(self, scores: Scores) -> tuple[Scores, Scores]:
        """Costs and slopes of the scores as if every pair were linked.

        >>> SquaredError().with_link(np.array([0.5]))
        (array([0.25]), array([-1.]))
        """
        (costs, slopes), (more_costs, more_slopes) = self.without_link(scores), self.link_correction(scores)
        return costs + more_costs, slopes + more_slopes

    def row_costs(self, scores: Scores, space: Scores) -> Scores:
        """The cost of each row (rows × columns) without links; the scores are overwritten with their slopes.

        ``space`` is scratch memory of the same shape.
        """
        costs, scores[...] = self.without_link(scores)
        return np.asarray(costs.sum(axis=1))

    def curvature(self, scores: Scores) -> Scores:
        """The second derivative of ``non_link`` at each score, by default from finite differences of the slope."""
        return _curvature(self.without_link, scores)

    def link_curvature(self, scores: Scores) -> Scores:
        """The second derivative of ``link`` at each score."""
        return np.zeros_like(scores) if self.canonical else _curvature(self.link_correction, scores)

    def probability(self, scores: Scores) -> Scores:
        """The probability of a link at each score."""
        return np.asarray(np.clip(self.expected(scores), 0, 1))

    def log_likelihood(self, scores: Scores, linked: Scores | bool) -> Scores:
        """The log-probability of the observed link or non-link."""
        p = np.clip(self.expected(scores), _CERTAIN, 1 - _CERTAIN)
        return np.asarray(np.log(np.where(linked, p, 1 - p)))


class CrossEntropy(Loss):
    """Minus the log-likelihood of links with probability sigmoid(score).

    A non-link costs log(1 + e^s), whose slope is the sigmoid; a link subtracts s.

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
        return np.logaddexp(0, s), scipy.special.expit(s)

    @staticmethod
    def link(s: Any) -> tuple[Any, Any]:
        """-s and its slope, -1."""
        return -s, -1.0

    @staticmethod
    def expected(s: Any) -> Any:
        """The sigmoid of the scores."""
        return scipy.special.expit(s)

    @staticmethod
    def tuned_row(row: Any) -> float:
        """The sum of log(1 + e^s) over a row, which is overwritten with slopes.

        log(1 + e^s) = max(s, 0) - log p, where p is the larger of the sigmoid and its complement, and one logarithm
        serves 384 entries: a product of as many factors between ½ and 1 is not zero in double precision. Single
        precision multiplies chunks of 96 and combines them in double. Each entry takes one division.
        """
        chunk = 384 if row.itemsize == 8 else 96
        total = 0.0
        one, zero = row.dtype.type(1), row.dtype.type(0)
        for begin in range(0, row.size, 384):
            factor = 1.0
            for start in range(begin, min(begin + 384, row.size), chunk):
                part = row[start : start + chunk]
                product, linear = one, zero
                for j in range(part.size):
                    s = part[j]
                    far, near = decaying_ratio(-abs(s))
                    inverse = one / (near + far)
                    larger = near * inverse
                    product *= larger
                    linear += max(s, zero)
                    part[j] = larger if s >= zero else far * inverse
                factor *= np.float64(product)
                total += np.float64(linear)
            total -= math.log(factor)
        return total

    def row_costs(self, scores: Scores, space: Scores) -> Scores:
        """The same in place: log(1 + e^s) = max(s, 0) - log max(p, 1 - p), where the maximum is between ½ and 1."""
        costs = np.maximum(scores, 0, out=space).sum(axis=1)
        p = scipy.special.expit(scores, out=scores)
        costs -= np.log(np.maximum(p, np.subtract(1, p, out=space), out=space), out=space).sum(axis=1)
        return np.asarray(costs)

    def curvature(self, scores: Scores) -> Scores:
        """p (1 - p)."""
        p = scipy.special.expit(scores)
        return np.asarray(p * (1 - p))

    def log_likelihood(self, scores: Scores, linked: Scores | bool) -> Scores:
        """Exact even where the probability rounds to 0 or 1."""
        return np.asarray(np.where(linked, scores, 0.0) - np.logaddexp(0, scores))


class SquaredError(Loss):
    """The squared difference between the score and 1 (link) or 0 (no link).

    >>> SquaredError().link_correction(np.array([1.0]))  # a score of 1 is right at a link: 1² - 1 = 0
    (array([-1.]), array([-2.]))
    """

    neutral = 0.0
    moment = 2
    link_line = (1.0, -2.0)

    @staticmethod
    def non_link(s: Any) -> tuple[Any, Any]:
        """s² and its slope, 2s."""
        return s * s, s + s

    @staticmethod
    def link(s: Any) -> tuple[Any, Any]:
        """(1 - s)² - s² = 1 - 2s and its slope, -2."""
        return 1 - 2 * s, -2.0


class _Linear(Loss):
    """A non-link costs its score.

    Scores are products of nonnegative factors, so none is negative; there the cost is zero, to leave room for
    ``neutral``.
    """

    neutral = -1.0
    moment = 1

    @staticmethod
    def non_link(s: Any) -> tuple[Any, Any]:
        """s and its slope, 1; zero below zero."""
        return np.maximum(s, 0), s >= 0


class NoisyOr(_Linear):
    """Minus the log-likelihood of links with probability 1 - e^-score: any shared community may cause the link.

    >>> costs, slopes = NoisyOr().link_correction(np.array([np.log(2.0)]))  # probability ½: -log ½ - log 2 = 0
    >>> float(costs[0].round(9)), float(slopes[0].round(9))
    (0.0, -2.0)
    """

    rate_bound = "linear"  # -log(1 - p) = s

    @staticmethod
    def link(s: Any) -> tuple[Any, Any]:
        """-log(1 - e^-s) - s and its slope; below ``LEAST``, the tangent."""
        short, s = np.minimum(s - LEAST, 0), np.maximum(s, LEAST)
        slope = 1 / np.expm1(-s)
        return -np.log(-np.expm1(-s)) - s + slope * short, slope

    @staticmethod
    def expected(s: Any) -> Any:
        """1 - e^-s."""
        return -np.expm1(-s)

    def log_likelihood(self, scores: Scores, linked: Scores | bool) -> Scores:
        """log(1 - e^-s) for a link, -s for a non-link."""
        return np.asarray(np.where(linked, np.log(-np.expm1(-np.maximum(scores, _CERTAIN))), -scores))


class Divergence(_Linear):
    """The Kullback-Leibler divergence of scores from the adjacency matrix: s for a non-link, s - log s - 1 for a link.

    Like the squared error it is zero at a correct score, but it punishes a link with a score near zero far more.

    >>> costs, _ = Divergence().link_correction(np.array([1.0]))  # a score of 1 is right at a link: 1 - 1 = 0
    >>> float(costs[0])
    -1.0
    """

    @staticmethod
    def link(s: Any) -> tuple[Any, Any]:
        """-log s - 1 and its slope, -1/s; below ``LEAST``, the tangent."""
        short, s = np.minimum(s - LEAST, 0), np.maximum(s, LEAST)
        slope = -1 / s
        return -np.log(s) - 1 + slope * short, slope


def decaying_ratio(x: float) -> tuple[float, float]:
    """Two numbers whose ratio is e^x, for x <= 0; compiled code replaces it with a version that can be vectorised."""
    return math.exp(x), 1.0


def _entrywise(formula: tuple[Any, Any], scores: Scores) -> tuple[Scores, Scores]:
    """Costs and slopes as arrays like the scores; a formula may return a slope that is one number, or boolean."""
    costs, slopes = formula
    return costs, np.broadcast_to(slopes, scores.shape).astype(scores.dtype, copy=False)


def _curvature(charge: Callable[[Scores], tuple[Scores, Scores]], scores: Scores) -> Scores:
    step = np.cbrt(np.finfo(np.float64).eps) * (1 + np.abs(scores))  # balances rounding and truncation
    return np.asarray((charge(scores + step)[1] - charge(scores - step)[1]) / (2 * step))

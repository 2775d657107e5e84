"""Losses: what a score costs where there is no link, and how that changes where there is one.

A graph is mostly non-links. So every loss is written as "what all pairs would cost without links" plus "a correction
at the links", and only the links are ever stored:

    sum over pairs loss(A_ij, s_ij) = sum over pairs without_link(s_ij) + sum over links link_correction(s_ij)
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt
from scipy.special import expit

Scores = npt.NDArray[Any]

LEAST = 1e-6
"""Below this score the logarithm of a link is replaced by its tangent, so that a score of zero costs much, not all."""

_CERTAIN = 1e-12
"""Probabilities are kept this far from 0 and 1 where a model itself does not."""


class Loss(ABC):
    """What a loss must say; values and slopes come entry by entry.

    >>> [type(loss).__name__ for loss in LOSSES]
    ['CrossEntropy', 'SquaredError', 'NoisyOr', 'Divergence']
    """

    code: ClassVar[int]
    """How the compiled kernel calls it."""

    neutral: ClassVar[float]
    """The score at which the absence of a link costs nothing and pulls nowhere: what an omitted pair is set to."""

    moment: ClassVar[Literal[1, 2] | None] = None
    """The power of the score that the absence of a link costs, if it is one: then all pairs are summed in O(n k²)."""

    @abstractmethod
    def without_link(self, scores: Scores) -> tuple[Scores, Scores]:
        """Costs and slopes of the scores if no pair were linked."""

    @abstractmethod
    def link_correction(self, scores: Scores) -> tuple[Scores, Scores]:
        """What a link adds to those costs and slopes."""

    def expected(self, scores: Scores) -> Scores:
        """The entry of the adjacency matrix that a score stands for: the score itself, unless there is a link function.

        It may lie outside [0, 1] where the model does not know of probabilities.
        """
        return scores

    def probability(self, scores: Scores) -> Scores:
        """The probability of a link that a score stands for."""
        return np.clip(self.expected(scores), 0, 1)

    def log_likelihood(self, scores: Scores, linked: Scores | bool) -> Scores:
        """The logarithm of the probability of what is there, a link or none."""
        p = np.clip(self.expected(scores), _CERTAIN, 1 - _CERTAIN)
        return np.log(np.where(linked, p, 1 - p))


class CrossEntropy(Loss):
    """Minus the log-likelihood of links with probability sigmoid(score).

    Without a link a score s costs log(1 + e^s); a link takes s away from that.

    >>> costs, slopes = CrossEntropy().without_link(np.array([0.0]))
    >>> float(costs[0]), float(slopes[0])
    (0.693..., 0.5)
    """

    code = 0
    neutral = -1e4  # sigmoid and softplus are zero there in every precision

    def without_link(self, scores: Scores) -> tuple[Scores, Scores]:
        """log(1 + e^s) and its slope, the sigmoid."""
        return np.logaddexp(0, scores), expit(scores)

    def link_correction(self, scores: Scores) -> tuple[Scores, Scores]:
        """-s and its slope, -1."""
        return -scores, np.full_like(scores, -1)

    def expected(self, scores: Scores) -> Scores:
        """The sigmoid of the scores."""
        return np.asarray(expit(scores))

    def log_likelihood(self, scores: Scores, linked: Scores | bool) -> Scores:
        """Exact for certain links too."""
        return np.asarray(np.where(linked, scores, 0.0) - np.logaddexp(0, scores))


class SquaredError(Loss):
    """The squared difference between the score and 1 (link) or 0 (no link).

    >>> SquaredError().link_correction(np.array([1.0]))  # a score of 1 is right at a link: 1² - 1 = 0
    (array([-1.]), array([-2.]))
    """

    code = 1
    neutral = 0.0
    moment = 2

    def without_link(self, scores: Scores) -> tuple[Scores, Scores]:
        """s² and its slope, 2s."""
        return scores * scores, 2 * scores

    def link_correction(self, scores: Scores) -> tuple[Scores, Scores]:
        """(1 - s)² - s² = 1 - 2s and its slope, -2."""
        return 1 - 2 * scores, np.full_like(scores, -2)


class _Linear(Loss):
    """A score of s >= 0 costs s where there is no link.

    Scores are products of nonnegative factors; below zero, where none can be, nothing is charged, so that an omitted
    pair has somewhere to go.
    """

    neutral = -1.0
    moment = 1

    def without_link(self, scores: Scores) -> tuple[Scores, Scores]:
        """s and its slope, 1; nothing below zero."""
        return np.maximum(scores, 0), (scores >= 0).astype(scores.dtype)


class NoisyOr(_Linear):
    """Minus the log-likelihood of links with probability 1 - e^-score: each shared community may make the link.

    >>> costs, slopes = NoisyOr().link_correction(np.array([np.log(2.0)]))  # probability ½: -log ½ - log 2 = 0
    >>> float(costs[0].round(9)), float(slopes[0].round(9))
    (0.0, -2.0)
    """

    code = 2

    def link_correction(self, scores: Scores) -> tuple[Scores, Scores]:
        """-log(1 - e^-s) - s and its slope; below ``LEAST`` the tangent there."""
        s = np.maximum(scores, LEAST)
        slopes = 1 / np.expm1(-s)
        return -np.log(-np.expm1(-s)) - s + slopes * np.minimum(scores - LEAST, 0), slopes

    def expected(self, scores: Scores) -> Scores:
        """1 - e^-s."""
        return np.asarray(-np.expm1(-scores))

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

    code = 3

    def link_correction(self, scores: Scores) -> tuple[Scores, Scores]:
        """-log s - 1 and its slope, -1/s; below ``LEAST`` the tangent there."""
        s = np.maximum(scores, LEAST)
        slopes = -1 / s
        return -np.log(s) - 1 + slopes * np.minimum(scores - LEAST, 0), slopes


LOSSES: tuple[Loss, ...] = (CrossEntropy(), SquaredError(), NoisyOr(), Divergence())

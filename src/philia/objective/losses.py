"""Losses: what a score costs where there is no link, and how that changes where there is one.

A graph is mostly non-links. So every loss is written as "what all pairs would cost without links" plus "a correction
at the links", and only the links are ever stored:

    sum over pairs loss(A_ij, s_ij) = sum over pairs without_link(s_ij) + sum over links link_correction(s_ij)
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from scipy.special import expit

Scores = npt.NDArray[Any]


class Loss(ABC):
    """What a loss must say; values and slopes come entry by entry.

    >>> [type(loss).__name__ for loss in LOSSES]
    ['CrossEntropy', 'SquaredError']
    """

    code: ClassVar[int]
    """How the compiled kernel calls it."""

    neutral: ClassVar[float]
    """The score at which the absence of a link costs nothing and pulls nowhere: what an omitted pair is set to."""

    @abstractmethod
    def without_link(self, scores: Scores) -> tuple[Scores, Scores]:
        """Costs and slopes of the scores if no pair were linked."""

    @abstractmethod
    def link_correction(self, scores: Scores) -> tuple[Scores, Scores]:
        """What a link adds to those costs and slopes."""

    @abstractmethod
    def probability(self, scores: Scores) -> Scores:
        """The probability of a link that a score stands for."""


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

    def probability(self, scores: Scores) -> Scores:
        """The sigmoid of the scores."""
        return np.asarray(expit(scores))


class SquaredError(Loss):
    """The squared difference between the score and 1 (link) or 0 (no link).

    >>> SquaredError().link_correction(np.array([1.0]))  # a score of 1 is right at a link: 1² - 1 = 0
    (array([-1.]), array([-2.]))
    """

    code = 1
    neutral = 0.0

    def without_link(self, scores: Scores) -> tuple[Scores, Scores]:
        """s² and its slope, 2s."""
        return scores * scores, 2 * scores

    def link_correction(self, scores: Scores) -> tuple[Scores, Scores]:
        """(1 - s)² - s² = 1 - 2s and its slope, -2."""
        return 1 - 2 * scores, np.full_like(scores, -2)

    def probability(self, scores: Scores) -> Scores:
        """The score itself, brought into [0, 1]."""
        return np.clip(scores, 0, 1)


LOSSES: tuple[Loss, ...] = (CrossEntropy(), SquaredError())

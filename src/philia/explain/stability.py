"""Stability: which communities other fits find as well, with the columns of several fits matched one to one.

A fit ends in one of several minima. What all of them agree on is in the data; what only one of them has may be chance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from philia._types import Float64Array
from philia.exceptions import InvalidParameterError
from philia.factors import CommunityFactors
from philia.factors.community import NEGLIGIBLE, NormalizedFactors, normalize

_FOUND = 0.5
"""The likeness at which a matched column is the same community: half of what is not due to chance is shared."""

_QUANTILES = (0.1, 0.9)
"""The ends of an interval: with the usual ten fits, one fit may lie beyond either end."""


@dataclass(frozen=True)
class Interval:
    """The range of a membership over fits, from the tenth to the ninetieth percentile.

    >>> print(Interval(0.25, 1.0))
    0.25 to 1.00
    """

    lower: float
    upper: float

    def __str__(self) -> str:
        return f"{self.lower:.2f} to {self.upper:.2f}"


@dataclass(frozen=True, eq=False)
class CommunityStability:
    """One community in other fits: the likeness of its match in each, and the memberships there.

    ``lower`` and ``upper`` (n) are the tenth and the ninetieth percentile of every node's membership over the fits,
    where a fit that did not find the community counts as 0.

    >>> seen = CommunityStability("B1", np.array([1.0, 0.8, 0.0]), 0.5, np.zeros(2), np.ones(2))
    >>> seen.score, seen.in_words(), seen.interval(0)
    (0.6, 'found in 2 of 3 other fits', Interval(lower=0.0, upper=1.0))
    """

    name: str
    likenesses: Float64Array
    threshold: float
    lower: Float64Array
    upper: Float64Array

    @property
    def fits(self) -> int:
        """The number of other fits."""
        return len(self.likenesses)

    @property
    def score(self) -> float:
        """The mean likeness over the other fits: 1 is the same column in all, 0 is chance."""
        return float(self.likenesses.mean())

    @property
    def appears(self) -> int:
        """The number of other fits that found the community."""
        return int((self.likenesses >= self.threshold).sum())

    @property
    def reliable(self) -> bool:
        """Whether more than one other fit found the community, or all of them did."""
        return self.appears > 1 or self.appears == self.fits

    def interval(self, row: int) -> Interval:
        """The range of the membership of the node in a row."""
        return Interval(float(self.lower[row]), float(self.upper[row]))

    def in_words(self) -> str:
        """In how many fits the community was found, and a warning if that is one or none."""
        found = f"found in {self.appears} of {self.fits} other fits"
        return found if self.reliable else f"{found}: do not rely on it"


@dataclass(frozen=True, eq=False)
class Stability:
    """How well fits with other seeds agree with a model, community by community.

    >>> B = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 2.0], [0.0, 2.0]])
    >>> both, first = CommunityFactors.attracting(B), CommunityFactors.attracting(B[:, :1])
    >>> print(measure_stability(both, [both, first, first]))
    B1: stability 1.00, found in 3 of 3 other fits
    B2: stability 0.33, found in 1 of 3 other fits
    B2 was found in 1 of 3 other fits: do not rely on it
    """

    fits: int
    threshold: float
    communities: tuple[CommunityStability, ...]

    def of(self, name: str) -> CommunityStability | None:
        """The stability of the community of this name; None if the model does not use that column."""
        return next((community for community in self.communities if community.name == name), None)

    def __str__(self) -> str:
        lines = [
            f"{c.name}: stability {c.score:.2f}, found in {c.appears} of {c.fits} other fits" for c in self.communities
        ]
        lines += [f"{c.name} was {c.in_words()}" for c in self.communities if not c.reliable]
        return "\n".join(lines) or "the model has no communities"

    __repr__ = __str__


def measure_stability(
    reference: CommunityFactors, others: Sequence[CommunityFactors], threshold: float = _FOUND
) -> Stability:
    """How well other fits of the same nodes agree with the reference; they may have more or fewer columns.

    The columns of each fit are matched with those of the reference one to one, attracting with attracting and repelling
    with repelling, so that the sum of their likenesses is as large as possible. A fit has found a community if the
    likeness of its match is at least ``threshold``.

    >>> B = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 2.0], [0.0, 2.0]])
    >>> swapped = CommunityFactors.attracting(3 * B[:, ::-1])
    >>> [c.score for c in measure_stability(CommunityFactors.attracting(B), [swapped]).communities]
    [1.0, 1.0]
    """
    if not others:
        raise InvalidParameterError("there are no other fits to compare with; give at least one")
    normal, likenesses, memberships = _matched(reference, others)
    memberships *= (likenesses >= threshold)[:, None, :]
    lower, upper = np.quantile(memberships, _QUANTILES, axis=0)
    return Stability(
        fits=len(others),
        threshold=threshold,
        communities=tuple(
            CommunityStability(name, likenesses[:, c], threshold, lower[:, c], upper[:, c])
            for c, name in enumerate(normal.names)
        ),
    )


def matched_memberships(
    reference: CommunityFactors, others: Sequence[CommunityFactors]
) -> tuple[NormalizedFactors, Float64Array]:
    """The reference in its normal form, and the memberships of the matches of its communities in other fits.

    They are (fits × n × k), and zero where a community has no match.
    """
    normal, _, memberships = _matched(reference, others)
    return normal, memberships


def _matched(
    reference: CommunityFactors, others: Sequence[CommunityFactors]
) -> tuple[NormalizedFactors, Float64Array, Float64Array]:
    normal = _used(normalize(reference))
    n, k = normal.memberships.shape
    likenesses, memberships = np.zeros((len(others), k)), np.zeros((len(others), n, k))
    for t, other in enumerate(others):
        _match(normal, _used(normalize(other)), likenesses[t], memberships[t])
    return normal, likenesses, memberships


def likeness(x: Float64Array, y: Float64Array) -> float:
    """How alike two nonnegative columns are: 1 if one is a multiple of the other, 0 if they overlap as by chance.

    Each column is divided by its sum. The overlap is Σ min(x_i, y_i), and its mean over all permutations of the nodes
    is the chance level: the likeness is (overlap - chance) / (1 - chance), or 0 below chance. Sums set the scale, not
    largest entries, because one outstanding node must not decide. The correction is needed because columns to which
    every node belongs a little, such as repelling ones without a background, overlap in any case.

    >>> halves = np.array([1.0, 1.0, 0.0, 0.0]), np.array([1.0, 0.0, 1.0, 0.0])
    >>> likeness(halves[0], 5 * halves[0]), likeness(*halves)
    (1.0, 0.0)
    """
    x, y = x / x.sum(), y / y.sum()
    overlap = float(np.minimum(x, y).sum())
    rising = np.sort(y)
    smaller = np.searchsorted(rising, x)
    sums = np.concatenate([[0.0], np.cumsum(rising)])
    chance = float((sums[smaller] + x * (len(y) - smaller)).sum()) / len(y)
    if chance > 1 - 1e-12:  # both columns are constant, up to rounding, so every permutation is a perfect match
        return 1.0
    return min(max((overlap - chance) / (1 - chance), 0.0), 1.0)


def _used(normal: NormalizedFactors) -> NormalizedFactors:
    return normal.picked(np.flatnonzero(np.abs(normal.strengths) >= NEGLIGIBLE))


def _match(
    normal: NormalizedFactors, other: NormalizedFactors, likenesses: Float64Array, memberships: Float64Array
) -> None:
    """Write the likeness and the memberships (n × k) of the best matches; columns without a match stay zero."""
    from scipy.optimize import linear_sum_assignment  # it takes as long to load as all of philia

    for sign in (1, -1):
        own, theirs = np.flatnonzero(sign * normal.strengths > 0), np.flatnonzero(sign * other.strengths > 0)
        table = np.array([[likeness(normal.memberships[:, c], other.memberships[:, d]) for d in theirs] for c in own])
        if not table.size:
            continue
        for position, match in zip(*linear_sum_assignment(table, maximize=True), strict=True):
            likenesses[own[position]] = table[position, match]
            memberships[:, own[position]] = other.memberships[:, theirs[match]]

"""Whether probabilities mean what they say: predicted and observed rates of links, bin by bin."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from philia._types import BoolArray, Float64Array, Int64Array
from philia.evaluate.ranking import Ranking


@dataclass(frozen=True, eq=False)
class Calibration:
    """For bins of pairs by their probability: the mean probability, the share that is linked, and how many pairs.

    Bin b holds the probabilities from ``edges[b]`` up to, not including, ``edges[b + 1]``; the last holds its upper
    edge too. Each bin has about the same sum of probabilities, so the same number of expected links: with bins of equal
    width nearly all pairs of a sparse graph would be in the first, and with bins of equal size nearly all links in the
    last. Equal probabilities are never separated, so there may be fewer bins than asked for.

    >>> sure = calibrate(np.array([False, False, True, True]), np.array([0.1, 0.3, 0.6, 1.0]), bins=2)
    >>> sure.predicted.round(3).tolist(), sure.observed.round(3).tolist(), sure.counts.tolist()
    ([0.333, 1.0], [0.333, 1.0], [3, 1])
    """

    edges: Float64Array
    predicted: Float64Array
    observed: Float64Array
    counts: Int64Array

    def __str__(self) -> str:
        rows = zip(self.predicted, self.observed, self.counts, strict=True)
        return "\n".join(f"predicted {p:.3g}, observed {o:.3g} of {count:,} pairs" for p, o, count in rows)


def calibrate(linked: BoolArray, probabilities: Float64Array, bins: int = 10) -> Calibration:
    """The calibration of probabilities of links, in at most that many bins.

    >>> print(calibrate(np.array([False, True]), np.array([0.25, 0.25])))
    predicted 0.25, observed 0.5 of 2 pairs
    """
    return calibration_of(Ranking.of(linked, probabilities), bins)


def calibration_of(ranking: Ranking, bins: int = 10) -> Calibration:
    """The same of pairs that are ranked by their probabilities."""
    rising = ranking.scores[::-1]
    counts = np.diff(ranking.reached, prepend=0)[::-1]
    links = np.diff(ranking.links, prepend=0)[::-1]
    expected = rising * counts
    total = expected.sum()
    middle = np.cumsum(expected) - expected / 2
    number = np.minimum(middle / total * bins, bins - 1).astype(np.int64) if total else np.zeros(len(rising), np.int64)
    starts = np.flatnonzero(np.diff(number, prepend=-1))
    size = np.add.reduceat(counts, starts)
    return Calibration(
        edges=np.append(rising[starts], rising[-1:]),
        predicted=np.add.reduceat(expected, starts) / size,
        observed=np.add.reduceat(links, starts) / size,
        counts=size,
    )

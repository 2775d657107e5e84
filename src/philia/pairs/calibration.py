"""Whether probabilities are calibrated: predicted and observed shares of links, bin by bin."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from philia._types import BoolArray, Float64Array, Int64Array
from philia.pairs.sample import NORMAL_95

_TINY, _SURE = 1e-300, 1e-12
"""Keep divisions finite: by the size of an empty bin, and by the share of non-links of a bin that has links alone."""


@dataclass(frozen=True, eq=False)
class Calibration:
    """Pairs in bins by their probability: the mean probability, the share that is linked, and the number of pairs.

    Bin b holds the probabilities from ``edges[b]`` up to, not including, ``edges[b + 1]``; the last includes its upper
    edge. Each bin has about the same sum of probabilities, hence the same number of expected links: with bins of equal
    width nearly all pairs of a sparse graph would be in the first, and with bins of equal size nearly all links in the
    last. Equal probabilities are never separated, so there may be fewer bins than asked for.

    For a sample of pairs, ``counts`` estimates the number of pairs it stands for, and ``trials`` is its effective size:
    this many pairs without weights would estimate the observed share as precisely. Without a sample both are the same.

    >>> sure = calibrate(np.array([False, False, True, True]), np.array([0.1, 0.3, 0.6, 1.0]), bins=2)
    >>> sure.predicted.round(3).tolist(), sure.observed.round(3).tolist(), sure.counts.tolist()
    ([0.333, 1.0], [0.333, 1.0], [3, 1])
    """

    edges: Float64Array
    predicted: Float64Array
    observed: Float64Array
    counts: Int64Array
    trials: Float64Array

    @property
    def intervals(self) -> tuple[Float64Array, Float64Array]:
        """The 95 % intervals of the observed shares (Wilson): lower ends, upper ends.

        >>> lower, upper = calibrate(np.array([False, True]), np.array([0.25, 0.25])).intervals
        >>> lower.round(2).tolist(), upper.round(2).tolist()
        ([0.09], [0.91])
        """
        z2, share = NORMAL_95**2 / np.maximum(self.trials, _TINY), self.observed
        middle = (share + z2 / 2) / (1 + z2)
        reach = np.sqrt(z2 * share * (1 - share) + z2**2 / 4) / (1 + z2)
        return np.maximum(middle - reach, 0.0), np.minimum(middle + reach, 1.0)

    def __str__(self) -> str:
        rows = zip(self.predicted, self.observed, self.counts, strict=True)
        return "\n".join(f"predicted {p:.3g}, observed {o:.3g} of {count:,} pairs" for p, o, count in rows)


def calibrate(
    linked: BoolArray, probabilities: Float64Array, bins: int = 10, weights: Float64Array | None = None
) -> Calibration:
    """The calibration of probabilities of links, in at most ``bins`` bins; one entry per pair.

    ``weights`` is the number of pairs that each one stands for, if they are a sample (``PairSample``).

    >>> print(calibrate(np.array([False, True]), np.array([0.25, 0.25])))
    predicted 0.25, observed 0.5 of 2 pairs
    """
    order = np.argsort(probabilities)
    rising = probabilities[order]
    first = np.flatnonzero(np.append(True, rising[1:] != rising[:-1])) if len(rising) else np.empty(0, np.int64)
    weights = np.ones(len(rising)) if weights is None else weights[order]
    counts = np.add.reduceat(weights, first)
    links = np.add.reduceat(weights * linked[order], first)
    spread = np.add.reduceat(weights**2 - weights, first)  # what sampling adds to the variance of a count
    rising = rising[first]
    expected = rising * counts
    total = expected.sum()
    middle = np.cumsum(expected) - expected / 2
    number = np.minimum(middle / total * bins, bins - 1).astype(np.int64) if total else np.zeros(len(rising), np.int64)
    starts = np.flatnonzero(np.diff(number, prepend=-1))
    size = np.add.reduceat(counts, starts)
    observed = np.add.reduceat(links, starts) / size
    # The share is links / size, and only the size is uncertain: the binomial variance o (1 - o) / size grows by
    # o² spread / size². This is the size for which the binomial variance alone would be as large.
    blur = np.add.reduceat(spread, starts) / size * observed / np.maximum(1 - observed, _SURE)
    return Calibration(
        edges=np.append(rising[starts], rising[-1:]),
        predicted=np.add.reduceat(expected, starts) / size,
        observed=observed,
        counts=np.rint(size).astype(np.int64),
        trials=size / (1 + blur),
    )

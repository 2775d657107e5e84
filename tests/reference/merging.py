"""Slow, short and obviously right: groups merged one pair at a time, with all linked pairs compared each time."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from scipy.special import gammaln

from philia._types import Float64Array, Int64Array
from philia.reading.kernels import chances, merged
from philia.reading.length import RIDGE, Description, DescriptionLength

EVERY_PAIR = 12


def merges(measure: DescriptionLength, now: Description, A: Float64Array) -> tuple[list[tuple[int, int]], list[float]]:
    """The pairs of groups to merge, cheapest first, and what each merge gains."""
    H, w, costs, labels = now.histograms.copy(), now.strengths.copy(), now.costs.copy(), now.labels.copy()
    p = chances(measure.popularity, now.level)
    alive, pairs, gains = list(range(now.count)), [], []

    def links(c: int, d: int) -> float:
        return float(A[np.ix_(labels == c, labels == d)].sum())

    def together(c: int, d: int) -> tuple[float, float]:
        inside = links(c, c) / 2 + links(d, d) / 2 + links(c, d)
        return merged(H, c, d, inside, p, min(w[c], w[d]), RIDGE)  # type: ignore[no-any-return]

    def gain(c: int, d: int) -> float:
        code = gammaln(H[c].sum() + H[d].sum() + 1) - gammaln(H[c].sum() + 1) - gammaln(H[d].sum() + 1)
        return float(costs[c] + costs[d] - together(c, d)[1] + code + measure.per_group)

    while len(alive) > 1:
        possible = [pair for pair in combinations(alive, 2) if len(alive) <= EVERY_PAIR or links(*pair)]
        if not possible:
            one, two = sorted(alive, key=lambda c: (H[c].sum(), c))[:2]
            possible = [(min(one, two), max(one, two))]
        c, d = max(possible, key=lambda pair: (gain(*pair), -pair[0], -pair[1]))
        pairs.append((c, d))
        gains.append(gain(c, d))
        w[c], costs[c] = together(c, d)
        H[c] += H[d]
        labels[labels == d] = c
        alive.remove(d)
    return pairs, gains


def merged_one_by_one(labels: Int64Array, pairs: list[tuple[int, int]]) -> Int64Array:
    """The labels after merges."""
    for c, d in pairs:
        labels = np.where(labels == d, c, labels)
    return labels

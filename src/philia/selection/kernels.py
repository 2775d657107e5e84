"""The compiled loop over merges of communities."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from philia._compilation import first_call_of, specialized
from philia.objective import CrossEntropy
from philia.objective.kernels.compiled import row_costs_of

_CHUNK = 512
"""Pairs scored together: they stay in the fastest cache."""

_row_costs = CrossEntropy.tuned_row


def _after_merges(
    pairs: Any, starts: Any, weights: Any, at_rows: Any, at_columns: Any, mergers: Any, angles: Any, likelihoods: Any
) -> None:
    """The log-likelihood of some pairs after each merge of two columns f and g, or after the end of one.

    ``pairs`` holds the scores, and whether there is a link; runs between ``starts`` have one weight. ``at_rows`` and
    ``at_columns`` (columns × pairs) are the entries of the nodes. Each row of ``mergers`` is f, g and whether their
    maximum replaces them; of ``angles``, the shares of f and g in what replaces them, and the sign of their kind.
    """
    room = np.empty(_CHUNK)
    for m in range(mergers.shape[0]):
        f, g, united = mergers[m, 0], mergers[m, 1], mergers[m, 2] == 1
        of_f, of_g, sign = angles[m, 0], angles[m, 1], angles[m, 2]
        more = 0.0 if f == g else 1.0
        total = 0.0
        for run in range(weights.size):
            for begin in range(starts[run], starts[run + 1], _CHUNK):
                end = min(begin + _CHUNK, starts[run + 1])
                scores, linked, row = pairs[0, begin:end], pairs[1, begin:end], room[: end - begin]
                a, b, c, d = (
                    at_rows[f, begin:end],
                    at_rows[g, begin:end],
                    at_columns[f, begin:end],
                    at_columns[g, begin:end],
                )
                linear = 0.0
                for t in range(row.size):
                    u = max(a[t], b[t]) if united else of_f * a[t] + of_g * b[t]
                    v = max(c[t], d[t]) if united else of_f * c[t] + of_g * d[t]
                    s = scores[t] + sign * (u * v - a[t] * c[t] - more * b[t] * d[t])
                    linear += linked[t] * s
                    row[t] = s
                total += weights[run] * (linear - _row_costs(row))
        likelihoods[m] = total


@cache
def _compiled() -> Any:
    return specialized(_after_merges, _row_costs=row_costs_of(CrossEntropy))


def after_merges(*given: Any) -> None:
    """``_after_merges``; the first call compiles it, or loads it from the cache."""
    with first_call_of(_compiled(), "compiling the merging of communities"):
        _compiled()(*given)

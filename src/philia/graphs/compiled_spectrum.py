"""The compiled product of a graph with a block of vectors, for the spectrum of large graphs.

This is a file of its own because it loads numba, which small graphs do without.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from philia._compilation import announced, compiled


@cache
def prepare(start: type, index: type) -> None:
    """Compile :func:`step` for a graph whose rows and columns are counted in these types, or find it in the cache."""
    with announced("compiling the product of graphs and vectors"):
        rows: tuple[Any, Any] = np.array([0, 1], start), np.array([0], index)
        block = np.zeros((1, 1), np.float32)
        for array in rows:
            array.flags.writeable = False  # as those of a graph are
        step(rows, np.ones(1, np.float32), block, block.copy(), (block[0], block[0], 0.0), (0, 1))


@compiled
def step(rows: Any, weights: Any, X: Any, into: Any, numbers: Any, span: Any) -> None:
    """Write (W A W X - X · centres) · scales - kept · into over ``into``, for the rows of a span.

    ``rows`` holds A in compressed rows (starts, neighbours), ``weights`` the diagonal of W, and ``numbers`` the scales
    and the centres, one for each column, and what is kept. A row needs only itself of what it overwrites, so rows may
    be done in any order.
    """
    starts, neighbours = rows
    scales, centres, kept = numbers[0], numbers[1], np.float32(numbers[2])
    k = X.shape[1]
    total = np.empty(k, np.float32)
    for i in range(span[0], span[1]):
        total[:] = 0
        entry, end = starts[i], starts[i + 1]
        while entry + 4 <= end:  # four at a time: the time goes into waiting for rows of X, and so it is shared
            a, b, d, e = neighbours[entry], neighbours[entry + 1], neighbours[entry + 2], neighbours[entry + 3]
            u, v, w, x = weights[a], weights[b], weights[d], weights[e]
            for c in range(k):
                total[c] += u * X[a, c] + v * X[b, c] + w * X[d, c] + x * X[e, c]
            entry += 4
        while entry < end:
            a = neighbours[entry]
            u = weights[a]
            for c in range(k):
                total[c] += u * X[a, c]
            entry += 1
        u = weights[i]
        for c in range(k):
            into[i, c] = (u * total[c] - X[i, c] * centres[c]) * scales[c] - kept * into[i, c]

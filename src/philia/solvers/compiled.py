"""The step of Adam in one pass over the entries: memory is what it waits for."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from philia._compilation import announced, compiled


@compiled
def move(
    x: Any, gradient: Any, first: Any, second: Any, decays: Any, known: Any, length: Any, keep: Any, lower: Any
) -> None:
    """Move the rows of x by their gradient, and take it into the running means of slopes and of their squares.

    ``decays`` are what is kept of both means, ``known`` the shares of them that are not the zero they began at. Entries
    stay above the share ``keep`` of their distance to ``lower``, and a billionth above it.
    """
    # Halved again and again an entry would be zero in single precision, where products have no slope, and the numbers
    # just above zero are slow to compute with: so it stays a billionth away from its bound.
    one, nearest, never_zero = x.dtype.type(1), x.dtype.type(1e-9), x.dtype.type(1e-8)
    first_decay, second_decay = decays[0], decays[1]
    shrink, grow = one / known[0], one / known[1]
    for i in range(x.shape[0]):
        for c in range(x.shape[1]):
            slope = gradient[i, c]
            mean = first_decay * first[i, c] + (one - first_decay) * slope
            square = second_decay * second[i, c] + (one - second_decay) * slope * slope
            first[i, c], second[i, c] = mean, square
            new = x[i, c] - length * mean * shrink / (np.sqrt(square * grow) + never_zero)
            floor = max(keep * x[i, c] + (one - keep) * lower[c], lower[c] + nearest)
            x[i, c] = max(new, floor)


@cache
def prepare() -> None:
    """Compile, or fetch from the cache, before the first block asks for it."""
    x, two, one = np.zeros((1, 1), np.float32), np.ones(2, np.float32), np.float32(1)
    with announced("compiling the steps of Adam"):
        move(x, x, x.copy(), x.copy(), two, two, one, one, x[0])

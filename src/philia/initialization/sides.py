"""From columns of any sign to nonnegative ones that a search can begin at."""

from __future__ import annotations

import numpy as np

from philia._types import Float64Array


def strongest_sides(X: Float64Array, count: int) -> Float64Array:
    """The columns cut at zero, and the ``count`` strongest of their sides (n × count), strongest first.

    With p and q the two sides of a column x = p - q, x xᵀ = p pᵀ + q qᵀ - (p qᵀ + q pᵀ): nodes on one side are like
    each other, and the sides are opposed to each other. The sides keep the first part only, which is nearly all if the
    columns are groups, each with one large side. Keeping both parts, as 2 p pᵀ + 2 q qᵀ - |x| |x|ᵀ, takes three
    columns for one, and is a worse place to begin when there is no room for them. Where sides run out, columns are
    zero.

    >>> strongest_sides(np.array([[1.0, 0.0], [-3.0, 0.0], [0.0, 2.0]]), 2)
    array([[0., 0.],
           [3., 0.],
           [0., 2.]])
    """
    sides = np.hstack([np.maximum(X, 0), np.maximum(-X, 0)])
    order = np.argsort(-(sides**2).sum(axis=0), kind="stable")[:count]
    found = np.zeros((len(X), count))
    found[:, : len(order)] = sides[:, order]
    return found

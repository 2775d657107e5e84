"""A map of communities: those that share members lie near each other."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from philia._types import Float64Array, Int64Array

_STEPS = 300


def shared_members(memberships: sparse.csc_array) -> Int64Array:
    """How many members each two communities have in common; on the diagonal, how many each has.

    >>> shared_members(sparse.csc_array(np.array([[1, 0], [1, 1]]))).tolist()
    [[2, 1], [1, 1]]
    """
    return np.asarray((memberships.T @ memberships).toarray(), dtype=np.int64)


def positions(shared: Int64Array) -> Float64Array:
    """A place in the unit square for each community (k × 2), from the numbers of shared members.

    The distance aimed at is √(1 - cosine) of the two sets: 0 if they have the same members, 1 if they share none. The
    sum of squared errors is lowered step by step (de Leeuw's majorization) from a circle, so there is no chance in it.

    >>> positions(np.array([[4, 2], [2, 4]])).round(3).tolist()
    [[1.0, 0.5], [0.0, 0.5]]
    """
    k = len(shared)
    sizes = np.maximum(shared.diagonal(), 1)
    aim = np.sqrt(np.clip(1 - shared / np.sqrt(np.outer(sizes, sizes)), 0, 1))
    np.fill_diagonal(aim, 0)
    place = _circle(aim)
    for _ in range(_STEPS):
        apart = np.linalg.norm(place[:, None] - place[None], axis=2)
        pull = -np.divide(aim, apart, out=np.zeros_like(aim), where=apart > 1e-12)
        np.fill_diagonal(pull, -pull.sum(axis=1))
        place = pull @ place / max(k, 1)
    return _into_unit_square(place)


def _circle(aim: Float64Array) -> Float64Array:
    """Places on a circle, in an order that puts near what is to be near: a walk to the nearest one not visited yet."""
    k = len(aim)
    order, left = [0], set(range(1, k))
    while left:
        order.append(min(left, key=lambda c: (aim[order[-1], c], c)))
        left.remove(order[-1])
    angle = np.empty(k)
    angle[order[:k]] = 2 * np.pi * np.arange(k) / max(k, 1)
    return np.column_stack([np.cos(angle), np.sin(angle)])


def _into_unit_square(place: Float64Array) -> Float64Array:
    """The same map, as large as fits, in the middle; one scale for both directions, as distances are what it shows."""
    if not len(place):
        return place
    low, high = place.min(axis=0), place.max(axis=0)
    size = float((high - low).max())
    return np.asarray((place - (low + high) / 2) / (size if size > 1e-9 else 1.0) + 0.5)

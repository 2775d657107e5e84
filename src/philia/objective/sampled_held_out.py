"""The pairs that a fit did not see: all of them, or a sample drawn without listing them."""

from __future__ import annotations

import numpy as np

from philia._types import Int64Array
from philia.objective.held_out import HeldOut

Pairs = tuple[Int64Array, Int64Array]
_DRAWS = 2**20


def all_held_out(held_out: HeldOut, n: int) -> Pairs:
    """The rows and columns of all held-out pairs of n nodes, each once with row < column.

    >>> from philia.objective import RandomPairs
    >>> len(all_held_out(RandomPairs(0.5, seed=1), n=4)[0])
    4
    """
    _, threshold = held_out.hashed(n)
    indptr, columns = held_out.listed()
    if threshold or not len(indptr):
        return held_out.pairs(n)
    rows = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))  # a list need not be looked for among all pairs
    once = rows < columns
    return rows[once], columns[once]


def sample_held_out(held_out: HeldOut, n: int, count: int, rng: np.random.Generator) -> Pairs:
    """At most ``count`` held-out pairs of n nodes, each set of that many being equally likely.

    Where there are plenty, pairs of nodes are drawn and kept if they are held out, so that nothing is ever listed.

    >>> from philia.objective import RandomPairs
    >>> half = RandomPairs(0.5, seed=1)
    >>> rows, columns = sample_held_out(half, n=5000, count=100, rng=np.random.default_rng(0))
    >>> len(rows), bool(half.contains(rows, columns).all())
    (100, True)
    """
    _, threshold = held_out.hashed(n)
    if 2 * count + 1000 < threshold / 2**32 * n * (n - 1) / 2:
        return _drawn(held_out, n, count, rng)
    rows, columns = all_held_out(held_out, n)
    kept = np.sort(rng.choice(len(rows), min(count, len(rows)), replace=False))
    return rows[kept], columns[kept]


def _drawn(held_out: HeldOut, n: int, count: int, rng: np.random.Generator) -> Pairs:
    found = np.empty(0, np.int64)
    while len(found) < count:
        drawn = rng.integers(n, size=(2, _DRAWS))
        rows, columns = drawn.min(axis=0), drawn.max(axis=0)
        kept = held_out.contains(rows, columns) & (rows < columns)
        found = np.concatenate([found, rows[kept] * n + columns[kept]])
        found = found[np.sort(np.unique(found, return_index=True)[1])]  # each once, in the order of the draws
    return found[:count] // n, found[:count] % n

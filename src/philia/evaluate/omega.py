"""The omega index: do two covers put each pair of nodes together equally often?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse

from philia._types import Int64Array
from philia.evaluate.covers import CoverLike, NodesLike, TwoCovers, side_by_side

_BLOCK = 2**22
"""Pairs of nodes that are looked at together."""

_DENSE = 100
"""How much faster a product of dense matrices is than one of sparse matrices, multiplication by multiplication."""


def omega_index(found: CoverLike, truth: CoverLike, nodes: NodesLike = None) -> float:
    """How far two covers agree about pairs of nodes beyond chance: 1 for full agreement, about 0 for none.

    Collins and Dent (1988): two covers agree about a pair if the same number of communities in each has both nodes.
    With o the share of all pairs that they agree about, and e the share expected if the counts of either were dealt to
    the pairs anew, the index is (o - e) / (1 - e). It is negative where covers agree less than by chance. For covers
    that put each node into one community it is the adjusted Rand index. Where chance alone gives full agreement
    (e = 1), and where there are fewer than two nodes, the covers do agree, and it is 1.

    >>> omega_index([{0, 1}, {2, 3}], [{2, 3}, {0, 1}])
    1.0
    >>> omega_index([{0, 1}, {2, 3}], [{0, 2}, {1, 3}])
    -0.5
    """
    return omega(side_by_side(found, truth, nodes))


def omega(covers: TwoCovers) -> float:
    """The same of covers that stand side by side; in whole numbers until the last division."""
    pairs = covers.n_nodes * (covers.n_nodes - 1) // 2
    found, truth, differ = _compare(covers)
    never = (pairs - sum(found)) * (pairs - sum(truth))
    expected = never + sum(a * b for a, b in zip(found, truth, strict=False))
    if expected == pairs * pairs:
        return 1.0
    return ((pairs - differ) * pairs - expected) / (pairs * pairs - expected)


def _compare(covers: TwoCovers) -> tuple[list[int], list[int], int]:
    """How many pairs are together once, twice, … in each cover, and about how many pairs the two differ."""
    memberships = [np.asarray(cover.sum(axis=1), np.int64) for cover in (covers.found, covers.truth)]
    counts = [-np.bincount(each, minlength=2) for each in memberships]  # a node with itself is no pair
    differ = -np.count_nonzero(memberships[0] != memberships[1])
    for found, truth in _blocks(covers):
        counts = [_added(counts[0], found), _added(counts[1], truth)]
        differ += _stored(found != truth).sum()
    once_or_more = [[int(count) // 2 for count in each[1:]] for each in counts]  # every pair was met in both orders
    return once_or_more[0], once_or_more[1], int(differ) // 2


def _added(counts: Int64Array, together: Any) -> Int64Array:
    more = np.bincount(_stored(together).astype(np.int64), minlength=len(counts))
    more[: len(counts)] += counts
    return more


def _stored(matrix: Any) -> Any:
    return matrix.data if sparse.issparse(matrix) else matrix.ravel()


def _blocks(covers: TwoCovers) -> Iterator[tuple[Any, Any]]:
    """In how many communities of each cover the nodes of a block are together with every node.

    As sparse matrices if few are together at all, else as dense ones.
    """
    sides = covers.found, covers.truth
    n = covers.found.shape[0]
    together = sum(side @ side.sum(axis=0) for side in sides)
    if _DENSE * together.sum() > n * n * sum(side.shape[1] for side in sides):
        found, truth = (side.toarray().astype(np.float32) for side in sides)
        together = np.full(n, 2 * n)
    else:
        found, truth = sides
    ends = np.flatnonzero(np.diff(np.cumsum(together) // _BLOCK)) + 1
    for top, bottom in zip([0, *ends], [*ends, n], strict=True):
        yield found[top:bottom] @ found.T, truth[top:bottom] @ truth.T

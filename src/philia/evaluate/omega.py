"""The omega index: do two covers put each pair of nodes together equally often?"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
from scipy import sparse

from philia._types import Float64Array, Int64Array
from philia.evaluate.covers import CoverLike, NodesLike, TwoCovers, side_by_side

_BLOCK = 2**22
"""Pairs of rows that are looked at together."""

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
    sides, alike = _distinct((covers.found, covers.truth))
    memberships = [np.asarray(side.sum(axis=1), np.int64) for side in sides]
    counts = [-_tally(each, alike, 2) for each in memberships]  # a node with itself is no pair
    differ = -float(alike[memberships[0] != memberships[1]].sum())
    for rows, found, truth in _blocks(sides):
        counts = [_added(counts[0], found, alike, rows), _added(counts[1], truth, alike, rows)]
        other = found != truth
        differ += float(_stored(other) @ _pairs(other, alike, rows))
    once_or_more = [[int(count) // 2 for count in each[1:]] for each in counts]  # every pair was met in both orders
    return once_or_more[0], once_or_more[1], int(differ) // 2


Sides = tuple[sparse.csr_array, sparse.csr_array]


def _distinct(sides: Sides) -> tuple[Sides, Float64Array]:
    """One row for all nodes that are in the same communities, and how many nodes it stands for.

    Pairs of such rows take the place of pairs of nodes. Numbers of pairs below 2⁵³ are whole as floats, too.
    """
    both = sparse.csr_array(sparse.hstack(sides))
    both.sort_indices()
    place, rows, alike = dict[bytes, int](), list[int](), list[int]()
    for row, (start, end) in enumerate(pairwise(both.indptr.tolist())):
        at = place.setdefault(both.indices[start:end].tobytes(), len(rows))
        if at == len(rows):
            rows.append(row)
            alike.append(0)
        alike[at] += 1
    return (sides[0][rows], sides[1][rows]), np.array(alike, dtype=np.float64)


def _added(counts: Float64Array, together: Any, alike: Float64Array, rows: slice) -> Float64Array:
    more = _tally(_stored(together).astype(np.int64), _pairs(together, alike, rows), len(counts))
    more[: len(counts)] += counts
    return more


def _tally(values: Int64Array, stand_for: Float64Array, least: int) -> Float64Array:
    return np.bincount(values, stand_for, minlength=least).astype(np.float64)  # without values it gives integers


def _pairs(matrix: Any, alike: Float64Array, rows: slice) -> Float64Array:
    """How many pairs of nodes each stored entry of a block of rows stands for."""
    if sparse.issparse(matrix):
        return np.asarray(np.repeat(alike[rows], np.diff(matrix.indptr)) * alike[matrix.indices])
    return np.outer(alike[rows], alike).ravel()


def _stored(matrix: Any) -> Any:
    return matrix.data if sparse.issparse(matrix) else matrix.ravel()


def _blocks(sides: Sides) -> Iterator[tuple[slice, Any, Any]]:
    """In how many communities of each cover the rows of a block are together with every row.

    As sparse matrices if few are together at all, else as dense ones.
    """
    n = sides[0].shape[0]
    together = sum(side @ side.sum(axis=0) for side in sides)
    if _DENSE * together.sum() > n * n * sum(side.shape[1] for side in sides):
        found, truth = (side.toarray().astype(np.float32) for side in sides)
        together = np.full(n, 2 * n)
    else:
        found, truth = sides
    ends = np.flatnonzero(np.diff(np.cumsum(together) // _BLOCK)) + 1
    for top, bottom in zip([0, *ends], [*ends, n], strict=True):
        yield slice(top, bottom), found[top:bottom] @ found.T, truth[top:bottom] @ truth.T

"""The paper's theorem by arboricity, with the count that its proof gives: (2p + 1)² columns.

Direct the links so that no node receives more than p; p can be the pseudoarboricity, which is the arboricity or one
less. Node v stands at the integer x_v, and f_v(t) = ∏ (t - x_q)² over the q that point to v: zero there, and at least 1
at every other node. So 1 - 2 f_u(x_v) f_v(x_u) is 1 on links and at most -1 elsewhere, the diagonal included.

With X the powers 0, …, 2p of the points and Y the coefficients, f_v(x_u) f_u(x_v) is the sum over k and m of (xₖ ∘
yₘ)(yₖ ∘ xₘ)ᵀ: (2p + 1)² columns, and one more for the 1. (The paper says 4a² + 1, but a polynomial of degree 2a has 2a
+ 1 coefficients.) If every node receives exactly p links, some of them from points beyond the graph, all polynomials
have the leading coefficient 1; then the column of ones is among the others and no extra column is needed. As points are
positive, all coefficients of one power have the same sign, which makes communities possible.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import ClassVar

import numpy as np
from scipy import sparse

from philia._types import Int64Array
from philia.exact.products import IntegerCommunities, IntegerLogistic, paired_communities
from philia.exact.representation import (
    Construction,
    Integers,
    Representation,
    Theorem,
    Verdict,
    check_integers,
    check_starts,
)
from philia.exceptions import InvalidParameterError
from philia.graphs import Graph, Orientation, pseudoarboricity

_MOST_POINTS = 1 << 31
"""No graph has this many nodes, so no root is this large."""


@dataclass(frozen=True, eq=False)
class OrientedSquares:
    """A squared polynomial for each node, zero at the nodes that point to it; node v stands at v + 1.

    ``starts`` has the first position of each node's ``roots``. Roots are points; those beyond the last node pad.

    >>> pair = OrientedSquares(np.array([0, 1, 2]), np.array([3, 1]), "given")
    >>> [pair.score(0, v) for v in range(2)], pair.community_columns
    ([-31, 1], 9)
    """

    starts: Int64Array
    roots: Int64Array
    construction: str
    how_signs_are_decided: ClassVar[str] = (
        "structural: a score is 1 if one of the two nodes is a root of the other, else it is negative"
    )

    def __post_init__(self) -> None:
        check_integers(starts=self.starts, roots=self.roots)
        if self.roots.ndim != 1 or self.roots.dtype == object:
            raise InvalidParameterError(
                f"the roots must be a list of 64-bit integers; found {self.roots.dtype} of shape {self.roots.shape}"
            )
        check_starts(self.starts, self.roots.size)
        if self.roots.size and not 0 < int(self.roots.min()) <= int(self.roots.max()) < _MOST_POINTS:
            raise InvalidParameterError(f"roots are points, integers from 1 to {_MOST_POINTS - 1:,}; found others")

    @property
    def n_nodes(self) -> int:
        """The number of nodes."""
        return int(self.starts.size - 1)

    @property
    def most(self) -> int:
        """p, the largest number of roots of a node."""
        return int(np.diff(self.starts).max(initial=0))

    @property
    def is_full(self) -> bool:
        """Whether all nodes have the same number of roots."""
        return bool((np.diff(self.starts) == self.most).all())

    @property
    def community_columns(self) -> int | None:
        """The number of columns of the nonnegative form; None unless all nodes have the same number of roots."""
        return self.logistic_columns if self.is_full else None

    @property
    def logistic_columns(self) -> int:
        """The number of columns on each side of the logistic form."""
        return (2 * self.most + 1) ** 2 + (0 if self.is_full else 1)

    @property
    def bits(self) -> int:
        """An upper bound on the length of the integers that a score is the sum of."""
        span = self.n_nodes + int(self.roots.max(initial=0))
        return 4 * self.most * span.bit_length() + 2

    def score(self, u: int, v: int) -> int:
        """The score of one pair as one integer."""
        return 1 - 2 * self._value(u, v) * self._value(v, u)

    def verdicts(self, wanted: sparse.csr_array) -> Iterator[Verdict]:
        """Whether scores are positive exactly where asked: on the pairs of which one is a root of the other."""
        differ = sparse.coo_array((self._joined > 0) != (wanted != 0))
        wrong = min(zip(*(ends.tolist() for ends in differ.coords), strict=True), default=None)
        if wrong is None:
            yield Verdict(self.n_nodes)
        else:
            yield Verdict(self.n_nodes, wrong=(*wrong, 1 if self._joined[wrong] else -1))

    def logistic(self) -> IntegerLogistic:
        """Scores, or twice the scores, as X Yᵀ.

        >>> pair = OrientedSquares(np.array([0, 1, 2]), np.array([3, 1]), "given")
        >>> pair.logistic().scores(np.arange(2)).tolist()
        [[-62, 2], [2, -2]]
        """
        Z, size = self._products(), 2 * self.most + 1
        left = [Z[k][m] for k in range(size) for m in range(size)]
        right = [-4 * Z[m][k] for k in range(size) for m in range(size)]
        ones = np.ones(self.n_nodes, dtype=object)
        if self.is_full:  # the constant goes into the column of ones
            right[size - 1] = right[size - 1] + 2 * ones
        else:
            left, right = [*left, ones], [*right, 2 * ones]
        return IntegerLogistic(np.stack(left, axis=1), np.stack(right, axis=1), self.construction)

    def communities(self) -> IntegerCommunities:
        """Scores, times a power of two, as V diag(W) Vᵀ with nonnegative integers V.

        >>> OrientedSquares(np.array([0, 1, 2]), np.array([3, 1]), "given").communities().memberships.shape
        (2, 9)
        """
        if not self.is_full:
            raise InvalidParameterError("communities need the same number of roots for all nodes; use by_arboricity")
        Z, size = self._products(), 2 * self.most + 1
        ones = np.ones(self.n_nodes, dtype=object)
        if size == 1:
            return paired_communities([], [(ones, -1)], self.construction)
        pairs = [(abs(Z[k][m]), -4 * (-1) ** (k + m) * abs(Z[m][k])) for k in range(size) for m in range(k + 1, size)]
        pairs[size - 2] = ones, pairs[size - 2][1] + ones  # Z[0][2p] is the column of ones
        return paired_communities(pairs, [(abs(Z[k][k]), -4) for k in range(size)], self.construction)

    def arrays(self) -> Mapping[str, Integers]:
        """All of its numbers, for a file."""
        return {"starts": self.starts, "roots": self.roots}

    def _value(self, v: int, u: int) -> int:
        """f_v at the point of u."""
        return prod((u + 1 - root) ** 2 for root in self.roots[self.starts[v] : self.starts[v + 1]].tolist())

    def _products(self) -> list[list[Integers]]:
        """At [k][m] the powers k of the points times the coefficients m."""
        size = 2 * self.most + 1
        Y = np.zeros((self.n_nodes, size), dtype=object)
        for v in range(self.n_nodes):
            row = [1]
            for root in np.repeat(self.roots[self.starts[v] : self.starts[v + 1]], 2).tolist():
                row = [low - root * same for low, same in zip([0, *row], [*row, 0], strict=True)]
            Y[v, : len(row)] = row
        points = np.arange(1, self.n_nodes + 1).astype(object)
        return [[points**k * Y[:, m] for m in range(size)] for k in range(size)]

    @cached_property
    def _joined(self) -> sparse.csr_array:
        owners = np.repeat(np.arange(self.n_nodes), np.diff(self.starts))
        inside = self.roots <= self.n_nodes
        ends = owners[inside], self.roots[inside] - 1
        received = sparse.coo_array((np.ones(ends[0].size, np.int64), ends), shape=(self.n_nodes, self.n_nodes))
        return (received + received.T).tocsr()


def by_arboricity(graph: Graph, orientation: Orientation | None = None) -> OrientedSquares:
    """Squared polynomials from directed links, padded: (2p + 1)² columns if no node receives more than p links.

    >>> from philia import as_graph
    >>> by_arboricity(as_graph([("ann", "bob"), ("bob", "cat"), ("cat", "dan")])).community_columns
    9
    """
    unpadded = by_arboricity_as_printed(graph, orientation)
    counts = np.diff(unpadded.starts)
    most = unpadded.most
    missing = most - counts
    owners = np.repeat(np.arange(graph.n_nodes), missing)
    fill = graph.n_nodes + 1 + np.arange(owners.size) - np.repeat(np.cumsum(missing) - missing, missing)
    roots = np.insert(unpadded.roots, np.repeat(unpadded.starts[1:], missing), fill)
    return OrientedSquares(most * np.arange(graph.n_nodes + 1), roots, ARBORICITY.name)


def by_arboricity_as_printed(graph: Graph, orientation: Orientation | None = None) -> OrientedSquares:
    """The construction in the paper's proof, without padding: (2p + 1)² + 1 columns.

    >>> from philia import as_graph
    >>> by_arboricity_as_printed(as_graph([("ann", "bob"), ("bob", "cat"), ("cat", "dan")])).logistic_columns
    10
    """
    directed = pseudoarboricity(graph).upper if orientation is None else orientation
    sorting = np.lexsort((directed.tails, directed.heads))
    counts = np.bincount(directed.heads, minlength=graph.n_nodes)
    starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    return OrientedSquares(starts, directed.tails[sorting] + 1, ARBORICITY_AS_PRINTED.name)


def _is_squares(found: Representation) -> bool:
    return isinstance(found, OrientedSquares)


def _is_full_squares(found: Representation) -> bool:
    return isinstance(found, OrientedSquares) and found.is_full


ARBORICITY = Construction(
    "arboricity",
    Theorem(
        "at most (2p + 1)² columns; p is the pseudoarboricity (the paper's theorem, its count corrected)",
        lambda graph, _: (2 * pseudoarboricity(graph).value + 1) ** 2,
        _is_full_squares,
    ),
    lambda graph, _: [by_arboricity(graph)],
    "(2p + 1)² columns, p the pseudoarboricity",
)

ARBORICITY_AS_PRINTED = Construction(
    "arboricity as printed",
    Theorem(
        "at most (2p + 1)² + 1 columns; p is the pseudoarboricity (the paper's proof, its count corrected)",
        lambda graph, _: (2 * pseudoarboricity(graph).value + 1) ** 2 + 1,
        _is_squares,
    ),
    lambda graph, _: [by_arboricity_as_printed(graph)],
)

"""The wrong terms of polynomials, found without looking at all pairs: all that a proof or a choice of weights needs.

A score has two terms, f_v at the point of u and f_u at the point of v. Let W_v be the nodes at which f_v has the wrong
sign, v itself included. A score is certainly right if u is not in W_v and v is not in W_u. So all scores are right if
and only if, for every v and every u in W_v, v is not in W_u, and the term of u, with its weight, is the larger one.

All W_v are found by walking along the line: f_v is positive between some of its roots, every node there is a link of v
or in W_v, and the links of v that are not met are in W_v too. This takes time in proportion to links, roots and wrong
terms; comparing terms takes as many factors as their polynomials have roots.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from philia._types import Int64Array
from philia.exact.representation import Int8Array, Integers, require_hours

Polynomials = tuple[Int64Array, Int64Array, Int64Array, Int8Array]
"""Points, starts, roots and leading signs, with nodes in the order of their points."""

_TERMS = 1 << 20
"""Wrong terms in a block, or a single node's: some temporary arrays of 8 MB."""

_PAIRS = 1 << 26
"""Pairs that counting may look at before it can be interrupted; nearly always it looks at far fewer."""

_FACTORS_PER_HOUR = 1 << 41
"""Factors of wrong terms that a processor compares in an hour, roughly."""


@dataclass(frozen=True, eq=False)
class WrongTerms:
    """Listed terms with the wrong sign: f_v at u for ``owners`` v and ``nodes`` u, as positions on a line.

    ``wanted`` has the sign that the score should have, and ``others`` the sign of f_u at v, the other term.
    """

    owners: Int64Array
    nodes: Int64Array
    wanted: Int8Array
    others: Int8Array


@dataclass(frozen=True, eq=False)
class Line:
    """A graph and polynomials along the line of their points: position p is the node ``order[p]``.

    ``rows`` is the graph in compressed rows; it has an entry on the diagonal where a node counts as linked with itself.
    """

    order: Int64Array
    rows: tuple[Int64Array, Int64Array]
    polynomials: Polynomials

    @classmethod
    def of(
        cls, wanted: sparse.csr_array, points: Integers, starts: Int64Array, roots: Integers, leading: Int8Array
    ) -> Line:
        """The line of polynomials that are given in the order of the graph's rows; only the order of numbers counts."""
        from philia.exact.compiled import along, prepare_elimination

        prepare_elimination()
        if points.dtype == object:  # long numbers are replaced by their ranks
            ranked = np.unique(np.concatenate([points, roots]))
            points, roots = np.searchsorted(ranked, points), np.searchsorted(ranked, roots)
        order = np.argsort(points, kind="stable")
        rows = along(wanted.indptr.astype(np.int64), wanted.indices.astype(np.int64), order)
        ends, entries = runs(starts, order)
        polynomials = points[order].astype(np.int64), ends, roots[entries].astype(np.int64), leading[order]
        return cls(order, rows, (*polynomials[:3], polynomials[3].astype(np.int8)))

    def counts(self) -> Int64Array:
        """The number of wrong terms of each polynomial, by position; an error if it would take days to compare them."""
        from philia.exact.compiled import prepare_signs, wrong_counts

        prepare_signs()
        n, starts = self.order.size, self.polynomials[1]
        step = max(1, _PAIRS // max(n, 1))
        parts = [wrong_counts(top, min(top + step, n), self.rows, self.polynomials) for top in range(0, n, step)]
        counts = np.concatenate([np.empty(0, np.int64), *parts])
        factors = 2 * int(counts.sum()) * int(np.diff(starts).max(initial=0))
        wrong = f"{int(counts.sum()):,} terms have the wrong sign on this line; comparing {factors:,} of their factors"
        require_hours(factors / _FACTORS_PER_HOUR, wrong)
        return counts

    def blocks(self) -> Iterator[tuple[int, int, int]]:
        """The first position, the end and the number of wrong terms of consecutive blocks, which cover all nodes."""
        totals = np.concatenate([[0], np.cumsum(self.counts())])
        first, n = 0, self.order.size
        while first < n:
            last = int(np.searchsorted(totals, totals[first] + _TERMS, side="right")) - 1
            last = min(max(last, first + 1), n)
            yield first, last, int(totals[last] - totals[first])
            first = last

    def terms(self, first: int, last: int, total: int) -> WrongTerms:
        """The wrong terms of a block."""
        from philia.exact.compiled import wrong_terms

        return WrongTerms(*wrong_terms(first, last, total, self.rows, self.polynomials))


def runs(starts: Int64Array, order: Int64Array) -> tuple[Int64Array, Int64Array]:
    """New starts, and the entries to pick, for runs of entries in another order.

    >>> ends, entries = runs(np.array([0, 2, 3]), np.array([1, 0]))
    >>> ends.tolist(), entries.tolist()
    ([0, 1, 3], [2, 0, 1])
    """
    counts = np.diff(starts)[order]
    ends = np.concatenate([[0], np.cumsum(counts)])
    return ends, np.repeat(starts[:-1][order] - ends[:-1], counts) + np.arange(ends[-1])

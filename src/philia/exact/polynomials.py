"""One polynomial per node, with integer roots, whose signs at the other nodes are the graph.

Every node v stands at an integer x_v and has

    f_v(t) = s_v ∏ (t - r)   over its roots r,        score(u, v) = 2^e_v f_v(x_u) + 2^e_u f_u(x_v).

**Columns.** With d the largest number of roots, X the powers 0, …, d of the points x and Y the coefficients times 2^e,
the scores are X Yᵀ + Y Xᵀ: rank 2 (d + 1), and one less if all constant terms are equal, because the power 0 then adds
the same number to every score, which takes one column. Points are positive and so are their powers, which is what makes
nonnegative communities possible. The columns hold numbers of thousands of digits. No sign needs them, so points, roots
and exponents are all that is stored; ``communities`` and ``logistic`` write the columns out.

**Signs.** The sign of f_v(x_u) is s_v, flipped once for every root to the right of x_u. Where both terms of a score
have the same sign, that is the sign of the score. Where they differ, the larger term decides. Its logarithm is a sum of
k logarithms of integers, each known to two units from below (:mod:`philia.exact.logarithms`), so it lies in an interval
of 2k units; if the intervals of the two terms are disjoint, the larger term is known. Otherwise both are computed in
full.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import prod
from threading import Lock
from typing import ClassVar

import numpy as np

from philia._types import Int64Array
from philia.exact.logarithms import SLACK, UNIT, logarithm_table, logarithms, long_logarithms
from philia.exact.products import IntegerCommunities, IntegerLogistic, paired_communities
from philia.exact.representation import Int8Array, Integers, Representation, Signs, check_integers, check_starts
from philia.exceptions import InvalidParameterError
from philia.storage import require_memory

_LARGEST_EXPONENT = 1 << 36
"""In units of a logarithm, 2⁻²⁴ bits, an exponent below this still fits into 64 bits."""

_LONGEST_VALUE = 1 << 24
"""The longest value of a polynomial, in bits: a product of this length takes Python some seconds."""

_SHORT = 1 << 24
"""Points and roots below this are short: a table has the logarithms of all their differences, in 256 MB at most."""

_ONE_AT_A_TIME = Lock()


@dataclass(frozen=True, eq=False)
class SignPolynomials:
    """A polynomial for each node: ``points`` x, ``roots`` from ``starts[v]`` on, ``leading`` signs s, ``exponents`` e.

    Points are positive and distinct, and no root is a point. The roots of a node are sorted. All numbers are integers;
    points and roots may be of any length (dtype object). ``construction`` names what made them, for the certificate.

    >>> pair = SignPolynomials(*map(np.array, ([2, 4], [0, 1, 2], [3, 3], [1, -1], [0, 0])))
    >>> pair.signs(np.arange(2)).values.tolist()
    [[-1, 1], [1, -1]]
    >>> pair.community_columns, pair.logistic_columns
    (4, 4)
    """

    points: Integers
    starts: Int64Array
    roots: Integers
    leading: Int8Array
    exponents: Int64Array
    construction: str = "given"
    how_signs_are_decided: ClassVar[str] = (
        "structural: for every pair, the sign of each of the two terms by counting roots, and where they differ "
        "the larger one by logarithms enclosed in whole numbers, or by the numbers themselves"
    )

    def __post_init__(self) -> None:
        _check(self)

    @property
    def n_nodes(self) -> int:
        """The number of nodes."""
        return int(self.points.size)

    @property
    def degree(self) -> int:
        """The largest degree of a polynomial."""
        return int(np.diff(self.starts).max(initial=0))

    @property
    def community_columns(self) -> int:
        """The number of columns of the nonnegative form, two per power, but one for equal constant terms."""
        return 2 * self.degree + (1 if self.equal_constant_terms else 2)

    @property
    def logistic_columns(self) -> int:
        """The number of columns on each side of the logistic form."""
        return self.community_columns

    @cached_property
    def equal_constant_terms(self) -> bool:
        """Whether all polynomials, with their weights, have the same constant term."""
        terms = map(self._constant_term, range(self.n_nodes))
        first = next(terms, None)
        return all(term == first for term in terms)

    @cached_property
    def bits(self) -> int:
        """An upper bound: with x the largest point, |2^e f| and each of its terms are at most 2^e ∏ (x + |r|)."""
        span = int(abs(self.points).max(initial=0))
        unique, where = np.unique(self.roots, return_inverse=True)
        sizes = long_logarithms(span + abs(int(root)) for root in unique) + SLACK
        totals = np.concatenate([[0], np.cumsum(sizes[where])])[self.starts]
        whole = -(-np.diff(totals) // UNIT) + self.exponents - self.exponents.min(initial=0)
        return int(whole.max(initial=0)) + 1

    @property
    def is_short(self) -> bool:
        """Whether all points and roots are 64-bit integers, as in all constructions but Theorem A."""
        return bool(self.points.dtype != object and self.roots.dtype != object)

    def roots_of(self, v: int) -> list[int]:
        """The roots of one node's polynomial as Python integers."""
        found: list[int] = self.roots[self.starts[v] : self.starts[v + 1]].tolist()
        return found

    def value(self, v: int, u: int) -> int:
        """f_v(x_u) as one integer."""
        at = int(self.points[u])
        return int(self.leading[v]) * prod(at - root for root in self.roots_of(v))

    def score(self, u: int, v: int) -> int:
        """The score of one pair as one integer, up to a power of two: slow, and plainly right."""
        e_u, e_v = int(self.exponents[u]), int(self.exponents[v])
        least = min(e_u, e_v)
        return (self.value(v, u) << e_v - least) + (self.value(u, v) << e_u - least)

    def signs(self, rows: Int64Array) -> Signs:
        """The signs of the scores of some rows with all nodes, and the least margin by which a larger term won.

        >>> pair = SignPolynomials(*map(np.array, ([2, 4], [0, 1, 2], [3, 3], [1, 1], [5, 0])))
        >>> decided = pair.signs(np.arange(2))
        >>> decided.values.tolist(), round(decided.margin, 3)
        ([[-1, 1], [1, 1]], 5.0)
        """
        theirs, own = self.term_signs(rows)
        values = theirs.copy()
        i, v = np.nonzero(theirs != own)
        if not i.size:
            return Signs(values)
        u, v = rows[i], np.ascontiguousarray(v)
        low_theirs, low_own = self._sizes(v, u), self._sizes(u, v)
        counts = np.diff(self.starts)
        above = low_theirs - (low_own + SLACK * counts[u])  # at least this many units is their term the larger
        below = low_own - (low_theirs + SLACK * counts[v])
        values[i, v] = np.where(above > 0, theirs[i, v], own[i, v])
        gap = np.maximum(above, below)
        for t in np.flatnonzero(gap <= 0):
            values[i[t], v[t]] = np.sign(self.score(int(u[t]), int(v[t])))
        return Signs(values, max(0.0, float(gap.min()) / UNIT))

    def term_signs(self, rows: Int64Array) -> tuple[Int8Array, Int8Array]:
        """The signs of f_v(x_u) and of f_u(x_v) for u in the rows and every v."""
        from philia.exact.compiled import prepare_signs, term_signs

        prepare_signs()
        points, roots = self._ranks
        theirs, own = term_signs(rows, points, self.starts, roots, self.leading.astype(np.int8))
        return theirs, own

    def powers(self) -> Integers:
        """X: the powers 0, …, degree of each node's point, one row per node."""
        points = self.points.astype(object)
        X = np.empty((points.size, self.degree + 1), dtype=object)
        X[:, 0] = 1
        for k in range(self.degree):
            X[:, k + 1] = X[:, k] * points
        return X

    def coefficients(self) -> Integers:
        """Y: the coefficients of each node's polynomial times its weight, lowest power first; one row per node."""
        Y = np.zeros((self.n_nodes, self.degree + 1), dtype=object)
        least = int(self.exponents.min(initial=0))
        for v in range(self.n_nodes):
            row = [int(self.leading[v]) << int(self.exponents[v]) - least]
            for root in self.roots_of(v):
                row = [low - root * same for low, same in zip([0, *row], [*row, 0], strict=True)]
            Y[v, : len(row)] = row
        return Y

    def logistic(self) -> IntegerLogistic:
        """The scores as X Yᵀ, written out: two columns per power, but one for equal constant terms.

        >>> pair = SignPolynomials(*map(np.array, ([2, 4], [0, 1, 2], [3, 3], [1, -1], [0, 0])))
        >>> pair.logistic().scores(np.arange(2)).tolist()
        [[-2, 2], [2, -2]]
        """
        X, Y = self.powers(), self.coefficients()
        if self.equal_constant_terms:
            constant = X[:, :1]
            X, Y, twice = X[:, 1:], Y[:, 1:], 2 * Y[:, :1]
        else:
            constant = twice = np.empty((len(X), 0), dtype=object)
        left, right = np.hstack([constant, X, Y]), np.hstack([twice, Y, X])
        return IntegerLogistic(left, right, self.construction)

    def communities(self) -> IntegerCommunities:
        """The scores, times a power of two, as V diag(W) Vᵀ with nonnegative integers V, written out.

        >>> pair = SignPolynomials(*map(np.array, ([2, 4], [0, 1, 2], [3, 3], [1, -1], [0, 0])))
        >>> pair.communities().memberships.tolist()
        [[1, 7, 3, 1], [7, 1, 3, 5]]
        """
        X, Y = self.powers(), self.coefficients()
        pairs = [(X[:, k], Y[:, k]) for k in range(self.degree + 1)]
        if not self.equal_constant_terms:
            return paired_communities(pairs, [], self.construction)
        everybody, constants = pairs[0]
        return paired_communities(pairs[1:], [(everybody, 2 * int(constants[0]))], self.construction)

    def arrays(self) -> Mapping[str, Integers]:
        """All of its numbers, for a file."""
        return {name: getattr(self, name) for name in ("points", "starts", "roots", "leading", "exponents")}

    @cached_property
    def _ranks(self) -> tuple[Int64Array, Int64Array]:
        """Points and roots by their ranks among all of them: the same order, in short numbers."""
        if self.is_short:
            return self.points, self.roots
        line = np.unique(np.concatenate([self.points, self.roots]))
        return np.searchsorted(line, self.points), np.searchsorted(line, self.roots)

    def _sizes(self, v: Int64Array, u: Int64Array) -> Int64Array:
        """The logarithms of 2^e_v |f_v(x_u)| for listed pairs, in units, from below."""
        if self.is_short:
            from philia.exact.compiled import sizes_at

            largest = int(abs(self.points).max()) + int(abs(self.roots).max(initial=0)) + 1
            if self.points.size * self.roots.size < largest:  # few polynomials far out: a table would take longer
                sizes = self._sizes_without_table(v, u)
            else:
                sizes = sizes_at(v, u, self.points, self.starts, self.roots, logarithm_table(largest))
        else:
            with _ONE_AT_A_TIME:  # the first thread fills the cache for all others
                sizes = self._long_sizes[u, v]
        return np.asarray(sizes + UNIT * self.exponents[v].astype(np.int64))

    def _sizes_without_table(self, v: Int64Array, u: Int64Array) -> Int64Array:
        """The logarithms of |f_v(x_u)| for listed pairs, in units, from below, difference by difference."""
        points, roots = self.points.astype(np.int64), self.roots.astype(np.int64)
        counts = np.diff(self.starts)[v]
        ends = np.concatenate([[0], np.cumsum(counts)])
        entries = np.arange(ends[-1]) + np.repeat(self.starts[v] - ends[:-1], counts)
        found = logarithms(abs(np.repeat(points[u], counts) - roots[entries]))
        return np.asarray(np.diff(np.concatenate([[0], np.cumsum(found)])[ends]))

    @cached_property
    def _long_sizes(self) -> Int64Array:
        """The logarithms of |f_v(x_u)| at [u, v], in units: with long numbers each difference is computed only once."""
        n = self.n_nodes
        require_memory(8 * n * n, f"the table of the sizes of {n:,} polynomials with long roots")
        line, where = np.unique(self.roots, return_inverse=True)
        sizes = np.empty((n, n), dtype=np.int64)
        for u, at in enumerate(self.points):
            differences = long_logarithms(abs(line - at))
            sizes[u] = np.diff(np.concatenate([[0], np.cumsum(differences[where])])[self.starts])
        return sizes

    def _constant_term(self, v: int) -> tuple[int, int]:
        """The constant term of a node's polynomial with its weight, as an odd number and an exponent of two."""
        term = int(self.leading[v]) * prod(-root for root in self.roots_of(v))
        zeros = (term & -term).bit_length() - 1
        return (term >> zeros, zeros + int(self.exponents[v])) if term else (0, 0)


@dataclass(frozen=True, eq=False)
class OneSidedPolynomials:
    """Scores f_v(x_u), for polynomials that have the right sign at every node: X Yᵀ with degree + 1 columns.

    One term per score instead of two takes half of the columns. But the scores of (u, v) and (v, u) are then different
    numbers of the same sign, so there is no form in communities; the polynomials themselves, with both terms, have one.

    >>> pair = SignPolynomials(*map(np.array, ([2, 4], [0, 1, 2], [3, 3], [1, -1], [0, 0])))
    >>> OneSidedPolynomials(pair).logistic_columns
    2
    """

    polynomials: SignPolynomials
    community_columns: ClassVar[None] = None
    how_signs_are_decided: ClassVar[str] = "structural: for every pair, the sign of the polynomial by counting roots"

    @property
    def construction(self) -> str:
        """The name of the construction that made it."""
        return f"{self.polynomials.construction}{ONE_SIDED}"

    @property
    def n_nodes(self) -> int:
        """The number of nodes."""
        return self.polynomials.n_nodes

    @property
    def logistic_columns(self) -> int:
        """The number of columns on each side of the logistic form."""
        return self.polynomials.degree + 1

    @property
    def bits(self) -> int:
        """An upper bound on the length of the integers."""
        return self.polynomials.bits

    def signs(self, rows: Int64Array) -> Signs:
        """The signs of the scores of some rows with all nodes."""
        return Signs(self.polynomials.term_signs(rows)[0])

    def logistic(self) -> IntegerLogistic:
        """The powers of the points and the coefficients, written out.

        >>> pair = SignPolynomials(*map(np.array, ([2, 4], [0, 1, 2], [3, 3], [1, -1], [0, 0])))
        >>> OneSidedPolynomials(pair).logistic().left.tolist()
        [[1, 2], [1, 4]]
        """
        return IntegerLogistic(self.polynomials.powers(), self.polynomials.coefficients(), self.construction)

    def arrays(self) -> Mapping[str, Integers]:
        """All of its numbers, for a file."""
        return self.polynomials.arrays()


ONE_SIDED = ", one-sided"
"""What distinguishes the name of a one-sided construction from that of its polynomials."""


def is_polynomials(found: Representation) -> bool:
    """Whether a representation has the form of the theorems about polynomials with both terms."""
    return isinstance(found, SignPolynomials)


def communities(polynomials: SignPolynomials) -> IntegerCommunities:
    """The nonnegative columns of polynomials, written out; the same as ``polynomials.communities()``.

    >>> pair = SignPolynomials(*map(np.array, ([2, 4], [0, 1, 2], [3, 3], [1, -1], [0, 0])))
    >>> written = communities(pair)
    >>> written.memberships.tolist(), written.weights.tolist()
    ([[1, 7, 3, 1], [7, 1, 3, 5]], [1, -1, 4, -4])
    """
    return polynomials.communities()


def logistic(polynomials: SignPolynomials) -> IntegerLogistic:
    """The logistic columns of polynomials, written out; the same as ``polynomials.logistic()``.

    >>> pair = SignPolynomials(*map(np.array, ([2, 4], [0, 1, 2], [3, 3], [1, -1], [0, 0])))
    >>> logistic(pair).scores(np.arange(2)).tolist()
    [[-2, 2], [2, -2]]
    """
    return polynomials.logistic()


def even_points(n: int) -> Int64Array:
    """2, 4, …, 2n: points that leave an odd number for a root between any two."""
    return 2 * np.arange(n, dtype=np.int64) + 2


def roots_around(points: Integers, nodes: Int64Array) -> Int64Array:
    """A root on either side of the point of each listed node; sorted if the points are."""
    return np.asarray((points[nodes][:, None] + np.array([-1, 1])).ravel(), dtype=np.int64)


def winning_exponents(
    rows: tuple[Int64Array, Int64Array],
    polynomials: tuple[Int64Array, Int64Array, Int64Array, Int8Array],
    removal: Int64Array,
) -> Int64Array:
    """Exponents with which each node's term outweighs the wrong terms of all nodes that are removed later.

    ``rows`` is the graph in compressed rows, and ``polynomials`` are points, starts, roots and leading signs.
    """
    from philia.exact.compiled import dominating_exponents, prepare_construction

    prepare_construction()
    points, _, roots, _ = polynomials
    table = logarithm_table(int(points.max(initial=2)) + int(roots.max(initial=0)) + 1)
    exponents: Int64Array = dominating_exponents(removal, rows, polynomials, table)
    return exponents


def _check(found: SignPolynomials) -> None:
    """Refuse what is not a family of polynomials: it may come from a file that somebody changed."""
    check_integers(**found.arrays())
    n, starts, roots = found.points.size, found.starts, found.roots
    if any(part.ndim != 1 for part in found.arrays().values()):
        raise InvalidParameterError("points, starts, roots, leading signs and exponents must be lists of numbers")
    if object in (found.leading.dtype, found.exponents.dtype):
        raise InvalidParameterError("leading signs and exponents must be 64-bit integers; found Python integers")
    if (found.points.dtype == object) != (roots.dtype == object):
        raise InvalidParameterError(
            f"points and roots must both be 64-bit integers or both Python integers; found {found.points.dtype} and "
            f"{roots.dtype}"
        )
    if starts.size != n + 1 or found.leading.size != n or found.exponents.size != n:
        raise InvalidParameterError(
            f"{n:,} points need {n + 1:,} starts, {n:,} leading signs and {n:,} exponents; found {starts.size:,}, "
            f"{found.leading.size:,} and {found.exponents.size:,}"
        )
    check_starts(starts, roots.size)
    if not np.isin(found.leading, (-1, 1)).all():
        raise InvalidParameterError("leading signs are +1 or -1; found something else")
    inside = np.ones(roots.size, dtype=bool)
    inside[starts[:-1][starts[:-1] < roots.size]] = False
    if (inside[1:] & (roots[1:] < roots[:-1])).any():
        raise InvalidParameterError("the roots of each polynomial must be sorted; sort them")
    if n and found.points.min() <= 0:  # the powers of points must be positive for the nonnegative form to exist
        raise InvalidParameterError("points must be positive; add the same number to all points and roots")
    if np.unique(found.points).size != n:
        raise InvalidParameterError("two nodes stand at the same point; give every node its own")
    if np.isin(np.unique(roots), found.points).any():
        raise InvalidParameterError("a root is also a point, where the score would have no sign; move the root")
    if n and max(-int(found.exponents.min()), int(found.exponents.max())) >= _LARGEST_EXPONENT:
        raise InvalidParameterError(f"exponents must be smaller than {_LARGEST_EXPONENT:,}")
    largest = max(
        int(end) for part in (found.points, roots) for end in (part.max(initial=0), -int(part.min(initial=0)))
    )
    if (largest.bit_length() + 1) * found.degree >= _LONGEST_VALUE:
        raise InvalidParameterError(f"the polynomials may have values of {_LONGEST_VALUE:,} bits, which is too long")
    if found.is_short and largest >= _SHORT:
        raise InvalidParameterError(f"points and roots of {_SHORT:,} or more must be given as Python integers")

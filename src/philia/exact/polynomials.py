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

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import inf, prod
from typing import ClassVar

import numpy as np
from scipy import sparse

from philia._types import Int64Array
from philia.exact.logarithms import SLACK, UNIT, logarithm_table, long_logarithms
from philia.exact.products import IntegerCommunities, IntegerLogistic, paired_communities
from philia.exact.representation import (
    Int8Array,
    Integers,
    Representation,
    Verdict,
    check_integers,
    check_starts,
    require_hours,
)
from philia.exact.wrong_terms import Line, WrongTerms, runs
from philia.exceptions import InvalidParameterError
from philia.execution import LocalThreads
from philia.storage import require_memory

_LARGEST_EXPONENT = 1 << 36
"""In units of a logarithm, 2⁻²⁴ bits, an exponent below this still fits into 64 bits."""

_LONGEST_VALUE = 1 << 24
"""The longest value of a polynomial, in bits: a product of this length takes Python some seconds."""

_SHORT = 1 << 24
"""Points and roots below this are short: a table has the logarithms of all their differences, in 256 MB at most."""

_OBJECT = 48
"""Bytes of a Python integer without its digits, and of the reference to it in an array."""

_CLEAR = 8
"""Bits by which a term may be ahead without a closer look, as long as others have smaller margins; most have."""

_BITS_PER_HOUR, _LENGTH_OF_ONE = 1 << 46, 2000
"""Bits of products that Python writes, factor by factor, in an hour, roughly; a product takes as long as this many."""

_CHUNK = 1 << 10
"""Nodes or terms that are dealt with at once, where that may take long for each."""


@dataclass(frozen=True, eq=False)
class SignPolynomials:
    """A polynomial for each node: ``points`` x, ``roots`` from ``starts[v]`` on, ``leading`` signs s, ``exponents`` e.

    Points are positive and distinct, and no root is a point. The roots of a node are sorted. All numbers are integers;
    points and roots may be of any length (dtype object). ``construction`` names what made them, for the certificate.

    >>> pair = SignPolynomials(*map(np.array, ([2, 4], [0, 1, 2], [3, 3], [1, -1], [0, 0])))
    >>> [[pair.score(u, v) for v in range(2)] for u in range(2)]
    [[-2, 2], [2, -2]]
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
        unique = np.unique(self.roots)
        sizes = long_logarithms(span + abs(int(root)) for root in unique) + SLACK
        totals = np.concatenate([[0], np.cumsum(sizes[np.searchsorted(unique, self.roots)])])[self.starts]
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

    def verdicts(self, wanted: sparse.csr_array) -> Iterator[Verdict]:
        """Whether scores are positive exactly where asked, from wrong terms only, some nodes at a time.

        >>> pair = SignPolynomials(*map(np.array, ([2, 4], [0, 1, 2], [3, 3], [1, 1], [5, 0])))
        >>> linked = sparse.csr_array(np.array([[0, 1], [1, 0]]))
        >>> [verdict.wrong for verdict in pair.verdicts(linked)]
        [(1, 1, 1)]
        """
        line = Line.of(wanted, self.points, self.starts, self.roots, self.leading)
        largest = self._largest(line)
        yield from LocalThreads().map(lambda block: self._verdict(line, largest, *block), line.blocks())

    def _verdict(self, line: Line, largest: Int64Array, first: int, done: int, total: int) -> Verdict:
        """The verdict on the scores with wrong terms in this block, with the least margin by which a right term won."""
        if not total:
            return Verdict(done)
        terms = self._in_doubt(line, largest, line.terms(first, done, total))
        v, u, wanted = terms.owners, terms.nodes, terms.wanted
        counts = np.diff(line.polynomials[1])
        theirs, own = self._sizes(line, v, u), self._sizes(line, u, v)
        ahead = own - (theirs + SLACK * counts[v])  # at least this many units is the right term the larger
        lost = (terms.others != wanted) | (theirs - (own + SLACK * counts[u]) > 0)
        signs = np.where(lost, -wanted, wanted)
        if not lost.any():
            close = np.flatnonzero(ahead <= 0)
            self._require_time(close.size)
            for t in close:
                signs[t] = np.sign(self.score(int(line.order[u[t]]), int(line.order[v[t]])))
        wrong = np.flatnonzero(signs != wanted)
        if not wrong.size:
            return Verdict(done, max(0.0, float(ahead.min()) / UNIT))
        pairs = np.sort(line.order[np.stack([u[wrong], v[wrong]])], axis=0).tolist()
        return Verdict(done, wrong=min(zip(*pairs, signs[wrong].tolist(), strict=True)))

    def _require_time(self, scores: int) -> None:
        """Refuse to write out so many scores if that would take many hours."""
        digits = self.degree * (_LENGTH_OF_ONE + self.degree * int(self.points.max(initial=1)).bit_length())
        what = f"writing out {scores:,} scores of which logarithms do not tell the sign"
        require_hours(scores * digits / _BITS_PER_HOUR, what)

    def powers(self) -> Integers:
        """X: the powers 0, …, degree of each node's point, one row per node; refused if all columns would not fit."""
        needed = self.n_nodes * self.community_columns * (_OBJECT + self.bits // 8)
        require_memory(needed, f"{self.community_columns:,} columns of numbers of up to {self.bits:,} bits")
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

    def _largest(self, line: Line) -> Int64Array:
        """For each position, bits that no value 2^e |f| on the line exceeds; only for short points and roots."""
        from philia.exact.compiled import rough_sizes_at

        points, starts, roots, _ = line.polynomials
        n = self.n_nodes
        if not n or not self.is_short:
            return np.zeros(n, np.int64)
        far = np.maximum(abs(points[0] - roots), abs(points[-1] - roots)).astype(np.float64)
        sizes = rough_sizes_at(np.arange(n), np.zeros(n, np.int64), np.zeros(1), starts, far)
        return np.asarray(sizes + 1 + self.exponents[line.order])

    def _in_doubt(self, line: Line, largest: Int64Array, terms: WrongTerms) -> WrongTerms:
        """The terms that may be lost, and those that may have the least margin, told by sizes in whole bits."""
        if not self.is_short:
            return terms
        from philia.exact.compiled import rough_sizes_at

        points, starts, roots, _ = line.polynomials
        points, roots, e = points.astype(np.float64), roots.astype(np.float64), self.exponents[line.order]
        surely = e[terms.nodes] - largest[terms.owners]  # the other term, without its weight, is 1 or more
        for clear in (_CLEAR, inf):
            near = (surely <= clear) | (terms.others != terms.wanted)
            found = WrongTerms(terms.owners[near], terms.nodes[near], terms.wanted[near], terms.others[near])
            v, u = found.owners, found.nodes
            theirs, own = rough_sizes_at(v, u, points, starts, roots), rough_sizes_at(u, v, points, starts, roots)
            ahead = own + e[u] - theirs - e[v]  # up to three bits more or less
            least = ahead.min(initial=1 << 62) + 3
            if least <= clear:
                break
        doubt = (ahead - 3 <= max(0, least)) | (found.others != found.wanted)
        return WrongTerms(v[doubt], u[doubt], found.wanted[doubt], found.others[doubt])

    def _sizes(self, line: Line, v: Int64Array, u: Int64Array) -> Int64Array:
        """The logarithms of 2^e_v |f_v(x_u)| for listed pairs of positions, in units, from below."""
        if self.is_short:
            from philia.exact.compiled import sizes_at

            points, starts, roots, _ = line.polynomials
            sizes = sizes_at(v, u, points, starts, roots, self._table)
        else:
            sizes = np.concatenate([self._long_sizes(line.order[v[at]], line.order[u[at]]) for at in _chunks(v.size)])
        return np.asarray(sizes + UNIT * self.exponents[line.order[v]].astype(np.int64))

    @cached_property
    def _table(self) -> Int64Array:
        """The logarithms of all differences of points and roots, or of few if that would take longer than it saves."""
        largest = int(self.points.max(initial=0)) + int(abs(self.roots).max(initial=0)) + 1
        return logarithm_table(largest if self.points.size * self.roots.size >= largest else 2)

    def _long_sizes(self, v: Int64Array, u: Int64Array) -> Int64Array:
        """The logarithms of |f_v(x_u)| for listed pairs, in units, from below, difference by difference."""
        ends, entries = runs(self.starts, v)
        found = long_logarithms(abs(np.repeat(self.points[u], np.diff(ends)) - self.roots[entries]))
        return np.asarray(np.diff(np.concatenate([[0], np.cumsum(found)])[ends]))

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

    def verdicts(self, wanted: sparse.csr_array) -> Iterator[Verdict]:
        """Whether scores are positive exactly where asked: no polynomial may be wrong anywhere."""
        found = self.polynomials
        line = Line.of(wanted, found.points, found.starts, found.roots, found.leading)
        for block in line.blocks():
            terms = line.terms(*block)
            rows, columns = line.order[terms.nodes].tolist(), line.order[terms.owners].tolist()
            wrong = zip(rows, columns, (-terms.wanted).tolist(), strict=True)
            yield Verdict(block[1], wrong=min(wrong, default=None))

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

    ``rows`` is the graph in compressed rows, each sorted, and ``polynomials`` are points, starts, roots and leading
    signs. Nodes are in the order of their points.
    """
    from philia.exact.compiled import prepare_construction, raise_exponents

    prepare_construction()
    n, (points, _, roots, _) = removal.size, polynomials
    Line(np.arange(n), rows, polynomials).counts()  # refuses what would take days
    table = logarithm_table(int(points.max(initial=2)) + int(roots.max(initial=0)) + 1)
    exponents, rank = np.zeros(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    rank[removal] = np.arange(n)
    for at in _chunks(n):  # between two calls the search can be interrupted
        raise_exponents(removal[::-1][at].copy(), rank, exponents, rows, polynomials, table)
    return exponents


def _chunks(size: int) -> Iterator[slice]:
    """Slices that cover so many numbers."""
    return (slice(top, top + _CHUNK) for top in range(0, size, _CHUNK))


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

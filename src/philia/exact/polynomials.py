"""One polynomial a node, with whole roots, whose signs at the other nodes are the graph.

Every node v stands at a whole number x_v and has

    f_v(t) = s_v ∏ (t - r)   over its roots r,        score(u, v) = 2^e_v f_v(x_u) + 2^e_u f_u(x_v).

With d the largest number of roots, the scores are X Yᵀ + Y Xᵀ, where X holds the powers 0, …, d of x and Y the
coefficients, times 2^e: rank 2 (d + 1), and one less if all constant terms agree, for these then make one column. The
columns themselves are numbers of thousands of digits. They are never needed to decide a sign, so points, roots and
exponents are all that is kept; :mod:`philia.exact.expansion` writes the columns out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from philia._types import Int64Array
from philia.exact.logarithms import SLACK, UNIT, long_logarithms
from philia.exact.representation import Int8Array, Integers, Signs, check_starts, check_whole
from philia.exceptions import InvalidParameterError
from philia.storage import require_memory

if TYPE_CHECKING:
    from philia.exact.integers import IntegerCommunities, IntegerLogistic

_LARGEST_EXPONENT = 1 << 36  # in units of a logarithm this is still a number of 64 bits
_LONGEST_VALUE = 1 << 24  # in bits; a product of this length takes Python some seconds
_SHORT = 1 << 24
"""Points and roots below this are short: their differences have logarithms in a table."""


@dataclass(frozen=True, eq=False)
class SignPolynomials:
    """A polynomial for each node: ``points`` x, ``roots`` from ``starts[v]`` on, ``leading`` signs s, ``exponents`` e.

    Points are positive and differ from one another, and no root is a point. The roots of a node are sorted. All numbers
    are whole; points and roots may be of any length (dtype object). ``construction`` says what made them, for the
    certificate.

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

    def __post_init__(self) -> None:
        _check(self)

    @property
    def n_nodes(self) -> int:
        """How many nodes there are."""
        return int(self.points.size)

    @property
    def degree(self) -> int:
        """The largest degree of a polynomial."""
        return int(np.diff(self.starts).max(initial=0))

    @property
    def community_columns(self) -> int:
        """How many columns the nonnegative form has: two for each power, one for equal constant terms."""
        return 2 * self.degree + (1 if self.equal_constant_terms else 2)

    @property
    def logistic_columns(self) -> int:
        """How many columns each side of the logistic form has."""
        return self.community_columns

    @cached_property
    def equal_constant_terms(self) -> bool:
        """Whether all polynomials, with their weights, have the same constant term."""
        terms = map(self._constant_term, range(self.n_nodes))
        first = next(terms, None)
        return all(term == first for term in terms)

    @cached_property
    def bits(self) -> int:
        """A bound: with x the largest point, |2^e f| and each term of it are at most 2^e ∏ (x + |r|)."""
        span = int(abs(self.points).max(initial=0))
        unique, where = np.unique(self.roots, return_inverse=True)
        sizes = long_logarithms(span + abs(int(root)) for root in unique) + SLACK
        totals = np.concatenate([[0], np.cumsum(sizes[where])])[self.starts]
        whole = -(-np.diff(totals) // UNIT) + self.exponents - self.exponents.min(initial=0)
        return int(whole.max(initial=0)) + 1

    @property
    def how_signs_are_decided(self) -> str:
        """A sentence for the certificate."""
        return (
            "structural: for every pair, the sign of each of the two terms by counting roots, and where they differ "
            "the larger one by logarithms enclosed in whole numbers, or by the numbers themselves"
        )

    @property
    def is_short(self) -> bool:
        """Whether all points and roots are short numbers, as in all constructions but one."""
        return bool(self.points.dtype != object and self.roots.dtype != object)

    def roots_of(self, v: int) -> list[int]:
        """The roots of one node's polynomial as Python's integers."""
        found: list[int] = self.roots[self.starts[v] : self.starts[v + 1]].tolist()
        return found

    def value(self, v: int, u: int) -> int:
        """f_v(x_u) as one whole number."""
        at = int(self.points[u])
        return int(self.leading[v]) * prod(at - root for root in self.roots_of(v))

    def score(self, u: int, v: int) -> int:
        """The score of one pair as one whole number, but for a power of two: slow, and plainly right."""
        e_u, e_v = int(self.exponents[u]), int(self.exponents[v])
        least = min(e_u, e_v)
        return (self.value(v, u) << e_v - least) + (self.value(u, v) << e_u - least)

    def signs(self, rows: Int64Array) -> Signs:
        """The signs of the scores of some rows with all nodes; see ``philia.exact.deciding``."""
        from philia.exact.deciding import decided_signs

        return decided_signs(self, rows)

    def logistic(self) -> IntegerLogistic:
        """The scores as X Yᵀ, written out; see :func:`philia.exact.expansion.logistic`."""
        from philia.exact.expansion import logistic

        return logistic(self)

    def communities(self) -> IntegerCommunities:
        """The scores as V diag(W) Vᵀ with V ≥ 0, written out; see :func:`philia.exact.expansion.communities`."""
        from philia.exact.expansion import communities

        return communities(self)

    @cached_property
    def ranks(self) -> tuple[Int64Array, Int64Array]:
        """Points and roots by their places among all of them: the same order, in short numbers."""
        if self.is_short:
            return self.points, self.roots
        line = np.unique(np.concatenate([self.points, self.roots]))
        return np.searchsorted(line, self.points), np.searchsorted(line, self.roots)

    @cached_property
    def long_sizes(self) -> Int64Array:
        """The logarithms of |f_v(x_u)| at [u, v], in units: of long numbers each difference is made only once."""
        n = self.n_nodes
        require_memory(8 * n * n, f"the table of the sizes of {n:,} polynomials with long roots")
        line, where = np.unique(self.roots, return_inverse=True)
        sizes = np.empty((n, n), dtype=np.int64)
        for u, at in enumerate(self.points):
            differences = long_logarithms(abs(line - at))
            sizes[u] = np.diff(np.concatenate([[0], np.cumsum(differences[where])])[self.starts])
        return sizes

    def arrays(self) -> Mapping[str, Integers]:
        """All that makes it, for a file."""
        return {name: getattr(self, name) for name in ("points", "starts", "roots", "leading", "exponents")}

    def _constant_term(self, v: int) -> tuple[int, int]:
        """The constant term of a node's polynomial with its weight, as an odd number and an exponent of two."""
        term = int(self.leading[v]) * prod(-root for root in self.roots_of(v))
        zeros = (term & -term).bit_length() - 1
        return (term >> zeros, zeros + int(self.exponents[v])) if term else (0, 0)


def _check(found: SignPolynomials) -> None:
    """Refuse what is no family of polynomials, for it may come from a file that somebody changed."""
    check_whole(**found.arrays())
    n, starts, roots = found.points.size, found.starts, found.roots
    if any(part.ndim != 1 for part in found.arrays().values()):
        raise InvalidParameterError("points, starts, roots, leading signs and exponents must be lists of numbers")
    if object in (found.leading.dtype, found.exponents.dtype):
        raise InvalidParameterError("leading signs and exponents must be 64-bit numbers; found Python's integers")
    if (found.points.dtype == object) != (roots.dtype == object):
        raise InvalidParameterError(
            f"points and roots must both be 64-bit numbers or both Python's integers; found {found.points.dtype} and "
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
        raise InvalidParameterError("two nodes stand at the same point; every node needs a point of its own")
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
        raise InvalidParameterError(f"points and roots of {_SHORT:,} or more must be given as Python's integers")

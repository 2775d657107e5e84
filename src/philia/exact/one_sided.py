"""Polynomials that are right alone: one term a score instead of two, and half of the columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from philia._types import Int64Array
from philia.exact.expansion import coefficients, powers
from philia.exact.integers import IntegerLogistic
from philia.exact.polynomials import SignPolynomials
from philia.exact.representation import Integers, Signs


@dataclass(frozen=True, eq=False)
class OneSidedPolynomials:
    """Scores f_v(x_u), for polynomials that have the right sign at every node: X Yᵀ with degree + 1 columns.

    The scores of (u, v) and (v, u) are different numbers of the same sign, so there is no form in communities; the
    polynomials themselves, with both terms, have one.

    >>> import numpy as np
    >>> pair = SignPolynomials(*map(np.array, ([2, 4], [0, 1, 2], [3, 3], [1, -1], [0, 0])))
    >>> OneSidedPolynomials(pair).logistic_columns
    2
    """

    polynomials: SignPolynomials

    @property
    def construction(self) -> str:
        """What made it."""
        return f"{self.polynomials.construction}, one-sided"

    @property
    def n_nodes(self) -> int:
        """How many nodes there are."""
        return self.polynomials.n_nodes

    @property
    def community_columns(self) -> int | None:
        """None: scores that are not symmetric have no form in communities."""
        return None

    @property
    def logistic_columns(self) -> int:
        """How many columns each side of the logistic form has."""
        return self.polynomials.degree + 1

    @property
    def bits(self) -> int:
        """How many bits the longest whole number may need."""
        return self.polynomials.bits

    @property
    def how_signs_are_decided(self) -> str:
        """A sentence for the certificate."""
        return "structural: for every pair, the sign of the polynomial by counting roots"

    def signs(self, rows: Int64Array) -> Signs:
        """The signs of the scores of some rows with all nodes."""
        from philia.exact.deciding import term_signs_of

        return Signs(term_signs_of(self.polynomials, rows)[0])

    def logistic(self) -> IntegerLogistic:
        """The powers of the points and the coefficients, written out.

        >>> import numpy as np
        >>> pair = SignPolynomials(*map(np.array, ([2, 4], [0, 1, 2], [3, 3], [1, -1], [0, 0])))
        >>> OneSidedPolynomials(pair).logistic().left.tolist()
        [[1, 2], [1, 4]]
        """
        return IntegerLogistic(powers(self.polynomials), coefficients(self.polynomials), self.construction)

    def arrays(self) -> Mapping[str, Integers]:
        """All that makes it, for a file."""
        return self.polynomials.arrays()

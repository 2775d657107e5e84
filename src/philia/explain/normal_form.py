"""The readable form of the factors: memberships V in [0, 1] and signed strengths W, with V W Vᵀ = B Bᵀ - C Cᵀ."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from philia._types import Float64Array, Int64Array
from philia.factors import CommunityFactors

Kind = Literal["homophilous", "heterophilous"]

NEGLIGIBLE = 1e-3
"""Log-odds that are too small to matter, a thousandth: a column whose full members get less is unused."""


@dataclass(frozen=True, eq=False)
class NormalizedFactors:
    """V (n × k) and W (k): two full members of community c have their odds of a link multiplied by exp(W_c).

    Columns that are zero everywhere have no largest entry to be divided by: the paper's formula divides by zero there,
    so they are left out. ``indices`` has the position in [B C], and in ``CommunityFactors.columns``, of each that
    remains.

    >>> NormalizedFactors(np.ones((3, 1)), np.array([-2.0]), ("C1",), np.array([0])).kinds
    ('heterophilous',)
    """

    memberships: Float64Array
    strengths: Float64Array
    names: tuple[str, ...]
    indices: Int64Array

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """Whether each community attracts (homophilous) or repels (heterophilous)."""
        return tuple("homophilous" if strength > 0 else "heterophilous" for strength in self.strengths)


def normalize(factors: CommunityFactors) -> NormalizedFactors:
    """V and W from B and C: each column divided by its largest entry, whose square becomes the strength.

    >>> from philia.factors import CommunityFactors
    >>> normal = normalize(CommunityFactors(np.array([[2.0, 0.0], [1.0, 0.0]]), np.array([[3.0], [0.0]]), np.zeros(2)))
    >>> normal.names, normal.strengths.tolist(), normal.memberships.tolist()
    (('B1', 'C1'), [4.0, -9.0], [[1.0, 1.0], [0.5, 0.0]])
    """
    F, names = factors.columns, factors.names
    largest = F.max(axis=0, initial=0.0)
    kept = np.flatnonzero(largest > 0)
    signs = np.repeat([1.0, -1.0], factors.counts)
    return NormalizedFactors(
        memberships=F[:, kept] / largest[kept],
        strengths=signs[kept] * largest[kept] ** 2,
        names=tuple(names[column] for column in kept),
        indices=kept,
    )

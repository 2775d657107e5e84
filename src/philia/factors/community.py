"""The factors of the community model, B, C and a background, and their readable form V W Vᵀ."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from philia._types import Float64Array, Int64Array
from philia.factors.factors import LowRankFactors, Part, Rows


@dataclass(frozen=True, eq=False)
class CommunityFactors(LowRankFactors):
    """B (n × k_B) and C (n × k_C), nonnegative, and a background (n): score_ij = b_i·b_j - c_i·c_j + a_i + a_j.

    With a = 0, no background, this is the paper's model. If C is empty as well, it is what BigClam, SymNMF and soft
    clustering fit.

    >>> factors = CommunityFactors(np.array([[1.0], [2.0]]), np.array([[0.0], [3.0]]), np.zeros(2))
    >>> factors.scores(np.array([0, 1]), np.array([1, 1])).tolist()
    [2.0, -5.0]
    """

    homophilous: Float64Array
    heterophilous: Float64Array
    background: Float64Array

    @classmethod
    def attracting(cls, B: Float64Array) -> CommunityFactors:
        """Attracting communities only.

        >>> CommunityFactors.attracting(np.ones((3, 2))).heterophilous.shape
        (3, 0)
        """
        return cls(B, np.empty((len(B), 0)), np.zeros(len(B)))

    @property
    def counts(self) -> tuple[int, int]:
        """The numbers of attracting and repelling communities, k_B and k_C.

        >>> CommunityFactors.attracting(np.ones((3, 2))).counts
        (2, 0)
        """
        return self.homophilous.shape[1], self.heterophilous.shape[1]

    @property
    def names(self) -> tuple[str, ...]:
        """B1, B2, … for attracting and C1, C2, … for repelling communities, after the paper's matrices.

        >>> CommunityFactors(np.ones((3, 2)), np.ones((3, 1)), np.zeros(3)).names
        ('B1', 'B2', 'C1')
        """
        k_B, k_C = self.counts
        return *(f"B{c + 1}" for c in range(k_B)), *(f"C{c + 1}" for c in range(k_C))

    @property
    def columns(self) -> Float64Array:
        """B and C side by side (n × k_B + k_C), in the order of ``names``; a new array.

        >>> CommunityFactors(np.array([[1.0, 2.0]]), np.array([[3.0]]), np.zeros(1)).columns
        array([[1., 2., 3.]])
        """
        return np.hstack([self.homophilous, self.heterophilous])

    def contributions(self, rows: npt.NDArray[np.integer], columns: npt.NDArray[np.integer]) -> Float64Array:
        """What the background and each column of B and C contribute to each pair's score (pairs × 1 + k_B + k_C)."""
        baseline = self.background[rows] + self.background[columns]
        attraction = self.homophilous[rows] * self.homophilous[columns]
        repulsion = self.heterophilous[rows] * self.heterophilous[columns]
        return np.hstack([baseline[:, None], attraction, -repulsion])

    def terms(self, i: int, j: int) -> dict[str, float]:
        """What the baseline, if there is one, and each community add to the score of a pair.

        >>> CommunityFactors(np.array([[1.0], [2.0]]), np.array([[3.0], [1.0]]), np.zeros(2)).terms(0, 1)
        {'B1': 2.0, 'C1': -3.0}
        """
        baseline, *parts = self.contributions(np.array([i]), np.array([j]))[0].tolist()
        return ({"baseline": baseline} if baseline else {}) | dict(zip(self.names, parts, strict=True))

    def parts(self, i: int, j: int) -> tuple[float, list[Part]]:
        """The baseline of a pair, and what each community adds to its score.

        >>> CommunityFactors(np.array([[1.0], [2.0]]), np.empty((2, 0)), np.zeros(2)).parts(0, 1)
        (0.0, [Part(name='B1', value=2.0, affinities=(1.0, 2.0), nodes=())])
        """
        baseline, *values = self.contributions(np.array([i]), np.array([j]))[0].tolist()
        mine, theirs = (np.append(self.homophilous[row], self.heterophilous[row]).tolist() for row in (i, j))
        both = zip(mine, theirs, strict=True)
        return baseline, [Part(*part) for part in zip(self.names, values, both, strict=True)]

    def affinities(self, c: int, rows: npt.NDArray[np.integer]) -> Float64Array:
        """The affinities of some nodes to the c-th attracting community.

        >>> CommunityFactors.attracting(np.array([[1.0], [2.0]])).affinities(0, np.array([1])).tolist()
        [2.0]
        """
        return np.asarray(self.homophilous[rows, c])

    def below(self, others: CommunityFactors) -> CommunityFactors:
        """The rows of these factors, and those of others below them.

        >>> CommunityFactors.attracting(np.ones((1, 1))).below(CommunityFactors.attracting(np.ones((2, 1)))).n_nodes
        3
        """
        new = others.arrays()
        return CommunityFactors(**{name: np.concatenate([array, new[name]]) for name, array in self.arrays().items()})

    def features(self) -> Float64Array:
        """The columns of B and C, and the background if there is one.

        >>> CommunityFactors.attracting(np.ones((3, 2))).features().shape
        (3, 2)
        """
        background = self.background[:, None]
        return np.hstack([self.homophilous, self.heterophilous, *([background] if background.any() else [])])

    def rows(self, rows: Rows) -> CommunityFactors:
        """The factors of some nodes.

        >>> CommunityFactors.attracting(np.ones((3, 2))).rows(np.array([0, 2])).homophilous.shape
        (2, 2)
        """
        return CommunityFactors(self.homophilous[rows], self.heterophilous[rows], self.background[rows])

    def readable(self) -> CommunityFactors:
        """The factors themselves."""
        return self

    def _product(self) -> tuple[Float64Array, Float64Array]:
        B, C, a = self.homophilous, self.heterophilous, self.background[:, None]
        if not a.any():
            return np.hstack([B, -C]), np.hstack([B, C])
        ones = np.ones_like(a)
        return np.hstack([B, -C, a, ones]), np.hstack([B, C, ones, a])


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

    def of_kind(self, kind: Kind) -> NormalizedFactors:
        """The columns of one kind.

        >>> both = NormalizedFactors(np.ones((3, 2)), np.array([1.0, -2.0]), ("B1", "C1"), np.array([0, 1]))
        >>> both.of_kind("heterophilous").names
        ('C1',)
        """
        return self.picked(np.flatnonzero([own == kind for own in self.kinds]))

    def picked(self, columns: Int64Array) -> NormalizedFactors:
        """Some of the columns."""
        names = tuple(self.names[c] for c in columns)
        return NormalizedFactors(self.memberships[:, columns], self.strengths[columns], names, self.indices[columns])


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

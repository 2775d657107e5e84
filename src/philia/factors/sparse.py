"""Factors of many communities, each of a few nodes: only what is not zero is stored."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy import sparse

from philia._types import Float64Array, Int64Array
from philia.exceptions import InvalidParameterError
from philia.factors.community import CommunityFactors
from philia.factors.factors import CHUNK, Factors, Part, Rows

MOST_ENTRIES = 20_000_000
"""The most entries of B that are written out with their zeros: 160 MB."""

_PRODUCTS = 20_000_000
"""Products of affinities that are added up together to find the pairs that share something: some 500 MB."""

SHAPE = 4.0
"""How far rates are known. With 1, a rate is the odds of a link, and on wiki2405 and on generated graphs links with a
predicted 85 % were there 93 to 99 times in 100; with more than 4 hidden links are no likelier."""


@dataclass(frozen=True, eq=False)
class SparseFactors(Factors):
    """The community model with a sparse B: what two nodes share raises the rate at which they meet.

    P(no link) = (1 + rate_ij / 4)^-4,   log rate_ij = a_i + a_j + r_ij,   and r_ij is one of

        log(1 + Σ_c (exp(b_ic b_jc) - 1)) + weight · log(1 + n_i·n_j)      if rates of both kinds multiply
        log(Σ_c (exp(b_ic b_jc) - 1) + (1 + n_i·n_j)^weight)               if one ``adds`` to the other

    ``homophilous`` (n × k) are the communities, which have names. All members of a community have the same affinity b,
    whose square is the logarithm of the factor by which it raises the rate. ``neighbourhoods`` (n × n) has a column for
    each node, shared by those who are linked with it: what two nodes gain by knowing the same third one. Small rates
    are odds, so this factor is one of the odds. Sums are concave: if log-odds were added up instead, nodes that share
    several communities and neighbours, which say much of the same, would be linked with near certainty. A pair that
    shares nothing has the log-odds a_i + a_j.

    >>> B, N = sparse.csr_array([[2.0], [2.0], [0.0]]), sparse.csr_array((3, 3))
    >>> factors = SparseFactors(B, N, np.full(3, -9.0))
    >>> factors.scores(np.array([0, 0]), np.array([1, 2])).round(4).tolist(), factors.counts
    ([-14.0, -18.0], (1, 0))
    """

    homophilous: sparse.csr_array
    neighbourhoods: sparse.csr_array
    background: Float64Array
    weight: float = 1.0
    adds: bool = False

    @classmethod
    def from_arrays(cls, arrays: dict[str, npt.NDArray[Any]]) -> Self:
        """The inverse of ``arrays``.

        >>> B, N = sparse.csr_array([[1.0], [0.0]]), sparse.csr_array((2, 2))
        >>> SparseFactors.from_arrays(SparseFactors(B, N, np.zeros(2)).arrays()).homophilous.toarray().tolist()
        [[1.0], [0.0]]
        """
        n, k = len(arrays["background"]), int(arrays["communities"][0])
        parts = []
        for name, width in (("homophilous", k), ("neighbourhoods", n)):
            values, columns, starts = (arrays[f"{name}_{part}"] for part in _PARTS)
            matrix = sparse.csr_array((n, width))
            matrix.data, matrix.indices, matrix.indptr = values, columns, starts
            matrix.check_format()
            parts.append(matrix)
        return cls(parts[0], parts[1], arrays["background"], float(arrays["weight"][0]), bool(arrays["adds"][0]))

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """The arrays that make up the factors, by name, as stored in files: each matrix in compressed rows."""
        found: dict[str, npt.NDArray[Any]] = {"background": self.background}
        found["communities"] = np.array([self.homophilous.shape[1]])
        found["weight"], found["adds"] = np.array([self.weight]), np.array([int(self.adds)])
        for name in ("homophilous", "neighbourhoods"):
            matrix = getattr(self, name)
            values = matrix.data, matrix.indices.astype(np.int64), matrix.indptr.astype(np.int64)
            found |= {f"{name}_{part}": array for part, array in zip(_PARTS, values, strict=True)}
        return found

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return len(self.background)

    @property
    def counts(self) -> tuple[int, int]:
        """The numbers of attracting and repelling communities; none repel."""
        return self.homophilous.shape[1], 0

    @property
    def heterophilous(self) -> Float64Array:
        """The repelling communities (n × 0): there are none."""
        return np.empty((self.n_nodes, 0))

    @property
    def members(self) -> sparse.csr_array:
        """Who is a member of which community (n × k, stored for members)."""
        return self.homophilous

    @property
    def apart(self) -> CommunityFactors:
        """The scores of pairs that share nothing: only the background."""
        nothing = np.empty((self.n_nodes, 0))
        return CommunityFactors(nothing, nothing, self.background)

    @property
    def names(self) -> tuple[str, ...]:
        """B1, B2, … for the communities."""
        return tuple(f"B{c + 1}" for c in range(self.homophilous.shape[1]))

    @cached_property
    def odds(self) -> sparse.csr_array:
        """The communities (n × k, sparse) such that the product of two rows is what the shared ones add to the odds."""
        B = self.homophilous
        return sparse.csr_array((np.sqrt(np.expm1(B.data**2)), B.indices, B.indptr), shape=B.shape)

    def scores(self, rows: npt.NDArray[np.integer], columns: npt.NDArray[np.integer]) -> Float64Array:
        """The score of each pair (rows[t], columns[t]), computed in chunks."""
        shared, common = (row_products(M, rows, columns) for M in (self.odds, self.neighbourhoods))
        alone = self.background[rows] + self.background[columns]
        return np.asarray(alone + added_log_odds(alone, self.log_rates(shared, common)))

    def score_block(self, rows: Rows, columns: Rows) -> Float64Array:
        """The scores of all pairs of the given rows and columns."""
        shared, common = ((M[rows] @ M[columns].T).toarray() for M in (self.odds, self.neighbourhoods))
        alone = self.background[rows][:, None] + self.background[columns]
        return np.asarray(alone + added_log_odds(alone, self.log_rates(shared, common)))

    def log_rates(self, shared: Any, common: Any) -> Any:
        """The logarithms of the factors by which communities and neighbours raise rates, from the products of rows."""
        of_neighbours = np.log1p(common) * self.weight
        return np.log1p(shared + np.expm1(of_neighbours)) if self.adds else np.log1p(shared) + of_neighbours

    @cached_property
    def products(self) -> Int64Array:
        """The number of products that it takes to know what each node shares with all others."""
        found = np.zeros(self.n_nodes, np.int64)
        for M in (self.homophilous, self.neighbourhoods):
            members = np.bincount(M.indices, minlength=M.shape[1])
            found += np.diff(np.append(0, np.cumsum(members[M.indices]))[M.indptr])
        return found

    def sharing(self, rows: npt.NDArray[np.integer] | None = None) -> Iterator[tuple[Int64Array, sparse.csr_array]]:
        """Some rows at a time, and what sharing adds to their log-odds with every node (rows × n, sparse).

        >>> B, N = sparse.csr_array([[2.0], [2.0], [0.0]]), sparse.csr_array((3, 3))
        >>> some = SparseFactors(B, N, np.full(3, -9.0)).sharing(np.array([1]))
        >>> [shared.toarray().round(4).tolist() for _, shared in some]
        [[[4.0, 4.0, 0.0]]]
        """
        chosen = np.arange(self.n_nodes) if rows is None else np.asarray(rows, np.int64)
        ends, first = np.cumsum(self.products[chosen]), 0
        both = [(M, sparse.csr_array(M.T)) for M in (self.odds, self.neighbourhoods)]
        while first < len(chosen):
            done = ends[first - 1] if first else 0
            last = max(first + 1, int(np.searchsorted(ends, done + _PRODUCTS, side="right")))
            shared, common = (sparse.csr_array(M[chosen[first:last]] @ across) for M, across in both)
            rates = sparse.csr_array(self.log_rates(shared, common))
            own = np.repeat(self.background[chosen[first:last]], np.diff(rates.indptr))
            rates.data = added_log_odds(own + self.background[rates.indices], rates.data)
            rates.eliminate_zeros()  # of neighbours that do not count
            yield chosen[first:last], rates
            first = last

    def parts(self, i: int, j: int) -> tuple[float, list[Part]]:
        """The baseline of a pair, and what each community that it shares and its common neighbours add to its score.

        What is shared adds to a rate, so each has the part of the log-odds that it has of the logarithm of the rate,
        and, where several factors are added up, the part of their logarithm that it has of their sum.

        >>> B, N = sparse.csr_array([[2.0], [2.0]]), sparse.csr_array((2, 2))
        >>> baseline, parts = SparseFactors(B, N, np.full(2, -20.0)).parts(0, 1)
        >>> baseline, [(part.name, round(part.value, 6)) for part in parts]
        (-40.0, [('B1', 4.0)])
        """
        shared, common = (M[[i]].multiply(M[[j]]).tocoo() for M in (self.odds, self.neighbourhoods))
        baseline, of_neighbours = float(self.background[i] + self.background[j]), float(common.data.sum())
        together = float(shared.data.sum())
        log_rate = float(self.log_rates(together, of_neighbours))
        adds = float(added_log_odds(baseline, log_rate)) / log_rate if log_rate else 0.0
        raised = float(self.log_rates(0.0, of_neighbours))
        if self.adds and log_rate:
            each = adds * log_rate / (together + math.expm1(raised))
            value = each * math.expm1(raised)
        else:
            each = adds * math.log1p(together) / together if together else 0.0
            value = adds * raised
        found = [
            Part(f"B{c + 1}", each * factor, (float(self.homophilous[i, c]), float(self.homophilous[j, c])))
            for c, factor in sorted(zip(shared.col.tolist(), shared.data.tolist(), strict=True))
        ]
        if common.nnz:
            nodes = common.col[np.argsort(-common.data, kind="stable")].tolist()
            found.append(Part("common neighbours", value, (math.nan, math.nan), tuple(nodes)))
        return baseline, found

    def affinities(self, c: int, rows: npt.NDArray[np.integer]) -> Float64Array:
        """The affinities of some nodes to the c-th community.

        >>> factors = SparseFactors(sparse.csr_array([[0.0], [2.0]]), sparse.csr_array((2, 2)), np.zeros(2))
        >>> factors.affinities(0, np.array([1, 0])).tolist()
        [2.0, 0.0]
        """
        column = slice(*self._by_community.indptr[c : c + 2])
        members, values = self._by_community.indices[column], self._by_community.data[column]
        at = np.searchsorted(members, rows)
        found = np.append(members, -1)[at] == rows
        return np.asarray(np.where(found, np.append(values, 0.0)[at], 0.0))

    @cached_property
    def _by_community(self) -> sparse.csc_array:
        found = sparse.csc_array(self.homophilous)
        found.sort_indices()
        return found

    def features(self) -> Float64Array:
        """The communities of each node and its background, with all zeros, if there are not too many."""
        return self.readable().features()

    def readable(self) -> CommunityFactors:
        """The communities as a dense matrix, if there are not too many."""
        n, k = self.homophilous.shape
        if n * k > MOST_ENTRIES:
            raise InvalidParameterError(
                f"{k:,} communities of {n:,} nodes would take {n * k:,} numbers, nearly all of them 0; use "
                "model.factors_.homophilous, which is sparse, or model.communities()"
            )
        return CommunityFactors(self.homophilous.toarray(), np.empty((n, 0)), self.background)

    def below(self, others: SparseFactors) -> SparseFactors:
        """The rows of these factors, and those of others below them.

        >>> one = SparseFactors(sparse.csr_array([[1.0]]), sparse.csr_array((1, 1)), np.zeros(1))
        >>> one.below(one).homophilous.toarray().tolist()
        [[1.0], [1.0]]
        """
        stacked = [
            sparse.csr_array(sparse.vstack([getattr(self, name), getattr(others, name)], format="csr"))
            for name in ("homophilous", "neighbourhoods")
        ]
        background = np.concatenate([self.background, others.background])
        return SparseFactors(stacked[0], stacked[1], background, self.weight, self.adds)


_PARTS = "values", "columns", "starts"


def added_log_odds(alone: Any, log_rates: Any) -> Any:
    """What a raised rate adds to the log-odds ``alone`` of a pair.

    >>> added_log_odds(np.array([-20.0, 0.0, 0.0]), np.array([1.0, 0.0, 3.0])).round(3).tolist()
    [1.0, 0.0, 6.815]
    """
    return odds_of_rates(alone + log_rates)[0] - odds_of_rates(alone)[0]


def odds_of_rates(log_rates: Any) -> tuple[Any, Any]:
    """The log-odds of at least one meeting at these rates, log((1 + rate / 4)^4 - 1), and their slopes.

    This is the chance that a count with a negative binomial distribution is not zero.

    >>> odds, slopes = odds_of_rates(np.array([-50.0, 0.0, 50.0]))
    >>> odds.round(3).tolist(), slopes.round(3).tolist()
    ([-50.0, 0.366, 194.455], [1.0, 1.355, 4.0])
    """
    rates = np.exp(np.minimum(log_rates, _LARGE))
    per_rate = 1 + rates * (3 / 8 + rates * (1 / 16 + rates / 256))  # ((1 + rate / 4)^4 - 1) / rate
    odds = log_rates + np.log(per_rate) + 3 * np.maximum(log_rates - _LARGE, 0)
    return odds, (1 + rates / 4) ** 3 / per_rate


_LARGE = 60.0
"""The logarithm of a rate above which ``per_rate`` is its last term, to the last digit."""


def row_products(
    matrix: sparse.csr_array, rows: npt.NDArray[np.integer], columns: npt.NDArray[np.integer]
) -> Float64Array:
    """The product of rows[t] and columns[t] of a sparse matrix, for each t, computed in chunks.

    >>> row_products(sparse.csr_array([[1.0, 2.0], [0.0, 3.0]]), np.array([0, 1]), np.array([1, 1])).tolist()
    [6.0, 9.0]
    """
    found = np.zeros(len(rows))
    for at in range(0, len(rows) if matrix.nnz else 0, CHUNK):
        part = slice(at, at + CHUNK)
        found[part] = np.asarray(matrix[rows[part]].multiply(matrix[columns[part]]).sum(axis=1)).ravel()
    return found

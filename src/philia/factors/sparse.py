"""Factors of many communities, each of a few nodes: only what is not zero is stored."""

from __future__ import annotations

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
from philia.factors.factors import CHUNK, Factors, Rows

_DENSE = 20_000_000
"""The most entries of B that are written out with their zeros: 160 MB."""

_PRODUCTS = 20_000_000
"""Products of affinities that are added up together to find the pairs that share something: some 500 MB."""


@dataclass(frozen=True, eq=False)
class SparseFactors(Factors):
    """The community model with a sparse B, in which what two nodes share adds to their odds, not to their log-odds.

    score_ij = log(1 + Σ_c (exp(b_ic b_jc) - 1)) + weight · log(1 + n_i·n_j) + a_i + a_j

    ``homophilous`` (n × k) are the communities, which have names. All members of a community have the same affinity b,
    whose square is the community's log-odds: two nodes that share only this one have that score before the other terms.
    ``neighbourhoods`` (n × n) has a column for each node, shared by those who are linked with it: what two nodes gain
    by knowing the same third one. Both sums are concave. If log-odds were added up instead, nodes that share several
    communities and neighbours, which say much of the same, would be linked with near certainty.

    >>> B, N = sparse.csr_array([[2.0], [2.0], [0.0]]), sparse.csr_array((3, 3))
    >>> factors = SparseFactors(B, N, np.full(3, -1.0))
    >>> factors.scores(np.array([0, 0]), np.array([1, 2])).round(6).tolist(), factors.counts
    ([2.0, -2.0], (1, 0))
    """

    homophilous: sparse.csr_array
    neighbourhoods: sparse.csr_array
    background: Float64Array
    weight: float = 1.0

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
        return cls(parts[0], parts[1], arrays["background"], float(arrays["weight"][0]))

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """The arrays that make up the factors, by name, as stored in files: each matrix in compressed rows."""
        found: dict[str, npt.NDArray[Any]] = {"background": self.background}
        found["communities"] = np.array([self.homophilous.shape[1]])
        found["weight"] = np.array([self.weight])
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
        return np.asarray(self._curved(shared, common) + self.background[rows] + self.background[columns])

    def score_block(self, rows: Rows, columns: Rows) -> Float64Array:
        """The scores of all pairs of the given rows and columns."""
        shared, common = ((M[rows] @ M[columns].T).toarray() for M in (self.odds, self.neighbourhoods))
        return np.asarray(self._curved(shared, common) + self.background[rows][:, None] + self.background[columns])

    def _curved(self, shared: Any, common: Any) -> Any:
        return np.log1p(shared) + np.log1p(common) * self.weight

    @cached_property
    def products(self) -> Int64Array:
        """The number of products that it takes to know what each node shares with all others."""
        found = np.zeros(self.n_nodes, np.int64)
        for M in (self.homophilous, self.neighbourhoods):
            members = np.bincount(M.indices, minlength=M.shape[1])
            found += np.diff(np.append(0, np.cumsum(members[M.indices]))[M.indptr])
        return found

    def sharing(self, rows: npt.NDArray[np.integer] | None = None) -> Iterator[tuple[Int64Array, sparse.csr_array]]:
        """Some rows at a time, and what they share with every node (rows × n, sparse): scores without background.

        >>> B, N = sparse.csr_array([[2.0], [2.0], [0.0]]), sparse.csr_array((3, 3))
        >>> some = SparseFactors(B, N, np.zeros(3)).sharing(np.array([1]))
        >>> [shared.toarray().round(6).tolist() for _, shared in some]
        [[[4.0, 4.0, 0.0]]]
        """
        chosen = np.arange(self.n_nodes) if rows is None else np.asarray(rows, np.int64)
        ends, first = np.cumsum(self.products[chosen]), 0
        both = [(M, sparse.csr_array(M.T)) for M in (self.odds, self.neighbourhoods)]
        while first < len(chosen):
            done = ends[first - 1] if first else 0
            last = max(first + 1, int(np.searchsorted(ends, done + _PRODUCTS, side="right")))
            shared, common = (sparse.csr_array(M[chosen[first:last]] @ across) for M, across in both)
            yield chosen[first:last], sparse.csr_array(self._curved(shared, common))
            first = last

    def features(self) -> Float64Array:
        """The communities of each node and its background, with all zeros, if there are not too many."""
        return self.readable().features()

    def readable(self) -> CommunityFactors:
        """The communities as a dense matrix, if there are not too many."""
        n, k = self.homophilous.shape
        if n * k > _DENSE:
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
        return SparseFactors(stacked[0], stacked[1], background, self.weight)


_PARTS = "values", "columns", "starts"


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

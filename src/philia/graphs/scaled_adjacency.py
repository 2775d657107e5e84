"""The adjacency matrix between two diagonal ones, as a thing that multiplies blocks of vectors in 32 bits."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from philia._types import Float64Array
from philia.graphs.graph import Graph

Float32Array = npt.NDArray[np.float32]

Map = Callable[[Callable[..., Any], Iterable[Any]], Iterable[Any]]
"""Whatever runs a function on each of several items and gives the results in order, as ``map`` does."""

_ROWS, _ENTRIES = 2**14, 2**18
"""How many rows of a block are one piece of work, and how many entries of the matrix."""


@dataclass(frozen=True, eq=False)
class ScaledAdjacency:
    """The matrix W A W, where W is a diagonal matrix of weights, and who runs the pieces of its products.

    How work is cut into pieces depends on the graph alone, and sums over pieces are added in their order, so results
    are the same whoever runs them.

    >>> from philia import as_graph
    >>> matrix = ScaledAdjacency(as_graph([(0, 1), (1, 2)]), np.array([1.0, 2.0, 3.0]))
    >>> matrix.times(np.ones((3, 1), np.float32)).tolist()
    [[2.0], [8.0], [6.0]]
    """

    graph: Graph
    weights: Float64Array
    run: Map = map

    def times(self, X: Float32Array) -> Float32Array:
        """The matrix times a block."""
        found, unit = np.zeros_like(X), np.ones(X.shape[1], np.float32)
        self.step(X, found, unit, 0 * unit, 0.0)
        return found

    def step(
        self, X: Float32Array, into: Float32Array, scales: Float32Array, centres: Float32Array, kept: float
    ) -> None:
        """Write (W A W X - X · centres) · scales - kept · into over ``into``: a step of a three-term recurrence.

        Each column has its own scale and centre.

        >>> from philia import as_graph
        >>> X, into, two = np.ones((2, 1), np.float32), np.ones((2, 1), np.float32), np.full(1, 2, np.float32)
        >>> ScaledAdjacency(as_graph([(0, 1)]), np.ones(2)).step(X, into, two, -two, 1.0)
        >>> into.tolist()  # (1 + 2) 2 - 1
        [[5.0], [5.0]]
        """
        from philia.graphs.compiled_spectrum import prepare, step

        rows = self.graph.adjacency.indptr, self.graph.adjacency.indices
        prepare(rows[0].dtype.type, rows[1].dtype.type)
        for _ in self.run(partial(step, rows, self._single, X, into, (scales, centres, kept)), self._spans):
            pass

    def moments(self, X: Float32Array, Z: Float32Array) -> tuple[Float64Array, Float64Array, Float64Array]:
        """XᵀX, XᵀZ and ZᵀZ, in 64 bits."""
        k = X.shape[1]
        total = np.zeros((2 * k, 2 * k))
        for part in self.run(partial(_products, X, Z), self._pieces):
            total += part
        return total[:k, :k], total[:k, k:], total[k:, k:]

    def turned(self, X: Float32Array, by: Float64Array) -> Float32Array:
        """X @ by."""
        found = np.empty((len(X), by.shape[1]), np.float32)
        for _ in self.run(partial(_turn, X, by.astype(np.float32), found), self._pieces):
            pass
        return found

    @cached_property
    def rms_eigenvalue(self) -> float:
        """The root of the mean square of all eigenvalues.

        >>> from philia import as_graph
        >>> ScaledAdjacency(as_graph([(0, 1)]), np.ones(2)).rms_eigenvalue  # they are 1 and -1
        1.0
        """
        squares = self.weights**2
        return float(np.sqrt(squares @ (self.graph.adjacency @ squares) / self.graph.n_nodes))

    @cached_property
    def _single(self) -> Float32Array:
        return self.weights.astype(np.float32)

    @cached_property
    def _pieces(self) -> list[slice]:
        return [slice(first, first + _ROWS) for first in range(0, self.graph.n_nodes, _ROWS)]

    @cached_property
    def _spans(self) -> list[tuple[int, int]]:
        """Runs of rows with about as many entries each, none of them with very many rows."""
        indptr, n = self.graph.adjacency.indptr, self.graph.n_nodes
        by_entries = np.searchsorted(indptr, np.arange(0, indptr[-1], _ENTRIES, dtype=np.int64))
        borders = np.unique(np.concatenate([by_entries, np.arange(0, n, _ENTRIES), [0, n]])).clip(max=n).tolist()
        return list(pairwise(borders))


def _products(X: Float32Array, Z: Float32Array, rows: slice) -> Float64Array:
    both = np.hstack([X[rows], Z[rows]]).astype(np.float64)
    return np.asarray(both.T @ both)


def _turn(X: Float32Array, by: Float32Array, found: Float32Array, rows: slice) -> None:
    np.matmul(X[rows], by, out=found[rows])

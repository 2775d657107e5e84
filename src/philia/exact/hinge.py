"""The squared hinge of all scores with a background, and steps that lower it by looking at active pairs only.

A point F is n × (k + 1): columns w of any sign and a background a, with a fixed sign ε for each w. Scores are
M = 1 aᵀ + a 1ᵀ + ∑ ε w wᵀ, and a pair costs ½ max(0, 1 - s M)², s = +1 for a link and -1 for all others, the diagonal
included. Where an exact representation exists, the sum is zero at a finite point, and near it few pairs are *active*,
that is, cost anything.

With P = [ε w, 1], the scores change by dF Pᵀ + P dFᵀ. So a Gauss-Newton step minimizes a sum of squares over the active
pairs alone. It is found by conjugate gradients, which only need that formula and its transpose, 2 Y P for numbers Y at
the active pairs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from philia._types import Float64Array
from philia.graphs import Graph

Numbers = npt.NDArray[np.floating[Any]]

_PAIRS = 1 << 20
"""Pairs in a block: some temporary arrays of 8 MB."""

_FEW = 1024
"""Up to this many nodes scores are computed in double precision; beyond, in single precision, which is faster."""


@dataclass(frozen=True, eq=False)
class Hinge:
    """The squared hinge for a graph and the signs ε of the columns.

    >>> from philia import as_graph
    >>> pair = Hinge(as_graph([("ann", "bob")]), np.array([-1.0]))
    >>> value, gradient = pair.value_and_gradient(np.array([[1.0, 0.0], [-1.0, 0.0]]))
    >>> value, gradient.tolist()
    (0.0, [[0.0, 0.0], [0.0, 0.0]])
    """

    graph: Graph
    signs: Float64Array

    def value_and_gradient(self, F: Float64Array) -> tuple[float, Float64Array]:
        """The sum over all ordered pairs, the diagonal included, and its gradient."""
        F = F.astype(self._kind)
        P, value, gradient = self._partners(F), 0.0, np.empty(F.shape)
        for rows in self._blocks():
            slopes = self._slopes(F, rows)
            value += 0.5 * float(np.vdot(slopes, slopes))
            gradient[rows] = 2 * (slopes @ P)
        return value, gradient

    def active(self, F: Float64Array) -> sparse.csr_array:
        """The slopes of the active pairs; a pair is wrong if its slope is 1 or more in size."""
        F = F.astype(self._kind)
        found = sparse.vstack([sparse.csr_array(self._slopes(F, rows)) for rows in self._blocks()])
        return sparse.csr_array(found, dtype=np.float64)

    def step(self, F: Float64Array, active: sparse.csr_array, damping: float, iterations: int) -> Float64Array:
        """The damped Gauss-Newton step at a point, by conjugate gradients."""
        from philia.exact.compiled import changes_at

        P = self._partners(F)
        starts, columns = active.indptr.astype(np.int64), active.indices.astype(np.int64)

        def applied(direction: Float64Array) -> Float64Array:
            changes = changes_at(starts, columns, direction, P)
            return np.asarray(2 * (sparse.csr_array((changes, columns, starts), shape=active.shape) @ P))

        found = np.zeros_like(F)
        residual = -2 * (active @ P)
        direction, size = residual.copy(), float(np.vdot(residual, residual))
        enough = 1e-6 * size
        for _ in range(iterations):
            if size <= enough:
                break
            turned = applied(direction) + damping * direction
            length = size / float(np.vdot(direction, turned))
            found += length * direction
            residual -= length * turned
            before, size = size, float(np.vdot(residual, residual))
            direction = residual + (size / before) * direction
        return found

    def _partners(self, F: Numbers) -> Numbers:
        """P, with which a change of F changes scores."""
        return np.hstack([F[:, :-1] * self.signs.astype(F.dtype), np.ones((len(F), 1), F.dtype)])

    @property
    def _kind(self) -> type:
        """The precision of scores. Nothing depends on it in the end: what is found is rounded and proved."""
        return np.float64 if self.graph.n_nodes <= _FEW else np.float32

    def _blocks(self) -> list[slice]:
        n = self.graph.n_nodes
        step = max(1, _PAIRS // max(n, 1))
        return [slice(top, min(top + step, n)) for top in range(0, n, step)]

    def _slopes(self, F: Numbers, rows: slice) -> Numbers:
        """The derivatives of the costs by the scores of some rows: 1 + M or M - 1 where a pair is active, else 0."""
        adjacency = self.graph.adjacency
        slopes = (F[rows, :-1] * self.signs.astype(F.dtype)) @ F[:, :-1].T
        slopes += F[rows, -1:] + 1
        slopes += F[:, -1]
        first, last = adjacency.indptr[rows.start], adjacency.indptr[rows.stop]
        counts = np.diff(adjacency.indptr[rows.start : rows.stop + 1])
        i, j = np.repeat(np.arange(counts.size), counts), adjacency.indices[first:last]
        linked = np.minimum(slopes[i, j] - 2, 0)
        np.maximum(slopes, 0, out=slopes)
        slopes[i, j] = linked
        return np.asarray(slopes)

"""Both ends of the spectrum of a large graph to a few digits, from one block of vectors in 32 bits.

A Chebyshev polynomial stays within ±1 between two numbers and grows faster outside than any other of its degree. So a
polynomial of the matrix, applied to a random block, keeps what belongs to the ends of the spectrum and loses the bulk
between (Zhou, Saad, Tiago and Chelikowsky, "Self-consistent-field calculations using Chebyshev-filtered subspace
iteration", 2006). The space it leaves gives estimates of the eigenpairs (Rayleigh and Ritz), and those where to put the
two numbers next. Two or three blocks are held at a time, whatever the degree, and a product reads the graph once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import linalg

from philia._types import Float64Array
from philia.graphs.scaled_adjacency import Float32Array, ScaledAdjacency

_GUARDS = 4
"""How many eigenpairs more than were asked for are carried along at each end: the last ones are always the worst."""

_DEGREE, _PRODUCTS = 6, 18
"""How many products at most there are before the next look at the estimates, and before the end."""

_DEEP, _DEEPENING, _BEYOND = 8, 36, 1.02
"""The same for the lower end alone. It is rarely far from the bulk, so more products are needed, and with few columns
each costs little. An estimate of the highest eigenvalue may be short by a little."""

_FIRST_EDGE = 1.5
"""Where the bulk is taken to end at first, in units of the root mean square of all eigenvalues, which is the least that
it is ever taken for. The semicircle of a graph without structure ends at 2, and a guess too near only costs time."""

_RANGE = 1e4
"""How much more than the bulk a polynomial may let the largest eigenvalue grow: 32 bits hold seven digits."""

_NEARLY_DEPENDENT = 1e-11
"""Directions with less than this share of a block's energy are its rounding."""


@dataclass(frozen=True, eq=False)
class Ritz:
    """Estimates of eigenpairs: values, unit vectors as columns, and how far each pair is from being one.

    >>> both = Ritz(np.array([2.0, -1.0]), np.eye(3, 2, dtype=np.float32), np.array([0.1, 0.2]))
    >>> both.picked(slice(1, None)).values
    array([-1.])
    """

    values: Float64Array
    vectors: Float32Array
    residuals: Float64Array

    def picked(self, which: slice) -> Ritz:
        """Some of them."""
        return Ritz(self.values[which], self.vectors[:, which], self.residuals[which])

    def within(self, tolerance: float) -> bool:
        """Whether all are as exact as this share of their eigenvalues."""
        return bool((self.residuals <= tolerance * np.abs(self.values)).all())


def both_ends(
    matrix: ScaledAdjacency, largest: int, smallest: int, rng: np.random.Generator, tolerance: float
) -> tuple[Ritz, Ritz]:
    """Estimates of the largest and of the smallest eigenvalues with their eigenvectors, so many of each, best first.

    Eigenvalues away from the bulk come out to several digits. At its edge, where they crowd, what comes out are vectors
    of the crowd. Fewer come back if the matrix has a lower rank.

    >>> from philia.datasets import planted
    >>> graph = planted(1000, 4, 0, degree=30, overlap=0, random_state=0).graph
    >>> top, _ = both_ends(ScaledAdjacency(graph, np.ones(1000)), 4, 0, np.random.default_rng(0), 1e-4)
    >>> exact = np.linalg.eigvalsh(graph.adjacency.toarray().astype(float))[::-1]
    >>> bool(np.allclose(top.values, exact[:4], rtol=1e-3))
    True
    """
    n, top, bottom = matrix.graph.n_nodes, largest + _GUARDS, smallest + _GUARDS
    X = rng.standard_normal((n, min(top + bottom, n)), dtype=np.float32)
    Z = matrix.times(X)
    edges, furthest = (_Edges(-at, at) for at in (matrix.rms_eigenvalue * _FIRST_EDGE, matrix.rms_eigenvalue))
    degree, products = _DEGREE, 1
    while True:
        X, Z = _filtered(matrix, X, Z, edges.damped(X.shape[1], bottom), degree)
        products += degree
        found, Z = _ritz(matrix, X, Z)
        ends = found.picked(slice(largest)), found.picked(slice(None, -1 - smallest, -1))
        if products >= _PRODUCTS or all(end.within(tolerance) for end in ends):
            lowest = found.picked(slice(None, -1 - bottom, -1))
            return ends[0], _deepened(matrix, lowest, float(found.values[0]), tolerance).picked(slice(smallest))
        X = found.vectors
        # An estimate is never beyond the eigenvalue of its rank, so of all that were seen the furthest is the best.
        low, high = float(found.values[-bottom:][0]), float(found.values[:top][-1])
        edges = furthest = _Edges(min(furthest.low, low), max(furthest.high, high))
        degree = edges.degree(found.values)


def _deepened(matrix: ScaledAdjacency, lowest: Ritz, highest: float, tolerance: float) -> Ritz:
    """The lower end alone, with as many more products as it takes; only columns of its own are left to multiply.

    No eigenvalue is further from zero than the highest. What lies between the lower edge and that is damped, the upper
    end with it.
    """
    k, products = len(lowest.values), 0
    while products < _DEEPENING and k and not lowest.picked(slice(k - _GUARDS)).within(tolerance):
        damped = np.repeat([[lowest.values[-1]], [_BEYOND * highest]], k, axis=1)
        X, Z = _filtered(matrix, lowest.vectors, matrix.times(lowest.vectors), damped, _DEEP)
        found, _ = _ritz(matrix, X, Z)
        lowest = found.picked(slice(None, None, -1))
        products += _DEEP + 1
    return lowest


@dataclass(frozen=True)
class _Edges:
    """Where the bulk of the spectrum begins and ends, as far as is known."""

    low: float
    high: float

    def damped(self, columns: int, bottom: int) -> Float64Array:
        """What is to be damped in each column, the last ``bottom`` of which are for the lower end (2 × columns).

        It reaches at least as far to the other side, or a strong end whose edge is not known yet would take over all
        columns.
        """
        for_top = np.arange(columns) < columns - bottom
        return np.array(
            [
                np.where(for_top, min(self.low, -self.high), self.low),
                np.where(for_top, self.high, max(self.high, -self.low)),
            ]
        )

    def degree(self, values: Float64Array) -> int:
        """The highest degree that leaves the other end pairs visible beside the largest."""
        half = (self.high - self.low) / 2
        reach = max(values[0] - self.low, self.high - values[-1]) / half - 1
        growth = np.arccosh(max(float(reach), 1 + 1e-6))
        return int(np.clip(np.log(2 * _RANGE) / growth, 1, _DEGREE))


def _filtered(
    matrix: ScaledAdjacency, X: Float32Array, Z: Float32Array, damped: Float64Array, degree: int
) -> tuple[Float32Array, Float32Array]:
    """The Chebyshev polynomials of the matrix times X, and the matrix times that; Z is the matrix times X."""
    centres, halves = damped.mean(axis=0).astype(np.float32), (np.diff(damped, axis=0)[0] / 2).astype(np.float32)
    before, now = X, Z
    now -= centres * before
    now /= halves
    for _ in range(degree - 1):
        matrix.step(now, before, 2 / halves, centres, 1.0)
        before, now = now, before
    matrix.step(now, before, np.ones_like(halves), np.zeros_like(centres), 0.0)
    return now, before


def _ritz(matrix: ScaledAdjacency, X: Float32Array, Z: Float32Array) -> tuple[Ritz, Float32Array]:
    """Estimates from the space of X, from large to small, and the matrix times their vectors."""
    G, H, S = matrix.moments(X, Z)
    norms = np.sqrt(np.diag(G))
    sizes, axes = linalg.eigh(G / np.outer(norms, norms))
    safe = sizes > _NEARLY_DEPENDENT * sizes[-1]
    basis = axes[:, safe] / np.sqrt(sizes[safe]) / norms[:, None]
    values, turn = linalg.eigh(basis.T @ (H + H.T) / 2 @ basis)
    turn = basis @ turn[:, ::-1]
    values = values[::-1]
    residuals = np.sqrt(np.maximum(np.einsum("ij,ij->j", turn, S @ turn) - values**2, 0))
    return Ritz(values, matrix.turned(X, turn), residuals), matrix.turned(Z, turn)

"""The eigenvectors of the adjacency matrix at the ends of its spectrum.

Small graphs are left to LAPACK and ARPACK. For a large graph both ends are estimated to a few digits, from one block
of vectors in 32 bits. A Chebyshev polynomial stays within ±1 on an interval and grows faster outside than any other of
its degree. So a polynomial of the matrix, applied to a random block, amplifies the ends of the spectrum against the
bulk (Zhou, Saad, Tiago and Chelikowsky, "Self-consistent-field calculations using Chebyshev-filtered subspace
iteration", 2006). The resulting subspace gives estimates of the eigenpairs (Rayleigh-Ritz), and these determine the
next interval. Two or three blocks are in memory at a time, whatever the degree, and each product reads the graph once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import pairwise
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import scipy
from scipy import sparse

from philia._types import Float64Array, FloatArray
from philia.graphs.graph import Graph

_Float32Array = npt.NDArray[np.float32]

_Map = Callable[[Callable[..., Any], Iterable[Any]], Iterable[Any]]
"""Runs a function on each of several items and yields the results in order, as ``map`` does."""

_DENSE = 150
"""Up to this many nodes the whole spectrum is cheaper than an iteration for part of it."""

_LARGE = 50_000
"""Above this many nodes two digits are enough for a start, with both ends from one subspace; ARPACK takes several times
as long."""

_TWO_DIGITS = 1e-2
"""The relative residual of estimates that are accurate to two digits."""

_SMALL = 2000
"""Up to this many nodes eigenvectors are cheap to full precision; beyond, four digits are enough for a start."""

_APART = 1e-6
"""How far equal eigenvalues are moved apart: far above rounding, far below what a start depends on."""

_End = Literal["largest", "smallest", "extreme"]
_KEYS = {
    "largest": lambda values: -values,
    "smallest": lambda values: values,
    "extreme": lambda values: -np.abs(values),
}
_ARPACK = {"largest": "LA", "smallest": "SA", "extreme": "LM"}


def leading_eigenpairs(
    graph: Graph, count: int, end: _End, rng: np.random.Generator
) -> tuple[Float64Array, Float64Array]:
    """Eigenvalues at one end of the spectrum, or the largest by size, with their eigenvectors; best first.

    Fewer than ``count`` are returned if the graph has fewer nodes; for a large graph at most n/4.

    >>> from philia import as_graph
    >>> path = as_graph([(0, 1), (1, 2)])
    >>> leading_eigenpairs(path, 1, "smallest", np.random.default_rng(0))[0].round(3).tolist()
    [-1.414]
    """
    return _leading(graph.adjacency.astype(np.float64), graph.n_links, count, end, rng, tolerance=0.0)


def leading_ends(
    graph: Graph, largest: int, smallest: int, rng: np.random.Generator, *, scaled: bool, run: _Map = map
) -> tuple[tuple[Float64Array, FloatArray], tuple[Float64Array, FloatArray]]:
    """Eigenpairs at both ends of the spectrum, accurate enough to start a search with; best first.

    The matrix is A, or with ``scaled`` D^-½ A D^-½ with D the degrees plus their mean, in which all nodes weigh about
    the same. Without the scaling the first eigenvectors of a graph with a few very popular nodes describe those nodes;
    adding the mean keeps nodes with a link or two from being the next ones (Qin and Rohe, "Regularized spectral
    clustering under the degree-corrected stochastic blockmodel", 2013).

    Equal eigenvalues are moved apart by a millionth, differently for every node: otherwise rounding would choose among
    their eigenvectors, and a symmetric graph would be fitted differently on every processor. Fewer pairs are returned
    if the graph has fewer nodes. Eigenvectors of a large graph are in 32 bits and accurate to about two digits, fewer
    where eigenvalues cluster. ``run``, used only for large graphs, runs pieces of the work as ``map`` does.

    >>> from philia import as_graph
    >>> path = as_graph([(0, 1), (1, 2)])
    >>> (top, _), (bottom, _) = leading_ends(path, 1, 1, np.random.default_rng(0), scaled=False)
    >>> float(top[0].round(3)), float(bottom[0].round(3))
    (1.414, -1.414)
    """
    weights = _evening_weights(graph) if scaled and graph.n_links else np.ones(graph.n_nodes)
    if graph.n_nodes > _LARGE and graph.n_links:
        upper, lower = both_ends(ScaledAdjacency(graph, weights, run), largest, smallest, rng, _TWO_DIGITS)
        return (upper.values, upper.vectors), (lower.values, lower.vectors)
    scaling = _diagonal(weights)
    apart = _diagonal(_APART * np.random.default_rng(0).random(graph.n_nodes))
    matrix = (scaling @ graph.adjacency.astype(np.float64) @ scaling + apart).tocsr()
    tolerance = 1e-10 if graph.n_nodes <= _SMALL else 1e-4
    return (
        _leading(matrix, graph.n_links, largest, "largest", rng, tolerance),
        _leading(matrix, graph.n_links, smallest, "smallest", rng, tolerance),
    )


def dividing_vector(graph: Graph, rng: np.random.Generator) -> Float64Array:
    """The vector of a normalized cut: signs of its entries are the sides of the nodes (n).

    It is the leading eigenvector of D^-½ A D^-½ without D^½ 1, the one that divides nothing. Being at right angles to
    that positive vector, it has entries of both signs as soon as two nodes have links, in several components too.

    >>> from philia import as_graph
    >>> triangles = as_graph([(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 5), (5, 3)])
    >>> sides = dividing_vector(triangles, np.random.default_rng(0)) > 0
    >>> bool((sides[:3] == sides[0]).all() and (sides[3:] != sides[0]).all())
    True
    """
    n, roots = graph.n_nodes, np.sqrt(graph.degrees.astype(np.float64))
    if not graph.n_links:
        return np.where(np.arange(n) % 2, 1.0, -1.0)
    scaling = _diagonal(1 / np.maximum(roots, 1))
    matrix = (scaling @ graph.adjacency.astype(np.float64) @ scaling).tocsr()
    even = roots / np.linalg.norm(roots)
    if n <= _DENSE:
        _, vectors = scipy.linalg.eigh(matrix.toarray() - 2 * np.outer(even, even))
        return _oriented(vectors[:, -1])
    from scipy.sparse.linalg import LinearOperator, eigsh  # it takes long to load

    without = LinearOperator((n, n), matvec=lambda x: matrix @ x - 2 * even * (even @ x), dtype=np.float64)
    return _oriented(eigsh(without, k=1, which="LA", v0=rng.standard_normal(n))[1][:, 0])


def _oriented(vector: Float64Array) -> Float64Array:
    """An eigenvector or minus it, whichever is positive where it is largest: solvers leave the sign to chance."""
    return np.asarray(vector * np.sign(vector[np.abs(vector).argmax()]))


def _diagonal(values: Float64Array) -> sparse.dia_array:
    return sparse.dia_array((values[None, :], [0]), shape=(len(values), len(values)))


def _evening_weights(graph: Graph) -> Float64Array:
    return np.asarray(1 / np.sqrt(graph.degrees + graph.degrees.mean()))


def _leading(
    matrix: sparse.csr_array, n_links: int, count: int, end: _End, rng: np.random.Generator, tolerance: float
) -> tuple[Float64Array, Float64Array]:
    n = matrix.shape[0]
    count = min(count, n if n <= _DENSE else n // 4)
    if count == 0 or n_links == 0:
        return np.zeros(count), np.eye(n, count)
    if n <= _DENSE:
        values, vectors = scipy.linalg.eigh(matrix.toarray())
    else:
        from scipy.sparse.linalg import eigsh  # it takes long to load

        values, vectors = eigsh(matrix, k=count, which=_ARPACK[end], v0=rng.standard_normal(n), tol=tolerance)
    order = np.argsort(_KEYS[end](values), kind="stable")[:count]
    return values[order], vectors[:, order]


_GUARDS = 4
"""Extra eigenpairs computed at each end, since the last ones are always the least accurate."""

_DEGREE, _PRODUCTS = 6, 18
"""The most products between two estimates, and in total."""

_DEEP, _DEEPENING, _BEYOND = 8, 36, 1.02
"""The same for the lower end alone, and a margin. The lower end is rarely far from the bulk, so it takes more products,
which are cheap with few columns. An estimate of the highest eigenvalue may be slightly too low, hence the margin."""

_FIRST_EDGE = 1.5
"""Where the bulk is assumed to end at first, in units of the root mean square of all eigenvalues, which is also its
lower bound later. The semicircle of a graph without structure ends at 2; too small a guess only costs time."""

_RANGE = 1e4
"""How much more than the bulk a polynomial may amplify the largest eigenvalue: 32 bits hold seven digits."""

_NEARLY_DEPENDENT = 1e-11
"""Directions with less than this share of a block's energy are rounding errors."""


@dataclass(frozen=True, eq=False)
class _Ritz:
    """Estimates of eigenpairs: values, unit vectors as columns, and the residual norm of each pair.

    >>> both = _Ritz(np.array([2.0, -1.0]), np.eye(3, 2, dtype=np.float32), np.array([0.1, 0.2]))
    >>> both.picked(slice(1, None)).values
    array([-1.])
    """

    values: Float64Array
    vectors: _Float32Array
    residuals: Float64Array

    def picked(self, which: slice) -> _Ritz:
        """A selection of the pairs."""
        return _Ritz(self.values[which], self.vectors[:, which], self.residuals[which])

    def within(self, tolerance: float) -> bool:
        """Whether all residuals are at most this share of their eigenvalues."""
        return bool((self.residuals <= tolerance * np.abs(self.values)).all())


def both_ends(
    matrix: ScaledAdjacency, largest: int, smallest: int, rng: np.random.Generator, tolerance: float
) -> tuple[_Ritz, _Ritz]:
    """Estimates of the ``largest`` largest and the ``smallest`` smallest eigenvalues with eigenvectors, best first.

    Eigenvalues away from the bulk are accurate to several digits. At its edge, where they cluster, the vectors are
    mixtures of the cluster. Fewer are returned if the matrix has a lower rank.

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
        # An estimate never exceeds the eigenvalue of its rank, so the furthest of all estimates is the best.
        low, high = float(found.values[-bottom:][0]), float(found.values[:top][-1])
        edges = furthest = _Edges(min(furthest.low, low), max(furthest.high, high))
        degree = edges.degree(found.values)


def _deepened(matrix: ScaledAdjacency, lowest: _Ritz, highest: float, tolerance: float) -> _Ritz:
    """The lower end alone, with as many more products as it takes; only its own columns are multiplied.

    No eigenvalue is further from zero than the highest, so everything from the lower edge to there is damped.
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
    """The estimated interval of the bulk of the spectrum."""

    low: float
    high: float

    def damped(self, columns: int, bottom: int) -> Float64Array:
        """The interval to damp in each column (2 × columns); the last ``bottom`` columns are for the lower end.

        It extends at least as far to the other side; otherwise a strong end whose edge is not known yet would take over
        all columns.
        """
        for_top = np.arange(columns) < columns - bottom
        return np.array(
            [
                np.where(for_top, min(self.low, -self.high), self.low),
                np.where(for_top, self.high, max(self.high, -self.low)),
            ]
        )

    def degree(self, values: Float64Array) -> int:
        """The highest degree at which the other end pairs do not vanish beside the largest."""
        half = (self.high - self.low) / 2
        reach = max(values[0] - self.low, self.high - values[-1]) / half - 1
        growth = np.arccosh(max(float(reach), 1 + 1e-6))
        return int(np.clip(np.log(2 * _RANGE) / growth, 1, _DEGREE))


def _filtered(
    matrix: ScaledAdjacency, X: _Float32Array, Z: _Float32Array, damped: Float64Array, degree: int
) -> tuple[_Float32Array, _Float32Array]:
    """The Chebyshev polynomials of the matrix applied to X, and the matrix times that; Z is the matrix times X."""
    centres, halves = damped.mean(axis=0).astype(np.float32), (np.diff(damped, axis=0)[0] / 2).astype(np.float32)
    before, now = X, Z
    now -= centres * before
    now /= halves
    for _ in range(degree - 1):
        matrix.step(now, before, 2 / halves, centres, 1.0)
        before, now = now, before
    matrix.step(now, before, np.ones_like(halves), np.zeros_like(centres), 0.0)
    return now, before


def _ritz(matrix: ScaledAdjacency, X: _Float32Array, Z: _Float32Array) -> tuple[_Ritz, _Float32Array]:
    """Estimates from the span of X, in descending order, and the matrix times their vectors."""
    G, H, S = matrix.moments(X, Z)
    norms = np.sqrt(np.diag(G))
    sizes, axes = scipy.linalg.eigh(G / np.outer(norms, norms))
    safe = sizes > _NEARLY_DEPENDENT * sizes[-1]
    basis = axes[:, safe] / np.sqrt(sizes[safe]) / norms[:, None]
    values, turn = scipy.linalg.eigh(basis.T @ (H + H.T) / 2 @ basis)
    turn = basis @ turn[:, ::-1]
    values = values[::-1]
    residuals = np.sqrt(np.maximum(np.einsum("ij,ij->j", turn, S @ turn) - values**2, 0))
    return _Ritz(values, matrix.turned(X, turn), residuals), matrix.turned(Z, turn)


_ROWS, _ENTRIES = 2**14, 2**18
"""Rows of a block (2 MB with 32 columns), and entries of the matrix, in one piece of work. Sums depend on the first."""


@dataclass(frozen=True, eq=False)
class ScaledAdjacency:
    """The matrix W A W, with W a diagonal matrix of weights, and the ``map`` that runs the pieces of its products.

    How work is cut into pieces depends only on the graph, and sums over pieces are added in order, so results do not
    depend on what runs them.

    >>> from philia import as_graph
    >>> matrix = ScaledAdjacency(as_graph([(0, 1), (1, 2)]), np.array([1.0, 2.0, 3.0]))
    >>> matrix.times(np.ones((3, 1), np.float32)).tolist()
    [[2.0], [8.0], [6.0]]
    """

    graph: Graph
    weights: Float64Array
    run: _Map = map

    def times(self, X: _Float32Array) -> _Float32Array:
        """The matrix times a block."""
        found, unit = np.zeros_like(X), np.ones(X.shape[1], np.float32)
        self.step(X, found, unit, 0 * unit, 0.0)
        return found

    def step(
        self, X: _Float32Array, into: _Float32Array, scales: _Float32Array, centres: _Float32Array, kept: float
    ) -> None:
        """Write (W A W X - X · centres) · scales - kept · into over ``into``: a step of a three-term recurrence.

        Each column has its own scale and centre.

        >>> from philia import as_graph
        >>> X, into, two = np.ones((2, 1), np.float32), np.ones((2, 1), np.float32), np.full(1, 2, np.float32)
        >>> ScaledAdjacency(as_graph([(0, 1)]), np.ones(2)).step(X, into, two, -two, 1.0)
        >>> into.tolist()  # (1 + 2) 2 - 1
        [[5.0], [5.0]]
        """
        from philia.graphs.kernels import prepare_step, step  # loads numba; small graphs do without

        rows = self.graph.adjacency.indptr, self.graph.adjacency.indices
        prepare_step(rows[0].dtype.type, rows[1].dtype.type)
        for _ in self.run(partial(step, rows, self._single, X, into, (scales, centres, kept)), self._spans):
            pass

    def moments(self, X: _Float32Array, Z: _Float32Array) -> tuple[Float64Array, Float64Array, Float64Array]:
        """XᵀX, XᵀZ and ZᵀZ, in 64 bits."""
        k = X.shape[1]
        total = np.zeros((2 * k, 2 * k))
        for part in self.run(partial(_products, X, Z), self._pieces):
            total += part
        return total[:k, :k], total[:k, k:], total[k:, k:]

    def turned(self, X: _Float32Array, by: Float64Array) -> _Float32Array:
        """X @ by."""
        found = np.empty((len(X), by.shape[1]), np.float32)
        for _ in self.run(partial(_turn, X, by.astype(np.float32), found), self._pieces):
            pass
        return found

    @cached_property
    def rms_eigenvalue(self) -> float:
        """The root mean square of all eigenvalues.

        >>> from philia import as_graph
        >>> ScaledAdjacency(as_graph([(0, 1)]), np.ones(2)).rms_eigenvalue  # they are 1 and -1
        1.0
        """
        squares = self.weights**2
        return float(np.sqrt(squares @ (self.graph.adjacency @ squares) / self.graph.n_nodes))

    @cached_property
    def _single(self) -> _Float32Array:
        return self.weights.astype(np.float32)

    @cached_property
    def _pieces(self) -> list[slice]:
        return [slice(first, first + _ROWS) for first in range(0, self.graph.n_nodes, _ROWS)]

    @cached_property
    def _spans(self) -> list[tuple[int, int]]:
        """Consecutive rows with about equally many entries, and none with very many rows."""
        indptr, n = self.graph.adjacency.indptr, self.graph.n_nodes
        by_entries = np.searchsorted(indptr, np.arange(0, indptr[-1], _ENTRIES, dtype=np.int64))
        borders = np.unique(np.concatenate([by_entries, np.arange(0, n, _ENTRIES), [0, n]])).clip(max=n).tolist()
        return list(pairwise(borders))


def _products(X: _Float32Array, Z: _Float32Array, rows: slice) -> Float64Array:
    both = np.hstack([X[rows], Z[rows]]).astype(np.float64)
    return np.asarray(both.T @ both)


def _turn(X: _Float32Array, by: _Float32Array, found: _Float32Array, rows: slice) -> None:
    np.matmul(X[rows], by, out=found[rows])

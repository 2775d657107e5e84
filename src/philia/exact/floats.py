"""Scores of floating-point factors whose signs are certain: by a bound of the rounding error, else in whole numbers.

A float is a whole number times a power of two, so factors in floats are exact numbers, and so are their scores. Only
the computed scores are rounded. With u = 2⁻⁵³ and γ_K = K u / (1 - K u), a sum of K products computed in floats differs
from x·y by at most γ_K |x|·|y|, in whatever order it is added and with products fused into sums or not: each product
passes through at most K roundings, each of which changes it by a factor within 1 ± u (Higham, "Accuracy and stability
of numerical algorithms", 2nd edition, section 3.1). So this holds for any BLAS that multiplies and adds, on any number
of threads; it would not for one that multiplies matrices by Strassen's way, and none of those in use does.

|x|·|y| is computed in floats too, and may come out too small by the factor 1 - γ_K. γ_{K+2} makes up for that and for
the rounding of the bound itself: K u / (1 - 2 K u) ≤ γ_{K+2} (1 - u)² as long as K² u is below 1, so for millions of
columns. What is lost below the smallest normal float, 2⁻¹⁰²² an operation at most, is added. So

    |computed| > γ_{K+2} · computed(|x|·|y|) + 2 K 2⁻¹⁰²²

proves that the score has the sign of the computed one. The few pairs for which it does not hold are computed again in
whole numbers of any length. No sign is ever a guess.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from philia._types import Float64Array, Int64Array
from philia.exact.representation import Integers, Signs, TwoSided
from philia.exceptions import InvalidParameterError
from philia.graphs import Graph

_SMALLEST = 2.0**-1022
_PAIRS = 1 << 20
"""So many pairs are looked at at a time."""

_DECIDED = "every entry in floats, beyond a bound of its rounding error; in integers where that does not tell"


@dataclass(frozen=True, eq=False)
class FloatCommunities:
    """Nonnegative B (``homophilous``) and C (``heterophilous``) in floats, a row a node; scores are B Bᵀ - C Cᵀ.

    >>> pair = FloatCommunities(np.array([[1.0], [1.0]]), np.array([[1.5, 0.0], [0.0, 1.5]]), "given")
    >>> pair.signs(np.arange(2)).values.tolist(), pair.community_columns
    ([[-1, 1], [1, -1]], 3)
    """

    homophilous: Float64Array
    heterophilous: Float64Array
    construction: str = "fitted"

    def __post_init__(self) -> None:
        _check(self.homophilous, self.heterophilous)
        lowest = min(self.homophilous.min(initial=0), self.heterophilous.min(initial=0))
        if lowest < 0:
            raise InvalidParameterError(f"memberships of communities are not negative; found {lowest}")

    @property
    def n_nodes(self) -> int:
        """How many nodes there are."""
        return len(self.homophilous)

    @property
    def community_columns(self) -> int:
        """How many columns B and C have together."""
        return int(self.homophilous.shape[1] + self.heterophilous.shape[1])

    @property
    def logistic_columns(self) -> int:
        """How many columns each side of the logistic form has."""
        return self.community_columns

    @property
    def bits(self) -> int:
        """How many bits a number has."""
        return 64

    @property
    def how_signs_are_decided(self) -> str:
        """A sentence for the certificate."""
        return _DECIDED

    def signs(self, rows: Int64Array) -> Signs:
        """The signs of the scores of some rows with all nodes; certain, zeros included."""
        B, C = self.homophilous, self.heterophilous
        return signs_of_products(np.hstack([B, -C]), np.hstack([B, C]), rows)

    def arrays(self) -> Mapping[str, Integers]:
        """All that makes it, for a file."""
        return {"homophilous": self.homophilous, "heterophilous": self.heterophilous}


@dataclass(frozen=True, eq=False)
class FloatLogistic(TwoSided):
    """X (``left``) and Y (``right``) in floats, a row a node; scores are X Yᵀ, in both directions of a pair.

    >>> FloatLogistic(np.array([[1.0], [-1.0]]), np.array([[-2.0], [2.0]]), "given").signs(np.arange(2)).values.tolist()
    [[-1, 1], [1, -1]]
    """

    construction: str = "fitted"

    def __post_init__(self) -> None:
        _check(self.left, self.right)
        super().__post_init__()

    @property
    def bits(self) -> int:
        """How many bits a number has."""
        return 64

    @property
    def how_signs_are_decided(self) -> str:
        """A sentence for the certificate."""
        return _DECIDED

    def signs(self, rows: Int64Array) -> Signs:
        """The signs of the scores of some rows with all nodes; certain, zeros included."""
        return signs_of_products(self.left, self.right, rows)


FloatFactors = FloatCommunities | FloatLogistic


def signs_of_products(X: Float64Array, Y: Float64Array, rows: Int64Array) -> Signs:
    """The signs of X[rows] Yᵀ, certain; the margin is in bits, by how much scores exceed their error bounds.

    A margin below zero says that some scores did not, and were decided in whole numbers.

    >>> X = np.array([[1.0, 2.0**-60]])
    >>> signs_of_products(X, np.array([[1.0, 1.0], [-1.0, 2.0**60], [-1.0, 2.0**61]]), np.array([0])).values
    array([[1, 0, 1]], dtype=int8)
    """
    with np.errstate(over="ignore", invalid="ignore"):
        computed, bounds = _with_bounds(X[rows], Y)
    sizes = np.where(np.isfinite(computed) & np.isfinite(bounds), np.abs(computed), 0.0)  # what overflows tells nothing
    values = ((computed > 0).astype(np.int8) - (computed < 0)).astype(np.int8)
    unsure_rows, unsure_columns = np.nonzero(~(sizes > bounds))
    if unsure_rows.size:
        whole_X, whole_Y = _whole(X[rows], unsure_rows), _whole(Y, unsure_columns)
        for i, j in zip(unsure_rows.tolist(), unsure_columns.tolist(), strict=True):
            product = sum(x * y for x, y in zip(whole_X[i], whole_Y[j], strict=True))
            values[i, j] = (product > 0) - (product < 0)
    ratio = float(np.min(sizes / bounds, initial=np.inf))
    return Signs(values, float(np.log2(max(ratio, _SMALLEST))))


def wrong_scores(graph: Graph, left: Float64Array, right: Float64Array, *, stop: bool = False) -> int:
    """How many of the computed scores left · rightᵀ have not the sign of the graph, both directions and the diagonal.

    With ``stop`` it is enough to know whether there is any: rows after the first wrong one are not looked at.

    >>> from philia import as_graph
    >>> wrong_scores(as_graph([("ann", "bob")]), np.ones((2, 1)), np.ones((2, 1)))  # the diagonal
    2
    """
    n, wrong = graph.n_nodes, 0
    step = max(1, _PAIRS // max(n, 1))
    for top in range(0, n, step):
        rows = slice(top, top + step)
        scores = left[rows] @ right.T
        linked = graph.adjacency[rows].toarray() > 0
        wrong += int((((scores > 0) != linked) | (scores == 0)).sum())
        if stop and wrong:
            return wrong
    return wrong


def _with_bounds(X: Float64Array, Y: Float64Array) -> tuple[Float64Array, Float64Array]:
    """The computed scores, and what their size has to exceed for their signs to be proved."""
    K = max(X.shape[1], 1)
    gamma = (K + 2) * 2.0**-53 / (1 - (K + 2) * 2.0**-53)
    bounds = np.abs(X) @ np.abs(Y).T
    bounds *= gamma
    bounds += 2 * K * _SMALLEST
    return np.asarray(X @ Y.T), bounds


def _whole(X: Float64Array, rows: Int64Array) -> dict[int, list[int]]:
    """Some rows of X as whole numbers: each row times a power of two of its own, which changes no sign."""
    found = {}
    for i in np.unique(rows).tolist():
        ratios = [entry.as_integer_ratio() for entry in X[i].tolist()]
        common = max((below for _, below in ratios), default=1)
        found[i] = [above * (common // below) for above, below in ratios]  # both are powers of two
    return found


def _check(first: Float64Array, second: Float64Array) -> None:
    """Two matrices with one row per node, of zeros and normal floats: some processors take smaller ones for zeros.

    Nothing but float64 will do. Whole numbers beside floats would be rounded before anything is proved about them.
    """
    for X in (first, second):
        if X.dtype != np.float64:
            raise InvalidParameterError(f"factors must be floats of 64 bits; found an array of {X.dtype}")
        if X.ndim != 2 or len(X) != len(first):
            raise InvalidParameterError(
                f"both matrices need a row a node; found shapes {first.shape} and {second.shape}"
            )
        sizes = np.abs(X[X != 0])
        if not np.isfinite(sizes).all() or sizes.min(initial=1) < _SMALLEST:
            raise InvalidParameterError(
                f"factors must be finite, and zero or at least {_SMALLEST:.3g} in size; found sizes from "
                f"{sizes.min(initial=np.inf)} to {sizes.max(initial=0)}; set those that are too small to zero"
            )

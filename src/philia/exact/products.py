"""Scores as products of matrices: of integers, computed in full, or of floats, with signs that are certain.

**Floats.** A float is an integer times a power of two, so factors in floats are exact numbers, and so are their scores.
Only the computed scores are rounded. With u = 2⁻⁵³ and γ_K = K u / (1 - K u), a sum of K products computed in floats
differs from x·y by at most γ_K |x|·|y|, in any order of summation and with or without fused multiply-add: each product
passes through at most K roundings, each of which changes it by a factor within 1 ± u (Higham, "Accuracy and stability
of numerical algorithms", 2nd edition, section 3.1). So this holds for any BLAS that multiplies and adds, on any number
of threads; it would not hold for Strassen's matrix multiplication, which no BLAS in use here has.

|x|·|y| is computed in floats too, and may come out too small by the factor 1 - γ_K. γ_{K+2} makes up for that and for
the rounding of the bound itself: K u / (1 - 2 K u) ≤ γ_{K+2} (1 - u)² as long as K² u is below 1, so for millions of
columns. What is lost below the smallest normal float, at most 2⁻¹⁰²² per operation, is added. So

    |computed| > γ_{K+2} · computed(|x|·|y|) + 2 K 2⁻¹⁰²²

proves that the score has the sign of the computed one. The few pairs for which it does not hold are computed again in
integers of any length. No sign is ever a guess.

**Time.** Columns have no structure that a proof could use, so all pairs are computed. What would take many hours is
refused before it begins, or, in floats, as soon as too many pairs have to be computed again.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from scipy import sparse

from philia._types import Float64Array, Int64Array
from philia.exact.representation import Integers, Signs, Verdict, check_integers, compared, require_hours
from philia.exceptions import InvalidParameterError
from philia.graphs import Graph

_EVERY_ENTRY = "every entry in integers"

_SMALLEST = 2.0**-1022
"""The smallest normal float."""

_PAIRS = 1 << 20
"""Pairs in a block: three temporary arrays of 8 MB."""

_DECIDED = "every entry in floats, beyond a bound of its rounding error; in integers where that does not tell"

_PER_HOUR = {"f": 1 << 43, "i": 1 << 41, "O": 1 << 35}
"""How many products a processor computes and adds in an hour, roughly: of floats, short integers, Python integers."""

_LONG, _GROWTH = 100, 1.4
"""Products of Python integers of this many bits take twice as long as the shortest, and longer ones by this power."""


@dataclass(frozen=True, eq=False)
class IntegerCommunities:
    """Nonnegative integer ``memberships`` V, one row per node, and signed integer ``weights`` W; scores V diag(W) Vᵀ.

    A positive weight makes a homophilous community, a negative one a heterophilous one.

    >>> triangle = IntegerCommunities(np.array([[1, 1], [1, 2], [1, 3]]), np.array([5, -1]), "given")
    >>> triangle.signs(np.arange(3)).values.tolist()
    [[1, 1, 1], [1, 1, -1], [1, -1, -1]]
    """

    memberships: Integers
    weights: Integers
    construction: str
    how_signs_are_decided: ClassVar[str] = _EVERY_ENTRY

    def __post_init__(self) -> None:
        V, W = self.memberships, self.weights
        check_integers(memberships=V, weights=W)
        if V.ndim != 2 or W.shape != V.shape[1:]:
            raise InvalidParameterError(f"memberships of shape {V.shape} need one weight per column; found {W.shape}")
        if V.size and V.min() < 0:
            raise InvalidParameterError(f"memberships of communities cannot be negative; found {V.min()}")

    @property
    def n_nodes(self) -> int:
        """The number of nodes."""
        return len(self.memberships)

    @property
    def community_columns(self) -> int:
        """The number of columns of the nonnegative form."""
        return int(self.weights.size)

    @property
    def logistic_columns(self) -> int:
        """The number of columns on each side of the logistic form."""
        return self.community_columns

    @property
    def bits(self) -> int:
        """The length of the longest membership or weight."""
        return max(_longest(self.memberships), _longest(self.weights))

    def scores(self, rows: Int64Array) -> Integers:
        """The scores of some rows with all nodes, as Python integers."""
        V = self.memberships.astype(object)
        return np.asarray((V[rows] * self.weights.astype(object)) @ V.T)

    def signs(self, rows: Int64Array) -> Signs:
        """The signs of the scores of some rows with all nodes."""
        V, W = self._wide
        return _signs_of_products(V[rows] * W, V)

    def verdicts(self, wanted: sparse.csr_array) -> Iterator[Verdict]:
        """Whether scores are positive exactly where asked, some rows at a time; refused if it would take many hours."""
        _require_time(self._wide[0], self.bits)
        return compared(self.signs, wanted)

    @cached_property
    def _wide(self) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        """Memberships and weights in the type in which no score is rounded or overflows."""
        V, W = self.memberships, self.weights
        largest = V.max(axis=0, initial=0)
        kind = _kind(sum(int(w) ** 2 * abs(int(weight)) for w, weight in zip(largest, W, strict=True)), V, W)
        return V.astype(kind), W.astype(kind)

    def arrays(self) -> Mapping[str, Integers]:
        """All of its numbers, for a file."""
        return {"memberships": self.memberships, "weights": self.weights}


@dataclass(frozen=True, eq=False)
class _TwoSided(ABC):
    """What all scores X Yᵀ have in common, whatever numbers X (``left``) and Y (``right``) hold, one row per node."""

    left: npt.NDArray[Any]
    right: npt.NDArray[Any]
    construction: str

    def __post_init__(self) -> None:
        if self.left.ndim != 2 or self.left.shape != self.right.shape:
            raise InvalidParameterError(
                f"both sides need the same shape, with one row per node; found {self.left.shape} and {self.right.shape}"
            )

    @property
    def n_nodes(self) -> int:
        """The number of nodes."""
        return len(self.left)

    @property
    def community_columns(self) -> int | None:
        """None: memberships cannot be negative."""
        return None

    @property
    def logistic_columns(self) -> int:
        """The number of columns on each side."""
        return int(self.left.shape[1])

    @abstractmethod
    def signs(self, rows: Int64Array) -> Signs:
        """The signs of the scores of some rows with all nodes; certain, zeros included."""

    @abstractmethod
    def verdicts(self, wanted: sparse.csr_array) -> Iterator[Verdict]:
        """Whether scores are positive exactly where asked, some rows at a time; refused if it would take many hours."""

    def arrays(self) -> Mapping[str, npt.NDArray[Any]]:
        """All of its numbers, for a file."""
        return {"left": self.left, "right": self.right}


@dataclass(frozen=True, eq=False)
class IntegerLogistic(_TwoSided):
    """Two integer matrices, X (``left``) and Y (``right``), one row per node; scores are X Yᵀ.

    >>> IntegerLogistic(np.array([[1], [-1]]), np.array([[-1], [1]]), "given").signs(np.arange(2)).values.tolist()
    [[-1, 1], [1, -1]]
    """

    how_signs_are_decided: ClassVar[str] = _EVERY_ENTRY

    def __post_init__(self) -> None:
        check_integers(left=self.left, right=self.right)
        super().__post_init__()

    @property
    def bits(self) -> int:
        """The length of the longest number."""
        return max(_longest(self.left), _longest(self.right))

    def scores(self, rows: Int64Array) -> Integers:
        """The scores of some rows with all nodes, as Python integers."""
        return np.asarray(self.left[rows].astype(object) @ self.right.astype(object).T)

    def signs(self, rows: Int64Array) -> Signs:
        """The signs of the scores of some rows with all nodes."""
        return _signs_of_products(self.left[rows].astype(self._wide.dtype), self._wide)

    def verdicts(self, wanted: sparse.csr_array) -> Iterator[Verdict]:
        """Whether scores are positive exactly where asked, some rows at a time; refused if it would take many hours."""
        _require_time(self._wide, self.bits)
        return compared(self.signs, wanted)

    @cached_property
    def _wide(self) -> npt.NDArray[Any]:
        """The right side in the type in which no score is rounded or overflows."""
        X, Y = self.left, self.right
        return Y.astype(_kind(X.shape[1] << _longest(X) + _longest(Y), X, Y))


def paired_communities(
    pairs: Sequence[tuple[Integers, Integers]], squares: Sequence[tuple[Integers, int]], construction: str
) -> IntegerCommunities:
    """Communities whose scores are ∑ (x yᵀ + y xᵀ) + ∑ w z zᵀ times a power of two, for pairs (x, y), squares (z, w).

    Every x is positive and no z is negative; entries are Python integers. For l large enough 2^l x + y and 2^l x - y
    have no negative entry, and

        (2^l x + y)(2^l x + y)ᵀ - (2^l x - y)(2^l x - y)ᵀ = 2^(l+1) (x yᵀ + y xᵀ):

    one community that attracts and one that repels.

    >>> one, y = np.array([1, 1], dtype=object), np.array([3, -1], dtype=object)
    >>> paired_communities([(one, y)], [], "given").memberships.tolist()
    [[7, 1], [3, 5]]
    """
    shifts = [max(map(_needed_shift, x, y), default=0) for x, y in pairs]
    most = max(shifts, default=0)
    V, W = [], []
    for (x, y), shift in zip(pairs, shifts, strict=True):
        V += [x * (1 << shift) + y, x * (1 << shift) - y]
        W += [1 << most - shift, -1 << most - shift]
    for z, w in squares:
        V.append(z)
        W.append(w << most + 1)
    return IntegerCommunities(np.stack(V, axis=1), np.array(W, dtype=object), construction)


def _needed_shift(x: int, y: int) -> int:
    """The least l ≥ 0 with 2^l x ≥ |y|, for x > 0."""
    shift = max(0, y.bit_length() - x.bit_length())
    return shift if x << shift >= abs(y) else shift + 1


def _kind(bound: int, *arrays: Integers) -> type:
    """The type in which no score is rounded or overflows, by a bound on all sums of sizes of products.

    Floats hold all integers up to 2⁵³, and their sums are the fastest; 64 bits are next, then Python integers. The
    arrays are converted even if they are short already: products of 8-bit numbers would wrap around.
    """
    if bound >= 1 << 63 or any(array.dtype == object for array in arrays):
        return object
    return np.float64 if bound < 1 << 53 else np.int64


def _signs_of_products(some: Integers, Y: Integers) -> Signs:
    if Y.dtype == np.float64:
        return Signs(np.sign(some @ Y.T).astype(np.int8))
    values = np.empty((len(some), len(Y)), dtype=np.int8)
    for i, x in enumerate(some):  # row by row, because a block of long products would take much memory
        values[i] = np.sign(Y @ x)
    return Signs(values)


def _require_time(Y: npt.NDArray[Any], bits: int) -> None:
    """Refuse to compute the scores of all pairs if that would take many hours, for numbers of so many bits."""
    n, K = Y.shape
    what = f"computing {n * n:,} scores from {K:,} columns of numbers of up to {bits:,} bits"
    require_hours(_hours(n * n * K, Y.dtype.kind, bits), what)


def _hours(products: float, kind: str, bits: int) -> float:
    """How long so many products of numbers of one kind take, roughly; long ones take longer."""
    return float(products / _PER_HOUR[kind] * (1 + (bits / _LONG) ** _GROWTH if kind == "O" else 1))


def _longest(numbers: Integers) -> int:
    return max(int(numbers.max(initial=0)).bit_length(), int(numbers.min(initial=0)).bit_length())


@dataclass(frozen=True, eq=False)
class FloatCommunities:
    """Nonnegative B (``homophilous``) and C (``heterophilous``) in floats, one row per node; scores are B Bᵀ - C Cᵀ.

    >>> pair = FloatCommunities(np.array([[1.0], [1.0]]), np.array([[1.5, 0.0], [0.0, 1.5]]), "given")
    >>> pair.signs(np.arange(2)).values.tolist(), pair.community_columns
    ([[-1, 1], [1, -1]], 3)
    """

    homophilous: Float64Array
    heterophilous: Float64Array
    construction: str = "fitted"
    how_signs_are_decided: ClassVar[str] = _DECIDED

    def __post_init__(self) -> None:
        _check(self.homophilous, self.heterophilous)
        lowest = min(self.homophilous.min(initial=0), self.heterophilous.min(initial=0))
        if lowest < 0:
            raise InvalidParameterError(f"memberships of communities cannot be negative; found {lowest}")

    @property
    def n_nodes(self) -> int:
        """The number of nodes."""
        return len(self.homophilous)

    @property
    def community_columns(self) -> int:
        """The number of columns of B and C together."""
        return int(self.homophilous.shape[1] + self.heterophilous.shape[1])

    @property
    def logistic_columns(self) -> int:
        """The number of columns on each side of the logistic form."""
        return self.community_columns

    @property
    def bits(self) -> int:
        """The length of a float."""
        return 64

    def signs(self, rows: Int64Array) -> Signs:
        """The signs of the scores of some rows with all nodes; certain, zeros included."""
        B, C = self.homophilous, self.heterophilous
        return signs_of_products(np.hstack([B, -C]), np.hstack([B, C]), rows)

    def verdicts(self, wanted: sparse.csr_array) -> Iterator[Verdict]:
        """Whether scores are positive exactly where asked, some rows at a time; refused if it would take many hours."""
        _require_time(np.hstack([self.homophilous, self.heterophilous]), self.bits)
        return compared(self.signs, wanted)

    def arrays(self) -> Mapping[str, Integers]:
        """All of its numbers, for a file."""
        return {"homophilous": self.homophilous, "heterophilous": self.heterophilous}


@dataclass(frozen=True, eq=False)
class FloatLogistic(_TwoSided):
    """X (``left``) and Y (``right``) in floats, one row per node; scores are X Yᵀ, for both orders of a pair.

    >>> FloatLogistic(np.array([[1.0], [-1.0]]), np.array([[-2.0], [2.0]]), "given").signs(np.arange(2)).values.tolist()
    [[-1, 1], [1, -1]]
    """

    construction: str = "fitted"
    how_signs_are_decided: ClassVar[str] = _DECIDED

    def __post_init__(self) -> None:
        _check(self.left, self.right)
        super().__post_init__()

    @property
    def bits(self) -> int:
        """The length of a float."""
        return 64

    def signs(self, rows: Int64Array) -> Signs:
        """The signs of the scores of some rows with all nodes; certain, zeros included."""
        return signs_of_products(self.left, self.right, rows)

    def verdicts(self, wanted: sparse.csr_array) -> Iterator[Verdict]:
        """Whether scores are positive exactly where asked, some rows at a time; refused if it would take many hours."""
        _require_time(self.left, self.bits)
        return compared(self.signs, wanted)


def signs_of_products(X: Float64Array, Y: Float64Array, rows: Int64Array) -> Signs:
    """The signs of X[rows] Yᵀ, certain; the margin is by how many bits scores exceed their error bounds.

    A margin below zero means that some scores did not, and were decided in integers.

    >>> X = np.array([[1.0, 2.0**-60]])
    >>> signs_of_products(X, np.array([[1.0, 1.0], [-1.0, 2.0**60], [-1.0, 2.0**61]]), np.array([0])).values
    array([[1, 0, 1]], dtype=int8)
    """
    with np.errstate(over="ignore", invalid="ignore"):
        computed, bounds = _with_bounds(X[rows], Y)
    sizes = np.where(np.isfinite(computed) & np.isfinite(bounds), np.abs(computed), 0.0)  # an overflow decides nothing
    values = ((computed > 0).astype(np.int8) - (computed < 0)).astype(np.int8)
    unsure_rows, unsure_columns = np.nonzero(~(sizes > bounds))
    if unsure_rows.size:
        whole_X, whole_Y = _whole(X[rows], unsure_rows), _whole(Y, unsure_columns)
        bits = max((abs(entry).bit_length() for row in whole_Y.values() for entry in row), default=0)
        share, n = unsure_rows.size / values.size, len(Y)
        what = f"floats do not tell the sign of {share:.0%} of {n * n:,} scores; computing these in integers"
        require_hours(_hours(share * n * n * X.shape[1], "O", bits), what)
        for i, j in zip(unsure_rows.tolist(), unsure_columns.tolist(), strict=True):
            product = sum(x * y for x, y in zip(whole_X[i], whole_Y[j], strict=True))
            values[i, j] = (product > 0) - (product < 0)
    ratio = float(np.min(sizes / bounds, initial=np.inf))
    return Signs(values, float(np.log2(max(ratio, _SMALLEST))))


def wrong_scores(graph: Graph, left: Float64Array, right: Float64Array, *, stop: bool = False) -> int:
    """How many computed scores left · rightᵀ have the wrong sign, for both orders of a pair and the diagonal.

    With ``stop`` the count ends with the first block that has any.

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


def least_size(X: Float64Array, Y: Float64Array, roundings: int = 0) -> float:
    """The smallest size of a score X Yᵀ, from below; zero or less if rounding could hide one's sign.

    The numbers may be rounded themselves, so often in all for the two of a product.

    >>> round(least_size(np.array([[1.0], [2.0]]), np.array([[-3.0], [4.0]])), 9)
    3.0
    """
    smallest = np.inf
    step = max(1, _PAIRS // max(len(Y), 1))
    with np.errstate(over="ignore", invalid="ignore"):
        for top in range(0, len(X), step):
            computed, bounds = _with_bounds(X[top : top + step], Y, roundings)
            sizes = np.abs(computed) - bounds
            smallest = min(smallest, float(np.where(np.isfinite(sizes), sizes, 0.0).min(initial=np.inf)))
    return smallest


def _with_bounds(X: Float64Array, Y: Float64Array, roundings: int = 0) -> tuple[Float64Array, Float64Array]:
    """The computed scores, and the bounds that they must exceed in size for their signs to be proved."""
    K = max(X.shape[1], 1) + roundings
    gamma = (K + 2) * 2.0**-53 / (1 - (K + 2) * 2.0**-53)
    bounds = np.abs(X) @ np.abs(Y).T
    bounds *= gamma
    bounds += 2 * K * _SMALLEST
    return np.asarray(X @ Y.T), bounds


def _whole(X: Float64Array, rows: Int64Array) -> dict[int, list[int]]:
    """Some rows of X as integers: each row times its own power of two, which changes no sign."""
    found = {}
    for i in np.unique(rows).tolist():
        ratios = [entry.as_integer_ratio() for entry in X[i].tolist()]
        common = max((below for _, below in ratios), default=1)
        found[i] = [above * (common // below) for above, below in ratios]  # both are powers of two
    return found


def _check(first: Float64Array, second: Float64Array) -> None:
    """Refuse all but matrices with one row per node, of zeros and normal floats: some processors flush smaller ones.

    Only float64 will do: integers mixed with floats would be rounded before anything is proved about them.
    """
    for X in (first, second):
        if X.dtype != np.float64:
            raise InvalidParameterError(f"factors must be 64-bit floats; found an array of {X.dtype}")
        if X.ndim != 2 or len(X) != len(first):
            raise InvalidParameterError(
                f"both matrices need one row per node; found shapes {first.shape} and {second.shape}"
            )
        sizes = np.abs(X[X != 0])
        if not np.isfinite(sizes).all() or sizes.min(initial=1) < _SMALLEST:
            raise InvalidParameterError(
                f"factors must be finite, and zero or at least {_SMALLEST:.3g} in size; found sizes from "
                f"{sizes.min(initial=np.inf)} to {sizes.max(initial=0)}; set those that are too small to zero"
            )

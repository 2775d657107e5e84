"""Recipes: a model as a row of a table, with its columns, their mixing into scores, and its loss.

Every factorization here is scores = F M Fᵀ with a fixed small matrix M. The columns of F come in groups that differ in
their lower bound, their penalty, and which of their values are free.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from itertools import accumulate, pairwise

import numpy as np

from philia._types import BoolArray, Float64Array, Int64Array
from philia.objective.losses import Loss


class Freedom(Enum):
    """Which values of a group of columns the solver may choose.

    >>> Freedom.SHARED.value
    'one value that all nodes share'
    """

    EVERY_NODE = "a value for every node"
    SHARED = "one value that all nodes share"
    FIXED = "nothing: the columns are given"


@dataclass(frozen=True)
class Group:
    """Columns of F that are treated alike.

    ``penalized`` says whether the model's penalty applies; ``own_penalty`` always does. A value shared by all nodes is
    scaled by √n for the solver: its slope is a sum over n nodes, and without the scaling a solver takes twice as many
    steps.

    ``given`` holds the columns (n × width) of a fixed group; without them they are columns of ones.

    >>> Group("homophilous", 10, lower_bound=0.0).size(n=1000)
    10000
    """

    name: str
    width: int
    lower_bound: float = -np.inf
    penalized: bool = True
    own_penalty: float = 0.0
    freedom: Freedom = Freedom.EVERY_NODE
    given: Float64Array | None = field(default=None, compare=False)

    def size(self, n: int) -> int:
        """Number of free values on n nodes."""
        if self.freedom is Freedom.EVERY_NODE:
            return n * self.width
        return self.width if self.freedom is Freedom.SHARED else 0

    def columns(self, values: Float64Array, n: int) -> Float64Array:
        """The group's columns (n × width) from its free values."""
        if self.freedom is Freedom.EVERY_NODE:
            return values.reshape(n, self.width)
        if self.freedom is Freedom.SHARED:
            return np.broadcast_to(values / np.sqrt(n), (n, self.width))
        return np.ones((n, self.width)) if self.given is None else self.given

    def values(self, columns: Float64Array) -> Float64Array:
        """The free values of these columns: the inverse of ``columns``."""
        if self.freedom is Freedom.EVERY_NODE:
            return columns.ravel()
        return columns.mean(axis=0) * np.sqrt(len(columns)) if self.freedom is Freedom.SHARED else np.empty(0)

    def pulled_back(self, gradient: Float64Array) -> Float64Array:
        """The gradient by the free values, from the gradient by the columns."""
        if self.freedom is Freedom.EVERY_NODE:
            return gradient.ravel()
        return gradient.sum(axis=0) / np.sqrt(len(gradient)) if self.freedom is Freedom.SHARED else np.empty(0)


@dataclass(frozen=True, eq=False)
class Layout:
    """The solver's vector x, column by column of F: row i of column c is ``scale[c] * x[first[c] + i * step[c]]``.

    A given column has a scale of 0.
    """

    first: Int64Array
    step: Int64Array
    scale: Float64Array


@dataclass(frozen=True, eq=False)
class Recipe:
    """Groups of columns, the mixing matrix M (k × k), and the loss: everything that distinguishes two models.

    >>> from philia.objective import CrossEntropy
    >>> recipe = Recipe((Group("homophilous", 2, lower_bound=0.0),), np.eye(2), CrossEntropy())
    >>> recipe.symmetric, recipe.factors(np.arange(6.0), n=3).tolist()
    (True, [[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]])
    """

    groups: tuple[Group, ...]
    mixing: Float64Array
    loss: Loss

    @cached_property
    def symmetric(self) -> bool:
        """Whether (i, j) and (j, i) have the same score, so that half of the ordered pairs suffice."""
        return bool((self.mixing == self.mixing.T).all())

    @cached_property
    def unchanging(self) -> BoolArray:
        """Which columns of F are given and meet no others, so that their part in the scores never changes."""
        given = np.repeat([g.freedom is Freedom.FIXED for g in self.groups], [g.width for g in self.groups])
        return np.asarray(given & ~self.mixing[:, ~given].any(axis=1))

    @cached_property
    def _used(self) -> Int64Array | slice:
        # Columns whose column of M is zero need not be multiplied: for sigmoid(XYᵀ) this halves the width.
        used = np.flatnonzero(self.mixing.any(axis=0))
        return slice(None) if len(used) == len(self.mixing) else used

    @cached_property
    def _to_left(self) -> _Columns:
        return _Columns(self.mixing[:, self._used])

    @cached_property
    def _from_left(self) -> _Columns:
        return _Columns(self.mixing[:, self._used].T)

    def sides(self, F: Float64Array) -> tuple[Float64Array, Float64Array]:
        """left and right, with F M Fᵀ = left · rightᵀ."""
        return self._to_left(F), F[:, self._used]

    def combined(self, left: Float64Array, right: Float64Array) -> Float64Array:
        """The gradient by F, from the gradients by the two sides (the chain rule of ``sides``)."""
        gradient = self._from_left(left)
        gradient[:, self._used] += right
        return gradient

    def size(self, n: int) -> int:
        """Number of free values on n nodes: the length of the solver's vector."""
        return sum(group.size(n) for group in self.groups)

    def factors(self, point: Float64Array, n: int) -> Float64Array:
        """F (n × k) from the solver's vector."""
        return np.hstack([g.columns(part, n) for g, part in zip(self.groups, self._parts(point, n), strict=True)])

    def point(self, F: Float64Array) -> Float64Array:
        """The solver's vector from F."""
        return np.concatenate([g.values(part) for g, part in zip(self.groups, self._columns(F), strict=True)])

    def pulled_back(self, gradient: Float64Array) -> Float64Array:
        """The gradient by the solver's vector, from the gradient by F."""
        return np.concatenate(
            [g.pulled_back(part) for g, part in zip(self.groups, self._columns(gradient), strict=True)]
        )

    def layout(self, n: int) -> Layout:
        """Where the solver's vector holds each column of F on n nodes."""
        widths, every = [g.width for g in self.groups], [g.freedom is Freedom.EVERY_NODE for g in self.groups]
        starts = list(accumulate((g.size(n) for g in self.groups), initial=0))[:-1]
        column = np.arange(sum(widths)) - np.repeat(list(accumulate(widths, initial=0))[:-1], widths)
        scales = {Freedom.EVERY_NODE: 1.0, Freedom.SHARED: 1 / np.sqrt(n), Freedom.FIXED: 0.0}
        return Layout(
            first=np.repeat(starts, widths) + column,
            step=np.repeat(np.multiply(every, widths), widths),
            scale=np.repeat([scales[g.freedom] for g in self.groups], widths),
        )

    def lower_bounds(self, n: int) -> Float64Array:
        """The lower bound of every entry of the solver's vector."""
        return np.repeat([g.lower_bound for g in self.groups], [g.size(n) for g in self.groups])

    def penalties(self, penalty: float, n: int) -> Float64Array:
        """The penalty on the square of every entry of the solver's vector."""
        charged = [penalty * g.penalized + g.own_penalty for g in self.groups]
        return np.repeat(charged, [g.size(n) for g in self.groups])

    def columns_of(self, name: str, F: Float64Array) -> Float64Array:
        """The columns of the group ``name``; n × 0 if there is no such group."""
        found = [part for g, part in zip(self.groups, self._columns(F), strict=True) if g.name == name]
        return np.ascontiguousarray(np.hstack(found)) if found else np.empty((F.shape[0], 0))

    def _parts(self, point: Float64Array, n: int) -> Sequence[Float64Array]:
        ends = list(accumulate(g.size(n) for g in self.groups))
        return [point[first:end] for first, end in pairwise([0, *ends])]

    def _columns(self, F: Float64Array) -> Sequence[Float64Array]:
        ends = list(accumulate(g.width for g in self.groups))
        return [F[:, first:end] for first, end in pairwise([0, *ends])]


class _Columns:
    """The product of X with a matrix most of whose columns have one number, which only scale a column of X.

    >>> X, M = np.arange(6.0).reshape(2, 3), np.array([[0.0, 1.0], [-1.0, 0.0], [0.0, 2.0]])
    >>> bool((_Columns(M)(X) == X @ M).all())
    True
    """

    def __init__(self, matrix: Float64Array) -> None:
        many = np.count_nonzero(matrix, axis=0) > 1
        self._width, self._dense = matrix.shape[1], matrix[:, many]
        self._to, self._to_many = np.flatnonzero(~many), np.flatnonzero(many)
        self._from: Int64Array | slice = np.abs(matrix[:, ~many]).argmax(axis=0) if len(matrix) else self._to
        self._scale = matrix[self._from, self._to]
        if np.array_equal(self._from, np.arange(len(matrix))):
            self._from = slice(None)  # saves a copy

    def __call__(self, X: Float64Array) -> Float64Array:
        scaled = X[:, self._from] * self._scale
        if not len(self._to_many):
            return np.asarray(scaled)
        product = np.empty((len(X), self._width), X.dtype)
        product[:, self._to] = scaled
        product[:, self._to_many] = X @ self._dense
        return product


def attracting(width: int) -> Float64Array:
    """Columns that raise the score of nodes that share them: +1 on the diagonal."""
    return np.eye(width)


def repelling(width: int) -> Float64Array:
    """Columns that lower the score of nodes that share them: -1 on the diagonal."""
    return -np.eye(width)


def one_way(width: int) -> Float64Array:
    """The first half of the columns multiplies the second half, but not the reverse: F = [X Y] gives X Yᵀ.

    >>> one_way(2)
    array([[0., 1.],
           [0., 0.]])
    """
    half = np.eye(width // 2)
    return np.kron(np.array([[0.0, 1.0], [0.0, 0.0]]), half)


def swapped(width: int) -> Float64Array:
    """The first half of the columns multiplies the second half, both ways: F = [U V] gives U Vᵀ + V Uᵀ.

    >>> swapped(2)
    array([[0., 1.],
           [1., 0.]])
    """
    return one_way(width) + one_way(width).T


def meeting_ones(width: int) -> Float64Array:
    """A column of ones followed by columns that multiply it both ways: one such column a gives the score a_i + a_j.

    >>> meeting_ones(1)
    array([[0., 1.],
           [1., 0.]])
    """
    mixing = np.zeros((1 + width, 1 + width))
    mixing[0, 1:] = mixing[1:, 0] = 1
    return mixing


def blocks(*matrices: Float64Array) -> Float64Array:
    """A block-diagonal matrix; blocks of width zero are dropped.

    >>> blocks(np.ones((1, 1)), np.empty((0, 0)), one_way(2))
    array([[1., 0., 0.],
           [0., 0., 1.],
           [0., 0., 0.]])
    """
    ends = np.cumsum([0, *map(len, matrices)])
    whole = np.zeros((ends[-1], ends[-1]))
    for first, end, matrix in zip(ends[:-1], ends[1:], matrices, strict=True):
        whole[first:end, first:end] = matrix
    return whole

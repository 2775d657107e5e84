"""Held-out pairs: pairs of nodes that a fit must not see, chosen at random, listed by the user, or both.

A pair is unordered: if (i, j) is held out, so is (j, i), and no split can leak one direction into the other. Pairs are
known by the rows of their nodes. A graph that grows keeps its rows, so the same pairs stay held out.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from philia._types import BoolArray, Int64Array, Pair, UInt32Array
from philia.exceptions import InvalidParameterError
from philia.graphs.disk import part_of
from philia.graphs.graph import Graph, stored
from philia.graphs.hashing import mixed, node_keys
from philia.pairs.names import rows_of_pairs

_ROWS = 1024
"""Rows whose pairs are tested together: ten million pairs in a graph of 10,000 nodes."""

_NAMED_ROWS = 256
"""The same where a user's function is asked about names: their arrays take more memory than numbers do."""

_DRAWS = 2**20
"""Pairs drawn at a time to find some that are held out; enough to keep NumPy busy, and 16 MB."""


class HeldOut(ABC):
    """Pairs that are kept out of a fit.

    A new kind of held-out pairs is a subclass with ``contains``. Everything else follows from it, at the cost of
    testing all pairs once; a kind that can do better overrides ``blocks`` or ``listed``. A kind that is, or contains,
    a random share of all pairs says so by ``random_part``: such pairs are as numerous as the pairs themselves, so they
    are hashed instead of listed.

    >>> class PairsOfNode(HeldOut):
    ...     def __init__(self, row):
    ...         self.row = row
    ...     def contains(self, rows, columns):
    ...         return ((rows == self.row) | (columns == self.row)) & (rows != columns)
    >>> PairsOfNode(1).pairs(n=4)
    (array([0, 1, 1]), array([1, 2, 3]))
    """

    @abstractmethod
    def contains(self, rows: npt.NDArray[np.integer], columns: npt.NDArray[np.integer]) -> BoolArray:
        """Whether each pair (rows[t], columns[t]) is held out; shapes are broadcast. A node with itself never is."""

    def __str__(self) -> str:
        return "a list of pairs"

    @property
    def random_part(self) -> RandomPairs | None:
        """The random share among these pairs; all others are in ``listed``."""
        return None

    @property
    def random_share(self) -> float:
        """The share of all pairs that is held out at random."""
        part = self.random_part
        return 0.0 if part is None else float(part.threshold) / 2**32

    def expected(self, n: int) -> float:
        """The expected number of pairs of n nodes that are held out at random; listed pairs do not count."""
        return self.random_share * n * (n - 1) / 2

    def hashed(self, n: int) -> tuple[UInt32Array, np.uint32]:
        """The random part as kernels read it: a key per node, and the threshold for the hash of two keys."""
        part = self.random_part
        return (np.empty(0, np.uint32), np.uint32(0)) if part is None else (node_keys(n, part.seed), part.threshold)

    def listed(self, n: int) -> tuple[Int64Array, Int64Array]:
        """The other pairs of n nodes as kernels read them: compressed sparse rows (indptr, indices), both directions.

        Both arrays are empty where nothing is listed.
        """
        matrix = _symmetric(n, *self.pairs(n))
        return matrix.indptr.astype(np.int64), matrix.indices.astype(np.int64)

    def blocks(self, n: int) -> Iterator[tuple[Int64Array, Int64Array]]:
        """All held-out pairs of n nodes, each once with row < column, in the order of rows, some rows at a time."""
        for top in range(0, n, _ROWS):
            rows, columns = np.arange(top, min(top + _ROWS, n))[:, None], np.arange(top, n)[None, :]
            i, j = np.nonzero(self.contains(rows, columns) & (rows < columns))
            yield top + i, top + j

    def pairs(self, n: int) -> tuple[Int64Array, Int64Array]:
        """All held-out pairs of n nodes, each once with row < column."""
        found = list(self.blocks(n)) or [(np.empty(0, np.int64), np.empty(0, np.int64))]
        return np.concatenate([rows for rows, _ in found]), np.concatenate([columns for _, columns in found])

    def sample(self, n: int, count: int, rng: np.random.Generator) -> tuple[Int64Array, Int64Array]:
        """At most ``count`` held-out pairs of n nodes, drawn uniformly without replacement.

        Where there are plenty, pairs of nodes are drawn and kept if they are held out, so nothing is ever listed.

        >>> half = RandomPairs(0.5, seed=1)
        >>> rows, columns = half.sample(n=5000, count=100, rng=np.random.default_rng(0))
        >>> len(rows), bool(half.contains(rows, columns).all())
        (100, True)
        """
        # With twice as many pairs as are asked for, few draws find a pair again; listing a thousand costs nothing.
        if 2 * count + 1000 < self.expected(n):
            return self._drawn(n, count, rng)
        rows, columns = self.pairs(n)
        kept = np.sort(rng.choice(len(rows), min(count, len(rows)), replace=False))
        return rows[kept], columns[kept]

    def _drawn(self, n: int, count: int, rng: np.random.Generator) -> tuple[Int64Array, Int64Array]:
        found = np.empty(0, np.int64)
        while len(found) < count:
            drawn = rng.integers(n, size=(2, _DRAWS))
            rows, columns = drawn.min(axis=0), drawn.max(axis=0)
            kept = self.contains(rows, columns) & (rows < columns)
            found = np.concatenate([found, rows[kept] * n + columns[kept]])
            found = found[np.sort(np.unique(found, return_index=True)[1])]  # each once, in the order of the draws
        return found[:count] // n, found[:count] % n

    def arrays(self, n: int) -> dict[str, Int64Array]:
        """What a file keeps beside the settings of ``random_part``: the rows and columns of listed pairs, if any.

        So every kind can be saved; all but random pairs come back as a list.

        >>> from philia import as_graph
        >>> ListedPairs(as_graph([("a", "b"), ("b", "c")]), [("c", "a")]).arrays(3)
        {'held_out_rows': array([0]), 'held_out_columns': array([2])}
        """
        indptr, columns = self.listed(n)
        if not len(indptr):
            return {}
        rows, columns = _once(indptr, columns)
        return {"held_out_rows": rows, "held_out_columns": columns}

    def union(self, other: HeldOut, graph: Graph) -> HeldOut:
        """The pairs of either one.

        >>> from philia import as_graph
        >>> graph = as_graph([("a", "b"), ("b", "c")])
        >>> ListedPairs(graph, [("a", "c")]).union(ListedPairs(graph, [("b", "a")]), graph).pairs(3)
        (array([0, 0]), array([1, 2]))
        """
        if self.random_part is None and other.random_part is not None:
            return other.union(self, graph)
        n = graph.n_nodes
        rows, columns = _once(*self.listed(n))
        more_rows, more_columns = other.pairs(n)  # only one of two random parts can be hashed
        together = ListedPairs.of_rows(
            graph, np.concatenate([rows, more_rows]), np.concatenate([columns, more_columns])
        )
        return together if self.random_part is None else BothPairs(self.random_part, together)

    def with_random(self, share: float, seed: int) -> HeldOut:
        """These pairs, and a random share of all others.

        The random part, where there is one, becomes larger and keeps its own seed: a pair cannot be hashed twice.

        >>> RandomPairs(0.5, seed=1).with_random(0.5, seed=2)
        RandomPairs(rate=0.75, seed=1)
        """
        return BothPairs(RandomPairs(share, seed), self)


@dataclass(frozen=True)
class RandomPairs(HeldOut):
    """Each pair is held out with probability ``rate``, decided by a hash of its two rows and the seed.

    Nothing is stored: the answer for a pair is the same in any order and on any machine.

    >>> half = RandomPairs(0.5, seed=1)
    >>> bool(half.contains(np.array([3]), np.array([8])) == half.contains(np.array([8]), np.array([3])))
    True
    >>> half.pairs(n=4)
    (array([0, 1, 1, 2]), array([1, 2, 3, 3]))
    """

    rate: float
    seed: int = 0

    def __post_init__(self) -> None:
        if not 0 <= self.rate < 1:
            raise InvalidParameterError(f"the rate of held-out pairs is {self.rate}; it must be at least 0 and below 1")

    def __str__(self) -> str:
        return f"{100 * self.rate:.3g} % of all pairs, at random"

    @property
    def threshold(self) -> np.uint32:
        """A pair is held out if its 32-bit hash is below this."""
        return np.uint32(min(round(self.rate * 2**32), 2**32 - 1))

    @property
    def random_part(self) -> RandomPairs:
        """All of these pairs."""
        return self

    def listed(self, n: int = 0) -> tuple[Int64Array, Int64Array]:
        """Empty: no pair is listed."""
        return np.empty(0, np.int64), np.empty(0, np.int64)

    def contains(self, rows: npt.NDArray[np.integer], columns: npt.NDArray[np.integer]) -> BoolArray:
        """Whether each pair is held out; a node with itself never is."""
        rows, columns = np.asarray(rows), np.asarray(columns)
        if not rows.size or not columns.size:
            return np.zeros(np.broadcast_shapes(rows.shape, columns.shape), dtype=bool)
        keys, _ = self.hashed(int(max(rows.max(), columns.max())) + 1)
        return np.asarray((mixed(keys[rows] ^ keys[columns]) < self.threshold) & (rows != columns))

    def with_random(self, share: float, seed: int) -> RandomPairs:
        """These pairs and a random share of the others: a higher threshold for the same hash."""
        return RandomPairs(self.rate + (1 - self.rate) * share, self.seed)


class ListedPairs(HeldOut):
    """The pairs of a user's own list, by node name.

    >>> from philia import as_graph
    >>> graph = as_graph([("a", "b"), ("b", "c")])
    >>> listed = ListedPairs(graph, [("c", "a")])
    >>> listed.contains(np.array([0, 0]), np.array([1, 2])).tolist()
    [False, True]
    """

    def __init__(self, graph: Graph, pairs: Iterable[Pair]) -> None:
        self._keep(graph, *rows_of_pairs(graph, pairs))

    @classmethod
    def of_rows(cls, graph: Graph, rows: Int64Array, columns: Int64Array) -> ListedPairs:
        """The pairs with these row numbers."""
        listed = cls.__new__(cls)
        listed._keep(graph, rows, columns)
        return listed

    def _keep(self, graph: Graph, rows: Int64Array, columns: Int64Array) -> None:
        if (rows == columns).any():
            name = graph.nodes[int(rows[rows == columns][0])]
            raise InvalidParameterError(
                f"the pair ({name!r}, {name!r}) is held out, but a node does not pair with itself"
            )
        self.matrix = _symmetric(graph.n_nodes, rows, columns)

    def listed(self, n: int = 0) -> tuple[Int64Array, Int64Array]:
        """The listed pairs in both directions; nodes that came later have none."""
        indptr, indices = self.matrix.indptr.astype(np.int64), self.matrix.indices.astype(np.int64)
        return np.pad(indptr, (0, max(0, n + 1 - len(indptr))), mode="edge"), indices

    def blocks(self, n: int) -> Iterator[tuple[Int64Array, Int64Array]]:
        """All listed pairs at once."""
        rows, columns = _once(*self.listed())
        yield rows[columns < n], columns[columns < n]

    def contains(self, rows: npt.NDArray[np.integer], columns: npt.NDArray[np.integer]) -> BoolArray:
        """Whether each pair is on the list."""
        rows = np.asarray(rows)
        known = rows < self.matrix.shape[0]
        return np.asarray(stored(self.matrix, np.where(known, rows, 0), np.asarray(columns)) & known)


@dataclass(frozen=True)
class BothPairs(HeldOut):
    """Pairs held out at random, and listed pairs beside them.

    >>> from philia import as_graph
    >>> graph = as_graph([("a", "b"), ("b", "c")])
    >>> BothPairs(RandomPairs(0.0), ListedPairs(graph, [("c", "a")])).pairs(n=3)
    (array([0]), array([2]))
    """

    random: RandomPairs
    list: HeldOut

    def __str__(self) -> str:
        return f"{self.random}, and {self.list}"

    @property
    def random_part(self) -> RandomPairs:
        """The random pairs."""
        return self.random

    def listed(self, n: int = 0) -> tuple[Int64Array, Int64Array]:
        """The listed pairs in both directions; all of them, should the list have a random part of its own."""
        return self.list.listed(n) if self.list.random_part is None else HeldOut.listed(self.list, n)

    def contains(self, rows: npt.NDArray[np.integer], columns: npt.NDArray[np.integer]) -> BoolArray:
        """Whether each pair is held out at random or listed."""
        return self.random.contains(rows, columns) | self.list.contains(rows, columns)

    def with_random(self, share: float, seed: int) -> BothPairs:
        """These pairs, and a random share of the others."""
        return BothPairs(self.random.with_random(share, seed), self.list)


class PredicatePairs(ListedPairs):
    """The pairs for which a function of two names answers that nothing is known about them.

    The function gets two arrays of names that NumPy can broadcast, a column and a row, and returns an array of
    booleans, or something that can be read as one. It must not depend on the order of the two names.

    >>> from philia import as_graph
    >>> graph = as_graph([("a", "b"), ("b", "c")])
    >>> PredicatePairs(graph, lambda u, v: (u != "b") & (v != "b")).pairs(n=3)
    (array([0]), array([2]))
    """

    def __init__(self, graph: Graph, unknown: Callable[[Any, Any], Any]) -> None:
        n = graph.n_nodes
        names = np.empty(n, dtype=object)
        names[:] = list(graph.nodes)
        rows, columns = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
        for top in range(0, n, _NAMED_ROWS):
            bottom = min(top + _NAMED_ROWS, n)
            found = np.asarray(unknown(names[top:bottom, None], names[None, top:]))
            if found.dtype != bool or found.ndim != 2:
                raise InvalidParameterError(
                    f"the function that says which pairs are unknown returned {found.dtype} of shape {found.shape}; "
                    "it gets a column and a row of names and must return an array of booleans"
                )
            i, j = np.nonzero(np.broadcast_to(found, (bottom - top, n - top)))
            above = i < j
            rows.append(top + i[above])
            columns.append(top + j[above])
        self._keep(graph, np.concatenate(rows), np.concatenate(columns))


HeldOutLike = float | HeldOut | Iterable[Pair] | Callable[[Any, Any], Any] | None


def as_held_out(graph: Graph, held_out: HeldOutLike, rng: np.random.Generator) -> HeldOut | None:
    """The held-out pairs given by a share of all pairs, a list of pairs of names, or a function of names.

    >>> from philia import as_graph
    >>> as_held_out(as_graph([("ann", "bob")]), None, np.random.default_rng(0)) is None
    True
    """
    if held_out is None or isinstance(held_out, HeldOut):
        return held_out
    if isinstance(held_out, (int, float)):
        return RandomPairs(float(held_out), seed=int(rng.integers(2**63)))
    return PredicatePairs(graph, held_out) if callable(held_out) else ListedPairs(graph, held_out)


def seen(graph: Graph, held_out: HeldOut | None) -> Graph:
    """The graph without its held-out links: all that a start, or a model without a loss, may know.

    >>> from philia import as_graph
    >>> graph = as_graph([("a", "b"), ("b", "c")])
    >>> seen(graph, ListedPairs(graph, [("c", "b")])).n_links
    1
    """
    if held_out is None:
        return graph
    return part_of(graph, lambda rows, columns: ~held_out.contains(rows, columns))


def _symmetric(n: int, rows: Int64Array, columns: Int64Array) -> sparse.csr_array:
    """A matrix of n rows that stores each pair in both directions, once, in sorted rows."""
    one_way = sparse.coo_array((np.ones(rows.size, dtype=bool), (rows, columns)), shape=(n, n)).tocsr()
    matrix = (one_way + one_way.T).tocsr()
    matrix.sum_duplicates()
    matrix.sort_indices()
    return matrix


def _once(indptr: Int64Array, indices: Int64Array) -> tuple[Int64Array, Int64Array]:
    """The pairs of compressed rows, each once with row < column."""
    rows = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    once = rows < indices
    return rows[once], indices[once]

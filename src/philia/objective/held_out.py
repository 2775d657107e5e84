"""Pairs of nodes that the loss must not see: chosen by chance, or listed by the user.

A pair is unordered: if (i, j) is held out so is (j, i), and no split can leak one direction into the other.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from philia._types import BoolArray, Int64Array, Node, Pair, UInt32Array
from philia.exceptions import InvalidParameterError
from philia.graphs.disk import part_of
from philia.graphs.graph import Graph, stored
from philia.graphs.hashing import mixed, node_keys


class HeldOut(ABC):
    """Anything that can say which pairs are held out, and that tells the kernels by hash or by list.

    >>> rows, columns = RandomPairs(0.5, seed=1).pairs(n=4)
    >>> list(zip(rows.tolist(), columns.tolist()))
    [(0, 1), (1, 2), (1, 3), (2, 3)]
    """

    @abstractmethod
    def contains(self, rows: npt.NDArray[np.integer], columns: npt.NDArray[np.integer]) -> BoolArray:
        """Whether each pair (rows[t], columns[t]) is held out; shapes are broadcast."""

    def blocks(self, n: int) -> Iterator[tuple[Int64Array, Int64Array]]:
        """All held-out pairs of n nodes, each once with row < column, some rows at a time."""
        for top in range(0, n, 1024):
            rows, columns = np.arange(top, min(top + 1024, n))[:, None], np.arange(top, n)[None, :]
            i, j = np.nonzero(self.contains(rows, columns) & (rows < columns))
            yield top + i, top + j

    def pairs(self, n: int) -> tuple[Int64Array, Int64Array]:
        """All held-out pairs of n nodes, each once with row < column."""
        found = list(self.blocks(n)) or [(np.empty(0, np.int64), np.empty(0, np.int64))]
        return np.concatenate([rows for rows, _ in found]), np.concatenate([columns for _, columns in found])

    def hashed(self, n: int) -> tuple[UInt32Array, np.uint32]:
        """A key for each of n nodes and the threshold below which the hash of a pair holds it out; none by default."""
        return np.empty(0, np.uint32), np.uint32(0)

    def listed(self) -> tuple[Int64Array, Int64Array]:
        """Held-out columns row by row, as in compressed sparse rows (indptr, indices); none by default."""
        return np.empty(0, np.int64), np.empty(0, np.int64)


@dataclass(frozen=True)
class RandomPairs(HeldOut):
    """Each pair is held out with probability ``rate``, decided by a hash of the two rows and the seed.

    Nothing is stored: whoever asks about a pair computes the same answer, in whatever order and on whatever machine.

    >>> half = RandomPairs(0.5, seed=1)
    >>> bool(half.contains(np.array([3]), np.array([8])) == half.contains(np.array([8]), np.array([3])))
    True
    """

    rate: float
    seed: int = 0

    def __post_init__(self) -> None:
        if not 0 <= self.rate < 1:
            raise InvalidParameterError(f"the rate of held-out pairs is {self.rate}; it must be at least 0 and below 1")

    @property
    def threshold(self) -> np.uint32:
        """A pair is held out if its 32-bit hash lies below this."""
        return np.uint32(min(round(self.rate * 2**32), 2**32 - 1))

    def hashed(self, n: int) -> tuple[UInt32Array, np.uint32]:
        """One pseudo-random key a node; a pair's hash mixes the keys of its two nodes."""
        return node_keys(n, self.seed), self.threshold

    def contains(self, rows: npt.NDArray[np.integer], columns: npt.NDArray[np.integer]) -> BoolArray:
        """Whether each pair is held out; a node with itself never is."""
        rows, columns = np.asarray(rows), np.asarray(columns)
        if not rows.size or not columns.size:
            return np.zeros(np.broadcast_shapes(rows.shape, columns.shape), dtype=bool)
        keys, _ = self.hashed(int(max(rows.max(), columns.max())) + 1)
        return np.asarray((mixed(keys[rows] ^ keys[columns]) < self.threshold) & (rows != columns))


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
        """The same from row numbers."""
        listed = cls.__new__(cls)
        listed._keep(graph, rows, columns)
        return listed

    def _keep(self, graph: Graph, rows: Int64Array, columns: Int64Array) -> None:
        if (rows == columns).any():
            name = graph.nodes[int(rows[rows == columns][0])]
            raise InvalidParameterError(
                f"the pair ({name!r}, {name!r}) is held out, but a node does not pair with itself"
            )
        n = graph.n_nodes
        one_way = sparse.coo_array((np.ones(rows.size, dtype=bool), (rows, columns)), shape=(n, n)).tocsr()
        self.matrix: sparse.csr_array = (one_way + one_way.T).tocsr()
        self.matrix.sum_duplicates()
        self.matrix.sort_indices()

    def listed(self) -> tuple[Int64Array, Int64Array]:
        """The listed pairs, in both directions."""
        return self.matrix.indptr.astype(np.int64), self.matrix.indices.astype(np.int64)

    def contains(self, rows: npt.NDArray[np.integer], columns: npt.NDArray[np.integer]) -> BoolArray:
        """Whether each pair is on the list."""
        return stored(self.matrix, np.asarray(rows), np.asarray(columns))


@dataclass(frozen=True)
class BothPairs(HeldOut):
    """Pairs held out by chance, and pairs of a list beside them.

    >>> from philia import as_graph
    >>> graph = as_graph([("a", "b"), ("b", "c")])
    >>> BothPairs(RandomPairs(0.0), ListedPairs(graph, [("c", "a")])).pairs(n=3)
    (array([0]), array([2]))
    """

    random: RandomPairs
    list: HeldOut

    def hashed(self, n: int) -> tuple[UInt32Array, np.uint32]:
        """The keys and threshold of those held out by chance."""
        return self.random.hashed(n)

    def listed(self) -> tuple[Int64Array, Int64Array]:
        """The listed pairs, in both directions."""
        return self.list.listed()

    def contains(self, rows: npt.NDArray[np.integer], columns: npt.NDArray[np.integer]) -> BoolArray:
        """Whether each pair is held out by chance or on the list."""
        return self.random.contains(rows, columns) | self.list.contains(rows, columns)


class PredicatePairs(ListedPairs):
    """The pairs of which a function of two names says that nothing is known about them.

    The function is given two arrays of names that NumPy can broadcast, a column and a row, and answers with an array
    of true and false, or with what can be read as one; it must not depend on the order of the two names.

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
        for top in range(0, n, 256):
            found = np.asarray(unknown(names[top : top + 256, None], names[None, top:]))
            if found.dtype != bool or found.ndim != 2:
                raise InvalidParameterError(
                    f"the function that says which pairs are unknown answered with {found.dtype} of shape "
                    f"{found.shape}; it is given a column and a row of names and must answer with true and false"
                )
            i, j = np.nonzero(np.broadcast_to(found, (min(256, n - top), n - top)))
            above = i < j
            rows.append(top + i[above])
            columns.append(top + j[above])
        self._keep(graph, np.concatenate(rows), np.concatenate(columns))


def rows_of_pairs(graph: Graph, pairs: Iterable[Pair]) -> tuple[Int64Array, Int64Array]:
    """The rows of the first and of the second node of each pair.

    >>> from philia import as_graph
    >>> rows_of_pairs(as_graph([("a", "b"), ("b", "c")]), [("c", "a")])
    (array([2]), array([0]))
    """
    first, second = names_of_pairs(pairs)
    return graph.nodes.rows(first), graph.nodes.rows(second)


def names_of_pairs(pairs: Iterable[Pair]) -> tuple[list[Node], list[Node]]:
    """The names of the first and of the second node of each pair.

    >>> names_of_pairs([("c", "a"), ("b", "a")])
    (['c', 'b'], ['a', 'a'])
    """
    first: list[Node] = []
    second: list[Node] = []
    for pair in pairs:
        try:
            u, v = pair
        except (TypeError, ValueError):
            raise InvalidParameterError(f"a pair is two node names such as ('a', 'b'); found {pair!r}") from None
        first.append(_plain(u))
        second.append(_plain(v))
    return first, second


def _plain(name: Node) -> Node:
    return name.item() if isinstance(name, np.generic) else name


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

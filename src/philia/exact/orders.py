"""Orders of the nodes along which the rows of the adjacency matrix A change their sign rarely.

Put the nodes on a line and take them away one by one. Count the sign changes in the row of a node, along the nodes that
are still there, when it goes; its own entry is a non-link. If no node goes with more than S of them, the graph has an
exact representation of 2(S + 1) columns: a polynomial f_v of degree S has the sign of A_vu at every u that is still
there, and with weights G_v that fall fast from the first that goes to the last, the signs of
G_v f_v(x_u) + G_u f_u(x_v) are those of A, the diagonal included.

**Which node goes.** Always one with the fewest sign changes. Nodes that go take sign changes with them and never add
any, so whoever could go with few can still do so later, and no other rule has a smaller S on the same line. A row has
no more than two changes for each link, so S is at most twice the degeneracy on every line.

**Which line.** All lines are allowed, and the best is searched for (:func:`found_order`). Nodes outside the k-core,
k = ⌊T/2⌋ + 1, go with at most T changes on every line: whenever one goes, it has at most T/2 links left. So a search
for S ≤ T has to order this k-core only, which is small.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from philia.exceptions import InvalidParameterError
from philia.graphs.degeneracy import core_numbers

if TYPE_CHECKING:
    from philia._types import Int64Array
    from philia.graphs.graph import Graph

MOST_MOVED = 16_384
"""The search moves no more nodes than this, those that go last; a bit for each pair of them takes 32 MB."""

MOVES = 8
"""How many moves a node are tried before the order of removal is found again."""

FEWEST = 256
"""Graphs with fewer nodes get as many moves as one with so many; it costs nothing there."""

NEAREST = 20
"""Half of the moves put a node beside one of the nodes whose rows differ least from its own."""


@dataclass(frozen=True, eq=False)
class Elimination:
    """Nodes on a line, and an order in which they go with few sign changes in their rows.

    ``order`` has the rows of the graph as they stand on the line, ``removal`` the same rows as they go, and ``changes``
    the sign changes of each node's row when it goes, in the order of the graph. Its own entry counts as a
    non-link.

    >>> from philia import as_graph
    >>> path = eliminated(as_graph([("ann", "bob"), ("bob", "cat"), ("cat", "dan")]), np.array([0, 1, 2, 3]))
    >>> path.changes.tolist(), path.most, path.columns
    ([2, 1, 0, 2], 2, 6)
    """

    order: Int64Array
    removal: Int64Array
    changes: Int64Array

    @property
    def most(self) -> int:
        """S, the largest number of sign changes with which a node goes."""
        return int(self.changes.max(initial=0))

    @property
    def columns(self) -> int:
        """How many columns the exact representation along this line has."""
        return 2 * (self.most + 1)


@dataclass(frozen=True)
class SearchProgress:
    """Where a search stands: rounds done, rounds in all, and the largest number of sign changes in the best line.

    >>> SearchProgress(done=10, rounds=600, most=32)
    SearchProgress(done=10, rounds=600, most=32)
    """

    done: int
    rounds: int
    most: int


def eliminated(graph: Graph, order: Int64Array) -> Elimination:
    """The best order to take nodes away if they stand on the line as given, with the sign changes that remain.

    ``order`` has the row number of each node once. The time grows with the links, and with the links of the nodes
    beside each one that goes; no matrix of all pairs is made.

    >>> from philia import as_graph
    >>> triangle = as_graph([("ann", "bob"), ("bob", "cat"), ("cat", "ann")])
    >>> eliminated(triangle, np.array([2, 0, 1])).columns
    4
    """
    order = np.array(order, np.int64)
    if not np.array_equal(np.sort(order), np.arange(graph.n_nodes)):
        raise InvalidParameterError(
            f"the order has {order.size} entries, of which {np.unique(order).size} differ; it must have each of the"
            f" {graph.n_nodes} row numbers of the graph once, so give a permutation of range({graph.n_nodes})"
        )
    removal, changes = _removed(_rows(graph.adjacency), order)
    return Elimination(order, removal, changes)


def found_order(
    graph: Graph,
    *,
    searches: int = 2,
    rounds: int = 300,
    random_state: Any = 0,
    on_progress: Callable[[SearchProgress], None] | None = None,
) -> Elimination:
    """The best line that a search finds: one with few sign changes in the row of each node when it goes.

    The best of three simple lines is improved by ``searches`` of simulated annealing in ``rounds`` rounds each. Every
    second search has less heat and so keeps more of the best line; the others go far from it. Large graphs gain more
    from rounds, small ones from searches. A round moves single nodes while the order of removal stays as it is, and
    then finds the order of removal again. It lowers the sum of exp(β · changes) over the rows, where the largest count
    most but not alone. The work is counted and not timed: the same random state gives the same line. An interrupt
    (Ctrl-C) ends the search and gives the best line so far.

    >>> from philia.datasets import classic
    >>> found_order(classic("karate")).columns <= 8
    True
    """
    rng = np.random.default_rng(random_state)
    best = min((eliminated(graph, line) for line in _simple_lines(graph)), key=_quality)
    candidate = best.order
    try:
        for search in range(searches):
            least = best.most, graph.n_nodes
            for done, (value, line) in enumerate(_annealed(graph, best, rounds, rng, 0.5 * (search % 2))):
                if value < least:
                    least, candidate = value, line
                if on_progress is not None:
                    on_progress(SearchProgress(search * rounds + done + 1, searches * rounds, least[0]))
            best = min(best, eliminated(graph, candidate), key=_quality)
    except KeyboardInterrupt:
        best = min(best, eliminated(graph, candidate), key=_quality)
    return best


def _quality(found: Elimination) -> tuple[int, int]:
    """What is to be small: S, and how many nodes go with as many sign changes as that."""
    return found.most, int(np.count_nonzero(found.changes == found.most))


def _simple_lines(graph: Graph) -> list[Int64Array]:
    """Lines to start from: as given, by degree, and with linked nodes near each other (reverse Cuthill-McKee)."""
    from scipy.sparse.csgraph import reverse_cuthill_mckee

    adjacency = graph.adjacency
    lines = [np.arange(graph.n_nodes), np.argsort(-np.diff(adjacency.indptr), kind="stable")]
    if graph.n_links:
        lines.append(reverse_cuthill_mckee(adjacency.astype(np.int32), symmetric_mode=True).astype(np.int64))
    return lines


def _annealed(
    graph: Graph, start: Elimination, rounds: int, rng: np.random.Generator, begin: float
) -> Iterator[tuple[tuple[int, int], Int64Array]]:
    """A line after each round of simulated annealing, and its S and how many rows have that, among the nodes moved.

    Rows cost exp(β (changes - S)), with β larger where S is small. While the search goes on, β grows and the
    temperature falls; a search that is to keep most of the line begins in the midst of that.
    """
    from philia.exact.compiled import anneal, packed, prepare_annealing

    prepare_annealing()
    moved = _deciding(graph, start)
    if start.most == 0 or moved.size < 2:
        return
    part = graph.adjacency[moved][:, moved].tocsr()
    rows, similar = _rows(part), _similar(part)
    order, counts = np.arange(moved.size), np.arange(moved.size + 3)
    slots = np.flatnonzero(np.isin(start.order, moved))
    removal, changes = _removed(rows, order)
    least = int(changes.max())
    for share in np.linspace(begin, 1, rounds):
        beta = min(max(4 / max(least, 1), 0.06), 0.7) * 2.5**share
        temperature = 0.6 * 0.05**share
        rank = np.empty_like(order)
        rank[removal] = np.arange(order.size)
        line, cost = rank[order], np.exp(np.minimum(beta * (counts - least), 20.0))
        draws = rng.random((MOVES * max(order.size, FEWEST), 4))
        anneal(packed(*rows, rank), line, changes[removal], cost, rank[similar[removal]], draws, temperature)
        order = removal[line]
        removal, changes = _removed(rows, order)
        most = int(changes.max())
        least = min(least, most)
        whole = start.order.copy()
        whole[slots] = moved[order]
        yield (most, int(np.count_nonzero(changes == most))), whole


def _deciding(graph: Graph, start: Elimination) -> Int64Array:
    """The nodes whose order decides whether S can fall by a quarter, as they stand on the line; at most MOST_MOVED."""
    target = min(3 * start.most // 4, start.most - 1)
    kept = core_numbers(graph) >= target // 2 + 1
    last = np.zeros_like(kept)
    last[start.removal[kept[start.removal]][-MOST_MOVED:]] = True
    return start.order[last[start.order]]


def _similar(adjacency: sparse.csr_array) -> Int64Array:
    """For each node those whose rows differ least from its own, from some rows of A² at a time."""
    n, degrees, whole = adjacency.shape[0], np.diff(adjacency.indptr), adjacency.astype(np.int32)
    k = min(NEAREST, n - 1)
    found = np.empty((n, k), np.int64)
    for first in range(0, n, 256):
        block = whole[first : first + 256]
        size = block.shape[0]
        differ = degrees[first : first + size, None] + degrees - 2 * (block @ whole).toarray()
        differ[np.arange(size), np.arange(first, first + size)] = 2 * n + 1
        found[first : first + size] = np.argpartition(differ, k - 1, axis=1)[:, :k]
    return found


def _rows(adjacency: sparse.csr_array) -> tuple[Int64Array, Int64Array]:
    return adjacency.indptr.astype(np.int64), adjacency.indices.astype(np.int64)


def _removed(rows: tuple[Int64Array, Int64Array], order: Int64Array) -> tuple[Int64Array, Int64Array]:
    """The nodes as they go, and the sign changes of each when it goes, in the order of the rows."""
    from philia.exact.compiled import along, eliminate, prepare_elimination

    prepare_elimination()
    places, changes = eliminate(*along(*rows, order))
    by_node = np.empty_like(changes)
    by_node[order] = changes
    return order[places], by_node

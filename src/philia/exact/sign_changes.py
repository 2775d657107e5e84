"""Theorem B: 2 (S + 1) columns, where S counts how often rows of the adjacency matrix change their sign along a line.

Put the nodes on a line and remove them one by one. When v goes, count the sign changes in its row of A along the
remaining nodes, v itself as a non-link; S is the largest count. f_v gets one root between any two neighbours on the
line at which the row of v changes its sign. So f_v has the right sign at v and at all remaining nodes, and its degree
is the number of sign changes. It may be wrong at nodes that went before. But their own polynomials are right at v, and
weights 2^e, chosen from the last node to the first, make these win.

**Which node goes.** Always one with the fewest sign changes. Removing nodes removes sign changes and never adds any, so
a node that could go with few can still do so later, and no other rule has a smaller S on the same line. A row has at
most two changes per link, so S is at most twice the degeneracy on every line.

**Rounds.** Which nodes can go with at most S sign changes does not depend on the order. So all that can go do so at
once, in rounds. The polynomials of one round are right at each other's nodes and need no weights against each other;
there are far fewer rounds than nodes, and so the weights are much smaller than if nodes went one by one.

**Which line.** All lines are allowed, and a good one is searched for (:func:`found_order`). Nodes outside the k-core,
k = ⌊T/2⌋ + 1, go with at most T changes on every line: each has at most T/2 links left when it goes. So a search for
S ≤ T has to order this k-core only, which is small.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from philia._interrupts import interruptible
from philia._types import Int64Array
from philia.exact.polynomials import SignPolynomials, even_points, is_polynomials, winning_exponents
from philia.exact.representation import Construction, Theorem
from philia.exact.wrong_terms import runs
from philia.exceptions import InvalidParameterError
from philia.graphs import Graph, core_numbers, degeneracy

_MOST_MOVED = 16_384
"""The search moves at most this many nodes, those that go last; one bit for each pair of them takes 32 MB."""

_ROUNDS, _MANY = 300, 2896
"""Rounds of a search, and the nodes beyond which there are fewer: the time of a round grows with their square."""

_FEW = 1448
"""Both starts are improved if no more nodes than this are moved, half as many as above."""

_MOVES = 8
"""Moves per node before the order of removal is found again. This and the settings below were chosen by trial."""

_FEWEST = 256
"""Smaller graphs get as many moves as one with this many nodes, which still takes no noticeable time."""

_NEAREST = 20
"""Half of the moves put a node next to one of this many nodes whose rows differ least from its own."""

_ROWS = 256
"""Rows of A² that are computed at once to find those nodes."""

_STEEPNESS = 4.0, 0.06, 0.7, 2.5
"""β is the first number / S, kept between the second and the third; in a search it grows by the last factor."""

_TEMPERATURES = 0.6, 0.05
"""The temperature at the start of a search, and the factor by which it falls until the end."""

_LARGEST_COST = 20.0
"""The largest logarithm of a cost: no rise to e²⁰ is accepted at these temperatures, and more might overflow."""


@dataclass(frozen=True, eq=False)
class Elimination:
    """Nodes on a line, and an order of removal with few sign changes in their rows.

    ``order`` has the rows of the graph as they stand on the line, ``removal`` the same rows as they go, and ``changes``
    the sign changes in each node's row when it goes, in the order of the graph. A node and itself count as not linked.

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
        """The number of columns of the exact representation along this line."""
        return 2 * (self.most + 1)


@dataclass(frozen=True)
class SearchProgress:
    """The state of a search: rounds done, rounds in all, and the largest number of sign changes on the best line.

    >>> SearchProgress(done=10, rounds=600, most=32)
    SearchProgress(done=10, rounds=600, most=32)
    """

    done: int
    rounds: int
    most: int


def by_sign_changes(graph: Graph, elimination: Elimination | None = None, *, random_state: int = 0) -> SignPolynomials:
    """Polynomials along a line of nodes, the given one or the best that a search finds: 2 (S + 1) columns.

    >>> from philia.datasets import classic
    >>> by_sign_changes(classic("karate")).community_columns <= 12
    True
    """
    from philia.exact.compiled import along, place_roots, prepare_construction

    line = found_order(graph, random_state=random_state) if elimination is None else elimination
    prepare_construction()
    order, n = line.order, graph.n_nodes
    rows = along(*_rows(graph.adjacency), order)
    starts, roots, leading, rounds = place_roots(*rows, line.most)
    points = even_points(n)
    exponents = winning_exponents(rows, (points, starts, roots, leading), np.argsort(rounds, kind="stable"))
    position = np.empty(n, dtype=np.int64)
    position[order] = np.arange(n)
    ends, entries = runs(starts, position)
    return SignPolynomials(
        points[position], ends, roots[entries], leading[position], exponents[position], SIGN_CHANGES.name
    )


def eliminated(graph: Graph, order: Int64Array) -> Elimination:
    """The best order of removal for nodes on a given line, with the sign changes that remain.

    ``order`` has the row number of each node once. The time grows with the links, and with the links of the nodes next
    to each one that goes; no matrix of all pairs is made.

    >>> from philia import as_graph
    >>> triangle = as_graph([("ann", "bob"), ("bob", "cat"), ("cat", "ann")])
    >>> eliminated(triangle, np.array([2, 0, 1])).columns
    4
    """
    order = np.array(order, np.int64)
    if not np.array_equal(np.sort(order), np.arange(graph.n_nodes)):
        raise InvalidParameterError(
            f"the order has {order.size} entries, {np.unique(order).size} of them different; it must have each of the"
            f" {graph.n_nodes} row numbers of the graph once, so give a permutation of range({graph.n_nodes})"
        )
    removal, changes = _removed(_rows(graph.adjacency), order)
    return Elimination(order, removal, changes)


def found_order(
    graph: Graph,
    *,
    searches: int = 2,
    rounds: int | None = None,
    random_state: Any = 0,
    on_progress: Callable[[SearchProgress], None] | None = None,
) -> Elimination:
    """The best line that a search finds: one with few sign changes in the row of each node when it goes.

    The best of three simple lines, and a greedy chain, are each improved by ``searches`` runs of simulated annealing
    with ``rounds`` rounds, and the better result is kept. If more than a thousand nodes or so are moved, only the
    better of the two starts is improved. By default there are 300 rounds, and fewer where many nodes are moved, so that
    a search takes seconds. Every second run starts at a lower temperature and so keeps more of the best line; the
    others go far from it. Large graphs gain more from rounds, small ones from searches. A round moves single nodes
    while the order of removal stays as it is, and then finds the order of removal again. It lowers the sum of
    exp(β · changes) over the rows, in which the largest counts dominate. The amount of work is fixed, whatever the
    machine: the same random state gives the same line. An interrupt (Ctrl-C) ends the search and gives the best line so
    far.

    >>> from philia.datasets import classic
    >>> found_order(classic("karate")).columns <= 8
    True
    """
    simple = min((eliminated(graph, line) for line in _simple_lines(graph)), key=_quality)
    chain = eliminated(graph, _chained(graph, simple))
    best = min(simple, chain, key=_quality)
    candidate, moved, done = best.order, max(_deciding(graph, best).size, 1), 0
    if rounds is None:
        rounds = min(_ROUNDS, max(1, _ROUNDS * _MANY**2 // moved**2))
    starts = [simple, chain] if moved <= _FEW else [best]
    try:
        for now in starts:
            rng = np.random.default_rng(random_state)
            for search in range(searches):
                candidate, least = now.order, (now.most, graph.n_nodes)
                with interruptible():
                    for value, line in _annealed(graph, now, rounds, rng, 0.5 * (search % 2)):
                        if value < least:
                            least, candidate = value, line
                        done += 1
                        if on_progress is not None:
                            shown = min(best.most, least[0])
                            on_progress(SearchProgress(done, len(starts) * searches * rounds, shown))
                now = min(now, eliminated(graph, candidate), key=_quality)
                best = min(best, now, key=_quality)
    except KeyboardInterrupt:
        best = min(best, eliminated(graph, candidate), key=_quality)
    return best


def _quality(found: Elimination) -> tuple[int, int]:
    """What should be small: S, and the number of nodes that go with S sign changes."""
    return found.most, int(np.count_nonzero(found.changes == found.most))


def _simple_lines(graph: Graph) -> list[Int64Array]:
    """Lines to start from: as given, by degree, and with linked nodes near each other (reverse Cuthill-McKee)."""
    from scipy.sparse.csgraph import reverse_cuthill_mckee

    adjacency = graph.adjacency
    lines = [np.arange(graph.n_nodes), np.argsort(-np.diff(adjacency.indptr), kind="stable")]
    if graph.n_links:
        lines.append(reverse_cuthill_mckee(adjacency.astype(np.int32), symmetric_mode=True).astype(np.int64))
    return lines


def _chained(graph: Graph, start: Elimination) -> Int64Array:
    """The line with the deciding nodes in a chain: after each comes the one whose row differs least, of those left."""
    moved = _deciding(graph, start)
    part = graph.adjacency[moved][:, moved].astype(np.float32).tocsr()
    differ = np.diff(part.indptr).astype(np.float32)  # up to a number that is the same for all
    chain = np.empty(moved.size, dtype=np.int64)
    at = int(np.argmax(differ)) if moved.size else 0
    for place in range(moved.size):
        chain[place], differ[at] = at, np.inf
        row = np.zeros(moved.size, dtype=np.float32)
        row[part.indices[part.indptr[at] : part.indptr[at + 1]]] = 2
        at = int(np.argmin(differ - part @ row))
    line = start.order.copy()
    line[np.isin(line, moved)] = moved[chain]
    return line


def _annealed(
    graph: Graph, start: Elimination, rounds: int, rng: np.random.Generator, begin: float
) -> Iterator[tuple[tuple[int, int], Int64Array]]:
    """A line after each round of simulated annealing, with its S and the number of rows with S, among the nodes moved.

    Rows cost exp(β (changes - S)), with a larger β where S is small. In the course of the search β grows and the
    temperature falls; a search that is meant to keep most of the line begins in the middle of that.
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
    scale, low, high, growth = _STEEPNESS
    for share in np.linspace(begin, 1, rounds):
        beta = min(max(scale / max(least, 1), low), high) * growth**share
        temperature = _TEMPERATURES[0] * _TEMPERATURES[1] ** share
        rank = np.empty_like(order)
        rank[removal] = np.arange(order.size)
        line, cost = rank[order], np.exp(np.minimum(beta * (counts - least), _LARGEST_COST))
        draws = rng.random((_MOVES * max(order.size, _FEWEST), 4))
        anneal(packed(*rows, rank), line, changes[removal], cost, rank[similar[removal]], draws, temperature)
        order = removal[line]
        removal, changes = _removed(rows, order)
        most = int(changes.max())
        least = min(least, most)
        whole = start.order.copy()
        whole[slots] = moved[order]
        yield (most, int(np.count_nonzero(changes == most))), whole


def _deciding(graph: Graph, start: Elimination) -> Int64Array:
    """The nodes whose order decides whether S can fall by a quarter, as they stand on the line; at most _MOST_MOVED."""
    target = min(3 * start.most // 4, start.most - 1)
    kept = core_numbers(graph) >= target // 2 + 1
    last = np.zeros_like(kept)
    last[start.removal[kept[start.removal]][-_MOST_MOVED:]] = True
    return start.order[last[start.order]]


def _similar(adjacency: sparse.csr_array) -> Int64Array:
    """For each node those whose rows differ least from its own, from some rows of A² at a time."""
    n, degrees, whole = adjacency.shape[0], np.diff(adjacency.indptr), adjacency.astype(np.int32)
    k = min(_NEAREST, n - 1)
    found = np.empty((n, k), np.int64)
    for first in range(0, n, _ROWS):
        block = whole[first : first + _ROWS]
        size = block.shape[0]
        differ = degrees[first : first + size, None] + degrees - 2 * (block @ whole).toarray()
        differ[np.arange(size), np.arange(first, first + size)] = 2 * n + 1
        found[first : first + size] = np.argpartition(differ, k - 1, axis=1)[:, :k]
    return found


def _rows(adjacency: sparse.csr_array) -> tuple[Int64Array, Int64Array]:
    return adjacency.indptr.astype(np.int64), adjacency.indices.astype(np.int64)


def _removed(rows: tuple[Int64Array, Int64Array], order: Int64Array) -> tuple[Int64Array, Int64Array]:
    """The nodes in the order of removal, and the sign changes of each when it goes, in the order of the rows."""
    from philia.exact.compiled import along, eliminate, prepare_elimination

    prepare_elimination()
    positions, changes = eliminate(*along(*rows, order))
    by_node = np.empty_like(changes)
    by_node[order] = changes
    return order[positions], by_node


SIGN_CHANGES = Construction(
    "sign changes",
    Theorem(
        "2 (S + 1) columns for S sign changes, and S ≤ 2d, so at most 4d + 2; d is the degeneracy (Theorem B)",
        lambda graph, _: 4 * degeneracy(graph) + 2,
        is_polynomials,
    ),
    lambda graph, line: [by_sign_changes(graph, line)],
    "2 (S + 1) columns, S the sign changes along a line of nodes",
    along_line=True,
)

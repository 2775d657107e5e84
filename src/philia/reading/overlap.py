"""Communities that overlap, by the thousand.

A description gives each node one group, but a node may have links in several. So the links that its groups leave
unexplained, those between different groups, are read again as a graph of their own, and so on until nothing is found.
Then every node joins each of these groups that makes its links likelier by more than it costs to say so, or leaves it.

While it is open which communities there are, a link counts for one community only, the strongest that both ends are in:
a union of two communities then loses its members to them, and so does a group that was found twice. Once that is
settled, a link counts for all of them, since nothing is wrong with being in two communities that have much in common.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from philia._types import BoolArray, Float64Array, Int64Array
from philia.factors import row_products
from philia.graphs import Graph
from philia.reading.hierarchy import Hierarchy, Level, level_of
from philia.reading.length import LEAST, RIDGE, Description, DescriptionLength
from philia.reading.search import Effort, shortest

_LAYERS, _LEAST_SAVED = 6, 0.01
"""The most rounds of reading, and the share of what the first one saves that another must save: what comes after
that is noise on the graphs that were tried."""

_ROUNDS, _SWEEPS, _LAST = 2, 8, 3
"""How often twins are dropped, the sweeps over all memberships before that and at the end, and those after it. Few
memberships change after that many sweeps."""

_TWINS = 0.5
"""Two communities are twins if more than this share of the members of either are members of both."""


@dataclass(frozen=True, eq=False)
class _Joined:
    """Memberships (n × k, ones) with the strength of each community and what each membership gains."""

    members: sparse.csr_array
    strengths: Float64Array
    gains: Float64Array


def read_overlapping(graph: Graph, first: Description, *, singles: bool = True) -> Hierarchy:
    """The communities of a graph, which may overlap, and the levels above them; weights do not count.

    ``first`` is the description to begin with, such as the shortest. Communities are sorted by the number of nodes
    whose main community they are, and each is that of three nodes at least. Shares are of the links with members that
    the node shares the community with; a link with a node that shares several counts for each in part. ``singles`` says
    whether a node that has a single link with members may be one, if it is in no other community.

    >>> from philia.datasets import overlapping_cliques
    >>> from philia.reading import Effort, shortest
    >>> truth = overlapping_cliques(2000, 80, random_state=0)
    >>> found = read_overlapping(truth.graph, shortest(truth.graph, np.random.default_rng(0), Effort(1, 0)))
    >>> 76 <= len(found.default) <= 84
    True
    """
    return Overlaps(graph, first).levels(singles)


class Overlaps:
    """Which communities there are, before it is said who is a member of each.

    >>> from philia.datasets import overlapping_cliques
    >>> from philia.reading import Effort, shortest
    >>> graph = overlapping_cliques(2000, 80, outside=4, random_state=0).graph
    >>> found = Overlaps(graph, shortest(graph, np.random.default_rng(0), Effort(1, 0)))
    >>> bool(found.level(singles=False).memberships.nnz <= found.level(singles=True).memberships.nnz)
    True
    """

    def __init__(self, graph: Graph, first: Description) -> None:
        self._measure, self._first = DescriptionLength(graph), first
        layers = list(_layers(graph, first))
        self._settled = _settled(self._measure, _indicators(layers), first.level) if layers else None

    def level(self, singles: bool) -> Level:
        """The communities with their members; a node that has a single link with members is one if ``singles``."""
        return overlapping_level(self._measure.graph, *self._read(singles))

    def levels(self, singles: bool) -> Hierarchy:
        """The same with the levels above it."""
        return levels_above(self._measure.graph, *self._read(singles))

    def _read(self, singles: bool) -> tuple[Int64Array, sparse.csr_array]:
        """The main community of each node, and all members."""
        if self._settled is None:
            return self._first.labels, sparse.csr_array((self._measure.n, 0), dtype=np.float64)
        members, sweep = self._settled, _Sweep(self._measure, self._first.level, once=False, singles=singles)
        for _ in range(_SWEEPS):
            joined = sweep(members)
            members = joined.members
        kept, labels = _by_main(joined)
        return labels, members[:, kept]


def levels_above(graph: Graph, labels: Int64Array, members: sparse.csr_array) -> Hierarchy:
    """The level with these main communities and members (n × k, stored for members), and the levels above it."""
    return Hierarchy(graph, DescriptionLength(graph).describe(labels), overlapping_level(graph, labels, members))


def overlapping_level(graph: Graph, labels: Int64Array, members: sparse.csr_array | None) -> Level:
    """The level with these main communities and members (n × k, stored for members); None reads them off the links.

    >>> from philia import as_graph
    >>> triangle = as_graph([("ann", "bob"), ("bob", "cat"), ("cat", "ann"), ("ann", "dan")])
    >>> level = overlapping_level(triangle, np.array([0, 0, 0, -1]), sparse.csr_array([[1.0], [1.0], [1.0], [0.0]]))
    >>> level.of("bob"), level.of("dan")
    ({'B1': 1.0}, {})
    """
    if members is None:
        return level_of(graph, labels)
    measure = DescriptionLength(graph)
    finest = measure.describe(labels)
    ones = sparse.csr_array((np.ones(members.nnz), members.indices, members.indptr), shape=members.shape)
    return Level(
        names=tuple(f"B{c + 1}" for c in range(finest.count)),
        labels=finest.labels,
        strengths=_strengths(measure, ones, finest.level)[1],
        saved=finest.saved,
        nodes=graph.nodes,
        background=measure.popularity[measure.classes] + finest.level / 2,
        memberships=ones.astype(bool),
        shares=shares_of_members(graph, ones),
    )


def shares_of_members(graph: Graph, members: sparse.csr_array) -> sparse.csr_array:
    """The share of each member's links that run through the community (n × k, stored for members).

    A link between two nodes that share several communities runs through each of them in part.

    >>> from philia import as_graph
    >>> graph = as_graph([("ann", "bob"), ("bob", "cat")])
    >>> shares_of_members(graph, sparse.csr_array([[1.0, 1.0], [1.0, 1.0], [1.0, 0.0]])).toarray().tolist()
    [[0.5, 0.5], [0.75, 0.25], [1.0, 0.0]]
    """
    rows, columns = graph.links
    together = row_products(members, rows, columns)
    parts = np.divide(1.0, together, out=np.zeros(len(rows)), where=together > 0)
    n = graph.n_nodes
    ends = np.concatenate([rows, columns]), np.concatenate([columns, rows])
    links = sparse.csr_array(sparse.coo_array((np.concatenate([parts, parts]), ends), shape=(n, n)))
    of = np.repeat(np.arange(n), np.diff(members.indptr))
    shares = np.asarray((links @ members)[of, members.indices]).ravel() / np.maximum(1, graph.degrees)[of]
    return sparse.csr_array((shares, members.indices, members.indptr), shape=members.shape)


def _layers(graph: Graph, first: Description) -> Iterator[Description]:
    """The first description, and those of the links that the ones before leave between different groups."""
    rest, found = graph, first
    for layer in range(_LAYERS):
        if layer:
            found = shortest(rest, np.random.default_rng(layer), Effort(1, 0))
        if not found.count or (layer and found.saved < _LEAST_SAVED * first.saved):
            return
        yield found
        rows, columns = rest.links
        apart = (found.labels[rows] != found.labels[columns]) | (found.labels[rows] < 0)
        rest = Graph.from_rows(rows[apart], columns[apart], graph.nodes)


def _indicators(layers: list[Description]) -> sparse.csr_array:
    """The groups of all descriptions side by side as columns of ones."""
    parts = []
    for found in layers:
        rows = np.flatnonzero(found.labels >= 0)
        shape = (len(found.labels), found.count)
        parts.append(sparse.csr_array(sparse.coo_array((np.ones(len(rows)), (rows, found.labels[rows])), shape=shape)))
    return sparse.csr_array(sparse.hstack(parts, format="csr"))


def _settled(measure: DescriptionLength, members: sparse.csr_array, level: float) -> sparse.csr_array:
    """The memberships after sweeps and without twins."""
    sweep = _Sweep(measure, level, once=True, singles=False)
    for _ in range(_SWEEPS):
        joined = sweep(members)
        members = joined.members
    for _ in range(_ROUNDS):
        members = joined.members[:, ~_twins(joined.members)]
        for _ in range(_LAST):
            joined = sweep(members)
            members = joined.members
    return members[:, _by_main(joined)[0]]


@dataclass(frozen=True)
class _Sweep:
    """Finds the memberships that pay, given who is a member now.

    To say that a node is in one more community takes log n: one of n nodes. The first one need only pay at all; without
    ``singles`` it must gain more than one link can bring. Links count ``once`` or for every community.
    """

    measure: DescriptionLength
    level: float
    once: bool
    singles: bool

    def __call__(self, members: sparse.csr_array) -> _Joined:
        from philia.reading import joining, kernels

        joining.prepare()
        measure, a, level = self.measure, self.measure.popularity, self.level
        H, w = _strengths(measure, members, level)
        itself = np.logaddexp(0, 2 * a + level + w[:, None]) - np.logaddexp(0, 2 * a + level)
        now, groups = _rows(members), (w, kernels.group_costs(H, a, level, w), itself)
        first = np.zeros(len(w)) if self.singles else w
        ends, joined, gains = joining.join(
            measure.rows, now, measure.classes, groups, first, float(np.log(measure.n)), self.once
        )
        stays = np.bincount(joined, minlength=len(w)) >= LEAST
        kept, shape = stays[joined], (measure.n, int(np.count_nonzero(stays)))
        entries = gains[kept], (np.cumsum(stays) - 1)[joined[kept]], np.append(0, np.cumsum(kept))[ends]
        found = sparse.csr_array(entries, shape=shape)
        found.sort_indices()
        ones = sparse.csr_array((np.ones(found.nnz), found.indices, found.indptr), shape=shape)
        return _Joined(ones, w[stays], found.data)


def _rows(members: sparse.csr_array) -> tuple[Int64Array, Int64Array]:
    return members.indptr.astype(np.int64), members.indices.astype(np.int64)


def _strengths(
    measure: DescriptionLength, members: sparse.csr_array, level: float
) -> tuple[Float64Array, Float64Array]:
    """The members of each community by class of popularity (k × classes), and its strength."""
    from philia.reading import kernels

    kernels.prepare()
    links = sparse.csr_array(measure.graph.adjacency.astype(np.float64) @ members)
    now, (k, classes) = members.tocoo(), (members.shape[1], len(measure.popularity))
    at = now.col.astype(np.int64) * classes + measure.classes[now.row]
    H = np.bincount(at, minlength=k * classes).reshape(k, classes).astype(np.float64)
    inside = np.asarray(members.multiply(links).sum(axis=0)).ravel() / 2
    return H, kernels.strengths(H, inside, measure.popularity, level, RIDGE)


def _main(joined: _Joined) -> Int64Array:
    """The community of each node that gains it most, or -1."""
    members = joined.members
    labels = np.full(members.shape[0], -1, np.int64)
    rows = np.repeat(np.arange(members.shape[0]), np.diff(members.indptr))
    order = np.lexsort((members.indices, -joined.gains, rows))
    first = order[np.diff(rows[order], prepend=-1) > 0]
    labels[rows[first]] = members.indices[first]
    return labels


def _by_main(joined: _Joined) -> tuple[Int64Array, Int64Array]:
    """The communities that are the main one of enough nodes, those of most nodes first, and each node's among them."""
    main = _main(joined)
    counts = np.bincount(main[main >= 0], minlength=joined.members.shape[1])
    kept = np.argsort(-counts, kind="stable")[: np.count_nonzero(counts >= LEAST)]
    numbers = np.full(len(counts) + 1, -1, np.int64)  # the last stands for -1
    numbers[kept] = np.arange(len(kept))
    return kept, numbers[main]


def _twins(members: sparse.csr_array) -> BoolArray:
    """Which communities have nearly the same members as a larger one that stays."""
    both = sparse.triu(members.T @ members, 1).tocoo()
    sizes = np.bincount(members.indices, minlength=members.shape[1])
    alike = both.data / (sizes[both.row] + sizes[both.col] - both.data)
    gone = np.zeros(members.shape[1], bool)
    for at in np.argsort(-alike, kind="stable")[: np.count_nonzero(alike > _TWINS)]:
        c, d = both.row[at], both.col[at]
        if not gone[c] and not gone[d]:
            gone[c if sizes[c] < sizes[d] else d] = True
    return gone

"""Communities at every level: from the groups with the shortest description up to one group of all of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, NoReturn, overload

import numpy as np
from scipy import sparse

from philia._text import advising, listed, no_attribute
from philia._types import Float64Array, Int64Array, Node
from philia.exceptions import InvalidParameterError
from philia.graphs import Graph
from philia.graphs.nodes import Nodes
from philia.reading.length import Description, DescriptionLength
from philia.reading.search import Effort, coarser, merged_labels, shortest, shortest_with

READABLE = 24
"""The most communities that the default level lists, if that many or fewer say nearly as much as more: about a screen,
and what a person can compare."""

_MINOR = 0.25
"""A coarser level may stand for the best one if each community that it merges away is worth less than this share of an
average one. On the tuning graphs with more than 24 communities it is at most an eighth; in a ring of equal cliques,
all of which must be shown, it is a half."""

MOST_LEVELS = 48
"""Up to this many communities, every number of them has a level of its own."""

_EQUALLY_GOOD = 3.0
"""Levels whose lengths differ by less than this many nats are equally good: e³ is odds of 20 to 1."""

_SEED = 0
"""The order in which nodes are tried is the same in every run, so a graph always has the same communities."""


@dataclass(frozen=True, eq=False)
class Level:
    """The communities of one level: disjoint groups, and the nodes that are in more than one.

    ``labels`` holds each node's main community, or -1; ``memberships`` (n × k, sparse) says who belongs to which, the
    main community included. ``shares`` (n × k, sparse) is the share of each node's links that lead to nodes whose main
    community is c; rows add up to one, or less if some links lead to nodes in no community. ``strengths`` are log-odds:
    two members are linked with exp(strength) times the odds that their popularity alone would give them. ``saved`` is
    the number of nats by which these communities make the description of the graph shorter.
    """

    names: tuple[str, ...]
    labels: Int64Array
    strengths: Float64Array
    saved: float
    nodes: Nodes
    background: Float64Array
    memberships: sparse.csr_array
    shares: sparse.csr_array

    def __len__(self) -> int:
        return len(self.names)

    @property
    def affinities(self) -> sparse.csr_array:
        """The communities as columns of B (n × k, sparse): the share of a node's links times √strength."""
        return scaled_columns(self.shares, np.sqrt(self.strengths))

    @cached_property
    def columns_of_B(self) -> Float64Array:
        """``affinities`` with a number for every node (n × k)."""
        return np.asarray(self.affinities.toarray())

    @property
    def sizes(self) -> Int64Array:
        """The number of members of each community."""
        return np.bincount(self.memberships.indices, minlength=len(self))

    def as_sets(self) -> dict[str, set[Node]]:
        """The members of each community as a set of names."""
        return {name: set(self.nodes.pick(rows)) for name, (rows, _) in zip(self.names, self.columns(), strict=True)}

    def columns(self) -> Iterator[tuple[Int64Array, Float64Array]]:
        """The rows of the members of each community, and the shares of their links that lead to it."""
        if not len(self):  # SciPy cannot multiply matrices without columns
            return
        shares = sparse.csc_array(self.memberships.multiply(self.shares))
        members = sparse.csc_array(self.memberships)
        for c in range(len(self)):
            rows = members.indices[members.indptr[c] : members.indptr[c + 1]].astype(np.int64)
            column = slice(shares.indptr[c], shares.indptr[c + 1])
            found = np.zeros(len(rows))
            found[np.searchsorted(rows, shares.indices[column])] = shares.data[column]
            yield rows, found

    def of(self, node: Node) -> dict[str, float]:
        """The communities of one node with the share of its links in each, largest first."""
        row = self.nodes.row(node)
        own = slice(self.memberships.indptr[row], self.memberships.indptr[row + 1])
        shares = {c: float(self.shares[row, c]) for c in sorted(self.memberships.indices[own].tolist())}
        return {self.names[c]: share for c, share in sorted(shares.items(), key=lambda item: -item[1])}

    def __str__(self) -> str:
        if not self.names:
            return "no communities"
        return ", ".join(f"{name} ({size:,})" for name, size in zip(self.names, self.sizes.tolist(), strict=True))


def scaled_columns(matrix: sparse.csr_array, by: Float64Array) -> sparse.csr_array:
    """The matrix with each column multiplied by a number.

    >>> scaled_columns(sparse.csr_array([[1.0, 2.0], [0.0, 3.0]]), np.array([10.0, 100.0])).toarray().tolist()
    [[10.0, 200.0], [0.0, 300.0]]
    """
    return sparse.csr_array((matrix.data * by[matrix.indices], matrix.indices, matrix.indptr), shape=matrix.shape)


_HABITS = {
    "levels": "list(hierarchy) has them, from fine to coarse, and hierarchy.cut(3) the one with three communities",
    **dict.fromkeys(("plot", "draw"), "philia.plots.hierarchy(model) draws it"),
    **dict.fromkeys(("dendrogram", "Z"), "hierarchy.linkage is SciPy's, and philia.plots.hierarchy(model) draws it"),
    **dict.fromkeys(("best", "optimal"), "hierarchy.default is the level to read"),
}
"""What users of other libraries write from habit, and what there is instead."""


class Hierarchy(Sequence[Level]):
    """The levels of a graph's communities, finest first; each level merges communities of the one before.

    Up to 48 communities every number has its level; above that each level has a fifth fewer than the one before, since
    nobody looks at thousands of levels. ``default`` is the level to read: the one with the shortest description. If
    that has more than 24 communities, but many of them matter little, it is the best of the levels with at most 24.
    ``equally_good`` holds the levels whose descriptions are as long as the default's, to within three nats. Sets are
    nested, and the shares of a community are the sum of the shares of its parts.

    If communities were allowed to overlap, the default level is the finest, whose members need not be nested in those
    of the coarser levels: these merge main communities.

    >>> from philia.datasets import classic
    >>> levels = read_levels(classic("karate"))
    >>> print(levels)
    2 communities (default): 8 nats saved
    1 community: no shorter than none
    >>> levels.default.of(0), levels.default.of(8)
    ({'B2': 0.875}, {'B1': 0.6})
    """

    def __init__(self, graph: Graph, finest: Description, overlapping: Level | None = None) -> None:
        self._measure, self._finest, self._overlapping = DescriptionLength(graph), finest, overlapping
        self._levels: dict[int, Level] = {} if overlapping is None else {0: overlapping}

    if not TYPE_CHECKING:  # type checkers should know that there are no such names

        def __getattr__(self, name: str) -> NoReturn:
            raise no_attribute(self, name, _HABITS)

    @cached_property
    def _merges(self) -> Int64Array:
        """The merges of the finest communities, in order."""
        return coarser(self._measure, self._finest)

    @cached_property
    def _descriptions(self) -> list[Description]:
        """The description of each level."""
        finest = [self._finest] if self._finest.count else []
        above = [self._measure.describe(labels) for labels in _ladder(self._finest, self._merges)]
        return [*finest, *above, self._measure.none]

    @cached_property
    def _best(self) -> int:
        """The level with the shortest description."""
        return 0 if self._overlapping is not None else int(np.argmax(self.saved))

    @cached_property
    def _default(self) -> int:
        """The level to read."""
        if self._overlapping is not None:
            return 0
        saved, counts, best = self.saved, self.counts, self._best
        readable = max((i for i, count in enumerate(counts) if count <= READABLE), key=lambda i: saved[i])
        fewer = 1 - counts[readable] / max(1, counts[best])
        minor = saved[best] - saved[readable] <= _MINOR * fewer * saved[best]
        default = readable if minor else best
        return default if saved[default] > 0 else len(counts) - 1  # the last has no communities

    @property
    def default(self) -> Level:
        """The level to read."""
        return self[self._default] if self._overlapping is None else self._overlapping

    @property
    def finest(self) -> Int64Array:
        """The main community of each node at the finest level, -1 for none; all other levels follow from it."""
        return self._finest.labels

    @property
    def shortest(self) -> Description:
        """The shortest description of all levels."""
        return self._descriptions[self._best]

    @property
    def best(self) -> Level:
        """The level with the shortest description."""
        return self[self._best]

    @property
    def equally_good(self) -> tuple[Level, ...]:
        """The levels whose descriptions are as long as the default's, to within three nats, the default included."""
        return tuple(self[i] for i in range(len(self)) if self._as_good(i))

    def _as_good(self, i: int) -> bool:
        return abs(self.saved[i] - self.saved[self._default]) <= _EQUALLY_GOOD

    @property
    def counts(self) -> tuple[int, ...]:
        """The number of communities of each level, which ends with none."""
        return tuple(description.count for description in self._descriptions)

    @property
    def saved(self) -> tuple[float, ...]:
        """The number of nats that the communities of each level save."""
        return tuple(description.saved for description in self._descriptions)

    @advising("write model.hierarchy().cut(3)")
    def cut(self, count: int) -> Level:
        """The level with this many communities; at most as many as the finest has."""
        counts = self.counts
        if count not in counts:
            some = [other for other in counts if other > MOST_LEVELS]
            each = f"{counts[-1]} to {counts[0]}"
            if some:
                each = f"{listed([f'{other:,}' for other in some])} communities, and with {MOST_LEVELS} to 0"
            raise InvalidParameterError(f"there is no level with {count!r} communities; there are levels with {each}")
        return self[counts.index(count)]

    def finer(self) -> Level:
        """The communities within those of the default level, each of which is read as a graph of its own.

        Their description of the whole graph is longer than the default's, since the default is the shortest that was
        found, but groups of a few people inside a larger community are often what is looked for. A part of B2 is called
        B2.1; a community without parts keeps its name, and nodes that no part gains from are in none.

        >>> from philia import as_graph
        >>> cliques = [(g, c, i, j) for g in range(2) for c in range(5) for i in range(7) for j in range(i)]
        >>> near = [((g, c, i), (g, d, i)) for g in range(2) for c in range(5) for d in range(c) for i in range(4)]
        >>> graph = as_graph([((g, c, i), (g, c, j)) for g, c, i, j in cliques] + near)
        >>> both = Hierarchy(graph, DescriptionLength(graph).describe(np.repeat([0, 1], 35)))
        >>> len(both.cut(2)), len(finer_level(graph, both.cut(2)))
        (2, 10)
        """
        return finer_level(self._measure.graph, self.default)

    @cached_property
    def names(self) -> list[tuple[str, ...]]:
        """The names of the communities of each level.

        Those of the default level are B1, B2 and so on, largest first; those that overlap have their names already. A
        part of B2 is called B2.1, and a union of B1 and B3 is called B1+B3.
        """
        middle = self._default if self._descriptions[self._default].count else self._best
        sizes = self._descriptions[middle].sizes
        own = np.argsort(np.argsort(-sizes, kind="stable"))
        middle_names = [f"B{number + 1}" for number in own]
        if self._overlapping is not None:
            middle_names = list(self._overlapping.names)
        return [self._named(i, middle, middle_names) for i in range(len(self._descriptions))]

    def _named(self, i: int, middle: int, middle_names: list[str]) -> tuple[str, ...]:
        mine, theirs = self._descriptions[i], self._descriptions[middle]
        both = (mine.labels >= 0) & (theirs.labels >= 0)
        keys = np.unique(mine.labels[both] * theirs.count + theirs.labels[both])
        pairs = np.stack(np.divmod(keys, max(1, theirs.count)), axis=1)
        if i > middle:  # a union
            parts: list[list[int]] = [[] for _ in range(mine.count)]
            for own, part in pairs.tolist():
                parts[own].append(int(middle_names[part][1:]))
            return tuple("+".join(f"B{number}" for number in sorted(numbers)) for numbers in parts)
        whole, found = dict(pairs.tolist()), [""] * mine.count
        inside: list[list[int]] = [[] for _ in range(theirs.count)]
        for c in np.argsort(-mine.sizes, kind="stable").tolist():
            if c in whole:
                inside[whole[c]].append(c)
        for part, members in enumerate(inside):
            for number, c in enumerate(members, 1):
                found[c] = middle_names[part] + (f".{number}" if len(members) > 1 else "")
        return tuple(found)

    @overload
    def __getitem__(self, index: int) -> Level: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Level]: ...
    def __getitem__(self, index: int | slice) -> Level | Sequence[Level]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        index = range(len(self))[index]
        if index not in self._levels:
            self._levels[index] = self._level(index)
        return self._levels[index]

    def __len__(self) -> int:
        return len(self._descriptions)

    def _level(self, i: int) -> Level:
        found, names = self._descriptions[i], self.names[i]
        order = sorted(range(found.count), key=lambda c: _by_name(names[c]))
        labels = np.append(np.argsort(order), -1)[found.labels]
        return _level(self._measure, self._measure.describe(labels), tuple(names[c] for c in order))

    def linkage(self) -> Float64Array:
        """The merges as SciPy's dendrograms want them: the two parts, the nats lost so far, the number of leaves.

        The leaves are the communities of the finest level, by the position of their names in ``self[0].names``.

        >>> from philia import as_graph
        >>> cliques = [(8 * c + i, 8 * c + j) for c in range(3) for i in range(8) for j in range(i)]
        >>> read_levels(as_graph(cliques)).linkage()[:, [0, 1, 3]].tolist()
        [[0.0, 1.0, 2.0], [2.0, 3.0, 3.0]]
        """
        if not self._descriptions[0].count:
            return np.empty((0, 4))
        position = {name: at for at, name in enumerate(self.names[0])}
        order = [position[name] for name in self[0].names]
        number = dict(zip(order, range(len(order)), strict=True))
        leaves, rows, lost, left, at = [1] * len(order), [], 0.0, len(order), 1
        for c, d in self._merges.tolist():
            left -= 1
            while self._descriptions[at].count > left:
                at += 1
            after = self._descriptions[at - 1 if self._descriptions[at].count < left else at]
            lost = max(lost, self._descriptions[0].saved - after.saved)  # a merge may gain; heights must not fall
            leaves[c] += leaves[d]
            rows.append([*sorted((number[c], number[d])), lost, leaves[c]])
            number[c] = len(order) + len(rows) - 1
        return np.array(rows).reshape(-1, 4)

    def __str__(self) -> str:
        lines = []
        for i, description in enumerate(self._descriptions):
            count = description.count
            if not count and i != self._default:
                continue
            said = f"{count:,} {'community' if count == 1 else 'communities'}" if count else "no communities"
            mark = " (default)" if i == self._default else " (as good)" if self._as_good(i) else ""
            saved = f"{description.saved:,.0f} nats saved" if description.saved > 0 else "no shorter than none"
            lines.append(f"{said}{mark}: {saved}" if count else f"{said}{mark}")
        return "\n".join(lines)

    __repr__ = __str__


def read_levels(graph: Graph, effort: Effort | None = None) -> Hierarchy:
    """The communities of a graph at every level, found by the length of its description; weights do not count.

    >>> from philia import as_graph
    >>> print(read_levels(as_graph([(i, i + 1) for i in range(30)])).default)
    no communities
    """
    return Hierarchy(graph, shortest(graph, np.random.default_rng(_SEED), effort))


def levels_from(graph: Graph, finest: Int64Array) -> Hierarchy:
    """The levels above given communities, those of the finest level, which take most of the time to find.

    >>> from philia.datasets import classic
    >>> graph = classic("karate")
    >>> str(levels_from(graph, read_levels(graph).finest)) == str(read_levels(graph))
    True
    """
    return Hierarchy(graph, DescriptionLength(graph).describe(finest))


def level_of(graph: Graph, labels: Int64Array) -> Level:
    """The level with these main communities, which are called B1, B2 and so on in the order of their numbers.

    >>> from philia.datasets import classic
    >>> graph = classic("karate")
    >>> same = level_of(graph, read_levels(graph).default.labels)
    >>> str(same)
    'B1 (18), B2 (16)'
    """
    measure = DescriptionLength(graph)
    found = measure.describe(labels)
    return _level(measure, found, tuple(f"B{c + 1}" for c in range(found.count)))


def finer_level(graph: Graph, level: Level) -> Level:
    """The communities within those of a level, by the links among nodes with the same main community.

    >>> from philia.datasets import classic
    >>> graph = classic("karate")
    >>> finer_level(graph, read_levels(graph).default).names
    ('B1', 'B2')
    """
    labels, names = np.full(graph.n_nodes, -1, np.int64), list[str]()
    rows, columns = graph.links
    inside = np.flatnonzero((level.labels[rows] == level.labels[columns]) & (level.labels[rows] >= 0))
    inside = inside[np.argsort(level.labels[rows[inside]], kind="stable")]
    starts = np.searchsorted(level.labels[rows[inside]], np.arange(len(level) + 1))
    members = np.argsort(level.labels, kind="stable")
    begins = np.searchsorted(level.labels[members], np.arange(len(level) + 1))
    for c, name in enumerate(level.names):
        own, links = members[begins[c] : begins[c + 1]], inside[starts[c] : starts[c + 1]]
        ends = np.searchsorted(own, rows[links]), np.searchsorted(own, columns[links])
        within = Graph.from_rows(*ends, Nodes.numbered(len(own)))
        parts = shortest(within, np.random.default_rng(_SEED), Effort(1, 0))
        split = parts.count > 1
        labels[own] = np.where(parts.labels >= 0, parts.labels + len(names), -1) if split else len(names)
        names += [f"{name}.{part + 1}" for part in range(parts.count)] if split else [name]
    return replace(level_of(graph, labels), names=tuple(names))


def level_with(graph: Graph, count: int) -> Level:
    """The level with this many communities, even if none at all have a shorter description, or the finest there is.

    >>> from philia.datasets import classic
    >>> [len(level_with(classic("karate"), count)) for count in (2, 5)]
    [2, 5]
    """
    levels = read_levels(graph)
    if count in levels.counts:
        return levels.cut(count)
    found = shortest_with(graph, count, np.random.default_rng(_SEED))
    return levels[0] if found is None else level_of(graph, found.labels)


def extended(labels: Int64Array, before: Graph, after: Graph) -> Int64Array:
    """The labels of the nodes of a grown graph: a new node is where most of its links with earlier nodes lead.

    >>> from philia import as_graph
    >>> links = [("ann", "bob"), ("cat", "ann")]
    >>> grown = as_graph([*links, ("cat", "zoe"), ("zoe", "bob"), ("zoe", "ann"), ("dan", "zoe")])
    >>> extended(np.array([0, 0, 1]), as_graph(links), grown).tolist()
    [0, 0, 1, 0, -1]
    """
    known = np.full(after.n_nodes, -1, np.int64)
    known[after.nodes.rows(before.nodes)] = labels
    links = DescriptionLength(after).links_into(known, int(labels.max(initial=-1)) + 1)
    new = np.ones(after.n_nodes, bool)
    new[after.nodes.rows(before.nodes)] = False
    linked = np.flatnonzero(new & (np.diff(links.indptr) > 0))
    known[linked] = [main_of(links, row) for row in linked.tolist()]
    return known


def main_of(links: sparse.csr_array, row: int) -> int:
    """The community that most links of a row lead to, the first of several.

    >>> main_of(sparse.csr_array([[0.0, 2.0, 1.0]]), 0)
    1
    """
    own = slice(links.indptr[row], links.indptr[row + 1])
    return int(min(links.indices[own][links.data[own] == links.data[own].max()]))


def _ladder(finest: Description, merges: Int64Array) -> Iterator[Int64Array]:
    """The labels of each coarser level."""
    labels, left = finest.labels, finest.count
    while left > 1:
        fewer = _next_fewer(left)
        labels = merged_labels(labels, merges[finest.count - left : finest.count - fewer])
        left = fewer
        yield labels


def _next_fewer(count: int) -> int:
    return max(MOST_LEVELS, count * 4 // 5) if count > MOST_LEVELS else count - 1


def _level(measure: DescriptionLength, found: Description, names: tuple[str, ...]) -> Level:
    labels, member = found.labels, found.labels >= 0
    # To say that a node is in one more community takes log n: one of n nodes. Its links must become likelier than that.
    joined = (measure.gains(found) > np.log(measure.n)).tocoo()
    rows = np.concatenate([joined.row, np.flatnonzero(member)])
    columns = np.concatenate([joined.col, labels[member]])
    memberships = sparse.csr_array(sparse.coo_array((np.ones(len(rows), bool), (rows, columns)), shape=joined.shape))
    links = measure.links_into(labels, found.count)
    of_all = np.repeat(np.maximum(1, measure.graph.degrees), np.diff(links.indptr))
    return Level(
        names=names,
        labels=labels,
        strengths=found.strengths,
        saved=found.saved,
        nodes=measure.graph.nodes,
        background=measure.popularity[measure.classes] + found.level / 2,
        memberships=memberships,
        shares=sparse.csr_array((links.data / of_all, links.indices, links.indptr), shape=links.shape),
    )


def _by_name(name: str) -> tuple[int, ...]:
    """B2.10 after B2.9, and B10 after B9."""
    return tuple(int(part) for part in name.replace("B", "").replace("+", ".").split("."))

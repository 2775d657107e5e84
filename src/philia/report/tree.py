"""Thousands of communities as a tree: each part with its size, the links inside it and the members to know it by."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from scipy import sparse

from philia._types import Float64Array, Int64Array
from philia.report.explorer import LETTER
from philia.report.findings import Findings

_KNOWN = 4
"""Best-connected members that are named for a part that is made of several communities."""

_NAMED = 8
"""Members that are named for a community, if there is room: what fits on a card without scrolling."""

_COMMUNITY, _MEMBER = 60.0, 7.0
"""Bytes after compression: of the numbers of a community, of a member and its share."""


@dataclass(frozen=True, eq=False)
class CommunityTree:
    """The communities of the finest level as leaves, and parts that join two others, in the order of their merges.

    Part t is leaf t if there is one, and otherwise joins ``merges[t - leaves]``. If the page has no room for all
    communities, a leaf stands for several, and ``leaf_of`` says which leaf each community is in.

    >>> from philia import CommunityModel
    >>> from philia.datasets import overlapping_cliques
    >>> graph = overlapping_cliques(300, 10, random_state=0).graph
    >>> found = Findings.of(CommunityModel(storage="sparse", random_state=0).fit(graph))
    >>> tree = CommunityTree.of(found, budget=1e6)
    >>> tree.leaves == len(found.communities), len(tree.merges) == tree.leaves - 1
    (True, True)
    """

    found: Findings
    merges: Int64Array
    leaf_of: Int64Array
    named: int

    @classmethod
    def of(cls, found: Findings, budget: float) -> CommunityTree:
        """The tree of all communities, or its top where more would need more bytes than the budget."""
        linkage = found.model.hierarchy().linkage()[:, :2].astype(np.int64)
        count = len(found.communities)
        letters = sum(map(len, found.names.texts)) / max(1, len(found.names.texts))
        member = _MEMBER + LETTER * letters
        room = (budget / max(1, count) - _COMMUNITY) / member
        fitting = max(1, int(budget / (_COMMUNITY + member)))
        merges, leaf_of = _top(linkage, count, min(count, fitting))
        return cls(found, merges, leaf_of, int(np.clip(room, 1, _NAMED)))

    @property
    def leaves(self) -> int:
        """The number of leaves."""
        return int(self.leaf_of.max(initial=-1)) + 1

    @cached_property
    def _main(self) -> Int64Array:
        """The leaf of each node's main community, or -1."""
        return np.append(self.leaf_of, -1)[self.found.model.hierarchy().default.labels]

    def totals(self, of_leaves: Float64Array | Int64Array, of_merges: Int64Array | None = None) -> Int64Array:
        """A number for each part: its own, and those of all parts that it joins.

        ``of_merges`` is what each merge adds to its two parts, such as the links between them.
        """
        found = np.concatenate([of_leaves, np.zeros(len(self.merges)) if of_merges is None else of_merges])
        for at, (left, right) in enumerate(self.merges.tolist(), self.leaves):
            found[at] += found[left] + found[right]
        return found.astype(np.int64)

    @cached_property
    def sizes(self) -> Int64Array:
        """The number of members of each part; above the leaves, of nodes whose main community is in it."""
        found = self.totals(np.bincount(self._main[self._main >= 0], minlength=self.leaves))
        alone, one = self._single
        found[alone] = self.found.sizes[one]
        return found

    @cached_property
    def _single(self) -> tuple[Int64Array, Int64Array]:
        """The leaves that are a single community, and that community."""
        alone = np.bincount(self.leaf_of, minlength=self.leaves) == 1
        one = np.flatnonzero(alone[self.leaf_of])
        return self.leaf_of[one], one

    def communities(self) -> Int64Array:
        """The number of communities in each part."""
        return self.totals(np.bincount(self.leaf_of, minlength=self.leaves))

    def largest(self) -> Int64Array:
        """The first community of each part, which gives it its name."""
        found = np.full(self.leaves + len(self.merges), len(self.leaf_of), np.int64)
        np.minimum.at(found, self.leaf_of, np.arange(len(self.leaf_of)))
        for at, (left, right) in enumerate(self.merges.tolist(), self.leaves):
            found[at] = min(found[left], found[right])
        return found

    def stays_inside(self) -> Float64Array:
        """The share of the links of each part's members that lead to other members of it.

        A node counts as a member of the parts that its main community is in, and of all its single communities.
        """
        graph, main = self.found.graph, self._main
        rows, columns = graph.links
        both = (main[rows] >= 0) & (main[columns] >= 0)
        joined = self._joined(main[rows[both]], main[columns[both]])
        inside = np.bincount(joined, minlength=self.leaves + len(self.merges))
        links = self.totals(inside[: self.leaves], inside[self.leaves :])
        known = main >= 0
        ends = self.totals(np.bincount(main[known], graph.degrees[known], minlength=self.leaves))
        alone, one = self._single
        links[alone] = links_among(graph.adjacency, self.found.memberships)[one]
        ends[alone] = (graph.degrees @ self.found.memberships)[one]
        return np.asarray(2 * links / np.maximum(1, ends))

    def _joined(self, some: Int64Array, others: Int64Array) -> Int64Array:
        """The smallest part that holds both of two leaves.

        Leaves are put in the order of a drawing, where each merge closes one gap between two neighbours. Two leaves
        are joined by the latest merge of the gaps between them, which a table of ranges of 1, 2, 4, … gaps holds.
        """
        order, closed = _drawing(self.leaves, self.merges)
        position = np.argsort(order)
        low, high = np.sort(position[np.stack([some, others])], axis=0)
        table = [closed]
        while 2 ** len(table) <= len(closed):
            half = 2 ** (len(table) - 1)
            table.append(np.maximum(table[-1][:-half], table[-1][half:]))
        found = some.copy()
        apart = np.flatnonzero(low < high)
        width = np.frexp(high[apart] - low[apart])[1] - 1
        for power, ranges in enumerate(table):
            at = apart[width == power]
            found[at] = np.maximum(ranges[low[at]], ranges[high[at] - 2**power])
        return found

    def parts(self, part: int, most: int) -> list[int]:
        """What a part is made of: its latest merges are undone until there are so many parts, the largest first."""
        found = [part]
        while len(found) < most:
            latest = max(found)
            if latest < self.leaves:
                break
            found.remove(latest)
            found += self.merges[latest - self.leaves].tolist()
        return sorted(found, key=lambda one: (-int(self.sizes[one]), one))

    def views(self, most: int) -> Iterator[tuple[int, list[int], Float64Array]]:
        """Every part that can be opened from the top, its parts, and the ends of links inside and between these."""
        order, starts, counts = self._runs
        rows, columns = (self._main[ends] for ends in self.found.graph.links)
        both = (rows >= 0) & (columns >= 0)
        rows, columns = rows[both], columns[both]
        level = [self.leaves + len(self.merges) - 1] if len(self.merges) else []
        while level:
            opened = [self.parts(part, most) for part in level]
            seat = np.full(self.leaves, -1, np.int64)  # of each leaf: which view shows it, and as which of its parts
            for view, parts in enumerate(opened):
                for position, part in enumerate(parts):
                    seat[order[starts[part] : starts[part] + counts[part]]] = view * most + position
            same = (seat[rows] >= 0) & (seat[rows] // most == seat[columns] // most)
            cells = seat[rows[same]] * most + seat[columns[same]] % most
            links = np.bincount(cells, minlength=len(level) * most * most).reshape(len(level), most, most)
            for part, parts, ends in zip(level, opened, links, strict=True):
                own = ends[: len(parts), : len(parts)]
                yield part, parts, np.asarray(own + own.T, dtype=np.float64)
            level = [part for parts in opened for part in parts if part >= self.leaves]

    @cached_property
    def _runs(self) -> tuple[Int64Array, Int64Array, Int64Array]:
        """The leaves in an order in which each part is a run; where the run of each part starts, and its length."""
        order, _ = _drawing(self.leaves, self.merges)
        counts = self.totals(np.ones(self.leaves))
        starts = np.concatenate([np.argsort(order), np.zeros(len(self.merges), np.int64)])
        for at, (left, right) in enumerate(self.merges.tolist(), self.leaves):
            starts[at] = min(starts[left], starts[right])
        return order, starts, counts

    def members(self) -> tuple[Int64Array, Float64Array]:
        """The strongest members of each leaf's first community as rows (leaves × named, -1 for none), and their shares.

        This is what a leaf is known by, also if it stands for several communities.
        """
        rows = np.full((self.leaves, self.named), -1, np.int64)
        shares = np.zeros((self.leaves, self.named))
        for leaf, c in enumerate(self.largest()[: self.leaves].tolist()):
            some = self.found.rows(c)[: self.named]
            rows[leaf, : len(some)], shares[leaf, : len(some)] = some, self.found.shown(c)[: self.named]
        return rows, shares

    def best_known(self) -> Int64Array:
        """The rows of the best-connected members of each part that is a merge (merges × 4, -1 for none)."""
        degrees, main = self.found.graph.degrees, self._main
        order = np.lexsort((-degrees, main))
        order = order[main[order] >= 0]
        starts = np.searchsorted(main[order], np.arange(self.leaves + 1))
        best = [order[start : min(start + _KNOWN, end)] for start, end in pairwise(starts)]
        rows = np.full((len(self.merges), _KNOWN), -1, np.int64)
        for at, (left, right) in enumerate(self.merges.tolist()):
            both = np.concatenate([best[left], best[right]])
            best.append(both[np.argsort(-degrees[both], kind="stable")][:_KNOWN])
            rows[at, : len(best[-1])] = best[-1]
        return rows

    def links_inside(self) -> Int64Array:
        """The number of links among the members of the first community of each leaf."""
        found = links_among(self.found.graph.adjacency, self.found.memberships)
        return np.asarray(found[self.largest()[: self.leaves]])

    def links_expected(self) -> Float64Array:
        """The links there would be among the members of the first community of each leaf if halves met at random.

        Two nodes are linked d_i · d_j / (2 · links) times on average then. Nodes with so many links that this exceeds 1
        are too rare in networks of this size to be counted apart.
        """
        degrees, memberships = self.found.graph.degrees.astype(np.float64), self.found.memberships
        ends = max(1.0, degrees.sum())
        expected = ((degrees @ memberships) ** 2 - degrees**2 @ memberships) / (2 * ends)
        return np.asarray(expected[self.largest()[: self.leaves]])


def links_among(adjacency: sparse.csr_array, memberships: sparse.csc_array) -> Int64Array:
    """The number of links between members of each community, by products that stay sparse.

    >>> from philia import as_graph
    >>> members = sparse.csc_array(np.array([[1, 0], [1, 1], [0, 1]]))
    >>> links_among(as_graph([(0, 1), (1, 2)]).adjacency, members).tolist()
    [1, 1]
    """
    members = sparse.csr_array(memberships)
    return np.asarray((adjacency.astype(np.int64) @ members).multiply(members).sum(axis=0)).ravel() // 2


def _top(linkage: Int64Array, count: int, leaves: int) -> tuple[Int64Array, Int64Array]:
    """The last merges of a tree, so that as many leaves remain, and the leaf of each community.

    >>> merges, leaf_of = _top(np.array([[0, 2], [1, 3]]), count=3, leaves=2)
    >>> merges.tolist(), leaf_of.tolist()
    ([[1, 0]], [0, 1, 0])
    """
    below = count - leaves  # merges inside leaves
    into = np.arange(count + len(linkage))
    for at in range(below - 1, -1, -1):  # from the last one down, so that a part already knows where it is
        into[linkage[at]] = into[count + at]
    parts, leaf_of = np.unique(into[:count], return_inverse=True)
    first = np.full(len(parts), count)
    np.minimum.at(first, leaf_of, np.arange(count))
    rank = np.argsort(np.argsort(first))
    number = np.zeros(len(into), np.int64)
    number[parts] = rank
    number[count + below :] = leaves + np.arange(len(linkage) - below)
    return number[linkage[below:]], rank[leaf_of].astype(np.int64)


def _drawing(leaves: int, merges: Int64Array) -> tuple[Int64Array, Int64Array]:
    """The leaves in an order in which each part is a run, and the part that closes each gap between two of them.

    >>> order, closed = _drawing(3, np.array([[0, 2], [1, 3]]))
    >>> order.tolist(), closed.tolist()
    ([1, 0, 2], [4, 3])
    """
    sizes = np.ones(leaves + len(merges), np.int64)
    for at, (left, right) in enumerate(merges.tolist(), leaves):
        sizes[at] = sizes[left] + sizes[right]
    start = np.zeros(len(sizes), np.int64)  # the last part is the whole, and begins at 0
    closed = np.empty(max(0, leaves - 1), np.int64)
    for at in range(len(merges) - 1, -1, -1):
        left, right = merges[at].tolist()
        start[left] = start[leaves + at]
        start[right] = start[left] + sizes[left]
        closed[start[right] - 1] = leaves + at
    order = np.empty(leaves, np.int64)
    order[start[:leaves]] = np.arange(leaves)
    return order, closed

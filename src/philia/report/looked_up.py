"""Nodes of a sparse model that can be looked up: their communities, their neighbours and their missing links."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from scipy.special import expit

from philia._types import BoolArray, Float64Array, Int64Array
from philia.factors import SparseFactors
from philia.factors.sparse import SHAPE
from philia.graphs import Graph
from philia.pairs import seen
from philia.report.explorer import LETTER, Numbering, OnProgress, narrow
from philia.report.findings import Findings

_NEIGHBOURS, _MISSING = 15, 5
"""Neighbours and missing links that are named per node, unless all nodes are on the page."""

_NUMBER, _LINK = 3.0, 8.0
"""Bytes after compression: of the number of a node, of a missing link and its probability."""

_LARGEST = 1 / 20
"""The share of the budget that a single node may take: one with more links is left out."""

_WORK = 6e7
"""Products of affinities in the search for missing links, of the nodes that need fewest first: about ten seconds."""


@dataclass(frozen=True, eq=False)
class LookedUp:
    """The rows that can be looked up, in ascending order, with all their neighbours.

    >>> from philia import CommunityModel
    >>> from philia.datasets import overlapping_cliques
    >>> graph = overlapping_cliques(300, 10, random_state=0).graph
    >>> found = Findings.of(CommunityModel(storage="sparse", random_state=0).fit(graph))
    >>> len(LookedUp.of(found, budget=1e6).rows), len(LookedUp.of(found, budget=1e4).rows) < 100
    (300, True)
    """

    found: Findings
    rows: Int64Array

    @classmethod
    def of(cls, found: Findings, budget: float) -> LookedUp:
        """All nodes if they fit; otherwise strongest members of communities and best-connected nodes by turns."""
        costs = _costs(found, all_named=True)
        if costs.sum() <= budget:
            return cls(found, np.arange(found.graph.n_nodes))
        costs = _costs(found, all_named=False)
        order = _by_turns(
            np.array([found.rows(c)[0] for c in range(len(found.communities)) if found.sizes[c]], dtype=np.int64),
            np.argsort(-found.graph.degrees, kind="stable"),
        )
        order = order[costs[order] <= max(_LARGEST * budget, costs.min())]
        fitting = max(1, int(np.searchsorted(np.cumsum(costs[order]), budget, side="right")))
        return cls(found, np.sort(order[:fitting]))

    @property
    def complete(self) -> bool:
        """Whether all nodes can be looked up."""
        return len(self.rows) == self.found.graph.n_nodes

    @property
    def words(self) -> str:
        """Which nodes these are, in a sentence."""
        n, some = self.found.graph.n_nodes, len(self.rows)
        if self.complete:
            return f"All {n:,} nodes can be looked up, with all their neighbours."
        return (
            f"{some:,} of {n:,} nodes can be looked up: the strongest members of the largest communities, and those "
            f"with the most links. philia communities --node and philia explain know all of them."
        )

    def section(self, named: Int64Array, on_progress: OnProgress | None = None) -> tuple[dict[str, Any], Int64Array]:
        """The section of the payload, and each row's position in its list of names, -1 if it is not in it.

        ``named`` are rows that other sections name.
        """
        found, graph = self.found, self.found.graph
        factors = _sparse(found)
        start, neighbours, counted = self._neighbours(factors)
        missing = self._missing(factors, on_progress)
        first = np.arange(len(neighbours)) - np.repeat(start[:-1], np.diff(start)) < _NEIGHBOURS
        numbering = Numbering.of(graph.n_nodes, self.rows, neighbours[first], missing.partners, named)
        every = Numbering.of(graph.n_nodes, numbering.rows, neighbours)  # the others have numbers, but no names
        own = sparse.csr_array(factors.homophilous[self.rows])
        communities = np.unique(own.indices)
        added, level = np.zeros(own.shape[1]), found.model.level()
        added[own.indices] = np.expm1(own.data**2)  # the same for all members
        assert level is not None
        shares = np.asarray(
            level.shares[self.rows][np.repeat(np.arange(len(self.rows)), np.diff(own.indptr)), own.indices]
        )
        section = {
            "sparse": True,
            "nodes": len(self.rows),
            "of": graph.n_nodes,
            "words": self.words,
            "names": found.names.pick(numbering.rows.tolist()),
            "background": factors.background[self.rows].astype(np.float32),
            "degrees": graph.degrees[self.rows].astype(np.uint32),
            "communities": {"number": communities.astype(np.uint32), "odds": added[communities].astype(np.float32)},
            "memberships": {
                "start": own.indptr.astype(np.uint32),
                "rows": narrow(np.searchsorted(communities, own.indices)),
                "share": shares.ravel().astype(np.float32),
            },
            "neighbours": {
                "weight": factors.weight,
                "adds": factors.adds,
                "shape": SHAPE,
                "start": start.astype(np.uint32),
                "rows": narrow(every.index[neighbours]),
                "counted": counted.astype(np.uint32),
                "affinity": _of_neighbourhoods(factors)[every.rows].astype(np.float32),
            },
            "missing": missing.section(numbering),
        }
        return section, numbering.index

    def _neighbours(self, factors: SparseFactors) -> tuple[Int64Array, Int64Array, Int64Array]:
        """Where each row's neighbours start, all of them, likeliest first, and how many come before held-out ones."""
        graph = self.found.graph
        some = graph.adjacency[self.rows]
        who, others = np.repeat(np.arange(len(self.rows)), np.diff(some.indptr)), some.indices.astype(np.int64)
        hidden = ~seen(graph, self.found.model.held_out_).linked(self.rows[who], others)
        order = np.lexsort((others, -factors.scores(self.rows[who], others), hidden, who))
        counted = np.bincount(who[~hidden], minlength=len(self.rows))
        return some.indptr.astype(np.int64), others[order], counted

    def _missing(self, factors: SparseFactors, on_progress: OnProgress | None) -> _Missing:
        """The likeliest missing links of the rows that the work is enough for."""
        work = factors.products[self.rows]
        cheapest = np.argsort(work, kind="stable")
        cheapest = cheapest[: int(np.searchsorted(np.cumsum(work[cheapest]), _WORK, side="right"))]
        searched = np.zeros(len(self.rows), bool)
        searched[cheapest] = True
        return _Missing.of(self.found.graph, factors, self.rows, searched, on_progress)


@dataclass(frozen=True, eq=False)
class _Missing:
    """For the t-th node, the rows ``partners[start[t]:start[t + 1]]``, likeliest first, if it was searched."""

    start: Int64Array
    partners: Int64Array
    probabilities: Float64Array
    searched: BoolArray

    @classmethod
    def of(
        cls, graph: Graph, factors: SparseFactors, rows: Int64Array, searched: BoolArray, tell: OnProgress | None
    ) -> _Missing:
        """The likeliest missing links among nodes that share a community or a neighbour."""
        counts, partners, scores = np.zeros(len(rows), np.int64), [np.empty(0, np.int64)], [np.empty(0)]
        positions, done = np.flatnonzero(searched), 0
        for some, products in factors.sharing(rows[searched]):
            for t, row in enumerate(some.tolist()):
                best, values = _best(graph, factors.background, row, products, t)
                counts[positions[done + t]] = len(best)
                partners.append(best)
                scores.append(values)
            done += len(some)
            if tell is not None:
                tell(done, len(positions))
        start = np.append(0, np.cumsum(counts))
        return cls(start, np.concatenate(partners), expit(np.concatenate(scores)), searched)

    def section(self, numbering: Numbering) -> dict[str, Any]:
        """The part of the payload."""
        return {
            "start": self.start.astype(np.uint32),
            "rows": narrow(numbering.index[self.partners]),
            "probability": self.probabilities.astype(np.float32),
            "searched": self.searched.astype(np.uint8),
        }


def _best(
    graph: Graph, background: Float64Array, row: int, products: sparse.csr_array, t: int
) -> tuple[Int64Array, Float64Array]:
    """The likeliest partners of a row that it is not linked with, and their scores."""
    own = slice(products.indptr[t], products.indptr[t + 1])
    others = products.indices[own].astype(np.int64)
    linked = graph.adjacency.indices[graph.adjacency.indptr[row] : graph.adjacency.indptr[row + 1]]
    free = ~np.isin(others, linked) & (others != row)
    others, scores = others[free], products.data[own][free] + background[row] + background[others[free]]
    order = np.lexsort((others, -scores))[:_MISSING]
    return others[order], scores[order]


def _sparse(found: Findings) -> SparseFactors:
    factors = found.model.factors_
    assert isinstance(factors, SparseFactors)
    return factors


def _costs(found: Findings, *, all_named: bool) -> Float64Array:
    """About how many bytes it takes to hold each node; names of its neighbours cost extra if not all are there."""
    degrees, count = found.graph.degrees, np.diff(sparse.csr_array(found.memberships).indptr)
    name = LETTER * (sum(map(len, found.names.texts)) / max(1, len(found.names.texts)) + 3)
    others = 0.0 if all_named else name * (np.minimum(degrees, _NEIGHBOURS) + _MISSING)
    return np.asarray(12 + name + 2 * _NUMBER * count + _NUMBER * degrees + _LINK * _MISSING + others)


def _by_turns(some: Int64Array, others: Int64Array) -> Int64Array:
    """One of each by turns, without repetitions.

    >>> _by_turns(np.array([4, 2]), np.array([0, 4, 1])).tolist()
    [4, 0, 2, 1]
    """
    turns = np.concatenate([2 * np.arange(len(some)), 2 * np.arange(len(others)) + 1])
    merged = np.concatenate([some, others])[np.argsort(turns, kind="stable")]
    return merged[np.sort(np.unique(merged, return_index=True)[1])]


def _of_neighbourhoods(factors: SparseFactors) -> Float64Array:
    """What each node adds to the affinities of its neighbours: all of them have the same to its column."""
    found = np.zeros(factors.n_nodes)
    found[factors.neighbourhoods.indices] = factors.neighbourhoods.data
    return found

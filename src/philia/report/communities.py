"""The section about communities: a card for each, and the members that they share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from philia._types import Float64Array, Int64Array
from philia.explain.communities import odds_effect
from philia.graphs import Graph
from philia.report.attributes import Known
from philia.report.findings import Findings

_MEMBERS, _OVERLAPS = 12, 5
"""Members and overlapping communities listed on a card: what fits on one without scrolling."""

_ROW_BLOCK = 2**16
"""Rows of the adjacency matrix multiplied at a time; 64 communities then take 16 MB."""

_DEGREE_BLOCK = 1024
"""Distinct degrees paired with all others at a time, so that 10⁵ distinct degrees take below 1 GB."""


def cards(found: Findings, shared: Int64Array, known: Known, index: Int64Array) -> list[dict[str, Any]]:
    """The cards, in the order of the communities.

    ``shared`` counts the members that two communities have in common, ``known`` what labels and attributes say, and
    ``index`` is each row's position in the list of nodes that can be looked up, -1 if it is not in it.

    >>> from philia import CommunityModel
    >>> model = CommunityModel(1, 0, penalty=0.1, random_state=0).fit([(1, 2), (1, 3), (2, 3), (4, 5)])
    >>> found = Findings.of(model)
    >>> card = cards(found, np.array([[3]]), Known.of(found, None, None), np.arange(5))[0]
    >>> card["kind"], card["size"], card["inside"]["density"], sorted(name for name, _, _ in card["members"])
    ('attracts', 3, 1.0, ['1', '2', '3'])
    """
    named = known.named(found)
    inside = _densities(found.graph, found.memberships)
    made = []
    for c, community in enumerate(found.communities):
        refits, tested, match = community.refits, community.tested, known.matches[c]
        made.append(
            {
                "name": community.name,
                "title": found.title(c),
                "known": named[c][0],
                "explained": named[c][1],
                "kind": "attracts" if community.kind == "homophilous" else "repels",
                "strength": community.strength,
                "effect": community.effect,
                "typical": {"log_odds": found.typical(c), "effect": odds_effect(found.typical(c))},
                "shares": found.communities.shares,
                "read": community.kind == "homophilous" and found.model.level() is not None,
                "size": int(found.sizes[c]),
                "share": found.sizes[c] / found.graph.n_nodes,
                "inside": inside[c].facts(),
                "members": _members(found, c, index),
                "overlaps": _overlaps(found, shared, c),
                "label": None if match is None else match.facts(),
                "stability": None if refits is None else {"score": refits.score, "words": refits.in_words()},
                "significance": tested
                and {"strength": tested.strength, "error": tested.error, "z": tested.z, "words": tested.in_words()},
            }
        )
    return made


def _members(found: Findings, c: int, index: Int64Array) -> list[list[Any]]:
    rows, shares = found.rows(c)[:_MEMBERS], found.shown(c)[:_MEMBERS]
    at = [position if position >= 0 else None for position in index[rows].tolist()]
    return [list(member) for member in zip(found.names.pick(rows.tolist()), shares.tolist(), at, strict=True)]


def _overlaps(found: Findings, shared: Int64Array, c: int) -> list[list[Any]]:
    common = shared[c].copy()
    common[c] = 0
    first = np.argsort(-common, kind="stable")[:_OVERLAPS]
    return [
        [found.communities[d].name, int(common[d]), common[d] / found.sizes[c]] for d in first.tolist() if common[d]
    ]


@dataclass(frozen=True)
class _Inside:
    """Links and pairs among the members of a community, and the links to be expected from their degrees alone.

    >>> _Inside(links=6, pairs=12, expected_links=3.0).facts()["ratio"]
    2.0
    """

    links: int
    pairs: int
    expected_links: float

    def facts(self) -> dict[str, Any]:
        """Observed and expected density (0 without a pair) and their ratio (None if no links are expected)."""
        pairs = max(self.pairs, 1)
        return {
            "links": self.links,
            "pairs": self.pairs,
            "density": self.links / pairs,
            "expected": self.expected_links / pairs,
            "ratio": self.links / self.expected_links if self.expected_links else None,
        }


def _densities(graph: Graph, memberships: sparse.csc_array) -> list[_Inside]:
    """The links inside each community, given the members (n × communities, ones in compressed columns).

    >>> from philia import as_graph
    >>> members = sparse.csc_array(np.array([[1], [1], [1], [0]]))
    >>> _densities(as_graph([("a", "b"), ("b", "c"), ("c", "d")]), members)[0]
    _Inside(links=2, pairs=3, expected_links=1.333...)
    """
    sizes = np.diff(memberships.indptr).astype(np.int64)
    links, expected = links_inside(graph, memberships), expected_inside(graph.degrees, memberships)
    return [
        _Inside(int(found), int(size) * (int(size) - 1) // 2, float(should))
        for found, size, should in zip(links, sizes, expected, strict=True)
    ]


def links_inside(graph: Graph, memberships: sparse.csc_array) -> Int64Array:
    """The number of links between members of each community, in one pass over the links for all communities.

    >>> from philia import as_graph
    >>> links_inside(as_graph([(0, 1), (1, 2)]), sparse.csc_array(np.array([[1, 0], [1, 1], [0, 1]]))).tolist()
    [1, 1]
    """
    total = np.zeros(memberships.shape[1])
    member = memberships.toarray().astype(np.float32)  # counts of neighbours are whole numbers far below 2²⁴
    for at in range(0, graph.n_nodes, _ROW_BLOCK):
        rows = slice(at, at + _ROW_BLOCK)
        total += ((graph.adjacency[rows].astype(np.float32) @ member) * member[rows]).sum(axis=0, dtype=np.float64)
    return np.asarray(total / 2).round().astype(np.int64)


def expected_inside(degrees: Int64Array, memberships: sparse.csc_array) -> Float64Array:
    """The links inside each community if nodes were linked with probability d_i · d_j / (2 · links), at most 1.

    This is the configuration model: links are cut in half, and the halves rejoined at random. It needs no fit, so it
    is independent of the model's own background, which is fitted together with the communities and yields to them.
    Nodes of equal degree are interchangeable, so the sum runs over pairs of degrees, not of nodes.

    >>> expected_inside(np.array([1, 2, 1]), sparse.csc_array(np.array([[1], [1], [0]]))).tolist()
    [0.5]
    """
    k, ends = memberships.shape[1], int(degrees.sum())
    if not ends or not k:
        return np.zeros(k)
    distinct, group = np.unique(degrees, return_inverse=True)
    grouping = sparse.csr_array((np.ones(len(degrees)), (group, np.arange(len(degrees)))))
    counts = np.asarray((grouping @ memberships).toarray(), dtype=np.float64)  # degrees × communities
    total = np.zeros(k)
    for at in range(0, len(distinct), _DEGREE_BLOCK):
        rows = slice(at, at + _DEGREE_BLOCK)
        chances = np.minimum(np.outer(distinct[rows], distinct / ends), 1.0)
        total += (counts[rows] * (chances @ counts)).sum(axis=0)
    with_itself = np.minimum(distinct * (distinct / ends), 1.0) @ counts
    return np.asarray((total - with_itself) / 2)


def shared_members(memberships: sparse.csc_array) -> Int64Array:
    """The number of members that each two communities have in common; the diagonal holds their sizes.

    >>> shared_members(sparse.csc_array(np.array([[1, 0], [1, 1]]))).tolist()
    [[2, 1], [1, 1]]
    """
    return np.asarray((memberships.T @ memberships).toarray(), dtype=np.int64)

"""Covers: communities as sets of nodes in whatever form they come, and two of them side by side."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from philia._types import Int64Array, Node
from philia.exceptions import InvalidParameterError
from philia.explain import Communities
from philia.graphs import Graph, as_communities


@dataclass(frozen=True)
class Cover:
    """Communities as sets of nodes; a node may be in several, in one, or in none, and two sets may be the same.

    A community without members cannot be compared with anything: it is left out of ``sets`` and counted in ``empty``.

    >>> Cover((frozenset({"ann", "bob"}), frozenset({"bob"}))).sizes
    (2, 1)
    """

    sets: tuple[frozenset[Node], ...]
    empty: int = 0

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many members each community has."""
        return tuple(len(members) for members in self.sets)

    @property
    def covered(self) -> frozenset[Node]:
        """The nodes that are in at least one community."""
        return frozenset().union(*self.sets)


CoverLike = Cover | Communities | Mapping[Any, Iterable[Node]] | Iterable[Iterable[Node]]
"""What is read as a cover: found communities, sets of nodes, with or without names of their own, and the objects of
cdlib and igraph that hold them."""

NodesLike = Graph | Iterable[Node] | int | None
"""The nodes that are compared: a graph, their names, or how many they are; None means all that a cover has."""


def as_cover(communities: CoverLike) -> Cover:
    """The communities as sets: those of a model, or whatever :func:`philia.graphs.as_communities` takes.

    >>> as_cover({"B1": ["ann", "bob"], "B2": []})
    Cover(sets=(frozenset({...}),), empty=1)
    """
    if isinstance(communities, Cover):
        return communities
    sets = [frozenset(members) for members in as_communities(communities).values()]
    kept = tuple(members for members in sets if members)
    return Cover(kept, len(sets) - len(kept))


def trivial_covers(graph: Graph) -> dict[str, list[set[Node]]]:
    """What anybody can say about a graph without looking for communities: the yardstick for those that do.

    An isolated node is a component of its own.

    >>> from philia import as_graph
    >>> for name, communities in trivial_covers(as_graph([("a", "b"), ("c", "d")])).items():
    ...     print(name, [sorted(members) for members in communities])
    one community of all nodes [['a', 'b', 'c', 'd']]
    connected components [['a', 'b'], ['c', 'd']]
    """
    count, component = sparse.csgraph.connected_components(graph.adjacency, directed=False)
    parts: list[set[Node]] = [set() for _ in range(count)]
    for node, number in zip(graph.nodes, component, strict=True):
        parts[number].add(node)
    return {"one community of all nodes": [set(graph.nodes)] if count else [], "connected components": parts}


@dataclass(frozen=True, eq=False)
class TwoCovers:
    """Two covers of the same nodes: 1 where a node (row) is in a community (column).

    Nodes in no community of either have no row; they are only counted.
    """

    found: sparse.csr_array
    truth: sparse.csr_array
    n_nodes: int

    @property
    def sizes(self) -> tuple[Int64Array, Int64Array]:
        """How many members each found and each true community has."""
        return np.asarray(self.found.sum(axis=0), np.int64), np.asarray(self.truth.sum(axis=0), np.int64)

    @property
    def trivial(self) -> float | None:
        """How alike the two are where one of them has no communities: 1 if both have none, else 0."""
        empty = [cover.shape[1] == 0 for cover in (self.found, self.truth)]
        return float(all(empty)) if any(empty) else None


def side_by_side(found: CoverLike, truth: CoverLike, nodes: NodesLike = None) -> TwoCovers:
    """Both covers over the same rows.

    >>> both = side_by_side([{"a", "b"}], [{"b"}, {"b"}], nodes=5)
    >>> both.n_nodes, (both.found.T @ both.truth).toarray().tolist()
    (5, [[1, 1]])
    """
    covers = as_cover(found), as_cover(truth)
    covered = covers[0].covered | covers[1].covered
    rows = {node: row for row, node in enumerate(covered)}
    one, other = (_incidence(cover, rows) for cover in covers)
    return TwoCovers(one, other, _count(nodes, covered))


def _incidence(cover: Cover, rows: Mapping[Node, int]) -> sparse.csr_array:
    indices = np.fromiter((rows[node] for members in cover.sets for node in members), dtype=np.int64)
    indptr = np.cumsum([0, *cover.sizes])
    ones = np.ones(len(indices), np.int32)
    return sparse.csc_array((ones, indices, indptr), shape=(len(rows), len(cover.sets))).tocsr()


def _count(nodes: NodesLike, covered: frozenset[Node]) -> int:
    """How many nodes there are, after a look at whether they include every member."""
    if nodes is None:
        return len(covered)
    if isinstance(nodes, (int, np.integer)):
        if nodes < len(covered):
            raise InvalidParameterError(
                f"{nodes:,} nodes were announced but the communities have {len(covered):,}; count all nodes"
            )
        return int(nodes)
    known = frozenset(nodes.nodes if isinstance(nodes, Graph) else nodes)
    strangers = covered - known
    if strangers:
        raise InvalidParameterError(
            f"{next(iter(strangers))!r} is in a community but not among the {len(known):,} nodes, as are "
            f"{len(strangers) - 1:,} others; use the names that the nodes have, or leave such members out"
        )
    return len(known)

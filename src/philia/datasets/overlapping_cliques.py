"""Random graphs of many small communities that overlap, with the truth known."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from philia._types import Int64Array, Node
from philia.exceptions import InvalidParameterError
from philia.graphs import Changes, Graph, Nodes


@dataclass(frozen=True, eq=False)
class OverlappingCliques:
    """A graph, and the rows of the members of each community.

    >>> drawn = overlapping_cliques(200, 8, random_state=0)
    >>> len(drawn.communities()), min(len(rows) for rows in drawn.members) >= 10
    (8, True)
    """

    graph: Graph
    members: tuple[Int64Array, ...]

    def communities(self) -> list[set[Node]]:
        """The true communities as sets of names."""
        return [set(self.graph.nodes.pick(rows)) for rows in self.members]


def overlapping_cliques(
    n: int,
    communities: int,
    *,
    sizes: tuple[int, int] = (10, 50),
    inside: float = 10.0,
    outside: float = 2.0,
    random_state: int | None = None,
) -> OverlappingCliques:
    """Communities of random sizes, each a clique or nearly, and links between any two nodes.

    A member has about ``inside`` links in each of its communities, at most one with every other member, and about
    ``outside`` links with nodes anywhere. If there are more memberships than nodes, every node is in a community before
    any node is in a second one.

    >>> drawn = overlapping_cliques(1000, 40, inside=8, outside=3, random_state=0)
    >>> drawn.graph.n_nodes, len(np.unique(np.concatenate(drawn.members)))
    (1000, 1000)
    """
    rng = np.random.default_rng(random_state)
    counts = _counts(n, communities, sizes, rng)
    rounds = -(-int(counts.sum()) // n)
    drawn = np.concatenate([np.empty(0, np.int64), *(rng.permutation(n) for _ in range(rounds))])[: counts.sum()]
    # A community that was dealt from two rounds may have a node twice.
    members = tuple(np.unique(rows) for rows in np.split(drawn, np.cumsum(counts)[:-1]))[:communities]
    return _linked(n, members, inside, outside, rng)


def random_cliques(
    n: int,
    communities: int,
    *,
    sizes: tuple[int, int] = (10, 50),
    inside: float = 10.0,
    outside: float = 2.0,
    random_state: int | None = None,
) -> OverlappingCliques:
    """The same with members drawn at random for each community, so that many nodes are in none and some in several.

    >>> drawn = random_cliques(1000, 40, random_state=0)
    >>> 200 < 1000 - len(np.unique(np.concatenate(drawn.members))) < 400
    True
    """
    rng = np.random.default_rng(random_state)
    counts = _counts(n, communities, sizes, rng)
    members = tuple(np.sort(rng.choice(n, count, replace=False)) for count in counts.tolist())
    return _linked(n, members, inside, outside, rng)


def _counts(n: int, communities: int, sizes: tuple[int, int], rng: np.random.Generator) -> Int64Array:
    """The number of members of each community."""
    least, most = sizes
    if not 2 <= least <= most <= n:
        raise InvalidParameterError(
            f"sizes is {sizes!r}; give the smallest and the largest size of a community, 2 to {n:,} members"
        )
    return rng.integers(least, most + 1, size=communities)


def _linked(
    n: int, members: tuple[Int64Array, ...], inside: float, outside: float, rng: np.random.Generator
) -> OverlappingCliques:
    """A graph with these communities."""
    rows, columns = [rng.integers(n, size=round(outside * n / 2))], [rng.integers(n, size=round(outside * n / 2))]
    for own in members:
        i, j = np.triu_indices(len(own), 1)
        linked = rng.random(len(i)) * max(1, len(own) - 1) < inside
        rows.append(own[i[linked]])
        columns.append(own[j[linked]])
    graph = Graph.from_rows(np.concatenate(rows), np.concatenate(columns), Nodes.numbered(n))
    return OverlappingCliques(replace(graph, changes=Changes()), members)  # a pair drawn twice is not a change

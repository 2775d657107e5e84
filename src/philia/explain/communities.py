"""Communities as sets of names: real overlap, soft memberships, and what a threshold leaves out."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, islice
from typing import Any, overload

import numpy as np

from philia._types import Float64Array, Node
from philia.explain.links import factor_in_words
from philia.explain.members import Members, rows_of
from philia.explain.normalized import NEGLIGIBLE, Kind, normalize
from philia.explain.rules import thresholds
from philia.explain.stability import CommunityStability, Interval, Stability
from philia.factors import CommunityFactors
from philia.graphs.frames import Frame, library
from philia.graphs.graph import Graph
from philia.graphs.nodes import Nodes


@dataclass(frozen=True)
class Community:
    """A group of nodes that attract (homophilous) or repel (heterophilous) each other.

    ``members`` maps each name to its membership in [0, 1], fullest first; ``strength`` is W: two full members have
    their odds of a link multiplied by exp(strength).

    >>> print(Community("C1", "heterophilous", -1.5, {"ann": 1.0, "bob": 0.6}, threshold=0.5))
    C1 repels (odds ÷ 4.48), 2 members: ann, bob

    ``effect`` says so in words; models without odds say something else there. ``refits`` tells how other fits saw the
    community, once ``model.stability()`` was asked for.
    """

    name: str
    kind: Kind
    strength: float
    members: Mapping[Node, float]
    threshold: float
    effect: str = ""
    refits: CommunityStability | None = None

    @property
    def stability(self) -> float | None:
        """How alike the community is in other fits, from 0 (as by chance) to 1; None if nobody asked."""
        return None if self.refits is None else self.refits.score

    @property
    def odds_factor(self) -> float:
        """What the odds of a link between two full members are multiplied by."""
        return math.exp(min(self.strength, 709.0))

    def __len__(self) -> int:
        return len(self.members)

    def __contains__(self, node: object) -> bool:
        return node in self.members

    def __str__(self) -> str:
        first = ", ".join(str(name) for name in islice(self.members, 5))
        verb = "attracts" if self.kind == "homophilous" else "repels"
        rest = ", …" if len(self) > 5 else ""
        effect = self.effect or odds_effect(self.strength)
        refits = "" if self.refits is None else f"; {self.refits.in_words()}"
        return f"{self.name} {verb} ({effect}), {len(self):,} members: {first}{rest}{refits}"


@dataclass(frozen=True)
class Communities(Sequence[Community]):
    """All communities of a model, and what became of the rest: nodes in none, empty and repeated communities.

    A node may be in several communities, in one, or in none; nobody is forced into the nearest.

    >>> pair = Community("B1", "homophilous", 2.0, {"ann": 1.0, "bob": 0.6}, threshold=0.5)
    >>> found = Communities((pair,), "membership of at least 0.5", Nodes(["ann", "bob", "cat"]), unused=("C1",))
    >>> found.of("bob"), found.of("cat"), found.n_unassigned, found.empty
    ({'B1': 0.6}, {}, 1, ('C1',))
    """

    found: tuple[Community, ...]
    rule: str
    nodes: Nodes
    unused: tuple[str, ...]

    def of(self, node: Node) -> dict[str, float]:
        """The communities of one node with its membership in each, fullest first."""
        self.nodes.row(node)  # a name that nobody has is a slip, not a node in no community
        mine = {c.name: c.members[node] for c in self.found if node in c}
        return dict(sorted(mine.items(), key=lambda item: -item[1]))

    def intervals(self, node: Node) -> dict[str, Interval]:
        """Where other fits put the node's membership in each community; empty unless the model's stability is known."""
        row = self.nodes.row(node)
        return {c.name: c.refits.interval(row) for c in self.found if c.refits is not None}

    def as_sets(self) -> dict[str, set[Node]]:
        """The members of each community as a set of names."""
        return {c.name: set(c.members) for c in self.found}

    @cached_property
    def assigned(self) -> frozenset[Node]:
        """The nodes that are in at least one community."""
        return frozenset().union(*(c.members for c in self.found))

    @cached_property
    def n_unassigned(self) -> int:
        """How many nodes are in no community at all."""
        in_none = np.ones(len(self.nodes), dtype=bool)
        for community in self.found:
            in_none[rows_of(community.members, self.nodes)] = False
        return int(np.count_nonzero(in_none))

    @property
    def empty(self) -> tuple[str, ...]:
        """The communities that no node reaches the threshold of, and those whose column is zero."""
        return (*(c.name for c in self.found if not len(c)), *self.unused)

    @cached_property
    def repeated(self) -> tuple[tuple[str, str], ...]:
        """Pairs of communities of one kind with exactly the same members."""
        sets = [(c.name, c.kind, np.sort(rows_of(c.members, self.nodes)).tobytes()) for c in self.found if len(c)]
        return tuple((a[0], b[0]) for a, b in combinations(sets, 2) if a[1:] == b[1:])

    def to_pandas(self) -> Any:
        """A ``pandas.DataFrame`` with one row a community; ``model.described().nodes`` has one row a node.

        >>> pair = Community("B1", "homophilous", 2.0, {"ann": 1.0, "bob": 0.6}, threshold=0.5)
        >>> Communities((pair,), "membership of at least 0.5", Nodes(["ann", "bob", "cat"]), ()).to_pandas()
          community         kind  strength  odds_factor  threshold  size
        0        B1  homophilous       2.0     7.389056        0.5     2
        """
        return self._frame().to_pandas()

    def to_polars(self) -> Any:
        """The same as a ``polars.DataFrame``."""
        return self._frame().to_polars()

    def to_cdlib(self, graph: Graph | None = None) -> Any:
        """A ``cdlib.NodeClustering`` of the communities that have members; some of its measures need the graph as well.

        cdlib sorts communities by size and keeps no names of theirs. The way back is ``graphs.as_communities``.
        """
        members = [list(community.members) for community in self.found if len(community)]
        known = None if graph is None else graph.to_networkx()
        return library("cdlib").NodeClustering(members, known, "philia", {"rule": self.rule}, overlap=True)

    def _frame(self) -> Frame:
        columns: dict[str, list[Any]] = {
            "community": [c.name for c in self.found],
            "kind": [c.kind for c in self.found],
            "strength": [c.strength for c in self.found],
            "odds_factor": [c.odds_factor for c in self.found],
            "threshold": [c.threshold for c in self.found],
            "size": [len(c) for c in self.found],
        }
        if self.found and self.found[0].refits is not None:
            columns["stability"] = [c.stability for c in self.found]
        return Frame(columns)

    def __str__(self) -> str:
        lines = [str(community) for community in self.found]
        lines.append(f"{self.n_unassigned:,} of {len(self.nodes):,} nodes are in no community ({self.rule})")
        if self.empty:
            lines.append(f"empty: {', '.join(self.empty)}")
        lines += [f"{a} and {b} have the same members" for a, b in self.repeated]
        return "\n".join(lines)

    @overload
    def __getitem__(self, index: int) -> Community: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Community]: ...
    def __getitem__(self, index: int | slice) -> Community | Sequence[Community]:
        return self.found[index]

    def __len__(self) -> int:
        return len(self.found)


def odds_effect(strength: float) -> str:
    """What a strength does to the odds of a link between two full members, in words.

    >>> odds_effect(-1.5)
    'odds ÷ 4.48'
    """
    return f"odds {factor_in_words(strength)}"


def find_communities(
    graph: Graph,
    factors: CommunityFactors,
    rule: str | float = "density",
    effect: Callable[[float], str] = odds_effect,
    stability: Stability | None = None,
) -> Communities:
    """The communities of fitted factors as sets of names.

    Each rule is a threshold a community:

    - ``"nearest"`` takes the set whose column of zeros and ones has the smallest angle to the column. It needs no
      scale, and a few nodes far above all others do not make it small.
    - ``"split"`` cuts the column into two parts that vary as little as possible within (Otsu's rule): members on one
      side, all others on the other. It needs no scale.
    - ``"odds"`` asks for an affinity F of at least √log 2, so that any two members have their odds of a link at least
      doubled, or halved where they repel.
    - ``"density"`` is BigClam's: F is at least √(-log(1 - density)), or, where nobody reaches that, at least the
      column's mean.
    - A number between 0 and 1 asks for that much of the membership V; ½ is a poor rule on real graphs, because a
      column's largest entry says little about the others.

    With "odds" and "density", members of communities that repel are also above the column's mean: without a background
    those columns carry the sparsity of the graph as well, and everybody has some affinity to them.

    Columns whose full members have their odds changed by less than a thousandth are counted as unused. ``effect``
    says in words what a strength does; ``stability`` is what other fits say.

    >>> from philia.datasets import classic
    >>> graph = classic("karate")
    >>> B = (graph.degrees > 8).astype(float)[:, None]
    >>> found = find_communities(graph, CommunityFactors(B, np.zeros((34, 0)), np.zeros(34)))
    >>> print(found[0])
    B1 attracts (odds × 2.72), 5 members: 0, 1, 2, 32, 33
    """
    normal = normalize(factors)
    bar = thresholds(graph, normal, rule)
    found = tuple(
        Community(
            name=normal.names[c],
            kind=normal.kinds[c],
            strength=float(normal.strengths[c]),
            members=_members(graph, normal.memberships[:, c], bar.least[c]),
            threshold=float(bar.least[c]),
            effect=effect(float(normal.strengths[c])),
            refits=None if stability is None else stability.of(normal.names[c]),
        )
        for c in np.flatnonzero(np.abs(normal.strengths) >= NEGLIGIBLE)
    )
    used = {community.name for community in found}
    return Communities(found, bar.said, graph.nodes, tuple(name for name in factors.names if name not in used))


def _members(graph: Graph, memberships: Float64Array, threshold: float) -> Members:
    rows = np.flatnonzero((memberships >= threshold) & (memberships > 0))
    rows = rows[np.argsort(-memberships[rows], kind="stable")]
    return Members(graph.nodes, rows, memberships[rows])

"""Communities as sets of names: real overlap, soft memberships, and what a threshold leaves out."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import overload

import numpy as np

from philia._types import Float64Array, Node
from philia.exceptions import InvalidParameterError
from philia.explain.links import factor_in_words
from philia.explain.normalized import Kind, NormalizedFactors, community_names, normalize
from philia.factors import CommunityFactors
from philia.graphs.graph import Graph
from philia.graphs.nodes import Nodes

_NEGLIGIBLE = 1e-3
"""Log-odds too small to speak of."""


@dataclass(frozen=True)
class Community:
    """A group of nodes that attract (homophilous) or repel (heterophilous) each other.

    ``members`` maps each name to its membership in [0, 1], fullest first; ``strength`` is W: two full members have
    their odds of a link multiplied by exp(strength).

    >>> print(Community("C1", "heterophilous", -1.5, {"ann": 1.0, "bob": 0.6}, threshold=0.5))
    C1 repels (odds ÷ 4.48), 2 members: ann, bob

    ``effect`` says so in words; models without odds say something else there.
    """

    name: str
    kind: Kind
    strength: float
    members: Mapping[Node, float]
    threshold: float
    effect: str = ""

    @property
    def odds_factor(self) -> float:
        """What the odds of a link between two full members are multiplied by."""
        return math.exp(min(self.strength, 709.0))

    def __len__(self) -> int:
        return len(self.members)

    def __contains__(self, node: object) -> bool:
        return node in self.members

    def __str__(self) -> str:
        first = ", ".join(str(name) for name in list(self.members)[:5])
        verb = "attracts" if self.kind == "homophilous" else "repels"
        rest = ", …" if len(self) > 5 else ""
        effect = self.effect or odds_effect(self.strength)
        return f"{self.name} {verb} ({effect}), {len(self):,} members: {first}{rest}"


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

    def as_sets(self) -> dict[str, set[Node]]:
        """The members of each community as a set of names."""
        return {c.name: set(c.members) for c in self.found}

    @cached_property
    def assigned(self) -> frozenset[Node]:
        """The nodes that are in at least one community."""
        return frozenset().union(*(c.members for c in self.found))

    @property
    def n_unassigned(self) -> int:
        """How many nodes are in no community at all."""
        return len(self.nodes) - len(self.assigned)

    @property
    def empty(self) -> tuple[str, ...]:
        """The communities that no node reaches the threshold of, and those whose column is zero."""
        return (*(c.name for c in self.found if not len(c)), *self.unused)

    @cached_property
    def repeated(self) -> tuple[tuple[str, str], ...]:
        """Pairs of communities of one kind with exactly the same members."""
        sets = [(c.name, c.kind, frozenset(c.members)) for c in self.found if len(c)]
        return tuple((a[0], b[0]) for a, b in combinations(sets, 2) if a[1:] == b[1:])

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
) -> Communities:
    """The communities of fitted factors as sets of names.

    ``rule="density"`` is BigClam's: a node belongs where its affinity F is at least √(-log(1 - density)), or, where
    nobody reaches that, at least the column's mean. In communities that repel a member is also above the column's
    mean: without a background those columns carry the sparsity of the graph as well, and everybody has some affinity
    to them. A number between 0 and 1 asks for that much of the membership V instead; ½ is a poor rule on real graphs,
    because a column's largest entry says little about the others.

    Columns whose full members have their odds changed by less than a thousandth are counted as unused. ``effect``
    says in words what a strength does.

    >>> from philia.datasets import classic
    >>> graph = classic("karate")
    >>> B = (graph.degrees > 8).astype(float)[:, None]
    >>> found = find_communities(graph, CommunityFactors(B, np.zeros((34, 0)), np.zeros(34)))
    >>> print(found[0])
    B1 attracts (odds × 2.72), 5 members: 0, 1, 2, 32, 33
    """
    normal = normalize(factors)
    thresholds, said = _thresholds(graph, normal, rule)
    names = community_names(factors.homophilous.shape[1], factors.heterophilous.shape[1])
    found = tuple(
        Community(
            name=normal.names[c],
            kind=normal.kinds[c],
            strength=float(normal.strengths[c]),
            members=_members(graph, normal.memberships[:, c], thresholds[c]),
            threshold=float(thresholds[c]),
            effect=effect(float(normal.strengths[c])),
        )
        for c in np.flatnonzero(np.abs(normal.strengths) >= _NEGLIGIBLE)
    )
    used = {community.name for community in found}
    return Communities(found, said, graph.nodes, tuple(name for name in names if name not in used))


def _thresholds(graph: Graph, normal: NormalizedFactors, rule: str | float) -> tuple[Float64Array, str]:
    V = normal.memberships
    if isinstance(rule, (int, float)) and not isinstance(rule, bool) and 0 < rule <= 1:
        return np.full(V.shape[1], float(rule)), f"membership of at least {rule:g}"
    if rule != "density":
        raise InvalidParameterError(
            f"the rule is {rule!r}; use 'density' or a membership above 0 and up to 1 such as 0.5"
        )
    affinity = math.sqrt(-math.log1p(-min(graph.density, 1 - 1e-12)))
    bar = affinity / np.sqrt(np.abs(normal.strengths))
    mean = V.mean(axis=0)
    thresholds = np.where(bar > 1, mean, np.where(normal.strengths < 0, np.maximum(bar, mean), bar))
    return thresholds, f"affinity of at least {affinity:.3g}, from the density of the graph"


def _members(graph: Graph, memberships: Float64Array, threshold: float) -> Mapping[Node, float]:
    rows = np.flatnonzero((memberships >= threshold) & (memberships > 0))
    rows = rows[np.argsort(-memberships[rows], kind="stable")]
    return dict(zip(graph.nodes.pick(rows), memberships[rows].tolist(), strict=True))

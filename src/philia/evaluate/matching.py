"""The communities of two models, or of one network at two moments, matched with each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from philia._text import html_table, percent
from philia._types import Float64Array, Node
from philia.exceptions import InvalidParameterError
from philia.explain import Communities, Community


@dataclass(frozen=True)
class Match:
    """A community of the first model and its match in the second, with the members that both or only one has.

    ``similarity`` is the share of all members that both have (Jaccard's index). A community without a match is matched
    with None and has a similarity of 0.

    >>> print(Match(None, "B2", 0.0, frozenset(), frozenset(), frozenset("ab")))
    B2 is new (2 members)
    """

    first: str | None
    second: str | None
    similarity: float
    shared: frozenset[Node]
    left: frozenset[Node]
    joined: frozenset[Node]

    def __str__(self) -> str:
        if self.second is None:
            return f"{self.first} has no match ({len(self.left):,} members)"
        if self.first is None:
            return f"{self.second} is new ({len(self.joined):,} members)"
        return (
            f"{self.first} → {self.second}: {percent(self.similarity)} alike, {len(self.shared):,} stayed, "
            f"{len(self.left):,} left, {len(self.joined):,} joined"
        )


@dataclass(frozen=True)
class Matching(Sequence[Match]):
    """All matches, those of the first model in its order, then what only the second has.

    >>> pair = Match("B1", "B2", 0.5, frozenset("a"), frozenset(), frozenset("b"))
    >>> print(Matching((pair,)))
    B1 → B2: 50 % alike, 1 stayed, 0 left, 1 joined
    """

    matches: tuple[Match, ...]

    @property
    def similarity(self) -> float:
        """The mean similarity of all communities of both models; 1 if they are the same."""
        return float(np.mean([match.similarity for match in self.matches])) if self.matches else 1.0

    def __getitem__(self, index: Any) -> Any:
        return self.matches[index]

    def __len__(self) -> int:
        return len(self.matches)

    def __str__(self) -> str:
        return "\n".join(map(str, self.matches)) or "Neither has communities."

    __repr__ = __str__

    def _repr_html_(self) -> str:
        rows = [
            (m.first or "", m.second or "", percent(m.similarity), len(m.shared), len(m.left), len(m.joined))
            for m in self.matches
        ]
        return html_table(["first", "second", "alike", "stayed", "left", "joined"], rows)


def compare(first: Any, second: Any) -> Matching:
    """How the communities of two fitted models correspond; nodes are matched by name, so the graphs may differ.

    ``first`` and ``second`` are models or their communities. Communities of a kind are matched one to one, so that the
    sum of similarities is largest.

    >>> from philia import CommunityModel
    >>> monday = [("a", "b"), ("b", "c"), ("c", "a"), ("d", "e"), ("e", "f"), ("f", "d"), ("a", "d")]
    >>> friday = [*monday, ("g", "d"), ("g", "e"), ("g", "f")]
    >>> then, now = (CommunityModel(2, 0, penalty=0.1, random_state=0).fit(links) for links in (monday, friday))
    >>> compare(then, now).similarity > 0.5
    True
    """
    from scipy.optimize import linear_sum_assignment  # it takes as long to load as all of philia

    ours, theirs = _communities(first), _communities(second)
    found: list[Match] = []
    taken: set[str] = set()
    for kind in ("homophilous", "heterophilous"):
        a, b = ([c for c in side if c.kind == kind and len(c)] for side in (ours, theirs))
        similarity = _similarities(a, b)
        rows, columns = linear_sum_assignment(-similarity)
        pairs = dict(zip(rows.tolist(), columns.tolist(), strict=True))
        for i, community in enumerate(a):
            j = pairs.get(i)
            match = b[j] if j is not None and similarity[i, j] > 0 else None
            found.append(_match(community, match))
            taken |= {match.name} if match is not None else set()
    return Matching((*found, *(_match(None, c) for c in theirs if c.name not in taken and len(c))))


def _communities(x: Any) -> Communities:
    if isinstance(x, Communities):
        return x
    if not hasattr(x, "communities"):
        raise InvalidParameterError(
            f"found {type(x).__name__}, but fitted models or their communities are compared; for any other groups "
            "there is philia.evaluate.compare_communities(found, known)"
        )
    found: Communities = x.communities()
    return found


def _similarities(a: Sequence[Community], b: Sequence[Community]) -> Float64Array:
    sets = [[set(c.members) for c in side] for side in (a, b)]
    return np.array([[len(x & y) / len(x | y) for y in sets[1]] for x in sets[0]]).reshape(len(a), len(b))


def _match(first: Community | None, second: Community | None) -> Match:
    x, y = (frozenset(() if c is None else c.members) for c in (first, second))
    names = [None if c is None else c.name for c in (first, second)]
    both = x & y if first is not None and second is not None else frozenset[Node]()
    return Match(names[0], names[1], len(both) / max(1, len(x | y)), both, x - y, y - x)

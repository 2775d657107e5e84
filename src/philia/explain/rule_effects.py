"""What each rule of membership makes of the same fit: sizes, overlap, and who is left out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from philia.explain.communities import Communities


@dataclass(frozen=True)
class RuleEffect:
    """One rule: how many members each community has, how many nodes are in none, and in how many a node is on average.

    >>> RuleEffect("split", "", {"B1": 2, "B2": 4}, n_nodes=6, n_unassigned=1).communities_a_node
    1.0
    """

    rule: str
    said: str
    sizes: Mapping[str, int]
    n_nodes: int
    n_unassigned: int

    @classmethod
    def of(cls, rule: str, found: Communities) -> RuleEffect:
        """What a rule made of a fit."""
        sizes = {c.name: len(c) for c in found} | dict.fromkeys(found.unused, 0)
        return cls(rule, found.rule, sizes, len(found.nodes), found.n_unassigned)

    @property
    def communities_a_node(self) -> float:
        """The mean number of communities that a node is in."""
        return sum(self.sizes.values()) / self.n_nodes


@dataclass(frozen=True)
class RuleComparison:
    """What every rule makes of the same fit, as a table; the first rule is the one in use.

    >>> rules = RuleEffect("split", "", {"B1": 2}, 6, 4), RuleEffect("odds", "", {"B1": 3}, 6, 3)
    >>> print(RuleComparison(rules))
                        split  odds
    B1                      2     3
    nodes in none           4     3
    communities a node   0.33  0.50
    """

    effects: tuple[RuleEffect, ...]

    def rows(self) -> Iterator[tuple[str, ...]]:
        """The rows of the table, each with a cell a rule after its title."""
        names = dict.fromkeys(name for effect in self.effects for name in effect.sizes)
        for name in names:
            yield name, *(f"{effect.sizes.get(name, 0):,}" for effect in self.effects)
        yield "nodes in none", *(f"{effect.n_unassigned:,}" for effect in self.effects)
        yield "communities a node", *(f"{effect.communities_a_node:.2f}" for effect in self.effects)

    def __str__(self) -> str:
        rows = [("", *(effect.rule for effect in self.effects)), *self.rows()]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = [
            "  ".join([row[0].ljust(widths[0]), *(cell.rjust(w) for cell, w in zip(row[1:], widths[1:], strict=True))])
            for row in rows
        ]
        return "\n".join(lines)

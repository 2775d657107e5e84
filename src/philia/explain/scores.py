"""Why two nodes have their score, in models whose scores are not log-odds."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from philia._text import html_table
from philia._types import Node
from philia.exceptions import InvalidParameterError
from philia.graphs.graph import Graph


@dataclass(frozen=True)
class Term:
    """What one community, or the meeting of two, adds to the score of a pair, as a number and in words.

    >>> print(Term("B1", 0.5, "chance of no link ÷ 1.65"))
    B1           chance of no link ÷ 1.65
    """

    community: str
    amount: float
    effect: str

    def __str__(self) -> str:
        return f"{self.community:<12} {self.effect}"


@dataclass(frozen=True, repr=False)
class ScoreExplanation:
    """The score of a pair as a sum of terms, and the probability of a link that follows from it.

    >>> link = ScoreExplanation("ann", "bob", True, (Term("B1", 0.5, "+0.5 to the score"),), 0.5)
    >>> link.score, link.table()[0]["community"]
    (0.5, 'B1')
    """

    u: Node
    v: Node
    linked: bool
    terms: tuple[Term, ...]
    probability: float

    @property
    def score(self) -> float:
        """The correctly rounded sum of the terms."""
        return math.fsum(term.amount for term in self.terms)

    def strongest(self, count: int | None = None) -> list[Term]:
        """The terms, the largest first; those that add nothing are left out."""
        return sorted((term for term in self.terms if term.amount), key=lambda term: -abs(term.amount))[:count]

    def table(self) -> list[dict[str, object]]:
        """A row per term, for data frames and spreadsheets."""
        return [{"community": t.community, "amount": t.amount, "effect": t.effect} for t in self.strongest()]

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        rows = [(term.community, term.effect) for term in self.strongest()]
        return html_table(["", "effect"], [*rows, ("together", f"a score of {self.score:.3g}")], self.headline)

    @property
    def headline(self) -> str:
        """The pair, its probability and whether it is linked, as a sentence."""
        state = "linked" if self.linked else "not linked"
        return f"{self.u} and {self.v}: predicted probability {self.probability:.3g} ({state} in the data)"

    def __str__(self) -> str:
        lines = [self.headline, *(f"  {term}" for term in self.strongest())]
        return "\n".join([*lines, f"  together     a score of {self.score:.3g}"])


def explain_score(
    graph: Graph,
    terms: Callable[[int, int], Mapping[str, float]],
    effect: Callable[[float], str],
    probability: Callable[[float], float],
    pair: tuple[Node, Node],
) -> ScoreExplanation:
    """The score of a pair as a sum of the terms of its two rows; ``effect`` puts a term into words.

    >>> from philia.datasets import classic
    >>> karate, terms = classic("karate"), lambda i, j: {"B1": 0.5}
    >>> print(explain_score(karate, terms, "{:+g} to the score".format, float, (0, 1)))
    0 and 1: predicted probability 0.5 (linked in the data)
      B1           +0.5 to the score
      together     a score of 0.5
    """
    u, v = pair
    i, j = graph.nodes.row(u), graph.nodes.row(v)
    if i == j:
        raise InvalidParameterError(f"{u!r} was given twice; a link has two different nodes")
    found = tuple(Term(name, amount, effect(amount)) for name, amount in terms(i, j).items())
    return ScoreExplanation(u, v, graph.has_link(u, v), found, float(probability(math.fsum(t.amount for t in found))))

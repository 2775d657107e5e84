"""Why two nodes are, or are not, predicted to be linked."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NoReturn

import numpy as np

from philia._text import counted, html_table, no_attribute
from philia._types import Node
from philia.exceptions import InvalidParameterError
from philia.explain.stability import CommunityStability, Interval, Stability
from philia.factors import CommunityFactors, Part, SparseFactors
from philia.graphs.graph import Graph


@dataclass(frozen=True)
class Reason:
    """What one community adds to the log-odds of a link, with the affinities of both nodes to it.

    ``stability`` (the mean likeness, from 0 to 1), ``found`` (in words) and ``intervals`` (of both memberships) are
    about the community in other fits; they are there once ``model.stability()`` was called. ``finer`` is true of a
    column that makes probabilities better but is not read as a community, nor refines one.

    >>> Reason("B1", log_odds=0.0, affinities=(0.0, 2.0)).odds_factor
    1.0
    """

    community: str
    log_odds: float
    affinities: tuple[float, float]
    stability: float | None = None
    found: str = ""
    intervals: tuple[Interval, Interval] | None = None
    finer: bool = False

    @property
    def odds_factor(self) -> float:
        """What the odds of a link are multiplied by."""
        return _exp(self.log_odds)

    def row(self) -> dict[str, object]:
        """The reason as a table row, with columns about other fits if there were any."""
        columns: dict[str, object] = {
            "community": self.community,
            "log_odds": self.log_odds,
            "odds_factor": self.odds_factor,
            "affinity_u": self.affinities[0],
            "affinity_v": self.affinities[1],
        }
        if self.intervals is not None:
            u, v = self.intervals
            columns |= {"stability": self.stability, "lower_u": u.lower, "upper_u": u.upper}
            columns |= {"lower_v": v.lower, "upper_v": v.upper}
        return columns

    def __str__(self) -> str:
        return self.said()

    def said(self, width: int = 5) -> str:
        """The reason in words, after the community's name in so many letters.

        >>> Reason("B1", 1.0, (1.0, 1.0)).said(width=10)
        'B1         attracts   odds × 2.72'
        """
        verb = "attracts" if self.log_odds > 0 else "repels"
        said = f"{self.community:<{width}} {verb:<10} odds {factor_in_words(self.log_odds)}"
        said += "  (finer structure)" if self.finer else ""
        if self.intervals is None:
            return said
        u, v = self.intervals
        return f"{said}  (stability {self.stability:.2f}, {self.found}; memberships {u} and {v})"


_HABITS = {
    **dict.fromkeys(
        ("to_dict", "to_pandas", "to_dataframe"), "pandas.DataFrame(explanation.table()) has a row per part"
    ),
    **dict.fromkeys(("factors", "contributions", "shap_values"), "explanation.reasons has the part of each community"),
    **dict.fromkeys(("plot", "draw"), "philia.plots.waterfall(explanation) draws it"),
    "proba": "explanation.probability is the predicted probability",
}
"""What users of other libraries write from habit, and what there is instead."""


@dataclass(frozen=True, repr=False)
class LinkExplanation:
    """The logit of a link as a sum: a baseline and one term per community.

    ``baseline`` is the logit before any community is counted; in the paper's model that is 0, odds of one to one.

    >>> link = LinkExplanation("ann", "bob", linked=False, baseline=-1.0, reasons=(Reason("B1", 1.0, (1.0, 1.0)),))
    >>> link.logit, link.probability, [row["community"] for row in link.table()]
    (0.0, 0.5, ['baseline', 'B1'])
    """

    u: Node
    v: Node
    linked: bool
    baseline: float
    reasons: tuple[Reason, ...]

    if not TYPE_CHECKING:  # type checkers should know that there are no such names

        def __getattr__(self, name: str) -> NoReturn:
            raise no_attribute(self, name, _HABITS)

    @property
    def logit(self) -> float:
        """The log-odds of a link: the correctly rounded sum of the baseline and all reasons."""
        return math.fsum([self.baseline, *(reason.log_odds for reason in self.reasons)])

    @property
    def probability(self) -> float:
        """The predicted probability of a link."""
        return 1 / (1 + _exp(-self.logit))

    def strongest(self, count: int | None = None) -> list[Reason]:
        """The reasons, those with the largest effect first; communities that add nothing are left out."""
        return sorted((r for r in self.reasons if r.log_odds), key=lambda r: -abs(r.log_odds))[:count]

    def table(self) -> list[dict[str, object]]:
        """One row for the baseline and one per reason, for data frames and spreadsheets."""
        first = {"community": "baseline", "log_odds": self.baseline, "odds_factor": _exp(self.baseline)}
        rest = [reason.row() for reason in self.strongest()]
        return [dict.fromkeys(rest[0] if rest else ("affinity_u", "affinity_v")) | first, *rest]

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        state = "linked" if self.linked else "not linked"
        rows = [("baseline", odds_in_words(self.baseline))]
        rows += [(reason.community, f"odds {factor_in_words(reason.log_odds)}") for reason in self.strongest()]
        said = f"{self.u} and {self.v}: predicted probability {self.probability:.3g} ({state} in the data)"
        return html_table(["", "effect"], [*rows, ("together", odds_in_words(self.logit))], said)

    def __str__(self) -> str:
        state = "linked" if self.linked else "not linked"
        lines = [f"{self.u} and {self.v}: predicted probability {self.probability:.3g} ({state} in the data)"]
        lines.append(f"  baseline                 {odds_in_words(self.baseline)}")
        shown = self.strongest(8)
        width = max([5, *(len(reason.community) for reason in shown)])
        lines += [f"  {reason.said(width)}" for reason in shown]
        rest = self.strongest()[len(shown) :]
        if rest:
            lines.append(f"  {len(rest)} more            odds {factor_in_words(math.fsum(r.log_odds for r in rest))}")
        lines.append(f"  together                 {odds_in_words(self.logit)}")
        return "\n".join(lines)


def explain_link(
    graph: Graph,
    factors: CommunityFactors | SparseFactors,
    u: Node,
    v: Node,
    stability: Stability | None = None,
    finer: Mapping[str, str] | None = None,
) -> LinkExplanation:
    """The logit of the pair (u, v) as a sum over communities; ``stability`` is what other fits found.

    ``finer`` has the columns that are not read as communities, and the community that each of them refines, or "". What
    such a column adds counts as the community's.

    >>> from philia.datasets import classic
    >>> graph = classic("karate")
    >>> link = explain_link(graph, CommunityFactors(np.ones((34, 1)), np.zeros((34, 0)), np.zeros(34)), 0, 1)
    >>> print(link)
    0 and 1: predicted probability 0.731 (linked in the data)
      baseline                 odds 1 to 1
      B1    attracts   odds × 2.72
      together                 odds 2.72 to 1

    If only members of communities are stored, common neighbours count as well.

    >>> from scipy.sparse import csr_array
    >>> from philia import as_graph
    >>> graph = as_graph([("ann", "bob"), ("bob", "cat")])
    >>> B, N = csr_array([[0.0], [1.0], [1.0]]), csr_array(graph.adjacency, dtype=float)
    >>> print(explain_link(graph, SparseFactors(B, N, np.full(3, -5.0)), "ann", "cat"))
    ann and cat: predicted probability 9.08e-05 (not linked in the data)
      baseline                 odds 1 to 22,026
      1 common neighbour, bob attracts   odds × 2
      together                 odds 1 to 11,013
    """
    i, j = graph.nodes.row(u), graph.nodes.row(v)
    if i == j:
        raise InvalidParameterError(f"{u!r} was given twice; a link has two different nodes")
    baseline, parts = factors.parts(i, j)
    finer = {} if finer is None else finer
    added: dict[str, list[float]] = {}
    for part in parts:
        added.setdefault(finer.get(part.name) or part.name, []).append(part.value)
    reasons = tuple(
        _seen_by_others(
            Reason(_named(part, graph), math.fsum(added[part.name]), part.affinities, finer=part.name in finer),
            None if stability is None else stability.of(part.name),
            (i, j),
        )
        for part in parts
        if part.name in added
    )
    return LinkExplanation(u, v, graph.has_link(u, v), baseline, reasons)


def _named(part: Part, graph: Graph) -> str:
    """The name of a community, or the names of common neighbours."""
    if not part.nodes:
        return part.name
    first, more = graph.nodes.pick(np.array(part.nodes[:_NAMED])), ", …" if len(part.nodes) > _NAMED else ""
    return f"{counted(len(part.nodes), 'common neighbour')}, {', '.join(map(str, first))}{more}"


_NAMED = 3
"""Common neighbours that an explanation names: those that say most."""


def _seen_by_others(reason: Reason, refits: CommunityStability | None, rows: tuple[int, int]) -> Reason:
    if refits is None:
        return reason
    both = refits.interval(rows[0]), refits.interval(rows[1])
    return replace(reason, stability=refits.score, found=refits.in_words(), intervals=both)


def factor_in_words(log_odds: float) -> str:
    """A factor that a person can read.

    >>> factor_in_words(1.5), factor_in_words(-8.0), factor_in_words(0.0), factor_in_words(100.0)
    ('× 4.48', '÷ 2,981', '× 1', '× over a trillion')
    """
    return f"{'×' if log_odds >= 0 else '÷'} {_in_digits(abs(log_odds))}"


def odds_in_words(logit: float) -> str:
    """Odds that a person can read.

    >>> odds_in_words(0.0), odds_in_words(-3.0)
    ('odds 1 to 1', 'odds 1 to 20.1')
    """
    return f"odds {_in_digits(logit)} to 1" if logit >= 0 else f"odds 1 to {_in_digits(-logit)}"


def _in_digits(log: float) -> str:
    """e^log, for log >= 0: three digits, a whole number, or from ten million on words."""
    if log >= math.log(1e12):
        return "over a trillion"
    value = math.exp(log)
    if log >= math.log(1e7):
        return f"{value / 1e9:.3g} billion" if log >= math.log(1e9) else f"{value / 1e6:.3g} million"
    return f"{value:.3g}" if value < 999.5 else f"{value:,.0f}"


def _exp(x: float) -> float:
    return math.exp(x) if x < 709 else math.inf  # where floats end

"""Found communities beside true ones, by every measure at once."""

from __future__ import annotations

from dataclasses import dataclass

from philia.evaluate.best_match import best_match
from philia.evaluate.covers import CoverLike, NodesLike, side_by_side
from philia.evaluate.mutual_information import mutual_information
from philia.evaluate.omega import omega


@dataclass(frozen=True)
class CommunityScores:
    """How alike two covers are, by four measures; 1 is the best of each, and only omega can be negative.

    >>> print(CommunityScores(f1=0.6, nmi_lfk=0.35, nmi_mgh=0.25, omega=-0.125))
    F1 0.600 · NMI 0.350 (LFK), 0.250 (MGH) · omega -0.125
    """

    f1: float
    nmi_lfk: float
    nmi_mgh: float
    omega: float

    def __str__(self) -> str:
        nmi = f"NMI {self.nmi_lfk:.3f} (LFK), {self.nmi_mgh:.3f} (MGH)"
        return f"F1 {self.f1:.3f} · {nmi} · omega {self.omega:.3f}"


def compare_communities(found: CoverLike, truth: CoverLike, nodes: NodesLike = None) -> CommunityScores:
    """How alike found and true communities are: best-match F1, both overlapping NMIs, and the omega index.

    Nodes may be in several communities or in none. ``nodes`` is all there are: a graph, names, or a number; without it,
    those that are in any community. Only the F1 does not depend on it.

    >>> found = {"B1": {"ann", "bob", "cat"}, "B2": {"cat", "dan"}}
    >>> print(compare_communities(found, [{"ann", "bob"}, {"cat", "dan"}], nodes=6))
    F1 0.900 · NMI 0.740 (LFK), 0.718 (MGH) · omega 0.595
    """
    covers = side_by_side(found, truth, nodes)
    information = mutual_information(covers)
    return CommunityScores(best_match(covers), information.lfk, information.mgh, omega(covers))

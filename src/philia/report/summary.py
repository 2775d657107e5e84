"""The summary: the findings in sentences that assume no prior knowledge."""

from __future__ import annotations

import numpy as np

from philia._text import counted, listed, percent, spelled
from philia.explain.links import factor_in_words
from philia.graphs import Graph
from philia.report.findings import Findings
from philia.report.quality import JudgedPairs

_RARE = 0.001
"""Smaller probabilities are shown as "one pair in N": readers do not count zeros."""


def sentences(found: Findings, judged: JudgedPairs) -> list[str]:
    """The summary of a model, one idea per sentence.

    >>> from philia import CommunityModel
    >>> model = CommunityModel(1, 0, penalty=0.1, random_state=0).fit([(1, 2), (1, 3), (2, 3), (4, 5)])
    >>> print(*sentences(Findings.of(model), JudgedPairs.of(model)), sep=chr(10))
    5 nodes and 4 links: two nodes drawn at random are linked with probability 0.4.
    One group attracts (B1): two members are linked more often than their popularity alone would explain.
    ...
    """
    said = [_size(found.graph), *_groups(found), *_strongest(found), *_members(found)]
    return said + _explained(judged)


def _size(graph: Graph) -> str:
    said = f"{counted(graph.n_nodes, 'node')} and {counted(graph.n_links, 'link')}"
    if not graph.n_links:
        return f"{said}."
    if graph.density < _RARE:
        return f"{said}: one in {round(1 / graph.density):,} pairs of nodes is linked."
    return f"{said}: two nodes drawn at random are linked with probability {graph.density:.2g}."


def _groups(found: Findings) -> list[str]:
    attract = [c.name for c in found.communities if c.kind == "homophilous"]
    repel = [c.name for c in found.communities if c.kind == "heterophilous"]
    popular = found.model.background == "popularity"
    if not attract and not repel:
        known = "popularity of each node" if popular else "density of the network"
        return [f"No groups were found: the model knows only the {known}."]
    than = "their popularity alone would explain" if popular else "other pairs"
    return [
        f"{_named(names, verb)}: two members{_of_same(names)} are linked {how} often than {than}."
        for names, verb, how in ((attract, "attract", "more"), (repel, "repel", "less"))
        if names
    ]


def _of_same(names: list[str]) -> str:
    return " of the same group" if len(names) > 1 else ""


def _named(names: list[str], verb: str) -> str:
    if len(names) == 1:
        return f"One group {verb}s ({names[0]})"
    joint = "and" if len(names) == 2 else "to"
    return f"{spelled(len(names)).capitalize()} groups {verb} ({names[0]} {joint} {names[-1]})"


def _strongest(found: Findings) -> list[str]:
    said = []
    for kind, verb, done in (("homophilous", "attracts", "multiplied"), ("heterophilous", "repels", "divided")):
        columns = [c for c, community in enumerate(found.communities) if community.kind == kind and len(community)]
        if columns:
            best = max(columns, key=lambda c: abs(found.typical(c)))
            factor = factor_in_words(abs(found.typical(best)))[2:]
            name, size = found.communities[best].name, counted(int(found.sizes[best]), "member")
            first = f"{name} has {size}" if len(columns) == 1 else f"{name}, with {size}, {verb} most"
            said.append(f"{first}: between two typical members the odds of a link are {done} by {factor}.")
    return said


def _members(found: Findings) -> list[str]:
    if not len(found.communities):
        return []
    of = found.communities_per_node
    parts = [
        (int(np.count_nonzero(some)), where) for some, where in ((of == 1, "one group"), (of > 1, "several groups"))
    ]
    none = int(np.count_nonzero(of == 0))
    said = listed([f"{counted(count, 'node')} {_are(count)} in {where}" for count, where in parts if count])
    left = "no node is left out" if not none else f"{counted(none, 'node')} {_are(none)} in no group"
    return ["; ".join(part for part in (said, left) if part) + "."]


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


def _explained(judged: JudgedPairs) -> list[str]:
    if not len(judged.links) or not len(judged.others):
        return []
    share = judged.explained
    which = "held-out pairs" if judged.held_out else "the pairs it was fitted to"
    if share <= 0:
        return [f"On {which} the model predicts no better than the density alone."]
    return [
        f"Compared with knowing only the density, the model removes {percent(share)} of the uncertainty on {which}."
    ]

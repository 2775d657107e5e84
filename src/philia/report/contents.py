"""Everything the page shows, as plain values: the payload."""

from __future__ import annotations

from datetime import date
from typing import Any

import numpy as np

from philia._version import __version__
from philia.graphs import Graph
from philia.models import LinkModel
from philia.report.cards import cards
from philia.report.choosing import BYTES, choose
from philia.report.course import course
from philia.report.explorer import explorer
from philia.report.findings import Findings
from philia.report.labels import Labels, LabelsLike, Match
from philia.report.layout import positions, shared_members
from philia.report.matrix import matrix
from philia.report.missing import OnProgress
from philia.report.quality import JudgedPairs, quality
from philia.report.sentences import sentences
from philia.report.words import counted

VERSION = 1
"""Of the form of the payload, which the page checks."""


def payload(
    model: LinkModel,
    *,
    labels: LabelsLike | None = None,
    title: str | None = None,
    source: str | None = None,
    on_progress: OnProgress | None = None,
    budget: float = BYTES,
) -> dict[str, Any]:
    """All that the report of a model shows, as plain values that JSON knows.

    ``labels`` are groups that were known before, as ``read_communities`` gives them, ``source`` is where the model
    comes from. ``on_progress`` is called with how many nodes were searched for missing links, and of how many; with a
    small graph it is not called at all. ``budget`` is about how many bytes the nodes to be looked up may take.

    >>> from philia import CommunityModel
    >>> model = CommunityModel(1, 0, penalty=0.1, random_state=0).fit([(1, 2), (1, 3), (2, 3), (4, 5)])
    >>> found = payload(model, labels={"left": [1, 2], "right": [4]})
    >>> found["graph"]["links"], found["communities"][0]["label"]["name"]
    (4, 'left')
    """
    found = Findings.of(model)
    judged = JudgedPairs.of(found.model)
    choice = choose(found, budget)
    known = None if labels is None else Labels.of(labels, found.graph.nodes)
    matches: list[Match | None] = [None] * len(found.communities) if known is None else known.matches(found)
    shared, places = shared_members(found.memberships), np.full(found.graph.n_nodes, -1, dtype=np.int64)
    places[choice.rows] = np.arange(len(choice.rows))
    return {
        "version": VERSION,
        "title": title or f"A network of {counted(found.graph.n_nodes, 'node')}",
        "made": {"philia": __version__, "date": date.today().isoformat(), "source": source},
        "sentences": sentences(found, judged),
        "remarks": _remarks(found, known),
        "graph": _graph(found.graph),
        "fit": course(found.model),
        "quality": quality(judged),
        "communities": cards(found, shared, matches, places),
        "in_none": int(np.count_nonzero(found.communities_a_node == 0)),
        "unused": list(found.communities.unused),
        "rule": found.communities.rule,
        "overlap": {
            "names": [community.name for community in found.communities],
            "shared": shared.tolist(),
            "positions": positions(shared).tolist(),
        },
        "matrix": matrix(found.graph, found.factors),
        "explorer": explorer(found, choice, on_progress),
    }


def _graph(graph: Graph) -> dict[str, Any]:
    degrees = graph.degrees
    return {
        "nodes": graph.n_nodes,
        "links": graph.n_links,
        "density": graph.density,
        "isolated": int(np.count_nonzero(degrees == 0)),
        "mean_degree": float(degrees.mean()),
        "median_degree": float(np.median(degrees)),
        "max_degree": int(degrees.max()),
    }


def _remarks(found: Findings, labels: Labels | None) -> list[str]:
    """What was dropped, cut or left out."""
    said = []
    if found.graph.changes:
        said.append(f"When the links were read: {found.graph.changes}.")
    if found.graph.weights is not None:
        said.append("Links have weights, which counted in the fit; here every link counts once.")
    said += found.names.remarks
    if labels is not None and labels.strangers:
        said.append(f"Not in the graph, so not compared: {counted(labels.strangers, 'labelled name')}.")
    if found.communities.unused:
        said.append(
            f"Nobody belongs to {', '.join(found.communities.unused)}: the fit needed fewer communities than it had."
        )
    said += [f"{a} and {b} have the same members." for a, b in found.communities.repeated]
    return said

"""Everything the page shows, as plain values: the payload."""

from __future__ import annotations

from datetime import date
from typing import Any

import numpy as np

from philia._text import counted
from philia._types import Float64Array
from philia._version import __version__
from philia.graphs import Graph
from philia.models import CommunityModel, LinkModel
from philia.report.communities import cards, positions, shared_members
from philia.report.explorer import BYTES, OnProgress, choose, explorer
from philia.report.findings import Findings
from philia.report.labels import Labels, LabelsLike, Match
from philia.report.matrix import matrix
from philia.report.quality import JudgedPairs, quality
from philia.report.summary import sentences

_VERSION = 1
"""The version of the payload's format, which the page checks."""

_POINTS = 1000
"""Points of the loss curve: a screen cannot show more."""


def payload(
    model: LinkModel,
    *,
    labels: LabelsLike | None = None,
    title: str | None = None,
    source: str | None = None,
    on_progress: OnProgress | None = None,
    budget: float = BYTES,
) -> dict[str, Any]:
    """Everything that the report of a model shows, as plain values that JSON can hold.

    ``labels`` are known groups, as ``read_communities`` returns them; ``source`` names where the model comes from.
    ``on_progress`` is called with the number of nodes searched for missing links and their total; for a small graph,
    which needs no search, it is not called. ``budget`` is the approximate size in bytes of the nodes that can be
    looked up.

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
    shared, index = shared_members(found.memberships), np.full(found.graph.n_nodes, -1, dtype=np.int64)
    index[choice.rows] = np.arange(len(choice.rows))
    return {
        "version": _VERSION,
        "title": title or f"A network of {counted(found.graph.n_nodes, 'node')}",
        "made": {"philia": __version__, "date": date.today().isoformat(), "source": source},
        "sentences": sentences(found, judged),
        "remarks": _remarks(found, known),
        "graph": _graph(found.graph),
        "fit": _fit(found.model),
        "quality": quality(judged),
        "communities": cards(found, shared, matches, index),
        "in_none": int(np.count_nonzero(found.communities_per_node == 0)),
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
    """Sentences about what was dropped, shortened or left out."""
    said = []
    if found.graph.changes:
        said.append(f"When the links were read: {found.graph.changes}.")
    if found.graph.weights is not None:
        said.append("The fit used link weights; on this page every link counts once.")
    said += found.names.remarks
    if labels is not None and labels.strangers:
        said.append(f"Not in the graph, so not compared: {counted(labels.strangers, 'labeled name')}.")
    if found.communities.unused:
        said.append(
            f"{', '.join(found.communities.unused)} ended up empty: the fit needed fewer communities than it was given."
        )
    said += [f"{a} and {b} have the same members." for a, b in found.communities.repeated]
    return said


def _fit(model: CommunityModel) -> dict[str, Any]:
    """The settings of the fit, its loss curve, and why it stopped.

    >>> model = CommunityModel(1, 0, penalty=0.1, random_state=0).fit([(1, 2), (1, 3), (2, 3), (4, 5)])
    >>> _fit(model)["settings"][:3]
    [['communities that attract', '1'], ['communities that repel', '0'], ['penalty', '0.1']]
    """
    solution = model.solution_
    return {
        "settings": _settings(model),
        "reason": solution.reason,
        "iterations": solution.iterations,
        "seconds": solution.seconds,
        "loss": _curve(solution.history),
        "selection": None if model.selection_ is None else str(model.selection_),
    }


def _curve(history: Float64Array, most: int = _POINTS) -> list[list[float]]:
    """Pairs of iteration and loss; of a long history, evenly spaced ones including the first and the last.

    >>> _curve(np.array([9.0, 5.0, 4.0, 3.5]), most=2)
    [[0, 9.0], [3, 3.5]]
    """
    shown = np.unique(np.linspace(0, len(history) - 1, min(len(history), most)).round().astype(np.int64))
    return [[iteration, float(history[iteration])] for iteration in shown.tolist() if np.isfinite(history[iteration])]


def _settings(model: CommunityModel) -> list[list[str]]:
    k_B, k_C = model.factors_.counts
    backgrounds = {
        "popularity": "each node has its own popularity",
        "constant": "the same for all pairs",
        "none": "none: even odds",
    }
    return [
        ["communities that attract", _chosen(k_B, model.n_homophilous)],
        ["communities that repel", _chosen(k_C, model.n_heterophilous)],
        ["penalty", _chosen(f"{model.penalty_:.3g}", model.penalty)],
        ["baseline", backgrounds[model.background]],
        ["start", _plain(model.start)],
        ["solver", _plain(model.solver)],
        ["seed", _plain(model.random_state)],
        ["held-out pairs", "none" if model.held_out_ is None else str(model.held_out_)],
    ]


def _chosen(value: object, asked: object) -> str:
    return f"{value} (chosen on validation pairs)" if asked == "auto" else str(value)


def _plain(value: object) -> str:
    return str(value) if value is None or isinstance(value, (str, int, float)) else type(value).__name__

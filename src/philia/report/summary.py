"""The summary: the findings in sentences that assume no prior knowledge, remarks on the data, and the fit."""

from __future__ import annotations

from typing import Any

import numpy as np

from philia._text import counted, listed, percent, spelled
from philia._types import Float64Array
from philia.explain.communities import left_out_in_words
from philia.explain.significance import heterophily_in_words
from philia.fitting.sparse import SparseColumns
from philia.graphs import Graph
from philia.models import CommunityModel
from philia.report.attributes import Known
from philia.report.findings import Findings
from philia.report.quality import JudgedPairs, hidden_pairs

_RARE = 0.001
"""Smaller probabilities are shown as "one pair in N": readers do not count zeros."""

_SEEDS = "The groups that attract follow from the links alone: another seed gives the same."

_POINTS = 1000
"""Points of the loss curve: a screen cannot show more."""


def summary(found: Findings, judged: JudgedPairs, known: Known) -> dict[str, Any]:
    """The parts of the payload that the summary shows."""
    return {
        "lede": [_size(found.graph), *_groups(found)],
        "sure": _certainty(found),
        "sentences": _sentences(found, judged),
        "remarks": _remarks(found, known),
        "graph": _graph(found.graph),
        "fit": _fit(found.model),
    }


def _sentences(found: Findings, judged: JudgedPairs) -> list[str]:
    """The summary of a model, one idea per sentence; the page adds which communities are strongest.

    >>> from philia import CommunityModel
    >>> model = CommunityModel(1, 0, penalty=0.1, random_state=0).fit([(1, 2), (1, 3), (2, 3), (4, 5)])
    >>> print(*_sentences(Findings.of(model), JudgedPairs.of(model)), sep=chr(10))
    3 nodes are in exactly one group; 2 nodes are in no group.
    """
    measured = found.model.heterophily_
    said = [] if measured is None else [heterophily_in_words(measured)]
    return [*(_many(found) if found.sparse else []), *_members(found), *said, *_explained(found, judged)]


def _certainty(found: Findings) -> list[str]:
    """How sure the groups are, as far as it is known, and how to know more."""
    if not len(found.communities):
        return []
    return [*_levels(found), *_seeds(found), *_tested(found), *_convergence(found)]


def _seeds(found: Findings) -> list[str]:
    """Whether another seed would find other groups."""
    if found.model.level() is None:
        return ["Another seed may find other groups; philia communities --stability 10 shows which recur."]
    kinds = [community.kind for community in found.communities]
    said = [_SEEDS] if "homophilous" in kinds else []
    repel = "The groups that repel may come out differently with another seed."
    return [*said, repel] if "heterophilous" in kinds else said


def _convergence(found: Findings) -> list[str]:
    if found.model.solution_.converged or found.sparse:
        return []
    return [f"The fit ended early ({found.model.solution_.reason}); more iterations may change the numbers."]


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
        finer = " and finer structure that is not read as groups" if found.communities.finer else ""
        return [f"No groups were found: the model knows only the {known}{finer}."]
    than = "their popularity alone would explain" if popular else "other pairs"
    if not attract or not repel:
        names, verb, how = (attract, "attract", "more") if attract else (repel, "repel", "less")
        return [f"{_named(names, verb)}: two members{_of_same(names)} are linked {how} often than {than}."]
    less = _named(repel, "repel")
    return [
        f"{_named(attract, 'attract')}: two members{_of_same(attract)} are linked more often than {than}. "
        f"{less}: they are linked less often."
    ]


def _levels(found: Findings) -> list[str]:
    """Other numbers of groups that are about as good, so that nobody takes this one for the only one."""
    if found.model.level() is None or found.sparse:
        return []
    known = found.model.hierarchy()
    others = sorted({len(level) for level in known.equally_good} - {len(known.default)})
    said = " or ".join(filter(None, [", ".join(str(count) for count in others[:-1]), *map(str, others[-1:])]))
    if len(known.best) > len(known.default):
        shown = f"These {len(known.default)} say nearly as much as the {len(known.best)} of the shortest description"
        return [f"{shown}; with {said} the links are described about as well as with these." if others else f"{shown}."]
    if not others:
        return ["No other number of groups describes the links about as well."]
    return [f"With {said} {'group' if others == [1] else 'groups'} the links are described about as well."]


def _of_same(names: list[str]) -> str:
    return " of the same group" if len(names) > 1 else ""


def _named(names: list[str], verb: str) -> str:
    if len(names) == 1:
        return f"One group {verb}s ({names[0]})"
    joint = "and" if len(names) == 2 else "to"
    return f"{spelled(len(names)).capitalize()} groups {verb} ({names[0]} {joint} {names[-1]})"


def _many(found: Findings) -> list[str]:
    """How large thousands of groups are, and what else the probabilities count."""
    if not len(found.communities):
        return []
    of, sizes = found.communities_per_node, found.sizes
    per_node = float(of[of > 0].mean()) if of.any() else 0.0
    return [
        f"The largest group has {counted(int(sizes.max()), 'member')}, and half of them have {np.median(sizes):,.0f} "
        f"or fewer; a member of any is in {per_node:.3g} of them on average.",
        *_superfluous(found),
        "Probabilities also count common neighbours: two nodes that know the same third one are likelier to be linked.",
    ]


def _superfluous(found: Findings) -> list[str]:
    """The tree shows every group, also those that ``communities()`` leaves out."""
    left_out = len(found.communities.tidied(found.model.telling).left_out)
    if not left_out:
        return []
    return [f"{left_out:,} of them {_are(left_out)} part of another group, or alike, and left out elsewhere."]


def _members(found: Findings) -> list[str]:
    if not len(found.communities):
        return []
    of = found.communities_per_node
    parts = [
        (int(np.count_nonzero(some)), where)
        for some, where in ((of == 1, "exactly one group"), (of > 1, "several groups"))
    ]
    none = int(np.count_nonzero(of == 0))
    said = listed([f"{counted(count, 'node')} {_are(count)} in {where}" for count, where in parts if count])
    left = "no node is left out" if not none else f"{counted(none, 'node')} {_are(none)} in no group"
    return ["; ".join(part for part in (said, left) if part) + "."]


def _tested(found: Findings) -> list[str]:
    """What pairs that the model was not fitted to say about its groups, if that was measured."""
    said = []
    measured = found.model.significance_
    if measured is not None and measured.communities:
        said.append(measured.in_words())
    elif not found.sparse:
        said.append("Whether they could be chance was not tested; philia communities --significance --keep does that.")
    return said


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


def _explained(found: Findings, judged: JudgedPairs) -> list[str]:
    """How well pairs are predicted that the model did not see; nothing is said about those it was fitted to."""
    chosen = hidden_pairs(found.model)
    if judged.held_out and len(judged.links) and len(judged.others):
        share, which = judged.explained, "held-out pairs"
    elif chosen is not None:
        share, which = chosen["explained"], "hidden pairs"
    else:
        return []
    if share <= 0:
        return [f"On {which} the model predicts no better than the density alone."]
    return [
        f"Compared with knowing only the density, the model removes {percent(share)} of the uncertainty on {which}."
    ]


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


def _remarks(found: Findings, known: Known) -> list[str]:
    """Sentences about what was dropped, shortened or left out."""
    said = []
    if found.graph.changes:
        said.append(f"When the links were read: {found.graph.changes}.")
    if found.graph.weights is not None:
        said.append("The fit used link weights; on this page every link counts once.")
    said += found.names.remarks
    if known.strangers:
        said.append(f"Not in the graph, so not compared: {counted(known.strangers, 'labeled name')}.")
    if found.communities.left_out:
        said.append(f"{left_out_in_words(found.communities.left_out)}.")
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
    if model.sparse_ is not None:
        return _sparse_settings(model, model.sparse_)
    level = model.level()
    attract = [["communities that attract", _chosen(k_B, model.n_homophilous)]]
    if level is not None:
        attract = [
            ["communities that attract", f"{len(level)} (read off the links by the length of their description)"],
            ["columns of finer structure", _chosen(k_B - len(level), "auto")],
        ]
    backgrounds = {
        "popularity": "each node has its own popularity",
        "constant": "the same for all pairs",
        "none": "none: even odds",
    }
    return [
        *attract,
        ["communities that repel", _chosen(k_C, model.n_heterophilous)],
        ["penalty", _chosen(f"{model.penalty_:.3g}", model.penalty)],
        ["baseline", backgrounds[model.background]],
        ["start", _plain(model.start)],
        ["solver", _plain(model.solver)],
        ["seed", _plain(model.random_state)],
        ["held-out pairs", "none" if model.held_out_ is None else str(model.held_out_)],
    ]


def _sparse_settings(model: CommunityModel, columns: SparseColumns) -> list[list[str]]:
    chosen = "chosen so that hidden pairs are likeliest"
    joined = "added to what communities do" if columns.adds else "multiplied with what communities do"
    return [
        ["communities that attract", f"{model.factors_.counts[0]:,} (read off the links; only members are stored)"],
        ["log-odds of sharing one", f"{columns.membership:.3g} + {columns.strength:.3g} × its strength ({chosen})"],
        ["weight of common neighbours", f"{columns.neighbours:.3g}, {joined} ({chosen})"],
        ["baseline", f"each node's number of links, with exponent {columns.popularity:.2g}"],
        ["seed", _plain(model.random_state)],
        ["held-out pairs", "none" if model.held_out_ is None else str(model.held_out_)],
    ]


def _chosen(value: object, asked: object) -> str:
    return f"{value} (chosen on validation pairs)" if asked == "auto" else str(value)


def _plain(value: object) -> str:
    return str(value) if value is None or isinstance(value, (str, int, float)) else type(value).__name__

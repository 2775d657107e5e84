"""Summaries of a graph and of a fit: numbers for programs, sentences for people."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from philia._text import counted

if TYPE_CHECKING:
    from philia.explain import Communities
    from philia.graphs import Graph
    from philia.models import LinkModel
    from philia.pairs.sample import Estimate
    from philia.solvers import Solution


def graph_facts(graph: Graph) -> dict[str, Any]:
    """The size and density of a graph, and what was changed when it was read.

    >>> from philia import as_graph
    >>> graph_facts(as_graph([("ann", "bob"), ("bob", "bob")]))["changes"]
    {'loops': 1, 'duplicates': 0, 'directions': 0, 'weights': 0}
    """
    return {
        "nodes": graph.n_nodes,
        "links": graph.n_links,
        "density": graph.density,
        "weighted": graph.weights is not None,
        "changes": asdict(graph.changes),
    }


def graph_in_words(graph: Graph) -> str:
    """One sentence about a graph.

    >>> from philia import as_graph
    >>> graph_in_words(as_graph([("ann", "bob"), ("bob", "bob")]))
    '2 nodes and 1 link; 1 self-loop dropped.'
    """
    changes = str(graph.changes) if graph.changes else "no link was dropped or merged"
    weighted = "" if graph.weights is None else ", weighted"
    return f"{counted(graph.n_nodes, 'node')} and {counted(graph.n_links, 'link')}{weighted}; {changes}."


def fit_facts(model: LinkModel, *, score: bool = True) -> dict[str, Any]:
    """How a fit went and how many communities it found; the score takes as long as an iteration of the fit.

    >>> from philia import CommunityModel
    >>> model = CommunityModel(1, 0, penalty=0.1, random_state=0).fit([(1, 2), (1, 3), (2, 3), (4, 5)])
    >>> fit_facts(model)["communities"]
    {'homophilous': 1, 'heterophilous': 0, 'left_out': {}, 'nodes_in_none': 2}
    """
    solution, communities = model.solution_, model.communities()
    selection = getattr(model, "selection_", None)
    kinds = [community.kind for community in communities]
    likelihood = _likelihood(model) if score else None
    return {
        "fit": {
            "reason": solution.reason,
            "converged": solution.converged,
            "iterations": max(solution.iterations, 0),
            "evaluations": solution.evaluations,
            "seconds": solution.seconds,
            "loss": solution.value,
            "mean_log_likelihood": None if likelihood is None else likelihood.value,
            "mean_log_likelihood_interval": _interval(likelihood),
        },
        "selection": selection and selection.to_dict(),
        "communities": {
            "homophilous": kinds.count("homophilous"),
            "heterophilous": kinds.count("heterophilous"),
            "left_out": dict(communities.left_out),
            "nodes_in_none": communities.n_unassigned,
            **_size_facts(model, communities),
        },
        "levels": _level_facts(model, len(communities.finer), others=score),
    }


def _likelihood(model: LinkModel) -> Estimate:
    """The score, with an interval if it is estimated."""
    from philia.models.link_model import ALL_PAIRS
    from philia.pairs.sample import Estimate

    if model.graph_.n_nodes <= ALL_PAIRS:
        return Estimate.of_all(model.score())
    from philia.evaluate import estimated_likelihood  # all that evaluates takes long to load

    return estimated_likelihood(model)


def _size_facts(model: LinkModel, communities: Communities) -> dict[str, Any]:
    """How large communities are and how many a member is in, if there may be thousands; common neighbours count too."""
    import numpy as np

    columns = getattr(model, "sparse_", None)
    if columns is None or not len(communities):
        return {}
    sizes = np.array([len(community) for community in communities])
    inside = max(1, len(communities.nodes) - communities.n_unassigned)
    return {
        "median_size": float(np.median(sizes)),
        "largest_size": int(sizes.max()),
        "memberships_per_member": float(sizes.sum() / inside),
        "neighbours_count": columns.neighbours > 0,
    }


def _level_facts(model: LinkModel, finer: int, *, others: bool) -> dict[str, Any] | None:
    """What communities that were read off the graph save, and which other numbers of them are as good."""
    from philia.models import CommunityModel

    if not isinstance(model, CommunityModel) or (level := model.level()) is None:
        return None
    if model.sparse_ is not None:  # the finest level is the default, and the others take a while to find
        return {"nats_saved": level.saved, "equally_good": [], "finer_columns": 0}
    good = [len(other) for other in model.hierarchy().equally_good] if others else []
    return {
        "nats_saved": level.saved,
        "equally_good": [count for count in good if count != len(level)],
        "finer_columns": finer,
    }


def fit_in_words(model: LinkModel, facts: dict[str, Any]) -> list[str]:
    """The summary of a fit in sentences.

    >>> from philia import CommunityModel
    >>> model = CommunityModel(1, 0, penalty=0.1, random_state=0).fit([(1, 2), (1, 3), (2, 3), (4, 5)])
    >>> len(fit_in_words(model, fit_facts(model)))
    3
    """
    from philia.explain.communities import left_out_in_words

    fit, found = facts["fit"], facts["communities"]
    selection = getattr(model, "selection_", None)
    sentences = [f"Chosen: {selection}."] if selection else []
    if model.solution_.iterations or "median_size" not in found:  # sparse communities are read, without a solver
        sentences.append(stop_in_words(model.solution_))
    if fit["mean_log_likelihood"] is not None:
        likelihood = with_reach(fit["mean_log_likelihood"], fit["mean_log_likelihood_interval"])
        sentences.append(
            f"Mean log-likelihood per pair: {likelihood} (0 is perfect; "
            f"the density alone gives {likelihood_in_digits(_density_alone(model.graph_.density))})."
        )
    sentences += _communities_in_words(found, facts["levels"])
    if found["left_out"]:
        sentences.append(f"{left_out_in_words(found['left_out'])}; fewer communities may be enough.")
    return sentences + _tested_in_words(model)


def _tested_in_words(model: LinkModel) -> list[str]:
    """What hidden pairs say about the communities, if that was measured."""
    from philia.explain.significance import heterophily_in_words

    measured, gain = getattr(model, "significance_", None), getattr(model, "heterophily_", None)
    return [
        *([] if measured is None else [measured.in_words()]),
        *([] if gain is None else [heterophily_in_words(gain)]),
    ]


def _communities_in_words(found: dict[str, Any], levels: dict[str, Any] | None) -> list[str]:
    """How many communities there are, what decided that, and what else is in the model.

    >>> found = {"homophilous": 7, "heterophilous": 2, "nodes_in_none": 0}
    >>> for sentence in _communities_in_words(found, {"equally_good": [6], "finer_columns": 24}):
    ...     print(sentence)
    Communities: 7 that attract and 2 that repel; 0 nodes in none.
    24 more columns only make the probabilities better.
    """
    if "median_size" in found:
        return _many_in_words(found)
    attract, repel = found["homophilous"], found["heterophilous"]
    none = counted(found["nodes_in_none"], "node")
    sentences = [f"Communities: {attract} that attract and {repel} that repel; {none} in none."]
    if levels is not None and levels["finer_columns"]:
        finer = levels["finer_columns"]
        makes = "makes" if finer == 1 else "make"
        sentences.append(f"{counted(finer, 'more column')} only {makes} the probabilities better.")
    return sentences


def _many_in_words(found: dict[str, Any]) -> list[str]:
    """Thousands of communities by their sizes, and what else the probabilities count.

    >>> sizes = {"median_size": 9.0, "largest_size": 80, "memberships_per_member": 1.25, "neighbours_count": True}
    >>> for sentence in _many_in_words({"homophilous": 12_000, "nodes_in_none": 3, **sizes}):
    ...     print(sentence)
    Communities: 12,000, whose members attract each other; half of them have 9 members or fewer, and the largest has 80.
    A member is in 1.25 communities on average; 3 nodes are in none.
    Probabilities also count common neighbours.
    """
    none = found["nodes_in_none"]
    sentences = [
        f"Communities: {found['homophilous']:,}, whose members attract each other; half of them have "
        f"{found['median_size']:,.0f} members or fewer, and the largest has {found['largest_size']:,}.",
        f"A member is in {found['memberships_per_member']:.2f} communities on average; {counted(none, 'node')} "
        f"{'is' if none == 1 else 'are'} in none.",
    ]
    return [*sentences, "Probabilities also count common neighbours."] if found["neighbours_count"] else sentences


def held_out_facts(model: LinkModel) -> dict[str, Any]:
    """How well held-out pairs are predicted: all of them, or all links among them and about 100,000 others.

    Each value has the ends of its 95 % interval; None if all pairs were used.

    >>> from philia import CommunityModel
    >>> from philia.datasets import dating_app
    >>> app = dating_app(100, cities=2, random_state=0)
    >>> model = CommunityModel(2, 2, penalty=1, random_state=0).fit(app.graph, held_out=0.2)
    >>> 0.5 < held_out_facts(model)["auc"] < 1, held_out_facts(model)["auc_interval"]
    (True, None)
    """
    from philia.evaluate import estimated_link_scores

    found = estimated_link_scores(model, pairs=100_000)
    facts: dict[str, Any] = {"pairs": found.links + found.non_links, "links": found.links}
    values = {
        "mean_log_likelihood": found.log_likelihood,
        "auc": found.auc,
        "average_precision": found.average_precision,
    }
    for name, estimate in values.items():
        facts[name] = None if estimate is None else estimate.value
        facts[f"{name}_interval"] = _interval(estimate)
    return facts


def _interval(estimate: Estimate | None) -> list[float] | None:
    return None if estimate is None or estimate.exact else [estimate.lower, estimate.upper]


def held_out_in_words(facts: dict[str, Any]) -> str:
    """How well held-out pairs are predicted, in a sentence.

    >>> exact = {"pairs": 90, "links": 9, "mean_log_likelihood": -0.25, "auc": 0.9, "average_precision": 0.5}
    >>> none = {"mean_log_likelihood_interval": None, "auc_interval": None}
    >>> held_out_in_words({**exact, **none})
    'On 90 held-out pairs the mean log-likelihood is -0.2500 and the area under the ROC curve 0.900.'
    >>> some = {"mean_log_likelihood_interval": [-0.26, -0.24], "auc_interval": [0.89, 0.91]}
    >>> print(held_out_in_words({**exact, **some}))
    On held-out pairs the mean log-likelihood is -0.2500 ± 0.0100 and the area under the ROC curve 0.900 ± 0.010,
    estimated from all 9 links and 81 others.
    """
    likelihood = with_reach(facts["mean_log_likelihood"], facts["mean_log_likelihood_interval"])
    estimated = facts["mean_log_likelihood_interval"] is not None
    said = f"On {'' if estimated else format(facts['pairs'], ',') + ' '}held-out pairs the mean log-likelihood is "
    said += likelihood
    if facts["auc"] is not None:
        said += f" and the area under the ROC curve {facts['auc']:.3f}"
        if facts["auc_interval"] is not None:
            said += f" ± {(facts['auc_interval'][1] - facts['auc_interval'][0]) / 2:.3f}"
    others = facts["pairs"] - facts["links"]
    return f"{said}, estimated from all {facts['links']:,} links and {others:,} others." if estimated else f"{said}."


def with_reach(mean: float, interval: list[float] | None) -> str:
    """A mean log-likelihood and, if it is estimated, half the width of its 95 % interval.

    >>> with_reach(-0.000123456, None), with_reach(-0.000123456, [-0.00012356, -0.00012334])
    ('-0.000123', '-0.000123 ± 0.00000011')
    """
    if interval is None:
        return likelihood_in_digits(mean)
    reach = (interval[1] - interval[0]) / 2
    decimals = max(4, 1 - math.floor(math.log10(reach)))
    return f"{likelihood_in_digits(mean)} ± {reach:.{decimals}f}"


def stop_in_words(solution: Solution) -> str:
    """Why a solver stopped, after how many iterations and seconds.

    >>> import numpy as np
    >>> from philia.solvers import LBFGSB
    >>> bowl = lambda x: (float(((x - 1) ** 2).sum()), 2 * (x - 1))
    >>> stop_in_words(LBFGSB().minimize(bowl, np.zeros(2), np.zeros(2)))
    'After 2 iterations and ... s the solver converged: the gradient vanished.'
    """
    took = f"{counted(max(solution.iterations, 0), 'iteration')} and {solution.seconds:.1f} s"
    more = "; philia fit --iterations allows more" if "limit of" in solution.reason else ""
    return f"After {took} the solver {'was ' if solution.reason == 'interrupted' else ''}{solution.reason}{more}."


def likelihood_in_digits(mean: float) -> str:
    """A mean log-likelihood with four decimals, or with three digits where a large sparse graph leaves fewer.

    >>> likelihood_in_digits(-0.26881), likelihood_in_digits(-0.000123456), likelihood_in_digits(0.0)
    ('-0.2688', '-0.000123', '0.0000')
    """
    decimals = 4 if mean == 0 else max(4, 2 - math.floor(math.log10(abs(mean))))
    return f"{mean:.{decimals}f}"


def _density_alone(density: float) -> float:
    from scipy.special import xlogy

    return float(xlogy(density, density) + xlogy(1 - density, 1 - density))

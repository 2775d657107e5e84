"""Several models on the same held-out pairs, next to formulas that need no fit and trivial covers."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from philia._types import Float64Array, Int64Array
from philia.evaluate.covers import CommunityScores, CoverLike, compare_communities, trivial_covers
from philia.evaluate.link_prediction import LinkScores, evaluate_links, link_scores
from philia.evaluate.predictors import PREDICTORS
from philia.graphs import Graph
from philia.pairs import RandomPairs, seen

if TYPE_CHECKING:
    from philia.models import LinkModel


@dataclass(frozen=True, eq=False)
class Compared:
    """A model or a baseline, how well it predicts held-out links, and how close its communities are to known ones.

    ``links`` is None for a cover, ``communities`` for a formula or without known communities; ``fitted`` is false for a
    baseline.

    >>> Compared("RandomLinks", True, None, None, seconds=0.1).name
    'RandomLinks'
    """

    name: str
    fitted: bool
    links: LinkScores | None
    communities: CommunityScores | None
    seconds: float


def compare_models(
    graph: Graph,
    models: Mapping[str, LinkModel],
    *,
    held_out: float = 0.1,
    truth: CoverLike | None = None,
    sample: int | None = None,
    random_state: int = 0,
    on_model: Callable[[str], None] | None = None,
) -> list[Compared]:
    """Every model fitted to the same graph with the same pairs held out, then the baselines.

    ``held_out`` is the share of held-out pairs, links and non-links alike; at most ``sample`` of them are scored. With
    ``truth``, communities are compared too. ``on_model`` is called with the name of each model before its fit.

    >>> from philia import BigClam, CommunityModel
    >>> from philia.datasets import dating_app
    >>> app = dating_app(120, cities=3, random_state=0)
    >>> models = {"ours": CommunityModel(3, 2, penalty=1, random_state=0), "BigClam": BigClam(5, random_state=0)}
    >>> rows = compare_models(app.graph, models)
    >>> [row.name for row in rows if row.fitted], rows[0].links.auc > rows[1].links.auc
    (['ours', 'BigClam'], True)
    """
    hidden = RandomPairs(held_out, seed=random_state)
    rows = []
    for name, model in models.items():
        if on_model is not None:
            on_model(name)
        began = time.perf_counter()
        model.fit(graph, held_out=hidden)
        seconds = time.perf_counter() - began
        links = evaluate_links(model, sample=sample, random_state=random_state)
        known = None if truth is None else compare_communities(model.communities(), truth, graph)
        rows.append(Compared(name, True, links, known, seconds))
    n, rng = graph.n_nodes, np.random.default_rng(random_state)
    pairs = hidden.pairs(n) if sample is None else hidden.sample(n, sample, rng)
    return rows + _formulas(graph, seen(graph, hidden), *pairs) + _covers(graph, truth)


def _formulas(graph: Graph, known: Graph, rows: Int64Array, columns: Int64Array) -> list[Compared]:
    linked = graph.linked(rows, columns)
    found = []
    for name, predictor in PREDICTORS.items():
        began = time.perf_counter()
        scores: Float64Array = np.asarray(predictor(known, rows, columns), dtype=float)
        found.append(Compared(name, False, link_scores(linked, scores), None, time.perf_counter() - began))
    return found


def _covers(graph: Graph, truth: Any) -> list[Compared]:
    if truth is None:
        return []
    covers = trivial_covers(graph)
    return [Compared(name, False, None, compare_communities(sets, truth, graph), 0.0) for name, sets in covers.items()]

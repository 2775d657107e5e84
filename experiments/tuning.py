"""Settings chosen for a method by hidden pairs, so that neither test pairs nor labels have a say."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from experiments.methods import GRID, Family, Settings, Shape
from philia.evaluate import LinkScores, link_scores
from philia.graphs import Graph
from philia.pairs import RandomPairs

RATE = 0.1
"""The share of pairs that is held out, as in the paper, and the share of the others that settings are chosen by."""

Measure = Callable[[LinkScores], float | None]


@dataclass(frozen=True)
class Chosen:
    """The settings with the best figure on validation pairs, and that figure.

    >>> Chosen(Settings(1.0), 0.5).settings.start
    'uniform'
    """

    settings: Settings
    value: float


def best_settings(
    family: Family, graph: Graph, shape: Shape, measure: Measure, held_out: RandomPairs | None = None
) -> Chosen:
    """The settings of ``GRID`` that predict validation pairs best; the first of equally good ones.

    A tenth of the pairs that are not held out is hidden from the trials, each of which takes a quarter of the
    iterations of a fit: all trials together then cost about two fits.

    >>> from experiments.methods import FAMILIES
    >>> from philia.datasets import classic
    >>> shape = Shape(2, 1, seed=0, iterations=20)
    >>> best_settings(FAMILIES["SymNMF"], classic("karate"), shape, lambda found: found.auc).settings in GRID
    True
    """
    hidden = RandomPairs(RATE, shape.seed) if held_out is None else held_out.with_random(RATE, shape.seed)
    rows, columns = hidden.pairs(graph.n_nodes)
    if held_out is not None:
        new = ~held_out.contains(rows, columns)
        rows, columns = rows[new], columns[new]
    linked = graph.linked(rows, columns)
    short = replace(shape, iterations=max(1, shape.iterations // 4))

    def value(settings: Settings) -> float:
        model = family(settings)(short).fit(graph, held_out=hidden)
        scores = model.factors_.scores(rows, columns)
        found = measure(link_scores(linked, scores, model.loss.probability(scores)))
        return 0.0 if found is None else found  # without a validation link no settings are better than others

    found = [Chosen(settings, value(settings)) for settings in GRID]
    return max(found, key=lambda chosen: chosen.value)

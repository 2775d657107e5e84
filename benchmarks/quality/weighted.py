"""Measures of hidden pairs that are a sample: each judged pair stands for as many as its weight says."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from philia._types import BoolArray, Float64Array, Int64Array
from philia.graphs import Graph
from philia.objective import RandomPairs
from philia.objective.sampled_held_out import all_held_out, sample_held_out

EXACT = 20_000_000
"""Up to so many hidden pairs are judged one and all."""

SAMPLE = 3_000_000
"""How many hidden pairs without a link are judged where there are more."""


@dataclass(frozen=True, eq=False)
class Judged:
    """Pairs of rows, whether they are linked, and how many pairs each of them stands for."""

    rows: Int64Array
    columns: Int64Array
    linked: BoolArray
    weights: Float64Array


def judged_pairs(graph: Graph, hidden: RandomPairs, exact: int = EXACT, sample: int = SAMPLE) -> Judged:
    """All hidden pairs; of too many, all that are linked and a uniform sample of the others, with weights.

    How many there are in all is then taken for what it is on average: of hundreds of millions that is right to 10⁻⁴.

    >>> from philia.datasets import dating_app
    >>> graph = dating_app(200, random_state=0).graph
    >>> few = judged_pairs(graph, RandomPairs(0.5, seed=1), exact=1000, sample=2000)
    >>> bool(len(few.rows) < 9950 * 0.5), round(few.weights.sum())
    (True, 9950)
    """
    n = graph.n_nodes
    expected = hidden.rate * n * (n - 1) / 2
    if expected <= exact:
        rows, columns = all_held_out(hidden, n)
        return Judged(rows, columns, graph.linked(rows, columns), np.ones(len(rows)))
    drawn = sample_held_out(hidden, n, sample, np.random.default_rng(hidden.seed))
    absent = ~graph.linked(*drawn)
    links = graph.links
    ours = hidden.contains(*links)
    n_links, n_absent = int(ours.sum()), int(absent.sum())
    rows, columns = (
        np.concatenate([link[ours].astype(np.int64), other[absent]]) for link, other in zip(links, drawn, strict=True)
    )
    weights = np.repeat([1.0, (expected - n_links) / n_absent], [n_links, n_absent])
    return Judged(rows, columns, np.repeat([True, False], [n_links, n_absent]), weights)


def order_measures(linked: BoolArray, scores: Float64Array, weights: Float64Array) -> dict[str, float]:
    """AUC, average precision and best F1 as if each pair were there as often as its weight says.

    With whole weights they are those of the pairs repeated; pairs with equal scores are taken together.

    >>> order_measures(np.array([True, False]), np.array([2.0, 2.0]), np.array([1.0, 9.0]))["average_precision"]
    0.1
    """
    order = np.argsort(scores)[::-1]
    falling = scores[order]
    last = np.flatnonzero(np.append(falling[1:] != falling[:-1], True))
    reached = np.cumsum(weights[order])[last]
    found = np.cumsum((weights * linked)[order])[last]
    links, absent = found[-1], reached[-1] - found[-1]
    here, missed = np.diff(found, prepend=0), np.diff(reached - found, prepend=0)
    below = absent - (reached - found)
    return {
        "auc": float(np.sum(here * (below + missed / 2)) / (links * absent)),
        "average_precision": float(np.sum(here * found / reached) / links),
        "f1_best": float(np.max(2 * found / (reached + links))),
    }


def mean_log_likelihood(linked: BoolArray, p: Float64Array, weights: Float64Array, clip: float) -> float:
    """The mean log-probability of what is there, in nats a pair, with p kept ``clip`` away from 0 and 1.

    >>> round(mean_log_likelihood(np.array([True]), np.array([0.0]), np.array([5.0]), 1e-6), 2)
    -13.82
    """
    kept = np.clip(p, clip, 1 - clip)
    return float(np.average(np.where(linked, np.log(kept), np.log1p(-kept)), weights=weights))

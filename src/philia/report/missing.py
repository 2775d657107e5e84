"""The likeliest missing links of many nodes at once, each looked for among all nodes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from philia._types import Float64Array, FloatArray, Int64Array
from philia.execution import LocalThreads
from philia.factors import CommunityFactors
from philia.graphs import Graph

OnProgress = Callable[[int, int], None]
"""Something to call with how much is done, and of how much."""

_ROWS, _COLUMNS = 256, 2**13
_FEW = 8


@dataclass(frozen=True, eq=False)
class MissingLinks:
    """For the t-th node, the rows ``partners[start[t]:start[t + 1]]``, likeliest first, and their probabilities.

    >>> MissingLinks(np.array([0, 1]), np.array([4]), np.array([0.5])).partners.tolist()
    [4]
    """

    start: Int64Array
    partners: Int64Array
    probabilities: Float64Array


_Best = tuple[Int64Array, Int64Array, FloatArray]
"""The number of a node among those asked about, the row of a partner, and their score; one entry a pair."""


def likeliest_missing(
    graph: Graph, factors: CommunityFactors, rows: Int64Array, count: int, on_progress: OnProgress | None = None
) -> MissingLinks:
    """The ``count`` likeliest missing links of each of these rows, or as many as are missing.

    Scores are computed a block at a time in single precision, and only what exceeds the worst of a node's best so far
    is looked at; probabilities are computed again in double precision.

    >>> from philia import as_graph
    >>> factors = CommunityFactors.attracting(np.array([[1.0], [1.0], [2.0], [3.0]]))
    >>> found = likeliest_missing(as_graph([(0, 1), (2, 3)]), factors, np.array([0, 3]), count=1)
    >>> found.start.tolist(), found.partners.tolist(), found.probabilities.round(2).tolist()
    ([0, 1, 2], [3, 0], [0.95, 0.95])
    """
    left, right = (side.astype(np.float32) for side in (factors.sides[0][rows], factors.sides[1]))
    counts, partners, scores = [0], [np.empty(0, np.int64)], [np.empty(0)]
    batches = [slice(at, at + _ROWS) for at in range(0, len(rows), _ROWS)]
    found = LocalThreads().map(lambda batch: _best_of(graph, left[batch], right, rows[batch], count), batches)
    for batch, (who, partner, _) in zip(batches, found, strict=True):
        some = rows[batch]
        exact = factors.scores(some[who], partner)
        order = np.lexsort((partner, -exact, who))
        counts += np.bincount(who, minlength=len(some)).tolist()
        partners.append(partner[order])
        scores.append(exact[order])
        if on_progress is not None:
            on_progress(batch.start + len(some), len(rows))
    return MissingLinks(np.cumsum(counts), np.concatenate(partners), expit(np.concatenate(scores)))


def _best_of(graph: Graph, left: FloatArray, right: FloatArray, rows: Int64Array, count: int) -> _Best:
    linked = graph.adjacency[rows].tocsc()
    best: _Best = (np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.float32))
    bar = np.full(len(rows), -np.inf, dtype=np.float32)
    for first in range(0, graph.n_nodes, _COLUMNS):
        scores = left @ right[first : first + _COLUMNS].T
        scores[linked[:, first : first + _COLUMNS].nonzero()] = -np.inf
        own = np.flatnonzero((rows >= first) & (rows < first + _COLUMNS))
        scores[own, rows[own] - first] = -np.inf
        who, where = _above(scores, bar, count)
        found = (who, where + first, scores[who, where])
        best = _first_of_each(best, found, count)
        bar = _last_of_each(best, len(rows), count)
    return best


def _above(scores: FloatArray, bar: FloatArray, count: int) -> tuple[Int64Array, Int64Array]:
    """Where scores exceed the bar of their row; where that is often, only the ``count`` largest of each row."""
    above = scores > bar[:, None]
    if scores.shape[1] > count and np.count_nonzero(above) > _FEW * count * len(scores):
        where = np.argpartition(scores, -count, axis=1)[:, -count:]
        who = np.repeat(np.arange(len(scores)), count)
        kept = above[who, where.ravel()]
        return who[kept], where.ravel()[kept]
    who, where = np.divmod(np.flatnonzero(above), scores.shape[1])  # far faster than nonzero() of two dimensions
    return who, where


def _first_of_each(best: _Best, found: _Best, count: int) -> _Best:
    """The ``count`` best pairs of each node among two lists."""
    who, partner, scores = (np.concatenate(both) for both in zip(best, found, strict=True))
    order = np.lexsort((partner, -scores, who))
    who = who[order]
    starts = np.flatnonzero(np.diff(who, prepend=-1))
    place = np.arange(len(who)) - np.repeat(starts, np.diff(np.append(starts, len(who))))
    kept = order[place < count]
    return who[place < count], partner[kept], scores[kept]


def _last_of_each(best: _Best, nodes: int, count: int) -> FloatArray:
    """The worst of each node's best; nothing is too bad for a node that has fewer than ``count``."""
    who, _, scores = best
    bar = np.full(nodes, -np.inf, dtype=np.float32)
    full = np.bincount(who, minlength=nodes) == count
    bar[who] = scores  # they fall, so the last one stays
    bar[~full] = -np.inf
    return bar

"""The likeliest links that are not there, found block by block."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from philia._types import Float64Array, Int64Array, Node
from philia.exceptions import InvalidParameterError
from philia.factors import Factors
from philia.graphs.graph import Graph

_ROWS, _COLUMNS = 1024, 8192


@dataclass(frozen=True)
class PredictedLink:
    """Two nodes that are not linked, and the probability that they should be.

    >>> PredictedLink("ann", "cat", 0.75).probability
    0.75
    """

    u: Node
    v: Node
    probability: float


def best_missing_links(
    graph: Graph,
    factors: Factors,
    count: int = 10,
    node: Node | None = None,
    probability: Callable[[Float64Array], Float64Array] = expit,
) -> list[PredictedLink]:
    """The ``count`` likeliest missing links of one node, or of the whole graph; ties go to the earlier rows.

    ``probability`` turns scores into probabilities: the sigmoid, unless the model has another. Memory stays at one
    block of scores, whatever the size of the graph.

    >>> from philia.factors import CommunityFactors
    >>> from philia import as_graph
    >>> affinity = np.array([[1.0], [1.0], [2.0]])
    >>> factors = CommunityFactors(affinity, np.zeros((3, 0)), np.zeros(3))
    >>> best_missing_links(as_graph([(0, 1), (1, 2)]), factors, count=5)
    [PredictedLink(u=0, v=2, probability=0.88...)]
    """
    if count < 1:
        raise InvalidParameterError(f"{count} links were asked for; ask for at least 1")
    rows = range(graph.n_nodes) if node is None else [graph.nodes.row(node)]
    best = (np.empty(0), np.empty(0, np.int64), np.empty(0, np.int64))
    for found in _candidates(graph, factors, rows, every_pair_once=node is None):
        best = _largest(count, best, found)
    scores, i, j = best
    names = zip(graph.nodes.pick(i), graph.nodes.pick(j), probability(scores).tolist(), strict=True)
    return [PredictedLink(u, v, probability) for u, v, probability in names]


_Found = tuple[Float64Array, Int64Array, Int64Array]


def _candidates(graph: Graph, factors: Factors, rows: range | list[int], *, every_pair_once: bool) -> Iterator[_Found]:
    n = graph.n_nodes
    chosen = np.asarray(rows, dtype=np.int64)
    for at in range(0, len(chosen), _ROWS):
        i = chosen[at : at + _ROWS]
        linked = graph.adjacency[i].tocsc()
        for first in range(int(i[0]) // _COLUMNS * _COLUMNS if every_pair_once else 0, n, _COLUMNS):
            j = np.arange(first, min(first + _COLUMNS, n))
            scores = factors.score_block(i, j)
            scores[linked[:, first : first + len(j)].nonzero()] = -np.inf
            scores[i[:, None] >= j if every_pair_once else i[:, None] == j] = -np.inf
            yield scores.ravel(), i, j


def _largest(count: int, best: _Found, found: _Found) -> _Found:
    """The ``count`` largest of a list and a block of candidates, of which only what can still matter is looked at."""
    block, rows, columns = found
    bar = best[0][-1] if len(best[0]) == count else -np.inf
    matter = np.flatnonzero(block > bar)
    if len(matter) > 4 * count:
        kept = np.partition(block[matter], -count)[-count]
        matter = matter[block[matter] >= kept]
    scores = np.concatenate([best[0], block[matter]])
    i = np.concatenate([best[1], rows[matter // len(columns)]])
    j = np.concatenate([best[2], columns[matter % len(columns)]])
    order = np.lexsort((j, i, -scores))[:count]
    return scores[order], i[order], j[order]

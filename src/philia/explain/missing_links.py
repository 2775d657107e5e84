"""The most likely missing links, found block by block, or by boxes of nodes in large graphs."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from philia._types import Float64Array, Int64Array, Node
from philia.exceptions import InvalidParameterError
from philia.factors import Factors, LowRankFactors
from philia.factors.boxes import Boxes
from philia.graphs.graph import Graph

_LOG = logging.getLogger("philia")
_ROWS, _COLUMNS = 1024, 8192
"""The size of a block of scores, 64 MB."""

BLOCK_BY_BLOCK = 8192
"""Largest graph in which all pairs are scored, a matter of seconds; in larger ones, bounds on boxes skip most pairs."""


class PredictedLink(NamedTuple):
    """Two nodes that are not linked, and the probability that they should be.

    >>> PredictedLink("ann", "cat", 0.75).probability
    0.75
    >>> u, v, probability = PredictedLink("ann", "cat", 0.75)  # as networkx's add_weighted_edges_from takes them
    """

    u: Node
    v: Node
    probability: float


def _sigmoid(scores: Float64Array) -> Float64Array:
    from scipy.special import expit  # it takes long to load

    return np.asarray(expit(scores))


def best_missing_links(
    graph: Graph,
    factors: Factors,
    count: int = 10,
    node: Node | None = None,
    probability: Callable[[Float64Array], Float64Array] = _sigmoid,
) -> list[PredictedLink]:
    """The ``count`` most likely missing links of one node, or of the whole graph; ties go to the earlier rows.

    ``probability`` turns scores into probabilities: the sigmoid, unless the model has another. Memory stays at one
    block of scores for small graphs and for one node. In large graphs the search goes through boxes of nodes with
    similar factors, the most promising first, and scores that differ by a trillionth count as equal. A search that
    takes too long ends early, with a warning about what was not searched.

    >>> from philia.factors import CommunityFactors
    >>> from philia import as_graph
    >>> affinity = np.array([[1.0], [1.0], [2.0]])
    >>> factors = CommunityFactors(affinity, np.zeros((3, 0)), np.zeros(3))
    >>> best_missing_links(as_graph([(0, 1), (1, 2)]), factors, count=5)
    [PredictedLink(u=0, v=2, probability=0.88...)]
    """
    if not isinstance(count, (int, np.integer)):
        raise InvalidParameterError(
            f"count is {count!r}; it must be a whole number, and the links of one node are those with node={count!r}"
        )
    if count < 1:
        raise InvalidParameterError(f"{count} links were asked for; ask for at least 1")
    if node is None and graph.n_nodes > BLOCK_BY_BLOCK and factors.apart is not None:
        apart = _by_boxes(graph, factors.apart, count, probability)
        best = _among_sharing(graph, factors, factors.apart, apart, count)
    else:
        best = _by_blocks(graph, factors, count, node)
    scores, i, j = best
    names = zip(graph.nodes.pick(i), graph.nodes.pick(j), probability(scores).tolist(), strict=True)
    return [PredictedLink(u, v, probability) for u, v, probability in names]


_Found = tuple[Float64Array, Int64Array, Int64Array]


def _by_boxes(
    graph: Graph, factors: LowRankFactors, count: int, probability: Callable[[Float64Array], Float64Array]
) -> _Found:
    found = Boxes(factors).largest(graph.adjacency, count)
    if found.beyond > -np.inf:
        beyond = float(probability(np.array([found.beyond]))[0])
        _LOG.warning(
            f"the search for the {count:,} most likely missing links ended early: a pair that was not searched may "
            f"have a probability of up to {beyond:.3g}; ask for fewer links, or for those of one node"
        )
    return found.scores, found.rows, found.columns


def _among_sharing(graph: Graph, factors: Factors, apart: LowRankFactors, best: _Found, count: int) -> _Found:
    """The best pairs, given those with the best scores ``apart``: pairs that share something may have larger ones."""
    alone = factors.scores(best[1], best[2]) == apart.scores(best[1], best[2])
    best = best[0][alone], best[1][alone], best[2][alone]
    for some, products in factors.sharing():
        shared = products.tocoo()
        i, j = some[shared.row], shared.col.astype(np.int64)
        free = (i < j) & ~graph.linked(i, j)
        i, j = i[free], j[free]
        scores = np.concatenate([best[0], shared.data[free] + apart.scores(i, j)])
        i, j = np.concatenate([best[1], i]), np.concatenate([best[2], j])
        if len(scores) > count:
            matter = np.flatnonzero(scores >= np.partition(scores, -count)[-count])
            scores, i, j = scores[matter], i[matter], j[matter]
        order = np.lexsort((j, i, -scores))[:count]
        best = scores[order], i[order], j[order]
    return best


def _by_blocks(graph: Graph, factors: Factors, count: int, node: Node | None) -> _Found:
    rows = range(graph.n_nodes) if node is None else [graph.nodes.row(node)]
    best: _Found = (np.empty(0), np.empty(0, np.int64), np.empty(0, np.int64))
    for found in _candidates(graph, factors, rows, every_pair_once=node is None):
        best = _largest(count, best, found)
    return best


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
    """The ``count`` largest of a list and a block of candidates; those that cannot be among them are dropped early."""
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

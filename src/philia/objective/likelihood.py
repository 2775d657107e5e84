"""How likely a graph is under factors: over all pairs in blocks, or estimated from a sample of pairs."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from philia._types import Float64Array, FloatArray
from philia.factors import Factors
from philia.graphs.graph import Graph
from philia.objective.losses import Loss
from philia.objective.recipe import Recipe
from philia.pairs import HeldOut, PairSample, seen
from philia.pairs.calibration import Calibration, calibrate
from philia.pairs.sample import Estimate, near_and_far

PAIRS = 2**20
"""Default number of pairs without a link in a sample. On a sparse graph of 30,000 nodes this takes about a second, and
the 95 % interval of the likelihood is ± 0.05 % of it."""

_MOST_DRAWN = 2**26
"""Pairs drawn at most where few of them are held out; their keys take half a gigabyte."""

_ROWS, _COLUMNS = 1024, 4096
"""The size of a block of scores: 32 MB."""

_CHUNK = 65536
"""Pairs of a sample whose rows of F are gathered together: 50 MB with 100 columns in single precision."""


def mean_log_likelihood(graph: Graph, score_block: Callable[[slice, slice], Float64Array], loss: Loss) -> float:
    """The mean log-likelihood per pair of different nodes, over all pairs; 0 is perfect.

    >>> from philia import as_graph
    >>> from philia.objective import CrossEntropy
    >>> even = lambda rows, columns: np.zeros((2, 2))
    >>> round(mean_log_likelihood(as_graph([(0, 1)]), even, CrossEntropy()), 4)  # log ½
    -0.6931
    """
    n, total = graph.n_nodes, 0.0
    for rows, columns in _blocks_above(n):
        scores = score_block(rows, columns)
        above = np.arange(*rows.indices(n))[:, None] < np.arange(*columns.indices(n))
        total += float(np.where(above, loss.log_likelihood(scores, False), 0.0).sum())
        links = graph.adjacency[rows, columns].tocoo()
        once = above[links.row, links.col]
        linked = scores[links.row[once], links.col[once]]
        total += float((loss.log_likelihood(linked, True) - loss.log_likelihood(linked, False)).sum())
    return total / max(1, n * (n - 1) // 2)


def _blocks_above(n: int) -> Iterator[tuple[slice, slice]]:
    """Blocks of rows and columns that together hold every pair above the diagonal, each once.

    >>> list(_blocks_above(3))
    [(slice(0, 3, None), slice(0, 3, None))]
    """
    for top in range(0, n, _ROWS):
        for first in range(top, n, _COLUMNS):
            yield slice(top, min(top + _ROWS, n)), slice(first, min(first + _COLUMNS, n))


def estimated_log_likelihood(
    graph: Graph, factors: Factors, loss: Loss, rng: np.random.Generator, pairs: int = PAIRS
) -> Estimate:
    """An unbiased estimate of the mean log-likelihood per pair, from all links and about ``pairs`` other pairs.

    It is exact where there are no more pairs than that.

    >>> from philia import as_graph
    >>> from philia.factors import CommunityFactors
    >>> from philia.objective import CrossEntropy
    >>> even = CommunityFactors.attracting(np.zeros((4, 1)))
    >>> print(estimated_log_likelihood(as_graph([(0, 1), (2, 3)]), even, CrossEntropy(), np.random.default_rng(0)))
    -0.69315 (exact)
    """
    every = max(1, graph.n_nodes * (graph.n_nodes - 1) // 2)
    sample = sample_pairs(graph, rng, pairs)
    found = loss.log_likelihood(factors.scores(sample.rows, sample.columns), sample.linked)
    variance = float(np.sum(found**2 * sample.spread))
    return Estimate.from_variance(float(np.sum(sample.weights * found)) / every, variance / every**2)


def estimated_calibration(
    graph: Graph,
    factors: Factors,
    loss: Loss,
    rng: np.random.Generator,
    held_out: HeldOut | None = None,
    pairs: int = PAIRS,
) -> Calibration:
    """The calibration over all pairs of different nodes or over held-out pairs, from a sample if there are many.

    >>> from philia import as_graph
    >>> from philia.factors import CommunityFactors
    >>> from philia.objective import CrossEntropy
    >>> even, rng = CommunityFactors.attracting(np.zeros((4, 1))), np.random.default_rng(0)
    >>> print(estimated_calibration(as_graph([(0, 1), (2, 3)]), even, CrossEntropy(), rng))
    predicted 0.5, observed 0.333 of 6 pairs
    """
    sample = sample_pairs(graph, rng, pairs, held_out)
    probabilities = np.asarray(loss.probability(factors.scores(sample.rows, sample.columns)))
    return calibrate(sample.linked, probabilities, weights=sample.weights)


def sample_pairs(
    graph: Graph, rng: np.random.Generator, pairs: int = PAIRS, held_out: HeldOut | None = None
) -> PairSample:
    """All links, and about ``pairs`` other pairs: drawn uniformly, by degrees, and among those with common neighbours.

    A pair is weighted by the inverse of its chance of being drawn (Horvitz and Thompson). With ``held_out``, only
    held-out pairs are in the sample. If there are no more than ``pairs``, or they are listed, all of them are.

    >>> from philia import as_graph
    >>> sample = sample_pairs(as_graph([(0, 1), (2, 3)]), np.random.default_rng(0), pairs=100)
    >>> sample.n_links, sample.weights.tolist()
    (2, [1.0, 1.0, 1.0, 1.0, 1.0, 1.0])
    """
    n = graph.n_nodes
    rows, columns = graph.links
    if held_out is not None:
        if held_out.expected(n) <= pairs:
            return PairSample.every(graph, held_out)
        kept = held_out.contains(rows, columns)
        rows, columns = rows[kept], columns[kept]
        pairs = min(int(pairs / held_out.random_share), max(pairs, _MOST_DRAWN))
    if n * (n - 1) // 2 <= pairs:
        i, j = np.triu_indices(n, k=1)
        free = ~graph.linked(i, j)
        others, weights = (i[free], j[free]), np.ones(np.count_nonzero(free))
    else:
        i, j, chances = near_and_far(graph, seen(graph, held_out), pairs, rng)
        others, weights = (i, j), 1 / chances
    if held_out is not None:
        kept = held_out.contains(*others)
        others, weights = (others[0][kept], others[1][kept]), weights[kept]
    return PairSample.of_links(n, (rows, columns), others, np.concatenate([np.ones(len(rows)), weights]))


def sample_loss(sample: PairSample, recipe: Recipe, F: FloatArray) -> float:
    """The weighted loss of a sample of pairs at F (n × k); minus a log-likelihood where the loss is one.

    >>> from philia import CommunityModel
    >>> recipe = CommunityModel(1, 0, background="none").recipe()
    >>> sample = PairSample(np.array([0]), np.array([1]), np.array([True]), np.array([2.0]), n=2)
    >>> round(sample_loss(sample, recipe, np.zeros((2, 1))), 4)  # twice log 2
    1.3863
    """
    mixing, loss, total = recipe.mixing.astype(F.dtype), recipe.loss, 0.0
    for at in range(0, len(sample.rows), _CHUNK):
        part = slice(at, at + _CHUNK)
        scores = np.einsum("ij,ij->i", F[sample.rows[part]] @ mixing, F[sample.columns[part]]).astype(np.float64)
        linked, without = loss.with_link(scores)[0], loss.without_link(scores)[0]
        total += float(sample.weights[part] @ np.where(sample.linked[part], linked, without))
    return total

"""The likelihood of a graph under a fitted model, over all pairs and without anything of size n × n."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from philia._types import Float64Array, FloatArray
from philia.graphs.graph import Graph
from philia.objective.losses import Loss
from philia.objective.recipe import Recipe
from philia.pairs import PairSample

_ROWS, _COLUMNS = 1024, 4096
"""A block of scores takes 32 MB."""

_CHUNK = 65536
"""Pairs of a sample scored together: two rows of F for each, 50 MB with 100 columns in single precision."""


def mean_log_likelihood(graph: Graph, score_block: Callable[[slice, slice], Float64Array], loss: Loss) -> float:
    """The mean, over all pairs of different nodes, of the log-probability of what is there; 0 is perfect.

    >>> from philia import as_graph
    >>> from philia.objective import CrossEntropy
    >>> even = lambda rows, columns: np.zeros((2, 2))
    >>> round(mean_log_likelihood(as_graph([(0, 1)]), even, CrossEntropy()), 4)  # log ½
    -0.6931
    """
    n, total = graph.n_nodes, 0.0
    for rows, columns in blocks_above(n):
        scores = score_block(rows, columns)
        above = np.arange(*rows.indices(n))[:, None] < np.arange(*columns.indices(n))
        total += float(np.where(above, loss.log_likelihood(scores, False), 0.0).sum())
        links = graph.adjacency[rows, columns].tocoo()
        once = above[links.row, links.col]
        linked = scores[links.row[once], links.col[once]]
        total += float((loss.log_likelihood(linked, True) - loss.log_likelihood(linked, False)).sum())
    return total / max(1, n * (n - 1) // 2)


def sample_loss(sample: PairSample, recipe: Recipe, F: FloatArray) -> float:
    """The weighted loss of a sample of pairs at F (n × k); minus a log-likelihood where the loss is one.

    >>> from philia import CommunityModel
    >>> recipe = CommunityModel(1, 0, background="none")._recipe()
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


def blocks_above(n: int) -> Iterator[tuple[slice, slice]]:
    """Blocks of rows and columns that together hold every pair above the diagonal, each once.

    >>> list(blocks_above(3))
    [(slice(0, 3, None), slice(0, 3, None))]
    """
    for top in range(0, n, _ROWS):
        for first in range(top, n, _COLUMNS):
            yield slice(top, min(top + _ROWS, n)), slice(first, min(first + _COLUMNS, n))

"""The real networks, loaded once each, and the split of their communities into two kinds."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from philia.datasets import Dataset, load
from philia.exceptions import MissingDataError, PhiliaError
from philia.graphs import Graph
from philia.graphs.spectrum import leading_eigenpairs


@lru_cache(maxsize=8)
def dataset(name: str) -> Dataset:
    """A real network; ``MissingDataError`` if its files cannot be had."""
    try:
        return load(name)
    except PhiliaError as error:
        raise MissingDataError(str(error)) from error


def split_by_signs(graph: Graph, k: int) -> tuple[int, int]:
    """How many of k communities attract and how many repel: the signs of the k eigenvalues of largest size.

    A positive eigenvalue is a group that attracts, a negative one a group that repels; at least one of each kind is
    kept, because without a repelling column no probability can fall below one half.

    >>> from philia import as_graph
    >>> split_by_signs(as_graph([(i, 5 + j) for i in range(5) for j in range(5)]), 4)
    (1, 3)
    """
    values, _ = leading_eigenpairs(graph, k, "extreme", np.random.default_rng(0))
    attracting = min(max(int((values > 1e-9).sum()), 1), k - 1)
    return attracting, k - attracting

"""The real networks, each loaded once, and how many of their communities attract."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from philia.datasets import Dataset, load
from philia.exceptions import MissingDataError, PhiliaError
from philia.graphs import Graph
from philia.graphs.spectrum import leading_eigenpairs


@lru_cache(maxsize=8)
def dataset(name: str) -> Dataset:
    """A real network; ``MissingDataError`` if its files are not available."""
    try:
        return load(name)
    except PhiliaError as error:
        raise MissingDataError(str(error)) from error


def split_by_signs(graph: Graph, k: int) -> tuple[int, int]:
    """How many of k communities attract and how many repel, by the signs of the k largest eigenvalues in magnitude.

    A positive eigenvalue stands for an attracting group, a negative one for a repelling group. There is at least one of
    each kind, because without a repelling column no probability can fall below one half.

    >>> from philia import as_graph
    >>> split_by_signs(as_graph([(i, 5 + j) for i in range(5) for j in range(5)]), 4)
    (1, 3)
    """
    values, _ = leading_eigenpairs(graph, k, "extreme", np.random.default_rng(0))
    attracting = min(max(int((values > 1e-9).sum()), 1), k - 1)  # smaller ones are rounding errors
    return attracting, k - attracting

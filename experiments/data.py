"""The real networks, each loaded once, and how many of their communities attract, by two rules."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from philia.datasets import Dataset, load
from philia.exceptions import MissingDataError, PhiliaError
from philia.factors import split, strongest
from philia.graphs import Graph
from philia.graphs.spectrum import leading_eigenpairs
from philia.models import LogisticPCA
from philia.solvers import LBFGSB


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
    return _with_both_kinds(int((values > 1e-9).sum()), k)  # smaller ones are rounding errors


@lru_cache(maxsize=4)
def split_by_norms(graph: Graph, k: int, iterations: int = 200) -> tuple[int, int]:
    """The same by a rule of the authors: the kinds of the k longest columns that Algorithm 1 makes of logistic PCA.

    It is in the source of the paper, commented out. Logistic PCA has k columns and its authors' start. Its fit is the
    longest of all, so the split of a graph is kept for the next experiment.

    >>> from philia.datasets import classic
    >>> sum(split_by_norms(classic("karate"), 4, iterations=20))
    4
    """
    model = LogisticPCA(k, start="unit", solver=LBFGSB(iterations=iterations), random_state=0).fit(graph)
    return _with_both_kinds(strongest(split(model.factors_), k).counts[0], k)


def _with_both_kinds(attracting: int, k: int) -> tuple[int, int]:
    attracting = min(max(attracting, 1), k - 1)
    return attracting, k - attracting

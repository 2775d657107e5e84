"""The paper's start: independent uniform entries."""

from __future__ import annotations

import numpy as np

from philia._types import Float64Array
from philia.graphs.graph import Graph


def uniform(
    graph: Graph,
    n_homophilous: int,
    n_heterophilous: int,
    baseline: float,  # noqa: ARG001  (part of every start's signature)
    rng: np.random.Generator,
) -> tuple[Float64Array, Float64Array]:
    """B from Unif(0, 1/√k_B) and C from Unif(0, 1/√k_C), so that every score starts between -1 and 1."""
    n = graph.n_nodes
    B = rng.uniform(0, 1 / np.sqrt(max(1, n_homophilous)), size=(n, n_homophilous))
    C = rng.uniform(0, 1 / np.sqrt(max(1, n_heterophilous)), size=(n, n_heterophilous))
    return B, C


def background(
    graph: Graph, n_homophilous: int, n_heterophilous: int, baseline: float, rng: np.random.Generator
) -> tuple[Float64Array, Float64Array]:
    """The uniform start with the first column of C raised by √-baseline, so that all nodes repel each other.

    Pairs then start near the graph's density instead of at even odds. If the model has a background, the baseline is 0
    and this is the uniform start.

    >>> from philia import as_graph
    >>> B, C = background(as_graph([(0, 1), (1, 2)]), 1, 2, -4.0, np.random.default_rng(0))
    >>> bool((C[:, 0] >= 2).all()), bool((C[:, 1] < 1).all())
    (True, True)
    """
    B, C = uniform(graph, n_homophilous, n_heterophilous, baseline, rng)
    C[:, :1] += np.sqrt(max(-baseline, 0.0))
    return B, C

"""The paper's start: independent uniform entries."""

from __future__ import annotations

import numpy as np

from philia._types import Float64Array
from philia.graphs.graph import Graph


def uniform(
    graph: Graph,
    n_homophilous: int,
    n_heterophilous: int,
    baseline: float,  # noqa: ARG001  (chance knows nothing of it)
    rng: np.random.Generator,
) -> tuple[Float64Array, Float64Array]:
    """B from Unif(0, 1/√k_B) and C from Unif(0, 1/√k_C), so that every score starts between -1 and 1."""
    n = graph.n_nodes
    B = rng.uniform(0, 1 / np.sqrt(max(1, n_homophilous)), size=(n, n_homophilous))
    C = rng.uniform(0, 1 / np.sqrt(max(1, n_heterophilous)), size=(n, n_heterophilous))
    return B, C

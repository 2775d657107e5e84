"""The random start with the sparsity of the graph in it."""

from __future__ import annotations

import numpy as np

from philia._types import Float64Array
from philia.graphs.graph import Graph
from philia.initialization.uniform import uniform


def background(
    graph: Graph, n_homophilous: int, n_heterophilous: int, baseline: float, rng: np.random.Generator
) -> tuple[Float64Array, Float64Array]:
    """The uniform start with the first column of C raised by √-baseline: everybody repels everybody so much.

    Two nodes then begin at about the graph's density instead of at even odds. Where the model has a background of its
    own the baseline is 0, and this is the uniform start.

    >>> from philia import as_graph
    >>> B, C = background(as_graph([(0, 1), (1, 2)]), 1, 2, -4.0, np.random.default_rng(0))
    >>> bool((C[:, 0] >= 2).all()), bool((C[:, 1] < 1).all())
    (True, True)
    """
    B, C = uniform(graph, n_homophilous, n_heterophilous, baseline, rng)
    C[:, :1] += np.sqrt(max(-baseline, 0.0))
    return B, C

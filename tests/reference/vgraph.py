"""Slow, short and obviously right: the likelihood of vGraph's links, and the bound its authors maximise."""

from __future__ import annotations

import numpy as np

from philia._types import Float64Array
from philia.graphs import Graph


def log_likelihood(graph: Graph, chosen: Float64Array, reached: Float64Array) -> float:
    """The sum of log Σ_z p(z|w) p(c|z) over both directions of every link."""
    total = 0.0
    for w, c in zip(*graph.adjacency.nonzero(), strict=True):
        total += np.log(sum(chosen[w, z] * reached[c, z] for z in range(chosen.shape[1])))
    return float(total)


def lower_bound(graph: Graph, chosen: Float64Array, reached: Float64Array, q: Float64Array) -> float:
    """Σ over links of E_q[log p(c|z)] - KL(q ‖ p(z|w)), with q(z) for each directed link in the order of nonzero."""
    total = 0.0
    for link, (w, c) in enumerate(zip(*graph.adjacency.nonzero(), strict=True)):
        total += float((q[link] * (np.log(reached[c]) - np.log(q[link]) + np.log(chosen[w]))).sum())
    return total

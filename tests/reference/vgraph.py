"""Slow, short and obviously right: the likelihood of vGraph's links, its authors' bound and smoothness."""

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


def best_shared(graph: Graph, chosen: Float64Array, reached: Float64Array) -> Float64Array:
    """The best q for each directed link among those that are the same in both directions."""
    w, c = graph.adjacency.nonzero()
    q = np.sqrt(chosen[w] * reached[c] * chosen[c] * reached[w])
    return np.asarray(q / q.sum(axis=1, keepdims=True))


def roughness(graph: Graph, chosen: Float64Array) -> float:
    """Σ over both directions of every link of Jaccard(neighbours of w, of c) · |p(z|w) - p(z|c)|²."""
    total = 0.0
    for w, c in zip(*graph.adjacency.nonzero(), strict=True):
        of_w, of_c = (set(graph.adjacency[[i]].nonzero()[1].tolist()) for i in (w, c))
        total += len(of_w & of_c) / len(of_w | of_c) * float(((chosen[w] - chosen[c]) ** 2).sum())
    return total

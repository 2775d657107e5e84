"""Models with given factors, for pictures of what no quick fit would find."""

from __future__ import annotations

import numpy as np

from philia.factors import CommunityFactors
from philia.graphs import Graph, Nodes
from philia.models import CommunityModel
from philia.pairs import HeldOut
from philia.solvers import Solution


def of_factors(factors: CommunityFactors, graph: Graph, held_out: HeldOut | None = None) -> CommunityModel:
    """A model as if a fit had ended at these factors."""
    model = CommunityModel(random_state=0)
    model.graph_, model.factors_, model.held_out_ = graph, factors, held_out
    model.solution_ = Solution(np.zeros(1), 1.0, np.array([2.0, 1.0]), 1, 0.0, "interrupted", converged=False)
    return model


def random_graph(n: int, m: int, seed: int = 0, names: Nodes | None = None) -> Graph:
    """About m links between n nodes, all pairs alike."""
    rng = np.random.default_rng(seed)
    return Graph.from_rows(rng.integers(n, size=m), rng.integers(n, size=m), names or Nodes.numbered(n))


def random_model(n: int, m: int, k_B: int, k_C: int, names: Nodes | None = None) -> CommunityModel:
    """A model with so many communities, each of a tenth of the nodes or so."""
    rng = np.random.default_rng(1)
    F = rng.uniform(1.0, 2.0, size=(n, k_B + k_C)) * (rng.random((n, k_B + k_C)) < 0.1)
    scarce = np.log(2 * (m + 1) / n**2) / 2  # so that about as many links are expected as there are
    factors = CommunityFactors(F[:, :k_B], F[:, k_B:], np.full(n, scarce))
    return of_factors(factors, random_graph(n, m, names=names))

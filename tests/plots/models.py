"""Models with given factors, for pictures that no quick fit would give."""

from __future__ import annotations

import numpy as np

from philia.factors import CommunityFactors
from philia.graphs import Graph, Nodes
from philia.models import CommunityModel
from philia.pairs import HeldOut
from philia.solvers import Solution


def of_factors(factors: CommunityFactors, graph: Graph, held_out: HeldOut | None = None) -> CommunityModel:
    """A fitted model with these factors."""
    model = CommunityModel(random_state=0)
    model.graph_, model.factors_, model.held_out_ = graph, factors, held_out
    model.solution_ = Solution(np.zeros(1), 1.0, np.array([2.0, 1.0]), 1, 0.0, "interrupted", converged=False)
    return model


def random_graph(n: int, m: int, seed: int = 0, names: Nodes | None = None) -> Graph:
    """About m random links between n nodes."""
    rng = np.random.default_rng(seed)
    return Graph.from_rows(rng.integers(n, size=m), rng.integers(n, size=m), names or Nodes.numbered(n))


def random_model(n: int, m: int, k_B: int, k_C: int, names: Nodes | None = None) -> CommunityModel:
    """A model with this many communities, each of about a tenth of the nodes."""
    rng = np.random.default_rng(1)
    F = rng.uniform(1.0, 2.0, size=(n, k_B + k_C)) * (rng.random((n, k_B + k_C)) < 0.1)
    scarce = np.log(2 * (m + 1) / n**2) / 2  # the expected number of links is about m
    factors = CommunityFactors(F[:, :k_B], F[:, k_B:], np.full(n, scarce))
    return of_factors(factors, random_graph(n, m, names=names))

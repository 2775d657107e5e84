"""Graphs drawn from the community model itself, so that what is to be found is known."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit

from philia._types import Float64Array, Node
from philia.datasets.sampling import sample_graph
from philia.exceptions import InvalidParameterError
from philia.graphs import Graph, Nodes


@dataclass(frozen=True, eq=False)
class Planted:
    """A graph and what it was drawn from: the probability of a link is sigmoid(B Bᵀ - C Cᵀ + a_i + a_j).

    >>> found = planted(60, 3, 2, random_state=0)
    >>> len(found.homophilous), len(found.heterophilous), found.B.shape
    (3, 2, (60, 3))
    """

    graph: Graph
    B: Float64Array
    C: Float64Array
    background: Float64Array

    @property
    def homophilous(self) -> list[set[Node]]:
        """The members of each community that attracts."""
        return self._sets(self.B)

    @property
    def heterophilous(self) -> list[set[Node]]:
        """The members of each community that repels."""
        return self._sets(self.C)

    def logits(self, rows: slice = slice(None), columns: slice = slice(None)) -> Float64Array:
        """The true log-odds of a link for all pairs of some rows and some columns."""
        a = self.background
        return np.asarray(
            self.B[rows] @ self.B[columns].T - self.C[rows] @ self.C[columns].T + a[rows][:, None] + a[columns]
        )

    def _sets(self, columns: Float64Array) -> list[set[Node]]:
        return [set(self.graph.nodes.pick(np.flatnonzero(column))) for column in columns.T]


def planted(
    n: int = 1000,
    n_homophilous: int = 10,
    n_heterophilous: int = 2,
    *,
    degree: float = 20.0,
    attraction: float = 4.0,
    repulsion: float = 3.0,
    overlap: float = 0.2,
    popularity: float = 0.0,
    random_state: Any = None,
) -> Planted:
    """A graph with planted communities of both kinds, some overlap, and popular and unpopular nodes.

    Every node is in one random community that attracts and in one that repels. A share ``overlap`` of the nodes is in
    a second one that attracts. Sharing an attracting community adds ``attraction`` to the log-odds of a link, sharing
    a repelling one takes ``repulsion`` away. ``popularity`` is the spread of the log-odds that belong to a node alone:
    they are exponential, so degrees follow a power law; 0 makes all nodes alike. The rest is set so that a node
    has ``degree`` links on average.

    >>> graph = planted(400, 4, 2, degree=15, random_state=0).graph
    >>> graph.n_nodes, bool(abs(graph.degrees.mean() - 15) < 2)
    (400, True)
    """
    if not 0 < degree < n - 1:
        raise InvalidParameterError(f"a mean degree of {degree:g} on {n:,} nodes is asked for; use 0 < degree < n - 1")
    rng = np.random.default_rng(random_state)
    B = np.sqrt(attraction) * _memberships(n, n_homophilous, overlap, rng)
    C = np.sqrt(repulsion) * _memberships(n, n_heterophilous, 0.0, rng)
    spread = np.minimum(popularity * rng.exponential(size=n), 6 * popularity)
    level = _level(B, C, spread, degree / (n - 1), rng)
    nobody = np.empty(0, np.int64)
    drawn = Planted(Graph.from_rows(nobody, nobody, Nodes.numbered(n)), B, C, spread + level / 2)
    graph = sample_graph(lambda r, c: expit(drawn.logits(r, c)), Nodes.numbered(n), rng)
    return replace(drawn, graph=graph)


def _level(B: Float64Array, C: Float64Array, a: Float64Array, density: float, rng: np.random.Generator) -> float:
    """What to add to all log-odds to reach the density, from a sample of pairs."""
    i, j = rng.integers(len(a), size=(2, 200_000))
    i, j = i[i != j], j[i != j]
    scores = (B[i] * B[j]).sum(axis=1) - (C[i] * C[j]).sum(axis=1) + a[i] + a[j]
    return float(brentq(lambda shift: expit(scores + shift).mean() - density, -60, 60))


def _memberships(n: int, k: int, overlap: float, rng: np.random.Generator) -> Float64Array:
    """One community a node, and a second one for a share of the nodes."""
    V = np.zeros((n, k))
    if k:
        V[np.arange(n), rng.integers(k, size=n)] = 1
        also = np.flatnonzero(rng.random(n) < overlap)
        V[also, rng.integers(k, size=len(also))] = 1
    return V

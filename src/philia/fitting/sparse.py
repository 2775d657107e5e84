"""The columns of a model with many communities: what is read off the graph, and six numbers that are fitted."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from scipy import sparse

from philia._types import Float64Array, Int64Array
from philia.factors import SparseFactors
from philia.graphs import Graph
from philia.reading import Level
from philia.reading.hierarchy import scaled_columns


@dataclass(frozen=True)
class SparseColumns:
    """How communities, common neighbours and degrees make the rate at which two nodes meet (``SparseFactors``).

    log rate_ij = log(1 + Σ_c (exp(membership + strength · w_c) - 1)) + neighbours · log(1 + Σ_z 1 / (scale · degree_z))
                  + popularity · (log(degree_i + ½) + log(degree_j + ½)) + level

    c runs over the communities that i and j share, w_c is the strength of each in the description, and z runs over
    their common neighbours. Each sum is a product of a row of i and a row of j, with a column for each c and each z. If
    common neighbours ``add`` to what communities do, the factors of both are added up, less 1.

    >>> from philia.datasets import classic
    >>> from philia.reading import read_levels
    >>> graph = classic("karate")
    >>> factors = SparseColumns(1.0, 0.5, 2.0, 0.1, 0.5, -3.0).factors(graph, read_levels(graph).default)
    >>> factors.homophilous.shape, factors.neighbourhoods.shape
    ((34, 2), (34, 34))
    """

    membership: float
    strength: float
    neighbours: float
    scale: float
    popularity: float
    level: float
    adds: bool = False

    def factors(self, graph: Graph, level: Level) -> SparseFactors:
        """The factors of a graph with these communities."""
        return SparseFactors(
            self.affinities(level, level.memberships),
            self.neighbourhoods(resources(graph)),
            self.background(graph.degrees),
            self.neighbours,
            self.adds,
        )

    def affinities(self, level: Level, memberships: sparse.csr_array) -> sparse.csr_array:
        """The affinity of each member, which is the same for all members of a community."""
        ones = sparse.csr_array((np.ones(memberships.nnz), memberships.indices, memberships.indptr), memberships.shape)
        return scaled_columns(ones, np.sqrt(self.membership + self.strength * level.strengths))

    def neighbourhoods(self, resources: sparse.csr_array) -> sparse.csr_array:
        """The columns of common neighbours."""
        return sparse.csr_array(resources * (1 / np.sqrt(self.scale)))

    def background(self, degrees: Int64Array) -> Float64Array:
        """The log-odds that each node brings to a pair before anything is shared."""
        return np.asarray(self.popularity * np.log(degrees + 0.5) + self.level / 2)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for files."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> SparseColumns:
        """The inverse of ``to_dict``; raises ``ValueError`` for anything else."""
        found = cls(**values)
        numbers = asdict(found)
        if type(numbers.pop("adds")) is not bool:
            raise ValueError(f"adds of the sparse columns is {str(found.adds)[:40]!r}, neither true nor false")
        for name, value in numbers.items():
            least = 0.0 if name in ("membership", "strength", "neighbours", "scale") else -np.inf
            wrong = type(value) not in (int, float) or not (np.isfinite(value) and value >= least)
            if wrong or (name == "scale" and value == 0):
                raise ValueError(f"{name} of the sparse columns is {str(value)[:40]!r}")
        return found


def resources(graph: Graph) -> sparse.csr_array:
    """A column per node z: 1 / √degree_z for its neighbours (n × n, sparse).

    The product of two rows is Σ_z 1 / degree_z over common neighbours, which is called resource allocation (Zhou, Lü
    and Zhang, 2009). The column of a node with one neighbour is left out, since nobody shares it.

    >>> from philia import as_graph
    >>> resources(as_graph([("ann", "bob"), ("bob", "cat")])).toarray().round(2).tolist()
    [[0.0, 0.71, 0.0], [0.0, 0.0, 0.0], [0.0, 0.71, 0.0]]
    """
    weights = np.where(graph.degrees > 1, 1 / np.sqrt(np.maximum(1, graph.degrees)), 0.0)
    found = scaled_columns(sparse.csr_array(graph.adjacency, dtype=np.float64, copy=True), weights)
    found.eliminate_zeros()
    return found

"""The columns of a model with many communities: what is read off the graph, and four numbers that are fitted."""

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
    """How communities, common neighbours and degrees make the log-odds of a link.

    score_ij = communities · Σ_c w_c share_ic share_jc  +  neighbours · Σ_z 1 / degree_z
               + popularity · (log(degree_i + ½) + log(degree_j + ½)) + level

    c runs over the communities, w_c is the strength of each, and z runs over the common neighbours of i and j. Each
    term is a product of a number of i and a number of j, so this is the community model: a column of B for each c and
    for each z, and a background. With fixed shares it is a logistic regression on four numbers.

    >>> from philia.datasets import classic
    >>> from philia.reading import read_levels
    >>> graph = classic("karate")
    >>> factors = SparseColumns(1.0, 2.0, 0.5, -3.0).factors(graph, read_levels(graph).default)
    >>> factors.homophilous.shape, factors.neighbourhoods.shape
    ((34, 2), (34, 34))
    """

    communities: float
    neighbours: float
    popularity: float
    level: float

    def factors(self, graph: Graph, level: Level) -> SparseFactors:
        """The factors of a graph with these communities."""
        return SparseFactors(
            scaled_columns(level.affinities, np.full(len(level), np.sqrt(self.communities))),
            scaled_columns(resources(graph), np.full(graph.n_nodes, np.sqrt(self.neighbours))),
            self.background(graph.degrees),
        )

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
        for name, value in asdict(found).items():
            least = 0.0 if name in ("communities", "neighbours") else -np.inf
            if type(value) not in (int, float) or not (np.isfinite(value) and value >= least):
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

"""Starts that know the background as well as B and C."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Self

import numpy as np

from philia._types import Float64Array
from philia.exceptions import InvalidParameterError
from philia.factors import CommunityFactors, LogisticFactors, SignedFactors
from philia.factors.conversion import split, strongest
from philia.graphs import Graph


class WholeStart(ABC):
    """A start that knows more than B and C: the background as well."""

    @abstractmethod
    def factors(
        self, graph: Graph, n_homophilous: int, n_heterophilous: int, rng: np.random.Generator
    ) -> CommunityFactors:
        """B, C and the background for the nodes of a graph."""

    def __call__(
        self, graph: Graph, n_homophilous: int, n_heterophilous: int, baseline: float, rng: np.random.Generator
    ) -> tuple[Float64Array, Float64Array]:
        """B and C, as any start gives them."""
        found = self.factors(graph, n_homophilous, n_heterophilous, rng)
        return found.homophilous, found.heterophilous

    def __deepcopy__(self, memo: Any) -> Self:
        return self  # it is never changed, so copies of a model's settings may share it


class FromFactors(WholeStart):
    """A start at given factors of the same nodes.

    >>> start = FromFactors(CommunityFactors.attracting(np.ones((3, 2))))
    >>> start.given.homophilous.shape, start.counts
    ((3, 2), (2, 0))
    """

    def __init__(self, given: CommunityFactors) -> None:
        self.given = given

    @classmethod
    def converted(cls, factors: LogisticFactors | SignedFactors, k: int) -> FromFactors:
        """A start from factors of any sign: converted by the paper's Algorithm 1, the k columns that matter most kept.

        How many of them attract and how many repel follows from the factors, and ``counts`` tells.

        >>> from philia import CommunityModel, LogisticPCA
        >>> from philia.datasets import dating_app
        >>> graph = dating_app(n=120, cities=3, random_state=0).graph
        >>> start = FromFactors.converted(LogisticPCA(3, penalty=1, random_state=0).fit(graph).factors_, 6)
        >>> model = CommunityModel(*start.counts, penalty=1, background="none", start=start).fit(graph)
        >>> start.counts, model.factors_.counts
        ((3, 3), (3, 3))
        """
        return cls(strongest(split(factors), k))

    @property
    def counts(self) -> tuple[int, int]:
        """How many columns attract and how many repel: what the model has to be asked for."""
        return self.given.counts

    def factors(
        self, graph: Graph, n_homophilous: int, n_heterophilous: int, rng: np.random.Generator
    ) -> CommunityFactors:
        """The factors as they were given."""
        asked, found = (n_homophilous, n_heterophilous), self.counts
        if self.given.n_nodes != graph.n_nodes:
            raise InvalidParameterError(
                f"the start has {self.given.n_nodes:,} nodes and the graph has {graph.n_nodes:,}; give factors of the "
                "same graph"
            )
        if asked != found:
            raise InvalidParameterError(
                f"the start has {found[0]} + {found[1]} columns and the model asks for {asked[0]} + {asked[1]}; use "
                "CommunityModel(*start.counts, start=start)"
            )
        return self.given

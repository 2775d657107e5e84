"""Starts that know the background as well as B and C."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Self

import numpy as np

from philia._types import Float64Array
from philia.factors import CommunityFactors
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
    >>> start.given.homophilous.shape
    (3, 2)
    """

    def __init__(self, given: CommunityFactors) -> None:
        self.given = given

    def factors(
        self, graph: Graph, n_homophilous: int, n_heterophilous: int, rng: np.random.Generator
    ) -> CommunityFactors:
        """The factors as they were given."""
        return self.given

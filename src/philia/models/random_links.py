"""A baseline that learns nothing."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from philia.factors import CoinFactors, Factors
from philia.fitting.estimator import check_counts
from philia.fitting.journal import Journal
from philia.graphs import Graph
from philia.models.files import KeptModel
from philia.models.link_model import LinkModel
from philia.objective import SquaredError
from philia.solvers import OnIteration, Solution


class RandomLinks(LinkModel):
    """A coin flip per pair: a uniform random score between 0 and 1 that ignores the graph.

    The baseline that every model must beat. Its communities are a random partition.

    >>> from philia import RandomLinks
    >>> model = RandomLinks(2, random_state=0).fit([("ann", "bob"), ("bob", "cat")])
    >>> bool(0 < model.predict_proba([("ann", "cat")])[0] < 1)
    True
    """

    loss = SquaredError()
    factors_: CoinFactors

    def __init__(self, n_communities: int = 8, *, random_state: Any = None) -> None:
        self.n_communities = n_communities
        self.random_state = random_state

    def _learn(
        self, graph: Graph, rng: np.random.Generator, journal: Journal, on_iteration: OnIteration | None
    ) -> tuple[Factors, Solution]:
        seed = rng.integers(2**62, size=1)
        groups = rng.integers(self.n_communities, size=graph.n_nodes)
        solution = Solution(np.empty(0), np.nan, np.empty(0), 0, 0.0, "nothing to learn", True)
        return CoinFactors(seed, groups), solution

    @classmethod
    def _restored(cls, kept: KeptModel) -> Self:
        model = super()._restored(kept)
        if model.factors_.groups.max(initial=0) >= model.n_communities:
            raise ValueError(f"some nodes are in groups beyond the {model.n_communities} that the model has")
        return model

    def _effect(self, strength: float) -> str:
        return "by chance"

    def _check_parameters(self) -> None:
        check_counts(self, "n_communities", least=1)

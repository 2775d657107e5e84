"""The columns of the community model: attracting and repelling communities, and a background."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final, Literal

import numpy as np

from philia._types import Float64Array
from philia.factors import CommunityFactors
from philia.fitting.problem import Parametrization
from philia.graphs import Graph
from philia.initialization import Start, WholeStart, choose_start
from philia.objective import CrossEntropy, Freedom, Group, Loss, Recipe
from philia.objective.recipe import attracting, blocks, meeting_ones, repelling
from philia.reading import Level

Background = Literal["none", "constant", "popularity"]
BACKGROUNDS: Final = ("none", "constant", "popularity")

_SPREAD: Final = 1.0
"""The penalty on the square of a node's own popularity: a prior under which log-odds have a standard deviation near
one around their mean."""


_CROSS_ENTROPY: Final = CrossEntropy()


@dataclass(frozen=True)
class CommunityParametrization(Parametrization):
    """F = [B C], with a column of ones, a level and a popularity per node where the background has them.

    ``given`` is a level of communities that were read off the graph. Its columns come before those of B, are not
    searched for, and are no part of the factors that this object takes and returns; ``whole`` reads them too.

    >>> CommunityParametrization(2, 1, "constant").recipe.mixing.shape
    (5, 5)
    """

    n_homophilous: int
    n_heterophilous: int
    background: Background = "popularity"
    begin: str | Start = "spectral"
    loss: Loss = _CROSS_ENTROPY
    given: Level | None = None

    @property
    def whole(self) -> CommunityParametrization:
        """The same columns with nothing given."""
        if self.given is None:
            return self
        return replace(self, n_homophilous=len(self.given) + self.n_homophilous, given=None)

    def weighed(self, factor: float) -> CommunityParametrization:
        """The same with given communities that are this many times as strong."""
        if self.given is None:
            return self
        return replace(self, given=replace(self.given, strengths=factor * self.given.strengths))

    @property
    def counts(self) -> tuple[int, int]:
        """The numbers of communities of both kinds."""
        return self.n_homophilous, self.n_heterophilous

    def resized(self, n_homophilous: int, n_heterophilous: int) -> CommunityParametrization:
        """The same with other numbers of communities."""
        if (n_homophilous, n_heterophilous) == self.counts:
            return self
        return replace(self, n_homophilous=n_homophilous, n_heterophilous=n_heterophilous)

    @cached_property
    def recipe(self) -> Recipe:
        """The groups of columns with their mixing matrix and loss."""
        k_B, k_C = self.counts
        groups = [Group("homophilous", k_B, lower_bound=0.0), Group("heterophilous", k_C, lower_bound=0.0)]
        mixing = [attracting(k_B), repelling(k_C)]
        if self.given is not None:
            read = self.given.columns_of_B
            groups.insert(0, Group("read", read.shape[1], freedom=Freedom.FIXED, penalized=False, given=read))
            mixing.insert(0, attracting(read.shape[1]))
        own = []
        if self.background != "none":
            own.append(Group("level", 1, freedom=Freedom.SHARED, penalized=False))
        if self.background == "popularity":
            own.append(Group("popularity", 1, penalized=False, own_penalty=_SPREAD))
        if own:
            groups += [Group("ones", 1, freedom=Freedom.FIXED, penalized=False), *own]
            mixing.append(meeting_ones(len(own)))
        return Recipe(tuple(groups), blocks(*mixing), self.loss)

    def start(self, graph: Graph, rng: np.random.Generator) -> Float64Array:
        """F before the first step."""
        if isinstance(self.begin, WholeStart):
            return self.columns(self.begin.factors(graph, *self.counts, rng))
        density = np.clip(graph.density, 1e-12, 1 - 1e-12)
        logit = float(np.log(density / (1 - density)))
        B, C = choose_start(self.begin)(graph, *self.counts, logit if self.background == "none" else 0.0, rng)
        background = np.full(graph.n_nodes, logit / 2)
        if self.background == "popularity":  # as if a link were as likely as the product of the two degrees
            shares = graph.degrees + 1.0
            background = np.log(shares / np.sqrt(shares.sum()))
            background -= ((B.mean(axis=0) ** 2).sum() - (C.mean(axis=0) ** 2).sum()) / 2
        return self.columns(CommunityFactors(B, C, background))

    def columns(self, factors: CommunityFactors) -> Float64Array:
        """F from the factors; the mean of the background is the level."""
        own, level = factors.background[:, None], factors.background.mean()
        parts = [factors.homophilous, factors.heterophilous]
        if self.given is not None:
            parts.insert(0, self.given.columns_of_B)
        if self.background != "none":
            parts += [np.ones_like(own), np.full_like(own, level)]
        if self.background == "popularity":
            parts.append(own - level)
        return np.hstack(parts)

    def factors(self, F: Float64Array) -> CommunityFactors:
        """B, C and the background in F."""
        recipe = self.recipe
        background = np.hstack([recipe.columns_of("level", F), recipe.columns_of("popularity", F)])
        return CommunityFactors(
            recipe.columns_of("homophilous", F), recipe.columns_of("heterophilous", F), background.sum(axis=1)
        )

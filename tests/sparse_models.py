"""Fitted models with many small communities, each made once."""

from __future__ import annotations

from functools import cache

from philia import CommunityModel
from philia.datasets import overlapping_cliques


@cache
def cliques() -> CommunityModel:
    """2,000 nodes in some 80 communities that overlap, which is more than a dense model can have."""
    model = CommunityModel(random_state=0).fit(overlapping_cliques(2000, 80, random_state=0).graph)
    assert model.sparse_ is not None
    return model


@cache
def hidden() -> CommunityModel:
    """A smaller one from whose fit a tenth of all pairs was held out."""
    graph = overlapping_cliques(600, 24, random_state=0).graph
    return CommunityModel(storage="sparse", random_state=0).fit(graph, held_out=0.1)

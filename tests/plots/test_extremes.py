"""Degenerate networks, many communities, and hostile names."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from typing import Any

import pytest
from matplotlib.axes import Axes

from philia import plots
from philia.graphs import Nodes
from philia.models import CommunityModel
from tests.plots.models import random_model
from tests.plots.rendering import room_left

OF_A_MODEL: dict[str, Callable[..., Axes]] = {
    "adjacency": lambda model: plots.adjacency(model.graph_),
    "probabilities": plots.probabilities,
    "reconstruction": lambda model: plots.reconstruction(model)[0],
    "memberships": plots.memberships,
    "communities": plots.communities,
    "overlap": plots.overlap,
    "reliability": plots.reliability,
    "loss_curve": plots.loss_curve,
}
HOSTILE = Nodes([f"{row} $x_{{{row}}}$ \\frac <script>'\"\u202e\n" + "n" * 10_000 for row in range(12)])
MODELS: dict[str, Callable[[], CommunityModel]] = {
    "one node": lambda: random_model(1, 0, 1, 1),
    "one node and no community": lambda: random_model(1, 0, 0, 0),
    "two nodes": lambda: random_model(2, 1, 1, 0),
    "no links": lambda: random_model(30, 0, 3, 1),
    "no communities": lambda: random_model(30, 60, 0, 0),
    "one community that repels": lambda: random_model(30, 60, 0, 1),
    "sixty communities": lambda: random_model(300, 2000, 45, 15),
    "hostile names": lambda: random_model(12, 30, 2, 1, names=HOSTILE),
}


@pytest.fixture(params=OF_A_MODEL)
def plot(request: pytest.FixtureRequest) -> Callable[..., Axes]:
    return OF_A_MODEL[request.param]


@pytest.mark.parametrize("extreme", MODELS)
def test_extremes_are_drawn_and_nothing_is_cut_off(plot: Any, extreme: str) -> None:
    assert room_left(plot(MODELS[extreme]())) >= 0


def test_pictures_of_many_nodes_need_little_memory() -> None:
    model = random_model(20_000, 80_000, 10, 2)
    for name, draw in OF_A_MODEL.items():
        tracemalloc.start()
        draw(model)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 200e6, name

"""Contracts of every plot: where it draws, what it must not change, and that nothing is cut off."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import matplotlib
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from philia import plots
from philia.explain import measure_stability
from philia.models import CommunityModel
from philia.selection import Selection, Step
from tests.plots.rendering import render, room_left

SELECTION = Selection(
    (Step(2.0, 6, 2, -0.05, 0.001), Step(1.0, 6, 2, -0.048), Step(1.0, 4, 1, -0.049, 0.002), Step(1.0, 2, 1, -0.06)),
    chosen=2, folds=1, share=0.1, links=100, density=-0.08, seconds=1.0,
)  # fmt: skip
PLOTS: dict[str, Callable[..., Axes]] = {
    "network": plots.network,
    "adjacency": lambda model, ax=None: plots.adjacency(model.graph_, ax),
    "probabilities": plots.probabilities,
    "memberships": plots.memberships,
    "communities": plots.communities,
    "overlap": plots.overlap,
    "hierarchy": lambda model, ax=None: plots.hierarchy(model.hierarchy(), ax),
    "reliability": plots.reliability,
    "error_by_dimension": lambda model, ax=None: plots.error_by_dimension(
        {"ours": {2: 0.8, 9: [0.4, 0.5]}}, ax, floor=0.1
    ),
    "loss_curve": plots.loss_curve,
    "selection": lambda model, ax=None: plots.selection(SELECTION, ax),
    "stability": lambda model, ax=None: plots.stability(measure_stability(model.factors_, [model.factors_] * 3), ax),
    "waterfall": lambda model, ax=None: plots.waterfall(model.explain(0, 1), ax),
    "bars": lambda model, ax=None: plots.bars({"blog": {"SVD": [0.8], "ours": [model.score() + 1, 0.7]}}, ax),
    "curves": lambda model, ax=None: plots.curves({"ours": {2: [0.8], 4: [model.score() + 1, 0.7]}}, ax, x="columns"),
}


@pytest.fixture(params=PLOTS)
def plot(request: pytest.FixtureRequest) -> Callable[..., Axes]:
    return PLOTS[request.param]


def test_every_plot_draws_into_the_given_axes(plot: Any, model: CommunityModel) -> None:
    ax = Figure().add_subplot()
    assert plot(model, ax) is ax
    assert ax.has_data()


def test_without_axes_every_plot_makes_a_figure_that_can_be_saved(plot: Any, model: CommunityModel) -> None:
    assert render(plot(model)).startswith(b"\x89PNG")


def test_no_plot_changes_global_settings(plot: Any, model: CommunityModel) -> None:
    before = dict(matplotlib.rcParams)
    plot(model)
    assert dict(matplotlib.rcParams) == before


def test_nothing_is_cut_off(plot: Any, model: CommunityModel) -> None:
    assert room_left(plot(model)) >= 0


def test_pyplot_is_not_imported() -> None:
    script = "import sys, philia.plots; print('matplotlib.pyplot' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"

"""The figures that the demo leaves behind."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy.special import expit

from philia import plots
from philia._types import Float64Array, Int64Array
from philia.datasets import DatingApp
from philia.models import CommunityModel
from philia.plots.matrices import binned_links
from philia.plots.style import label

SHOWN = {
    "network.png": "the probabilities of matches, and the matches drawn from them",
    "reconstruction.png": "the matches beside what the model makes of them",
    "factors.png": "who belongs to which community: cities attract, genders repel",
    "loss.png": "how the loss fell",
    "explanation.png": "one match, explained",
}
"""What each figure shows."""


def draw_figures(app: DatingApp, model: CommunityModel, pair: tuple[int, int]) -> dict[str, Axes]:
    """All figures, each by its name and one of its axes.

    >>> from philia.datasets import dating_app
    >>> app = dating_app(60, cities=3, random_state=0)
    >>> drawn = draw_figures(app, CommunityModel(3, 2, penalty=1, random_state=0).fit(app.graph), (0, 1))
    >>> list(drawn) == list(SHOWN)
    True
    """
    order = np.lexsort((app.gender, app.city))
    return {
        "network.png": _network(app, order),
        "reconstruction.png": _reconstruction(app, model, order),
        "factors.png": _factors(app, model, order),
        "loss.png": plots.loss_curve(model),
        "explanation.png": plots.waterfall(model.explain(*pair)),
    }


def _network(app: DatingApp, order: Int64Array) -> Axes:
    true, drawn = _panels(2)
    _matrix(true, app.probabilities()[np.ix_(order, order)], app, "True probability of a match")
    _matrix(drawn, binned_links(app.graph, order), app, "Matches drawn from it (share of pairs)", bar=True)
    return true


def _reconstruction(app: DatingApp, model: CommunityModel, order: Int64Array) -> Axes:
    drawn, fitted, true = _panels(3)
    _matrix(drawn, binned_links(app.graph, order), app, "Matches: all that the model sees")
    _matrix(
        fitted,
        expit(model.factors_.score_block(order, order)),
        app,
        "Fitted probabilities (the penalty evens them out)",
    )
    _matrix(true, app.probabilities()[np.ix_(order, order)], app, "True probabilities", bar=True)
    return drawn


def _factors(app: DatingApp, model: CommunityModel, order: Int64Array) -> Axes:
    k_B, k_C = model.factors_.homophilous.shape[1], model.factors_.heterophilous.shape[1]
    figure = Figure(figsize=(10.5, 6.5), layout="constrained", dpi=150)
    grid = figure.add_gridspec(1, 2, width_ratios=[k_B, k_C + 1.5])
    left, right = figure.add_subplot(grid[0]), figure.add_subplot(grid[1])
    plots.memberships(model, left, order, kinds=["homophilous"])
    plots.memberships(model, right, order, kinds=["heterophilous"])
    label(left, title=f"B: {k_B} communities attract, and are the cities", x="community", y=_ROWS)
    label(right, title=f"C: {k_C} repel: the genders", x="community")
    _mark_cities(left, app, "y")
    _mark_cities(right, app, "y", named=False)
    return left


_ROWS = "users, by city and within it by gender"


def _panels(count: int) -> list[Axes]:
    figure = Figure(figsize=(5.0 * count + 1.5, 5.8), layout="compressed", dpi=150)
    return [figure.add_subplot(1, count, place + 1) for place in range(count)]


def _matrix(ax: Axes, cells: Float64Array, app: DatingApp, title: str, *, bar: bool = False) -> None:
    first = ax is ax.figure.axes[0]
    plots.heat_map(cells, ax, extent=app.graph.n_nodes, largest=0.5, bar="probability" if bar else None)
    label(ax, title=title, x=_ROWS, y=_ROWS if first else "")
    _mark_cities(ax, app, "x")
    _mark_cities(ax, app, "y", named=first)


def _mark_cities(ax: Axes, app: DatingApp, side: str, *, named: bool = True) -> None:
    """Lines between cities and a number in the middle of each, in the place of node numbers."""
    sizes = np.bincount(app.city)
    ends = np.cumsum(sizes) - 0.5
    middles = [float(middle) for middle in ends - sizes / 2]
    names = [f"city {city}" if side == "y" else str(city) for city in range(len(sizes))]
    axis = ax.xaxis if side == "x" else ax.yaxis
    axis.set_ticks(middles, names if named else [""] * len(names))
    ax.tick_params(axis="x" if side == "x" else "y", length=0)
    for end in ends[:-1]:
        draw = ax.axvline if side == "x" else ax.axhline
        draw(float(end), color="#808080", linewidth=0.4)

"""The pictures of the introduction, drawn from kept results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from philia.experiments.task import Result
from philia.plots import curves, heat_map
from philia.plots.style import NEUTRAL, TICK

_SHOWN = ("SVD", "BigClam", "CommunityModel")


def draw_network(truth: Result) -> Figure:
    """The expected and the sampled matrix, nodes sorted by city and gender."""
    figure = Figure(figsize=(9, 4.4), layout="constrained", dpi=130)
    left, right = figure.subplots(1, 2)
    heat_map(truth.values["matrix"], left, extent=truth.settings["nodes"], largest=0.5)
    left.set_title("Probability of a match", loc="left")
    heat_map(truth.values["sampled"], right, extent=truth.settings["nodes"], largest=0.6, bar="share of pairs")
    right.set_title("Matches drawn from it", loc="left")
    return figure


def draw_reconstructions(fits: Mapping[str, Result]) -> Figure:
    """What each method makes of the network with twelve columns."""
    shown = [method for method in (*_SHOWN, "CommunityModel, no penalty") if method in fits]
    figure = Figure(figsize=(3.6 * len(shown), 3.9), layout="constrained", dpi=130)
    for ax, method in zip(_row(figure, len(shown)), shown, strict=True):
        bar = "expected entry" if method == shown[-1] else None
        heat_map(
            np.clip(fits[method].values["matrix"], 0, None),
            ax,
            extent=fits[method].settings["nodes"],
            largest=0.5,
            bar=bar,
        )
        ax.set_title(f"{method}\nerror {fits[method].values['normalized']:.3f}", loc="left", fontsize=10)
    return figure


def draw_curves(found: Mapping[str, Mapping[float, Sequence[float]]], floor: float | None) -> Figure:
    """The error by the number of columns, with that of the true probabilities."""
    figure = Figure(figsize=(7.5, 4.6), layout="constrained", dpi=130)
    ax = figure.subplots()
    # With one column our model has nothing that repels, no probability below one half, and an error off the scale.
    shown = {method: {k: v for k, v in points.items() if k > 1} for method, points in found.items()}
    curves(shown, ax, x="columns", y="squared error / sum of the matrix")
    if floor is not None:
        ax.axhline(floor, color=NEUTRAL, linewidth=0.9, linestyle="--")
        ax.annotate("the true probabilities", (ax.get_xlim()[0], floor), ha="left", va="bottom", fontsize=9)
    return figure


def draw_factors(fits: Mapping[str, Result]) -> Figure:
    """The columns of each method: those that attract above, those that repel below."""
    shown = [method for method in _SHOWN if method in fits]
    figure = Figure(figsize=(4.2 * len(shown), 5.6), layout="constrained", dpi=130)
    above, below = figure.subplots(2, len(shown), height_ratios=[2.2, 1], squeeze=False)
    for place, method in enumerate(shown):
        columns = fits[method].values["columns"]
        _strip(above[place], columns["attracting"], "Blues")
        above[place].set_title(method, loc="left")
        if columns["repelling"]:
            _strip(below[place], columns["repelling"], "Oranges")
        else:
            below[place].set_axis_off()
            below[place].text(0.5, 0.5, "no repelling columns", ha="center", va="center", fontsize=9)
    above[0].set_ylabel("attracting columns", fontsize=10)
    below[0].set_ylabel("repelling columns", fontsize=10)
    return figure


def _strip(ax: Axes, columns: Sequence[Sequence[float]], colours: str) -> None:
    """Rows of a picture, one a column of the factors; columns with both signs get a map that shows them."""
    values = np.array(columns)
    order = np.argsort([np.average(np.arange(values.shape[1]), weights=np.abs(row) ** 4 + 1e-12) for row in values])
    values = values[order] / np.maximum(np.abs(values[order]).max(axis=1, keepdims=True), 1e-12)
    signed = bool((values < -0.05).any())
    ax.imshow(
        values,
        aspect="auto",
        cmap="RdBu" if signed else colours,
        vmin=-1 if signed else 0,
        vmax=1,
        interpolation="none",
    )
    ax.set_xticks([])
    ax.set_yticks(range(len(values)), [str(column + 1) for column in range(len(values))])
    ax.tick_params(labelsize=TICK - 1)
    ax.set_xlabel("nodes, by city and gender", fontsize=9)


def _row(figure: Figure, count: int) -> list[Axes]:
    return list(figure.subplots(1, count, squeeze=False)[0])

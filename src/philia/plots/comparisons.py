"""Methods compared: bars with their range over seeds, and curves."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import cycle
from typing import Protocol

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from philia.plots.style import (
    GRAYS,
    HATCHES,
    MARKERS,
    NEUTRAL,
    SERIES,
    TICK,
    axes_or_new,
    label,
    literal,
    open_frame,
)

_TICKS = 12
"""Up to this many numbers of columns, each has a tick on the axis without crowding it."""

_LONGEST_NAME = 60
"""Characters of a method's name in the legend, which has room at the right."""

_GROUP = 0.84
"""The share of the axis that the bars of a group take; the rest separates the groups."""


def bars(
    values: Mapping[str, Mapping[str, Sequence[float]]], ax: Axes | None = None, *, faint: Collection[str] = ()
) -> Axes:
    """A group of bars for each key, one bar per method: the mean over seeds, with a line from minimum to maximum.

    ``faint`` methods, such as baselines, are drawn in gray.

    >>> ax = bars({"blog": {"SVD": [0.8], "ours": [0.7, 0.75]}})
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['SVD', 'ours']
    """
    ax = axes_or_new(ax, 9.0, 4.0)
    found = dict.fromkeys(method for group in values.values() for method in group)
    methods = sorted(found, key=lambda method: method in faint)  # baselines last, the others in the given order
    colors = _method_colors(methods, faint)
    width = _GROUP / max(len(methods), 1)
    for place, method in enumerate(methods):
        at = [g for g, group in enumerate(values.values()) if group.get(method)]
        seeds = [group[method] for group in values.values() if group.get(method)]
        means = np.array([np.mean(seed) for seed in seeds])
        ranges = np.array([[m - min(seed), max(seed) - m] for m, seed in zip(means, seeds, strict=True)]).T
        where = np.array(at) - _GROUP / 2 + (place + 0.5) * width
        hatch = "" if method in faint else HATCHES[place % len(HATCHES)]
        color, name = colors[method], literal(method, _LONGEST_NAME)
        ax.bar(where, means, width * 0.92, label=name, color=color, hatch=hatch, edgecolor="white", linewidth=0)
        ax.errorbar(where, means, ranges, fmt="none", ecolor="black", elinewidth=0.8)
    label(ax)
    ax.set_xticks(range(len(values)), [literal(group) for group in values])
    ax.tick_params(axis="x", length=0)
    ax.grid(axis="y", color="#E5E5E5", linewidth=0.6)
    ax.set_axisbelow(True)
    open_frame(ax)
    ax.legend(frameon=False, fontsize=TICK - 0.5, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return ax


def curves(
    values: Mapping[str, Mapping[float, Sequence[float]]], ax: Axes | None = None, *, x: str = "", y: str = ""
) -> Axes:
    """One curve per method through the means over seeds, in a band from minimum to maximum.

    >>> ax = curves({"ours": {2: [0.5, 0.6], 4: [0.4, 0.4]}}, x="columns")
    >>> ax.lines[0].get_ydata().tolist()
    [0.55, 0.4]
    """
    ax = axes_or_new(ax, 6.0, 4.2)
    colors = _method_colors(list(values), ())
    for (method, points), marker in zip(values.items(), cycle(MARKERS), strict=False):
        at = sorted(points)
        means = [float(np.mean(points[place])) for place in at]
        ax.plot(at, means, marker=marker, markersize=4.5, color=colors[method], label=literal(method, _LONGEST_NAME))
        low, high = [min(points[place]) for place in at], [max(points[place]) for place in at]
        ax.fill_between(at, low, high, color=colors[method], alpha=0.2, linewidth=0)
    label(ax, x=x, y=y)
    if all(float(place).is_integer() for points in values.values() for place in points):
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    open_frame(ax)
    ax.legend(frameon=False, fontsize=TICK - 0.5)
    return ax


def _method_colors(methods: Sequence[str], faint: Collection[str]) -> dict[str, str]:
    """One color per method; gray for the faint ones.

    >>> _method_colors(["ours", "chance"], ["chance"])
    {'ours': '#0072B2', 'chance': '#BFBFBF'}
    """
    rest = [method for method in methods if method not in faint]
    trivial = [method for method in methods if method in faint]
    gray = {method: GRAYS[place % len(GRAYS)] for place, method in enumerate(trivial)}
    return {method: gray.get(method) or SERIES[rest.index(method) % len(SERIES)] for method in methods}


class _Erring(Protocol):
    """Anything with a relative error, such as ``philia.evaluate.Reconstruction``."""

    @property
    def normalized(self) -> float:
        """The sum of squared errors divided by the sum of the adjacency matrix."""


_Errors = Sequence[_Erring | float] | _Erring | float
"""One error, or one per seed."""


def error_by_dimension(
    found: Mapping[str, Mapping[int, _Errors]], ax: Axes | None = None, *, floor: float | None = None
) -> Axes:
    """The reconstruction error against the number of columns, one curve per method; predicting no links gives 1.

    ``found`` has results of ``philia.evaluate.reconstruction``, or such errors as numbers, by method and number of
    columns; several, from several seeds, make a band. ``floor`` is an error that no method can be expected to fall
    below, such as that of the true probabilities.

    >>> from philia import SVD, plots
    >>> from philia.datasets import classic
    >>> from philia.evaluate import reconstruction
    >>> karate = classic("karate")
    >>> errors = {k: reconstruction(karate, SVD(k).fit(karate).expected_block) for k in (2, 4, 8)}
    >>> plots.error_by_dimension({"SVD": errors}).lines[0].get_ydata().round(2).tolist()
    [0.55, 0.35, 0.16]
    """
    ax = curves({method: {k: _numbers(errors) for k, errors in by.items()} for method, by in found.items()}, ax)
    title, x, y = "Reconstruction error", "numbers per node (columns)", "squared error / sum of the adjacency matrix"
    label(ax, title=title, x=x, y=y)
    columns = sorted({k for by in found.values() for k in by})
    if len(columns) <= _TICKS:
        ax.set_xticks(columns)
    ax.set_ylim(bottom=0.0)
    if floor is not None:
        ax.axhline(floor, color=NEUTRAL, linewidth=0.9, linestyle="--", zorder=0)
        ax.annotate("at best", (1, floor), xycoords=("axes fraction", "data"), ha="right", va="bottom", fontsize=TICK)
    return ax


def _numbers(errors: _Errors) -> list[float]:
    several = errors if isinstance(errors, Sequence) else [errors]
    return [float(error) if isinstance(error, (int, float)) else error.normalized for error in several]

"""Methods side by side: bars with their range over seeds, and curves."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import cycle

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from philia.plots.style import GREYS, HATCHES, MARKERS, SERIES, axes_or_new, label, literal, open_frame


def bars(
    values: Mapping[str, Mapping[str, Sequence[float]]], ax: Axes | None = None, *, faint: Collection[str] = ()
) -> Axes:
    """A group of bars for each key, one a method: the mean over seeds, with a line from the least to the largest.

    ``faint`` methods, such as trivial answers, are drawn in grey.

    >>> ax = bars({"blog": {"SVD": [0.8], "ours": [0.7, 0.75]}})
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['SVD', 'ours']
    """
    ax = axes_or_new(ax, 9.0, 4.0)
    found = dict.fromkeys(method for group in values.values() for method in group)
    methods = sorted(found, key=lambda method: method in faint)  # trivial answers stand last, the others as they came
    colours = method_colours(methods, faint)
    width = 0.84 / max(len(methods), 1)
    for place, method in enumerate(methods):
        at = [g for g, group in enumerate(values.values()) if group.get(method)]
        seeds = [group[method] for group in values.values() if group.get(method)]
        means = np.array([np.mean(seed) for seed in seeds])
        ranges = np.array([[m - min(seed), max(seed) - m] for m, seed in zip(means, seeds, strict=True)]).T
        where = np.array(at) - 0.42 + (place + 0.5) * width
        hatch = "" if method in faint else HATCHES[place % len(HATCHES)]
        colour, name = colours[method], literal(method, 60)
        ax.bar(where, means, width * 0.92, label=name, color=colour, hatch=hatch, edgecolor="white", linewidth=0)
        ax.errorbar(where, means, ranges, fmt="none", ecolor="black", elinewidth=0.8)
    label(ax)
    ax.set_xticks(range(len(values)), [literal(group) for group in values])
    ax.tick_params(axis="x", length=0)
    ax.grid(axis="y", color="#E5E5E5", linewidth=0.6)
    ax.set_axisbelow(True)
    open_frame(ax)
    ax.legend(frameon=False, fontsize=9, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return ax


def curves(
    values: Mapping[str, Mapping[float, Sequence[float]]], ax: Axes | None = None, *, x: str = "", y: str = ""
) -> Axes:
    """A curve a method through the means over seeds, in a band from the least to the largest.

    >>> ax = curves({"ours": {2: [0.5, 0.6], 4: [0.4, 0.4]}}, x="columns")
    >>> ax.lines[0].get_ydata().tolist()
    [0.55, 0.4]
    """
    ax = axes_or_new(ax, 6.0, 4.2)
    colours = method_colours(list(values), ())
    for (method, points), marker in zip(values.items(), cycle(MARKERS), strict=False):
        at = sorted(points)
        means = [float(np.mean(points[place])) for place in at]
        ax.plot(at, means, marker=marker, markersize=4.5, color=colours[method], label=literal(method, 60))
        low, high = [min(points[place]) for place in at], [max(points[place]) for place in at]
        ax.fill_between(at, low, high, color=colours[method], alpha=0.2, linewidth=0)
    label(ax, x=x, y=y)
    if all(float(place).is_integer() for points in values.values() for place in points):
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    open_frame(ax)
    ax.legend(frameon=False, fontsize=9)
    return ax


def method_colours(methods: Sequence[str], faint: Collection[str]) -> dict[str, str]:
    """A colour a method; grey for the faint ones.

    >>> method_colours(["ours", "chance"], ["chance"])
    {'ours': '#0072B2', 'chance': '#BFBFBF'}
    """
    rest = [method for method in methods if method not in faint]
    trivial = [method for method in methods if method in faint]
    grey = {method: GREYS[place % len(GREYS)] for place, method in enumerate(trivial)}
    return {method: grey.get(method) or SERIES[rest.index(method) % len(SERIES)] for method in methods}

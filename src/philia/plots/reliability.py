"""Whether probabilities can be taken at their word."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from philia.models import CommunityModel
from philia.objective.likelihood import PAIRS, estimated_calibration
from philia.pairs.calibration import Calibration
from philia.plots.style import ATTRACT, NEUTRAL, TICK, axes_or_new, label, open_frame

_WIDE = 20.0
"""If the largest prediction is so many times the smallest, both axes count in powers of ten."""

_DECADES = 1e3
"""Over a longer range only powers of ten are written."""


def reliability(judged: CommunityModel | Calibration, ax: Axes | None = None) -> Axes:
    """Predicted probabilities against the share of pairs that are linked: on the dashed line they are as promised.

    A model is judged on the pairs that were held out of its fit; if there are none, on all pairs, which is kinder, and
    the title says which. Of more than a million pairs it takes all links and a sample of the others, always the same.
    A dot stands for about a tenth of the expected links, with a 95 % interval of the share. For other models there is
    ``plots.reliability(evaluate_links(model).calibration)``.

    >>> from philia import CommunityModel, plots
    >>> from philia.datasets import dating_app
    >>> model = CommunityModel(3, 2, penalty=1, random_state=0).fit(dating_app(60, cities=3, random_state=0).graph)
    >>> plots.reliability(model).get_title(loc="left")
    'Promised and kept\\non all 1,770 pairs, which the fit has seen'
    """
    found = judged if isinstance(judged, Calibration) else _calibration(judged)
    ax = axes_or_new(ax, 5.4, 5.2)
    lower, upper = found.intervals
    drawn = found.predicted[found.predicted > 0]
    wide = drawn.size > 0 and drawn.max() > _WIDE * drawn.min()
    low, high = _limits(found, wide)
    at = np.clip(found.observed, low, high)
    reach = np.array([at - np.clip(lower, low, high), np.clip(upper, low, high) - at]).clip(min=0.0)
    ax.plot([low, high], [low, high], color=NEUTRAL, linewidth=1, linestyle="--", zorder=0)
    ax.errorbar(
        np.clip(found.predicted, low, high),
        at,
        yerr=reach,
        fmt="o-",
        color=ATTRACT,
        markersize=5,
        linewidth=1.2,
        elinewidth=1.0,
        capsize=2.5,
    )
    _set_scales(ax, low, high, wide)
    label(
        ax,
        title=f"Promised and kept\n{_said(judged, found)}",
        x="predicted probability of a link",
        y="share of these pairs that are linked",
    )
    ax.text(0.03, 0.97, "dashed: as promised", transform=ax.transAxes, va="top", fontsize=TICK, color=NEUTRAL)
    open_frame(ax)
    return ax


def _calibration(model: CommunityModel) -> Calibration:
    return estimated_calibration(
        model.graph_, model.factors_, model.loss, np.random.default_rng(0), model.held_out_, PAIRS
    )


def _said(judged: CommunityModel | Calibration, found: Calibration) -> str:
    count = int(found.counts.sum())
    if not count:
        return "there are no pairs to judge by"
    sampled = "" if np.array_equal(found.trials, found.counts) else "\n(all links, and a sample of the others)"
    if isinstance(judged, Calibration):
        return f"on {count:,} pairs{sampled}"
    if judged.held_out_ is not None:
        return f"on {count:,} pairs, held out of the fit{sampled}"
    pairs = "all pairs" if sampled else f"all {count:,} pairs"
    return f"on {pairs}, which the fit has seen{sampled}"


def _limits(found: Calibration, wide: bool) -> tuple[float, float]:
    """The ends of both axes, which are the same."""
    if not found.counts.size:
        return 0.0, 1.0
    largest = float(max(found.predicted.max(), found.intervals[1].max()))
    if not wide:
        return 0.0, min(max(largest * 1.08, 1e-9), 1.0)
    least = float(min(seen[seen > 0].min() for seen in (found.predicted, found.observed) if (seen > 0).any()))
    return least / 2, min(largest * 1.5, 1.0)


def _set_scales(ax: Axes, low: float, high: float, wide: bool) -> None:
    if wide:
        ax.set_xscale("log")
        ax.set_yscale("log")
    ax.set_xlim(low, high)
    ax.set_ylim(low, high)
    ax.set_aspect("equal")
    for axis in (ax.xaxis, ax.yaxis):
        if wide:
            axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if high < _DECADES * low else (1.0,)))
        axis.set_major_formatter(FuncFormatter(lambda share, _: f"{100 * share:.3g} %"))
        axis.set_minor_formatter(NullFormatter())

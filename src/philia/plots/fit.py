"""Pictures of a fit: how the loss fell, how the number of communities was chosen, and whether it is calibrated."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter, StrMethodFormatter

from philia.exceptions import InvalidParameterError
from philia.models import CommunityModel
from philia.objective.likelihood import PAIRS, estimated_calibration
from philia.pairs.calibration import Calibration
from philia.plots.style import ATTRACT, FAINT, NEUTRAL, REPEL, TICK, axes_or_new, label, open_frame
from philia.selection import Selection
from philia.solvers import Solution

_MOST_DOTS = 60
"""Up to this many iterations, each has a dot on the curve."""

_WIDE = 20.0
"""If the largest prediction is this many times the smallest, both axes are logarithmic."""

_DECADES = 1e3
"""Over a longer range only powers of ten have labels."""


def loss_curve(fitted: CommunityModel | Solution, ax: Axes | None = None) -> Axes:
    """The loss after every iteration, of a fitted model or of a solver's solution.

    >>> import numpy as np
    >>> from philia import plots
    >>> from philia.solvers import LBFGSB
    >>> bowl = lambda x: (float(((x - [1, -2]) ** 2).sum()), 2 * (x - [1, -2]))
    >>> plots.loss_curve(LBFGSB().minimize(bowl, np.ones(2), np.zeros(2))).get_xlabel()
    'iteration'
    """
    solution = fitted if isinstance(fitted, Solution) else fitted.solution_
    ax = axes_or_new(ax, 6.5, 4.0)
    history = np.asarray(solution.history)
    ax.plot(history, color=ATTRACT, linewidth=1.8, marker="o" if len(history) <= _MOST_DOTS else "", markersize=3.5)
    if history.size:
        ax.annotate(
            f"{history[-1]:,.6g}",
            (len(history) - 1, history[-1]),
            xytext=(0, 8),
            textcoords="offset points",
            ha="right",
            fontsize=TICK,
            color=NEUTRAL,
        )
    label(ax, title=solution.reason.capitalize(), x="iteration", y="loss")
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.yaxis.set_major_formatter(StrMethodFormatter("{x:,.6g}"))
    open_frame(ax)
    return ax


def selection(chosen: Selection, ax: Axes | None = None) -> Axes:
    """The likelihood of validation pairs for each number of communities that was tried, and the choice.

    One line per penalty, darker for smaller ones; bars are standard errors of the difference to the best. The ring
    marks the choice, and the dashed line the likelihood from the density alone, if it is close enough to be seen.

    >>> from philia import CommunityModel, plots
    >>> from philia.datasets import planted
    >>> model = CommunityModel(random_state=0).fit(planted(150, 3, 0, degree=12, random_state=0).graph)
    >>> plots.selection(model.selection_).get_xlabel()
    'number of communities (attracting + repelling)'
    """
    if chosen.storage == "sparse":
        raise InvalidParameterError(
            "the choice of a sparse model has no picture: it tried weights of communities, not numbers of them; "
            "print(model.selection_) says what was chosen"
        )
    ax = axes_or_new(ax, 6.5, 4.2)
    penalties = sorted({f"{step.penalty:.2g}" for step in chosen.steps}, key=float)
    for rank, penalty in enumerate(penalties):
        steps = sorted((s for s in chosen.steps if f"{s.penalty:.2g}" == penalty), key=lambda s: s.n_communities)
        depth = 1.0 - 0.75 * rank / max(1, len(penalties) - 1)
        ax.errorbar(
            [s.n_communities for s in steps],
            [s.log_likelihood for s in steps],
            yerr=[s.error for s in steps],
            fmt="o-",
            color=ATTRACT,
            alpha=depth,
            markersize=4,
            linewidth=1.2,
            elinewidth=0.8,
            label=penalty,
        )
    choice = chosen.choice
    ax.plot(choice.n_communities, choice.log_likelihood, "o", markersize=13, fillstyle="none", color=REPEL)
    ax.annotate(
        f"{choice.n_homophilous} + {choice.n_heterophilous}",
        (choice.n_communities, choice.log_likelihood),
        xytext=(0, 12),
        textcoords="offset points",
        ha="center",
        fontsize=TICK,
        color=REPEL,
    )
    values = np.array([s.log_likelihood for s in chosen.steps])
    if chosen.density > values.min() - 2 * np.ptp(values):
        ax.axhline(chosen.density, color=NEUTRAL, linewidth=1, linestyle="--", zorder=0)
    ax.margins(y=0.16)
    ax.grid(axis="y", color=FAINT, linewidth=0.6)
    ax.legend(title="penalty", fontsize=TICK, title_fontsize=TICK, frameon=False)
    label(
        ax,
        title="How well validation pairs are predicted",
        x="number of communities (attracting + repelling)",
        y="mean log-likelihood per validation pair",
    )
    open_frame(ax)
    return ax


def reliability(judged: CommunityModel | Calibration, ax: Axes | None = None) -> Axes:
    """Predicted probabilities against the share of pairs that are linked: on the dashed line they are calibrated.

    A model is evaluated on the pairs that were held out of its fit; if there are none, on all pairs, which is
    optimistic, and the title says which. With more than a million pairs it uses all links and a sample of the others,
    always the same. Each dot has about a tenth of the expected links, with a 95 % interval of the share. For other
    models there is ``plots.reliability(evaluate_links(model).calibration)``.

    >>> from philia import CommunityModel, plots
    >>> from philia.datasets import dating_app
    >>> model = CommunityModel(3, 2, penalty=1, random_state=0).fit(dating_app(60, cities=3, random_state=0).graph)
    >>> plots.reliability(model).get_title(loc="left")
    'Calibration\\non all 1,770 pairs, which the fit has seen'
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
        title=f"Calibration\n{_pairs(judged, found)}",
        x="predicted probability of a link",
        y="share of these pairs that are linked",
    )
    ax.text(0.03, 0.97, "dashed: calibrated", transform=ax.transAxes, va="top", fontsize=TICK, color=NEUTRAL)
    open_frame(ax)
    return ax


def _calibration(model: CommunityModel) -> Calibration:
    return estimated_calibration(
        model.graph_, model.factors_, model.loss, np.random.default_rng(0), model.held_out_, PAIRS
    )


def _pairs(judged: CommunityModel | Calibration, found: Calibration) -> str:
    count = int(found.counts.sum())
    if not count:
        return "there are no pairs to evaluate on"
    sampled = "" if np.array_equal(found.trials, found.counts) else "\n(all links, and a sample of the others)"
    if isinstance(judged, Calibration):
        return f"on {count:,} pairs{sampled}"
    if judged.held_out_ is not None:
        return f"on {count:,} pairs, held out of the fit{sampled}"
    pairs = "all pairs" if sampled else f"all {count:,} pairs"
    return f"on {pairs}, which the fit has seen{sampled}"


def _limits(found: Calibration, wide: bool) -> tuple[float, float]:
    """The limits of both axes, which are the same."""
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

"""Pictures of a fit: how the loss fell, and how the number of communities was chosen."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator, StrMethodFormatter

from philia.models import CommunityModel
from philia.plots.style import ATTRACT, FAINT, NEUTRAL, REPEL, TICK, axes_or_new, label, open_frame
from philia.selection import Selection
from philia.solvers import Solution

_MOST_DOTS = 60
"""Up to this many iterations, each has a dot on the curve."""


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

"""What was tried before the numbers of communities were chosen."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from philia.plots.style import ATTRACT, FAINT, NEUTRAL, REPEL, TICK, axes_or_new, label, open_frame
from philia.selection import Selection


def selection(chosen: Selection, ax: Axes | None = None) -> Axes:
    """How likely hidden pairs were with each number of communities that was tried, and the choice.

    A line a penalty, the darker the smaller; bars are standard errors of the distance to the best. The ring marks the
    choice, the dashed line what the density alone gives, if it is near enough to be seen.

    >>> from philia import CommunityModel, plots
    >>> from philia.datasets import planted
    >>> model = CommunityModel(random_state=0).fit(planted(150, 3, 0, degree=12, random_state=0).graph)
    >>> plots.selection(model.selection_).get_xlabel()
    'number of communities (attracting + repelling)'
    """
    ax = axes_or_new(ax, 6.5, 4.2)
    penalties = sorted({f"{step.penalty:.2g}" for step in chosen.steps}, key=float)
    for place, penalty in enumerate(penalties):
        steps = sorted((s for s in chosen.steps if f"{s.penalty:.2g}" == penalty), key=lambda s: s.n_communities)
        depth = 1.0 - 0.75 * place / max(1, len(penalties) - 1)
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
        title="How well hidden pairs are predicted",
        x="number of communities (attracting + repelling)",
        y="mean log-likelihood of a hidden pair",
    )
    open_frame(ax)
    return ax

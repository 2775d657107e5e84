"""How the loss fell while the model was fitted."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator, StrMethodFormatter

from philia.models import CommunityModel
from philia.plots.style import ATTRACT, NEUTRAL, axes_or_new, label, open_frame
from philia.solvers import Solution


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
    ax.plot(history, color=ATTRACT, linewidth=1.8, marker="o" if len(history) <= 60 else "", markersize=3.5)
    if history.size:
        ax.annotate(
            f"{history[-1]:,.6g}",
            (len(history) - 1, history[-1]),
            xytext=(0, 8),
            textcoords="offset points",
            ha="right",
            fontsize=9.5,
            color=NEUTRAL,
        )
    label(ax, title=solution.reason.capitalize(), x="iteration", y="loss")
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.yaxis.set_major_formatter(StrMethodFormatter("{x:,.6g}"))
    open_frame(ax)
    return ax

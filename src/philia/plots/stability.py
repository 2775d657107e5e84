"""Which communities come back in other fits."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from philia.explain import Stability
from philia.plots.style import ATTRACT, FAINT, NEUTRAL, REPEL, TICK, axes_or_new, label, open_frame


def stability(found: Stability, ax: Axes | None = None) -> Axes:
    """A bar a community, as long as its stability, and a dot for each other fit: blue attracts, orange repels.

    The dashed line is the likeness from which a fit counts as having found the community; how many did is written at
    the right.

    >>> from philia import CommunityModel, plots
    >>> from philia.datasets import dating_app
    >>> model = CommunityModel(3, 2, penalty=1, random_state=0).fit(dating_app(60, cities=3, random_state=0).graph)
    >>> ax = plots.stability(model.stability(fits=2))
    >>> [tick.get_text() for tick in ax.get_yticklabels()]
    ['B1', 'B2', 'B3', 'C1', 'C2']
    """
    seen = found.communities
    ax = axes_or_new(ax, 6.5, 1.8 + 0.34 * max(len(seen), 2))
    for place, community in enumerate(seen):
        colour = ATTRACT if community.name.startswith("B") else REPEL
        ax.barh(place, community.score, height=0.62, color=colour, alpha=0.35)
        ax.plot(community.likenesses, _spread(place, community.fits), "o", color=colour, markersize=3.5, clip_on=False)
        ax.annotate(
            f"{community.appears} of {community.fits}",
            (1, place),
            xytext=(12, 0),
            textcoords="offset points",
            va="center",
            fontsize=TICK,
            color=NEUTRAL,
            fontweight="normal" if community.reliable else "bold",
        )
    ax.axvline(found.threshold, color=NEUTRAL, linewidth=1, linestyle="--", zorder=0)
    ax.axvline(1, color=FAINT, linewidth=0.8, zorder=0)
    ax.set_yticks(range(len(seen)), [community.name for community in seen])
    ax.set_ylim(max(len(seen), 1) - 0.4, -0.6)
    ax.set_xlim(0, 1)
    label(
        ax,
        title=f"Which communities come back in {found.fits} other fits",
        x="likeness to the match in another fit\n(bar: mean; dots: fits; found from the dashed line on)",
    )
    ax.tick_params(axis="y", length=0)
    open_frame(ax)
    return ax


def _spread(place: int, fits: int) -> list[float]:
    """Places of the dots in a bar, one beside the other so that equal ones can be told apart."""
    return [place + float(step) for step in np.linspace(-0.2, 0.2, fits)] if fits > 1 else [float(place)]

"""The communities of a model, from the one that attracts most to the one that repels most."""

from __future__ import annotations

from matplotlib.axes import Axes

from philia.explain import Community
from philia.explain.links import factor_in_words
from philia.models import CommunityModel
from philia.plots.style import ATTRACT, NEUTRAL, REPEL, TICK, axes_or_new, label, open_frame

_SHOWN = 40
"""More bars than this are too many to read; the strongest are kept."""


def communities(model: CommunityModel, ax: Axes | None = None) -> Axes:
    """A bar a community, as long as its strength: blue to the right attracts, orange to the left repels.

    At the end of a bar stands what the odds of a link between two full members are multiplied or divided by, at the
    left how many members there are. Of more than 40 communities the strongest 40 are shown.

    >>> from philia import CommunityModel, plots
    >>> from philia.datasets import dating_app
    >>> model = CommunityModel(3, 1, penalty=1, random_state=0).fit(dating_app(60, cities=3, random_state=0).graph)
    >>> plots.communities(model).get_title(loc="left")
    '3 communities attract, 1 repels'
    """
    found = model.communities().found
    kept = sorted(found, key=lambda community: -abs(community.strength))[:_SHOWN]
    shown = sorted(kept, key=lambda community: -community.strength)
    ax = axes_or_new(ax, 6.5, 1.6 + 0.3 * max(len(shown), 2))
    for place, community in enumerate(shown):
        attracts = community.strength > 0
        ax.barh(place, community.strength, height=0.68, color=ATTRACT if attracts else REPEL)
        ax.annotate(
            factor_in_words(community.strength),
            (community.strength, place),
            xytext=(4 if attracts else -4, 0),
            textcoords="offset points",
            ha="left" if attracts else "right",
            va="center",
            fontsize=TICK,
            color=NEUTRAL,
        )
    ax.axvline(0, color=NEUTRAL, linewidth=0.8)
    ax.set_yticks(range(len(shown)), [_named(community) for community in shown])
    ax.set_ylim(max(len(shown), 1) - 0.4, -0.6)
    _make_room(ax, [community.strength for community in shown])
    left_out = len(found) - len(shown)
    title = _counted(found) + (f"\n(without the {left_out:,} weakest)" if left_out else "")
    label(ax, title=title, x="what sharing it adds to the log-odds of a link\n(at the bars: what it does to the odds)")
    ax.tick_params(axis="y", length=0)
    open_frame(ax)
    ax.spines["left"].set_visible(False)
    return ax


def _named(community: Community) -> str:
    return f"{community.name}  {len(community):,} {'member' if len(community) == 1 else 'members'}"


def _counted(found: tuple[Community, ...]) -> str:
    if not found:
        return "No communities"
    attract = sum(community.kind == "homophilous" for community in found)
    repel = len(found) - attract
    one = "1 community attracts" if attract == 1 else f"{attract} communities attract"
    return f"{one}, {repel} {'repels' if repel == 1 else 'repel'}"


def _make_room(ax: Axes, strengths: list[float]) -> None:
    """Beyond the longest bar of either side, space for the factor that is written there."""
    low, high = min([0.0, *strengths]), max([0.0, *strengths])
    room = 0.18 * ((high - low) or 1.0)
    ax.set_xlim(low - (room if low < 0 else room / 4), high + (room if high > 0 else room / 4))

"""The levels of communities as a tree: which merge first, and what is lost by that."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator, StrMethodFormatter
from scipy.cluster.hierarchy import dendrogram

from philia.plots.style import ATTRACT, NEUTRAL, TICK, axes_or_new, label, open_frame
from philia.reading import Hierarchy

_MOST_NAMES = 60
"""Up to this many communities at the finest level, each has its name at the axis."""

_MOST_LEAVES = 300
"""Up to this many communities, the whole tree is drawn: lines are then still apart."""

_TALLEST = 16.0
"""The height in inches that is enough for that many names."""


@dataclass(frozen=True)
class Tree:
    """The lines of a tree that grows to the right: leaves at 0, 1, 2, … from the top.

    A branch is a bracket of four points, given by where they are (``at``) and the nats that are lost there (``lost``).
    ``cut`` is the loss, in nats, between the default level and the next coarser one; 0 if it is below the leaves.
    """

    leaves: tuple[int, ...]
    at: tuple[tuple[float, ...], ...]
    lost: tuple[tuple[float, ...], ...]
    cut: float

    @classmethod
    def of(cls, levels: Hierarchy) -> Tree:
        """The tree of all levels; ``leaves`` are positions in the names of the finest level.

        Of more than 300 communities there is only the top, with 60 leaves: those that are unions have the numbers of
        their merges, which follow those of the communities, as in SciPy's linkages.

        >>> from philia.datasets import classic
        >>> from philia.reading import read_levels
        >>> tree = Tree.of(read_levels(classic("karate")))
        >>> tree.leaves, tree.at, 0 < tree.cut < tree.lost[0][1]
        ((0, 1), ((0.0, 0.0, 1.0, 1.0),), True)
        """
        if levels.counts[0] < 2:
            return cls(tuple(range(levels.counts[0])), (), (), 0.0)
        merges = levels.linkage()
        whole = levels.counts[0] <= _MOST_LEAVES
        drawn = dendrogram(merges, no_plot=True, truncate_mode=None if whole else "lastp", p=_MOST_NAMES)
        # SciPy puts leaves at 5, 15, 25, …
        at = tuple(tuple((x - 5) / 10 for x in bracket) for bracket in drawn["icoord"])
        lost = tuple(tuple(float(y) for y in bracket) for bracket in drawn["dcoord"])
        heights = np.log1p([0.0, *merges[:, 2]])
        before = len(heights) - max(len(levels.default), 1)  # merges that lead to the default level
        after = heights[before + 1] if before + 1 < len(heights) else 1.04 * heights[-1]
        cut = float(np.expm1((heights[before] + after) / 2))
        return cls(tuple(drawn["leaves"]), at, lost, cut if whole or len(levels.default) <= _MOST_NAMES else 0.0)


def hierarchy(levels: Hierarchy, ax: Axes | None = None) -> Axes:
    """How communities merge into fewer: two branches join where that many nats of what communities save are lost.

    The dashed line crosses the communities of the default level; those that it merges are blue. Names are
    written if the finest level has at most 60 communities. Of more than 300 the top of the tree is drawn, with 60
    parts, each named by its first community and the number of the others.

    >>> from philia import plots
    >>> from philia.datasets import classic
    >>> from philia.reading import read_levels
    >>> ax = plots.hierarchy(read_levels(classic("karate")))
    >>> [tick.get_text() for tick in ax.get_yticklabels()]
    ['B1  18 members', 'B2  16 members']
    """
    tree = Tree.of(levels)
    ax = axes_or_new(ax, 6.5, min(1.8 + 0.26 * max(len(tree.leaves), 2), _TALLEST))
    for at, lost in zip(tree.at, tree.lost, strict=True):
        color = ATTRACT if max(lost) < tree.cut else NEUTRAL
        ax.plot(lost, at, color=color, linewidth=1.6, solid_joinstyle="miter", solid_capstyle="butt")
    if not tree.at:
        ax.plot([0.0] * len(tree.leaves), tree.leaves, "o", color=NEUTRAL)
    if tree.cut:
        ax.axvline(tree.cut, color=NEUTRAL, linewidth=1, linestyle="--", zorder=0)
    _write_names(ax, levels, tree)
    _scale_losses(ax, tree)
    crossed = "\n(the dashed line crosses the default level)" if tree.cut else ""
    label(ax, title=_counted(levels), x=f"nats lost by merging{crossed}")
    ax.tick_params(axis="y", length=0)
    open_frame(ax)
    return ax


def _scale_losses(ax: Axes, tree: Tree) -> None:
    """Losses span orders of magnitude and begin at 0, except at the top of a large tree."""
    most = max((max(lost) for lost in tree.lost), default=1.0)
    if tree.at and not tree.cut:
        ax.set_xlim(0, 1.04 * most)
        ax.xaxis.set_major_locator(MaxNLocator(5))
        ax.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
        return
    ax.set_xscale("function", functions=(np.log1p, np.expm1))
    ticks = [0.0, *(10.0**power for power in range(12) if 10.0**power <= most)]
    ax.set_xticks(ticks, [f"{tick:,.0f}" for tick in ticks])
    ax.set_xlim(*np.expm1(np.array([-0.02, 1.04]) * np.log1p(most)))  # merges that lose nothing are at 0


def _counted(levels: Hierarchy) -> str:
    count = len(levels.default)
    said = f"{count:,} {'community' if count == 1 else 'communities'}" if count else "No communities"
    return f"{said} by default, at most {levels.counts[0]:,}" if levels.counts[0] > count else said


def _write_names(ax: Axes, levels: Hierarchy, tree: Tree) -> None:
    shown = tree.leaves if len(tree.leaves) <= _MOST_NAMES else ()
    ax.set_yticks(range(len(shown)), _names(levels, shown), fontsize=TICK)
    ax.set_ylim(max(len(tree.leaves), 1) - 0.4, -0.6)


def _names(levels: Hierarchy, parts: tuple[int, ...]) -> list[str]:
    """The names of communities, or of unions by their first community, with the number of members."""
    count, sizes = levels.counts[0], levels[0].sizes.tolist()
    main = np.bincount(levels[0].labels[levels[0].labels >= 0], minlength=count).tolist()
    first, members, inside = list(range(count)), list(main), [1] * count
    for left, right in levels.linkage()[:, :2].astype(int).tolist() if max(parts, default=0) >= count else []:
        first.append(min(first[left], first[right]))
        members.append(members[left] + members[right])
        inside.append(inside[left] + inside[right])
    said = [f"{levels[0].names[first[part]]} and {inside[part] - 1:,} more" for part in parts]
    return [
        f"{levels[0].names[part]}  {sizes[part]:,} members" if part < count else f"{name}  {members[part]:,} members"
        for part, name in zip(parts, said, strict=True)
    ]

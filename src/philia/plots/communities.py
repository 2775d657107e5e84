"""Pictures of communities: how strong they are, who belongs to them, how they overlap, and how stable they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import matplotlib
import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from scipy import sparse
from scipy.cluster.hierarchy import leaves_list, linkage
from scipy.spatial.distance import squareform

from philia._types import Float64Array, Int64Array
from philia.explain import Communities, Community, Stability
from philia.explain.communities import rows_of
from philia.explain.links import factor_in_words
from philia.factors.community import Kind
from philia.models import CommunityModel
from philia.plots.matrices import CELLS, along_diagonal, checked_order, grouped, heat_map, top_level
from philia.plots.style import (
    ATTRACT,
    ATTRACT_MAP,
    FAINT,
    NEUTRAL,
    REPEL,
    REPEL_MAP,
    TICK,
    axes_or_new,
    label,
    literal,
    open_frame,
)

_KINDS: tuple[Kind, ...] = ("homophilous", "heterophilous")
_LEGEND = "blue (B) attracts, orange (C) repels;\ndarkest is the fullest member"

_MOST_BARS = 40
"""More bars than this are too many to read; the strongest are kept."""

_MOST_COMPARED = 60
"""Up to this many communities, all of them are compared with each other."""

_MOST_NAMES = 40
"""Up to this many rows, every node has its name at the axis."""

_WIDEST = 40
"""With more columns than this, the columns become narrower instead of the picture wider."""

_MOST_WRITTEN = 16
"""Up to this many communities, the shares are written into the cells, where they are still legible."""

_LIGHT_TEXT = 35
"""From this percentage on a cell is so dark that its number is written in white."""


def communities(model: CommunityModel, ax: Axes | None = None) -> Axes:
    """One bar per community, as long as its effect: blue to the right attracts, orange to the left repels.

    The length is what it adds to the log-odds of a link between two typical members, the number at the end is the
    factor on the odds, and at the left is the number of members. Of more than 40 communities the strongest are shown.

    >>> from philia import CommunityModel, plots
    >>> from philia.datasets import dating_app
    >>> model = CommunityModel(3, 1, penalty=1, random_state=0).fit(dating_app(60, cities=3, random_state=0).graph)
    >>> plots.communities(model).get_title(loc="left")
    '3 communities attract, 1 repels'
    """
    found = model.communities().found
    kept = sorted(found, key=lambda community: -abs(community.typical))[:_MOST_BARS]
    shown = sorted(kept, key=lambda community: -community.typical)
    ax = axes_or_new(ax, 6.5, 1.6 + 0.3 * max(len(shown), 2))
    for y, community in enumerate(shown):
        attracts = community.typical > 0
        ax.barh(y, community.typical, height=0.68, color=ATTRACT if attracts else REPEL)
        ax.annotate(
            factor_in_words(community.typical),
            (community.typical, y),
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
    _make_room(ax, [community.typical for community in shown])
    left_out = len(found) - len(shown)
    title = _counted(found) + (f"\n(without the {left_out:,} weakest)" if left_out else "")
    label(ax, title=title, x="log-odds that two typical members gain\n(at the bars: factor on the odds of a link)")
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
    one = "1 community attracts" if attract == 1 else f"{attract:,} communities attract"
    return f"{one}, {repel:,} {'repels' if repel == 1 else 'repel'}"


def _make_room(ax: Axes, strengths: list[float]) -> None:
    """Leave space beyond the longest bar of either side for the factor that is written there."""
    low, high = min([0.0, *strengths]), max([0.0, *strengths])
    room = 0.18 * ((high - low) or 1.0)
    ax.set_xlim(low - (room if low < 0 else room / 4), high + (room if high > 0 else room / 4))


def memberships(
    model: CommunityModel, ax: Axes | None = None, order: npt.ArrayLike | None = None, kinds: Sequence[Kind] = _KINDS
) -> Axes:
    """A heat map of how strongly each node belongs to each community: blue if members attract, orange if they repel.

    Finer structure is not drawn. Every column is drawn relative to its fullest member. Rows follow ``order`` (row
    numbers; by default nodes are grouped by their strongest community), and columns are sorted to match. ``kinds``
    selects kinds of communities. Of thousands of communities, those of the level with at most 24 are drawn.

    >>> from philia import CommunityModel, plots
    >>> from philia.datasets import dating_app
    >>> model = CommunityModel(3, 2, penalty=1, random_state=0).fit(dating_app(60, cities=3, random_state=0).graph)
    >>> ax = plots.memberships(model, kinds=["heterophilous"])
    >>> sorted(tick.get_text() for tick in ax.get_xticklabels())
    ['C1', 'C2']
    """
    n = model.graph_.n_nodes
    rows = grouped(model) if order is None else checked_order(order, n)
    colors, names = _columns(model, rows, kinds)
    nodes = [literal(name) for name in model.graph_.nodes.pick(rows)] if n <= _MOST_NAMES else []
    written = max(map(len, nodes), default=0)
    ax = axes_or_new(ax, width=1.8 + 0.09 * written + 0.42 * min(max(len(names), 6), _WIDEST), height=6.0)
    ax.imshow(colors, aspect="auto", interpolation="none", extent=(-0.5, colors.shape[1] - 0.5, n - 0.5, -0.5))
    label(ax, title="Memberships" if names else "No communities", x=f"community\n{_LEGEND}", y="node")
    small = TICK if len(names) <= _WIDEST else TICK - 3
    ax.set_xticks(range(len(names)), names, rotation=0 if len(names) <= 12 else 90, fontsize=small)
    ax.set_xticks(np.arange(len(names) + 1) - 0.5, minor=True)
    ax.grid(axis="x", which="minor", color="white", linewidth=1.5 if len(names) <= _WIDEST else 0.5)
    ax.tick_params(which="both", length=0)
    if nodes:
        ax.set_yticks(range(n), nodes)
    return ax


def _columns(model: CommunityModel, rows: Int64Array, kinds: Sequence[Kind]) -> tuple[Float64Array, list[str]]:
    """The colors (rows × columns × 3) and the names of the columns drawn."""
    B, C, names = _drawn(model)
    parts: list[Float64Array] = []
    shown: list[str] = []
    for kind, F, color_map, first in (("homophilous", B, ATTRACT_MAP, 0), ("heterophilous", C, REPEL_MAP, B.shape[1])):
        if kind in kinds and F.shape[1]:
            ordered = F[rows]
            columns = along_diagonal(ordered)
            V = _binned(ordered[:, columns] / np.maximum(F.max(axis=0)[columns], np.finfo(float).tiny))
            parts.append(matplotlib.colormaps[color_map](V)[:, :, :3])
            shown += [names[first + column] for column in columns]
    return np.hstack(parts) if parts else np.ones((1, 1, 3)), shown  # without columns, all white


def _drawn(model: CommunityModel) -> tuple[Float64Array, Float64Array, Sequence[str]]:
    """The columns that attract, those that repel, and their names."""
    if model.factors_.members is not None:
        level = top_level(model)
        names = [name if name.count("+") < 2 else f"{name.split('+')[0]}+…" for name in level.names]
        return level.memberships.multiply(level.affinities).toarray(), model.factors_.heterophilous, names
    read = model.read_columns()
    return read.homophilous, read.heterophilous, read.names


def _binned(V: Float64Array) -> Float64Array:
    """At most 500 rows, each the mean of several."""
    if len(V) <= CELLS:
        return V
    edges = np.arange(CELLS) * len(V) // CELLS
    counts = np.diff(edges, append=len(V))
    return np.asarray(np.add.reduceat(V, edges, axis=0) / counts[:, None])


def overlap(model: CommunityModel, ax: Axes | None = None) -> Axes:
    """For each two communities, the share of the smaller one's members that are also in the other, as a heat map.

    Attracting communities come first, with blue names, then repelling ones, with orange names; within each kind,
    communities that overlap are next to each other. The number of members is in parentheses. Of more than 60
    communities the largest 40 are shown.

    >>> from philia import CommunityModel, plots
    >>> from philia.datasets import dating_app
    >>> model = CommunityModel(3, 2, penalty=1, random_state=0).fit(dating_app(60, cities=3, random_state=0).graph)
    >>> ax = plots.overlap(model)
    >>> sorted(tick.get_text().split()[0] for tick in ax.get_xticklabels())
    ['B1', 'B2', 'B3', 'C1', 'C2']
    """
    every = model.communities()
    found = _largest(every)
    shares = overlap_shares(found)
    order = _by_kind(found, shares)
    count = len(order)
    side = min(3.0 + 0.3 * count, 15.0)
    ax = axes_or_new(ax, side + 1.0, side)
    percent = 100 * shares[np.ix_(order, order)] if count else np.zeros((1, 1))
    np.fill_diagonal(percent, np.nan)  # every community shares all members with itself
    heat_map(percent, ax, largest=100.0, bar="% of the smaller one's members")
    ax.set_facecolor("#EDEDED")
    which = "communities" if len(found) == len(every) else f"the {count} largest of {len(every):,} communities"
    label(ax, title=f"Overlap of {which}" if count else "No communities")
    _write_names(ax, found, order)
    if count <= _MOST_WRITTEN:
        _write_shares(ax, percent)
    return ax


def _largest(found: Communities) -> Communities:
    """All communities, or the largest if there are too many for the names to be read."""
    if len(found) <= _MOST_COMPARED:
        return found
    return replace(found, found=tuple(sorted(found, key=lambda community: -len(community))[:_MOST_BARS]))


def overlap_shares(found: Communities) -> Float64Array:
    """For each two communities, the share of the smaller one's members that are also in the other; 0 if it is empty.

    >>> from philia import CommunityModel
    >>> from philia.datasets import classic
    >>> model = CommunityModel(2, 0, penalty=1, random_state=0).fit(classic("karate"))
    >>> overlap_shares(model.communities()).diagonal().tolist()
    [1.0, 1.0]
    """
    rows = [rows_of(community.members, found.nodes) for community in found.found]
    sizes = np.array([len(members) for members in rows], dtype=np.int64)
    row = np.concatenate([np.empty(0, np.int64), *rows])
    shape = (len(found.nodes), len(rows))
    inside = sparse.csr_array((np.ones(len(row)), (row, np.repeat(np.arange(len(rows)), sizes))), shape=shape)
    return np.asarray((inside.T @ inside).toarray() / np.maximum(np.minimum.outer(sizes, sizes), 1))


def similar_together(shares: Float64Array) -> Int64Array:
    """An order of the communities that puts those that share members next to each other.

    >>> similar_together(np.array([[1.0, 0.0, 0.8], [0.0, 1.0, 0.1], [0.8, 0.1, 1.0]])).tolist()
    [1, 2, 0]
    """
    if len(shares) < 3:
        return np.arange(len(shares), dtype=np.int64)
    apart = 1.0 - shares
    np.fill_diagonal(apart, 0.0)
    tree = linkage(squareform(np.maximum(apart, 0.0), checks=False), "average", optimal_ordering=True)
    return np.asarray(leaves_list(tree), dtype=np.int64)


def _by_kind(found: Communities, shares: Float64Array) -> Int64Array:
    """Attracting communities first: a repelling one may share members with all, and would separate the others."""
    attracts = np.array([community.kind == "homophilous" for community in found.found], dtype=bool)
    kinds = [np.flatnonzero(attracts), np.flatnonzero(~attracts)]
    return np.concatenate([kind[similar_together(shares[np.ix_(kind, kind)])] for kind in kinds])


def _write_names(ax: Axes, found: Communities, order: Int64Array) -> None:
    shown = [found.found[position] for position in order]
    size = TICK if len(shown) <= 30 else TICK - 3
    names = [f"{community.name} ({len(community):,})" for community in shown]
    ax.set_xticks(range(len(shown)), names, rotation=90, fontsize=size)
    ax.set_yticks(range(len(shown)), names, fontsize=size)
    ax.tick_params(length=0)
    for tick, community in zip([*ax.get_xticklabels(), *ax.get_yticklabels()], [*shown, *shown], strict=True):
        tick.set_color(ATTRACT if community.kind == "homophilous" else REPEL)


def _write_shares(ax: Axes, percent: Float64Array) -> None:
    for (i, j), share in np.ndenumerate(percent):
        if share > 0:
            color = "white" if share > _LIGHT_TEXT else NEUTRAL
            ax.text(j, i, f"{share:.0f}", ha="center", va="center", fontsize=TICK - 1.5, color=color)


def stability(found: Stability, ax: Axes | None = None) -> Axes:
    """One bar per community, as long as its stability, and one dot per other fit: blue attracts, orange repels.

    The dashed line is the likeness above which a fit counts as having found the community; the number of such fits is
    at the right.

    >>> from philia import CommunityModel, plots
    >>> from philia.datasets import dating_app
    >>> model = CommunityModel(3, 2, penalty=1, random_state=0).fit(dating_app(60, cities=3, random_state=0).graph)
    >>> ax = plots.stability(model.stability(fits=2))
    >>> [tick.get_text() for tick in ax.get_yticklabels()]
    ['B1', 'B2', 'B3', 'C1', 'C2']
    """
    seen = found.communities
    ax = axes_or_new(ax, 6.5, 1.8 + 0.34 * max(len(seen), 2))
    for y, community in enumerate(seen):
        color = ATTRACT if community.name.startswith("B") else REPEL
        ax.barh(y, community.score, height=0.62, color=color, alpha=0.35)
        ax.plot(community.likenesses, _spread(y, community.fits), "o", color=color, markersize=3.5, clip_on=False)
        ax.annotate(
            f"{community.appears} of {community.fits}",
            (1, y),
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
        x="likeness to the match in another fit\n(bar: mean; dots: fits; found if right of the dashed line)",
    )
    ax.tick_params(axis="y", length=0)
    open_frame(ax)
    return ax


def _spread(y: int, fits: int) -> list[float]:
    """The heights of the dots in a bar, spread out so that equal ones can be told apart."""
    return [y + float(step) for step in np.linspace(-0.2, 0.2, fits)] if fits > 1 else [float(y)]

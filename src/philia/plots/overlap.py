"""Which communities share members."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from scipy import sparse
from scipy.cluster.hierarchy import leaves_list, linkage
from scipy.spatial.distance import squareform

from philia._types import Float64Array, Int64Array
from philia.explain import Communities
from philia.explain.communities import rows_of
from philia.models import CommunityModel
from philia.plots.matrices import heat_map
from philia.plots.style import ATTRACT, NEUTRAL, REPEL, TICK, axes_or_new, label

_WRITTEN = 16
"""Up to this many communities the shares are written into the cells."""


def overlap(model: CommunityModel, ax: Axes | None = None) -> Axes:
    """For each two communities, the share of the smaller one's members who are also in the other, as a heat map.

    First come those that attract, with blue names, then those that repel, with orange ones; among them, communities
    that overlap stand together. Behind each name is its number of members.

    >>> from philia import CommunityModel, plots
    >>> from philia.datasets import dating_app
    >>> model = CommunityModel(3, 2, penalty=1, random_state=0).fit(dating_app(60, cities=3, random_state=0).graph)
    >>> ax = plots.overlap(model)
    >>> sorted(tick.get_text().split()[0] for tick in ax.get_xticklabels())
    ['B1', 'B2', 'B3', 'C1', 'C2']
    """
    found = model.communities()
    shares = shared_members(found)
    order = _by_kind(found, shares)
    count = len(order)
    side = min(3.0 + 0.3 * count, 15.0)
    ax = axes_or_new(ax, side + 1.0, side)
    percent = 100 * shares[np.ix_(order, order)] if count else np.zeros((1, 1))
    np.fill_diagonal(percent, np.nan)  # that a community shares all members with itself says nothing
    heat_map(percent, ax, largest=100.0, bar="% of the smaller one's members")
    ax.set_facecolor("#EDEDED")
    label(ax, title="Who shares members with whom" if count else "No communities")
    _write_names(ax, found, order)
    if count <= _WRITTEN:
        _write_shares(ax, percent)
    return ax


def shared_members(found: Communities) -> Float64Array:
    """For each two communities, the share of the smaller one's members who are also in the other; 0 where it is empty.

    >>> from philia import CommunityModel
    >>> from philia.datasets import classic
    >>> model = CommunityModel(2, 0, penalty=1, random_state=0).fit(classic("karate"))
    >>> shared_members(model.communities()).diagonal().tolist()
    [1.0, 1.0]
    """
    rows = [rows_of(community.members, found.nodes) for community in found.found]
    sizes = np.array([len(members) for members in rows], dtype=np.int64)
    row = np.concatenate([np.empty(0, np.int64), *rows])
    shape = (len(found.nodes), len(rows))
    inside = sparse.csr_array((np.ones(len(row)), (row, np.repeat(np.arange(len(rows)), sizes))), shape=shape)
    return np.asarray((inside.T @ inside).toarray() / np.maximum(np.minimum.outer(sizes, sizes), 1))


def side_by_side(shares: Float64Array) -> Int64Array:
    """An order of the communities in which those that share members stand together.

    >>> side_by_side(np.array([[1.0, 0.0, 0.8], [0.0, 1.0, 0.1], [0.8, 0.1, 1.0]])).tolist()
    [1, 2, 0]
    """
    if len(shares) < 3:
        return np.arange(len(shares), dtype=np.int64)
    apart = 1.0 - shares
    np.fill_diagonal(apart, 0.0)
    tree = linkage(squareform(np.maximum(apart, 0.0), checks=False), "average", optimal_ordering=True)
    return np.asarray(leaves_list(tree), dtype=np.int64)


def _by_kind(found: Communities, shares: Float64Array) -> Int64Array:
    """Those that attract in front; one that repels may share members with all, and would tear the others apart."""
    attracts = np.array([community.kind == "homophilous" for community in found.found], dtype=bool)
    kinds = [np.flatnonzero(attracts), np.flatnonzero(~attracts)]
    return np.concatenate([kind[side_by_side(shares[np.ix_(kind, kind)])] for kind in kinds])


def _write_names(ax: Axes, found: Communities, order: Int64Array) -> None:
    shown = [found.found[place] for place in order]
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
            colour = "white" if share > 35 else NEUTRAL
            ax.text(j, i, f"{share:.0f}", ha="center", va="center", fontsize=TICK - 1.5, color=colour)

"""The network itself as a drawing: nodes as pies of their communities, and communities as outlines around members."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PatchCollection
from matplotlib.patches import PathPatch, Wedge
from matplotlib.path import Path
from matplotlib.patheffects import withStroke
from scipy import sparse

from philia._text import counted
from philia._types import Float64Array, Int64Array
from philia.explain import Communities, Community
from philia.explain.communities import memberships_of, rows_of
from philia.graphs import Graph
from philia.models import CommunityModel
from philia.plots.layout import Layout
from philia.plots.matrices import top_level
from philia.plots.style import FAINT, NEUTRAL, TICK, axes_or_new, categories, label, literal
from philia.reading import Level

MOST_NODES = 3000
"""Up to this many nodes each is drawn, which takes igraph some seconds; of more, a map of the communities is."""

_MOST_LINKS = 20_000
"""Links that are drawn; of more, evenly spaced ones, as the rest would cover the same paper."""

_MOST_NAMES = 60
"""Up to this many nodes, each has its name next to it."""

_THINNEST = 0.01
"""Lines of a map for at least this share of the links of the smaller of two communities."""


@dataclass(frozen=True, eq=False)
class Drawing:
    """Nodes with their places, the shares of their pies (n × communities, sparse) and the outlines of communities.

    ``communities`` are those that attract; only if there are none, those that repel, which have no outlines.

    >>> from philia.datasets import classic
    >>> model = CommunityModel(2, 0, penalty=1, random_state=0).fit(classic("karate"))
    >>> drawing = Drawing.of(model)
    >>> drawing.shares.shape, len(drawing.outlines), len(drawing.links)
    ((34, 2), 2, 78)
    """

    graph: Graph
    communities: tuple[Community, ...]
    shares: sparse.csr_array
    layout: Layout

    @classmethod
    def of(cls, model: CommunityModel) -> Drawing:
        """The drawing of a model's graph with its communities."""
        found, graph, level = model.communities(), model.graph_, model.level()
        attract = tuple(c for c in found if c.kind == "homophilous")
        shown = attract or tuple(found)
        members = member_shares(shown, found)
        read = level is not None and attract
        shares = _of_all_links(level, shown) if read and level is not None else members
        return cls(graph, shown, shares, Layout.of_nodes(graph, members if attract else members[:, :0]))

    @property
    def colors(self) -> list[str]:
        """A color for each community."""
        return categories(len(self.communities))

    @cached_property
    def outlines(self) -> list[list[Float64Array]]:
        """The polygons around the members of each community; none if it repels, as its members are all over."""
        return [
            self.layout.around(rows_of(c.members, self.graph.nodes)) if c.kind == "homophilous" else []
            for c in self.communities
        ]

    @cached_property
    def links(self) -> Int64Array:
        """The links to draw (links × 2)."""
        every = np.column_stack(self.graph.links)
        some = np.linspace(0, len(every) - 1, min(len(every), _MOST_LINKS)).round().astype(np.int64)
        return np.asarray(every[some])


def _of_all_links(level: Level, shown: tuple[Community, ...]) -> sparse.csr_array:
    """The share of each node's links that lead to each community, whether it is a member or not."""
    columns = [level.names.index(community.name) for community in shown]
    return sparse.csr_array(sparse.csc_array(level.shares)[:, columns])


def member_shares(shown: tuple[Community, ...], found: Communities) -> sparse.csr_array:
    """How much each node belongs to each community (n × communities, sparse); at most 1 in total, 0 if no member.

    Shares of links are shown as they are, unless they overlap and add up to more than 1. Other memberships have no
    common scale, so a node's are divided by their sum.

    >>> from philia.graphs import Nodes
    >>> pair = Community("B1", "homophilous", 2.0, {"ann": 0.6, "bob": 0.2}, threshold=0.1, typical=2.0)
    >>> member_shares((pair,), Communities((pair,), "", Nodes(["ann", "bob"]), shares=True)).toarray().tolist()
    [[0.6], [0.2]]
    """
    rows = [rows_of(c.members, found.nodes) for c in shown]
    data = np.concatenate([np.empty(0), *(memberships_of(c.members) for c in shown)])
    column = np.repeat(np.arange(len(shown)), [len(some) for some in rows])
    row = np.concatenate([np.empty(0, np.int64), *rows])
    # A member of which no link leads to the community is a member nonetheless.
    V = sparse.csr_array((np.maximum(data, 1e-3), (row, column)), shape=(len(found.nodes), len(shown)))
    total = np.asarray(V.sum(axis=1)).ravel()
    over = np.maximum(total, 1.0) if found.shares else np.where(total > 0, total, 1.0)
    return sparse.csr_array((V.data / np.repeat(over, np.diff(V.indptr)), V.indices, V.indptr), shape=V.shape)


@dataclass(frozen=True, eq=False)
class CommunityMap:
    """Communities as circles: ``members`` (n × k, zeros and ones) says who is in which, ``links`` (k × k) counts links.

    >>> from philia.datasets import classic
    >>> model = CommunityModel(2, 0, penalty=1, random_state=0).fit(classic("karate"))
    >>> drawn = CommunityMap.of(model)
    >>> drawn.names, bool((drawn.links == drawn.links.T).all())
    (['B1', 'B2'], True)
    """

    names: list[str]
    sizes: Int64Array
    links: Float64Array
    layout: Layout

    @classmethod
    def of(cls, model: CommunityModel) -> CommunityMap:
        """The attracting communities of a model at its default level; of thousands, the level with at most 24."""
        if model.factors_.members is not None:
            level = top_level(model)
            short = [name if name.count("+") < 2 else f"{name.split('+')[0]}+…" for name in level.names]
            main = np.flatnonzero(level.labels >= 0)
            shape = (len(level.labels), len(level))
            members = sparse.csr_array((np.ones(len(main)), (main, level.labels[main])), shape=shape)
            return cls.between(short, members, model.graph_)
        found = model.communities()
        shown = tuple(c for c in found if c.kind == "homophilous") or tuple(found)
        members = member_shares(shown, found)
        members.data[:] = 1.0
        return cls.between([c.name for c in shown], members, model.graph_)

    @classmethod
    def between(cls, names: list[str], members: sparse.csr_array, graph: Graph) -> CommunityMap:
        """The map of given communities."""
        k = len(names)
        if not k:  # SciPy cannot multiply matrices without columns
            none, sizes = np.zeros((0, 0)), np.zeros(0, np.int64)
            return cls([], sizes, none, Layout.of_communities(none, sizes))
        ends = np.asarray((members.T @ (graph.adjacency.astype(np.float64) @ members)).toarray())
        sizes = np.asarray(members.sum(axis=0)).ravel().astype(np.int64)
        return cls(names, sizes, ends, Layout.of_communities(ends, sizes))

    def lines(self) -> list[tuple[int, int, float]]:
        """Pairs of communities with many links between them, and these as a share of the links of the smaller one."""
        own = np.minimum.outer(self.links.sum(axis=1), self.links.sum(axis=1))
        share = np.triu(self.links / np.maximum(own, 1.0), 1)
        one, other = np.nonzero(share >= _THINNEST)
        return list(zip(one.tolist(), other.tolist(), share[one, other].tolist(), strict=True))


def network(model: CommunityModel, ax: Axes | None = None) -> Axes:
    """The network of a model: nodes as pies of their communities, each community with an outline around its members.

    A slice is the share of a node's links that lead to that community, or its membership if communities were not read
    off the links; gray is the rest. Nodes with more links are
    larger. Repelling communities have no outline, as their members are everywhere. Of more than 3,000 nodes a map of
    the communities is drawn: circles with areas in proportion to their members, joined by lines where there are
    many links. Needs igraph, which comes with ``philia[report]``.

    >>> from philia import CommunityModel, plots
    >>> from philia.datasets import classic
    >>> model = CommunityModel(2, 0, penalty=1, random_state=0).fit(classic("karate"))
    >>> plots.network(model).get_title(loc="left")
    '34 nodes, 78 links, 2 communities'
    """
    graph = model.graph_
    if graph.n_nodes > MOST_NODES or model.factors_.members is not None:
        return _draw_map(CommunityMap.of(model), model, ax)
    drawing = Drawing.of(model)
    ax = _canvas(drawing.layout, ax)
    _draw_outlines(ax, drawing)
    _draw_links(ax, drawing)
    _draw_pies(ax, drawing)
    _write_names(ax, drawing)
    label(ax, title=f"{_counted(graph)}, {_communities(len(drawing.communities))}")
    return ax


def _counted(graph: Graph) -> str:
    return f"{counted(graph.n_nodes, 'node')}, {counted(graph.n_links, 'link')}"


def _communities(count: int) -> str:
    return f"{count:,} {'community' if count == 1 else 'communities'}" if count else "no communities"


def _canvas(layout: Layout, ax: Axes | None) -> Axes:
    """Axes without ticks that hold the layout, in a figure of its shape."""
    ax = axes_or_new(ax, 8.0, float(np.clip(8.0 * layout.height, 4.0, 8.0)) + 0.4)
    ax.set_xlim(-0.06, 1.06)
    ax.set_ylim(-0.06, layout.height + 0.06)
    ax.set_aspect("equal")
    ax.set_axis_off()
    return ax


def _draw_outlines(ax: Axes, drawing: Drawing) -> None:
    for polygons, color in zip(drawing.outlines, drawing.colors, strict=True):
        if polygons:
            path = Path.make_compound_path(*(Path(polygon, closed=True) for polygon in polygons))
            ax.add_patch(PathPatch(path, facecolor=color, alpha=0.13, linewidth=0, zorder=1))
            ax.add_patch(PathPatch(path, facecolor="none", edgecolor=color, alpha=0.6, linewidth=0.9, zorder=1))


def _draw_links(ax: Axes, drawing: Drawing) -> None:
    ends = drawing.layout.positions[drawing.links]
    # The more lines, the fainter each, so that nodes stay visible.
    faint = float(np.clip(30 / max(len(ends), 1) ** 0.65, 0.05, 0.6))
    width = 0.8 if len(ends) < 500 else 0.4
    ax.add_collection(LineCollection(list(ends), colors=NEUTRAL, linewidths=width, alpha=faint, zorder=2))


def _draw_pies(ax: Axes, drawing: Drawing) -> None:
    wedges, colors = [], []
    shares = drawing.shares
    for row, (place, radius) in enumerate(zip(drawing.layout.positions, drawing.layout.radii, strict=True)):
        own = slice(shares.indptr[row], shares.indptr[row + 1])
        parts = [*zip(shares.data[own].tolist(), [drawing.colors[c] for c in shares.indices[own]], strict=True)]
        at = 90.0
        for share, color in [*parts, (1 - sum(share for share, _ in parts), FAINT)]:
            if share > 1e-3:
                wedges.append(Wedge(tuple(place), radius, at - 360 * share, at))
                colors.append(color)
                at -= 360 * share
    ax.add_collection(PatchCollection(wedges, facecolors=colors, edgecolors="white", linewidths=0.3, zorder=3))


def _write_names(ax: Axes, drawing: Drawing) -> None:
    halo = [withStroke(linewidth=2.2, foreground="white")]
    if drawing.graph.n_nodes <= _MOST_NAMES:
        for name, place, radius in zip(
            drawing.graph.nodes, drawing.layout.positions, drawing.layout.radii, strict=True
        ):
            at = (place[0], place[1] - radius - 0.004)
            ax.annotate(literal(name, 16), at, ha="center", va="top", fontsize=TICK - 3, path_effects=halo, zorder=4)
    for community, polygons, color in zip(drawing.communities, drawing.outlines, drawing.colors, strict=True):
        if polygons:
            largest = max(polygons, key=len)
            top = largest[largest[:, 1].argmax()]
            ax.annotate(
                community.name, tuple(top), xytext=(0, 1), textcoords="offset points", ha="center", va="bottom",
                fontsize=TICK, fontweight="bold", color=color, path_effects=halo, zorder=5,
            )  # fmt: skip


def _draw_map(drawn: CommunityMap, model: CommunityModel, ax: Axes | None) -> Axes:
    ax = _canvas(drawn.layout, ax)
    places, radii, colors = drawn.layout.positions, drawn.layout.radii, categories(len(drawn.names))
    for one, other, share in drawn.lines():
        ax.plot(
            *places[[one, other]].T, color=NEUTRAL, alpha=0.45, linewidth=1 + 14 * share, zorder=1,
            solid_capstyle="round",
        )  # fmt: skip
    halo = [withStroke(linewidth=2.4, foreground="white")]
    for name, size, place, radius, color in zip(drawn.names, drawn.sizes.tolist(), places, radii, colors, strict=True):
        ax.add_patch(Wedge(tuple(place), radius, 0, 360, facecolor=color, edgecolor="white", linewidth=0.8, zorder=2))
        ax.annotate(
            f"{name}\n{size:,}", tuple(place), ha="center", va="center", fontsize=TICK - 1.5, path_effects=halo,
            zorder=3,
        )  # fmt: skip
    total = len(model.communities()) if model.factors_.members is not None else len(drawn.names)
    parts = f" in {len(drawn.names)} parts" if total != len(drawn.names) else ""
    label(ax, title=f"{_counted(model.graph_)}, {_communities(total)}{parts}")
    return ax

"""Who belongs where: the communities as columns, the nodes as rows."""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib
import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes

from philia._types import Float64Array, Int64Array
from philia.explain.normal_form import Kind
from philia.models import CommunityModel
from philia.plots.matrices import CELLS, checked_order
from philia.plots.ordering import along_diagonal, by_community
from philia.plots.style import ATTRACT_MAP, REPEL_MAP, TICK, axes_or_new, label, literal

_KINDS: tuple[Kind, ...] = ("homophilous", "heterophilous")
_LEGEND = "blue (B) attracts, orange (C) repels;\ndarkest is the fullest member"
_NAMED = 40
"""Up to this many rows every node is called by its name."""

_WIDEST = 40
"""From this many columns on they become narrower instead of the picture wider."""


def memberships(
    model: CommunityModel, ax: Axes | None = None, order: npt.ArrayLike | None = None, kinds: Sequence[Kind] = _KINDS
) -> Axes:
    """A heat map of how much each node belongs to each community: blue where members attract, orange where they repel.

    Every column is drawn relative to its fullest member. Rows follow ``order`` (row numbers; by default nodes stand
    beside those of their strongest community), columns stand where their members are. ``kinds`` picks one kind only.

    >>> from philia import CommunityModel, plots
    >>> from philia.datasets import dating_app
    >>> model = CommunityModel(3, 2, penalty=1, random_state=0).fit(dating_app(60, cities=3, random_state=0).graph)
    >>> ax = plots.memberships(model, kinds=["heterophilous"])
    >>> sorted(tick.get_text() for tick in ax.get_xticklabels())
    ['C1', 'C2']
    """
    n = model.graph_.n_nodes
    rows = by_community(model.factors_) if order is None else checked_order(order, n)
    colours, names = _columns(model, rows, kinds)
    nodes = [literal(name) for name in model.graph_.nodes.pick(rows)] if n <= _NAMED else []
    written = max(map(len, nodes), default=0)
    ax = axes_or_new(ax, width=1.8 + 0.09 * written + 0.42 * min(max(len(names), 6), _WIDEST), height=6.0)
    ax.imshow(colours, aspect="auto", interpolation="none", extent=(-0.5, colours.shape[1] - 0.5, n - 0.5, -0.5))
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
    """The colours (rows × columns × 3) and the names of the columns drawn."""
    B, C, names = model.factors_.homophilous, model.factors_.heterophilous, model.factors_.names
    parts: list[Float64Array] = []
    shown: list[str] = []
    for kind, F, colour_map, first in (("homophilous", B, ATTRACT_MAP, 0), ("heterophilous", C, REPEL_MAP, B.shape[1])):
        if kind in kinds and F.shape[1]:
            ordered = F[rows]
            columns = along_diagonal(ordered)
            V = _binned(ordered[:, columns] / np.maximum(F.max(axis=0)[columns], 1e-300))
            parts.append(matplotlib.colormaps[colour_map](V)[:, :, :3])
            shown += [names[first + column] for column in columns]
    return np.hstack(parts) if parts else np.ones((1, 1, 3)), shown  # nothing is white


def _binned(V: Float64Array) -> Float64Array:
    """At most 500 rows, each the mean of its neighbours."""
    if len(V) <= CELLS:
        return V
    edges = np.arange(CELLS) * len(V) // CELLS
    counts = np.diff(edges, append=len(V))
    return np.asarray(np.add.reduceat(V, edges, axis=0) / counts[:, None])

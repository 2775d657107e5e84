"""Matrices of pairs of nodes: links and probabilities, and the order that puts together what belongs together."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy.special import expit

from philia._types import Float64Array, Int64Array
from philia.exceptions import InvalidParameterError
from philia.factors import CommunityFactors
from philia.graphs.graph import Graph
from philia.models import CommunityModel
from philia.plots.style import PROBABILITY_MAP, TICK, axes_or_new, label
from philia.reading import Level
from philia.reading.hierarchy import READABLE

CELLS = 500
"""The most cells per side of a picture: neither a screen nor an eye resolves more."""

_DARKEST = 0.995
"""The quantile at the top of a color scale: one cell in two hundred is above, as a few would leave the rest pale."""


def adjacency(graph: Graph, ax: Axes | None = None, order: npt.ArrayLike | None = None) -> Axes:
    """The links of a graph as a matrix of dots; of a large graph, the share of linked pairs in each cell.

    ``order`` has the row numbers in the order in which they are drawn; by default that of the graph.

    >>> from philia import as_graph, plots
    >>> ax = plots.adjacency(as_graph([("ann", "bob"), ("bob", "cat")]))
    >>> ax.get_title(loc="left")
    '3 nodes, 2 links'
    """
    cells = binned_links(graph, checked_order(order, graph.n_nodes))
    bar = None if len(cells) == graph.n_nodes else "share of pairs linked"
    drawn = heat_map(cells, ax, extent=graph.n_nodes, largest=_darkest(cells), bar=bar)
    label(drawn, title=f"{graph.n_nodes:,} nodes, {graph.n_links:,} links", x="node", y="node")
    return drawn


def probabilities(model: CommunityModel, ax: Axes | None = None, order: npt.ArrayLike | None = None) -> Axes:
    """The fitted probability of every link as a matrix; of a large graph, of 500 nodes evenly spaced in the order.

    Without an ``order`` (row numbers), nodes are grouped by their strongest community;
    of thousands, those that would merge first are next to each other.

    >>> from philia import CommunityModel, plots
    >>> from philia.datasets import dating_app
    >>> model = CommunityModel(3, 2, penalty=1, random_state=0).fit(dating_app(60, cities=3, random_state=0).graph)
    >>> plots.probabilities(model).get_ylabel()
    'node'
    """
    n = model.graph_.n_nodes
    rows = grouped(model) if order is None else checked_order(order, n)
    P = _sampled_probabilities(model, rows)
    drawn = heat_map(P, ax, extent=n, largest=_darkest(P), bar="probability of a link")
    which = "every pair" if len(P) == n else f"pairs of {len(P)} of {n:,} nodes"
    label(drawn, title=f"Fitted probability of a link, {which}", x="node", y="node")
    return drawn


def reconstruction(
    model: CommunityModel, axes: tuple[Axes, Axes] | None = None, order: npt.ArrayLike | None = None
) -> tuple[Axes, Axes]:
    """The links and the fitted probabilities side by side, in one order and one scale: a pair of axes.

    Without an ``order`` (row numbers), nodes are grouped by their strongest community. For a large graph the left side
    shows the share of linked pairs in each cell, and the right side 500 nodes evenly spaced in the order.

    >>> from philia import CommunityModel, plots
    >>> from philia.datasets import dating_app
    >>> model = CommunityModel(3, 2, penalty=1, random_state=0).fit(dating_app(60, cities=3, random_state=0).graph)
    >>> left, right = plots.reconstruction(model)
    >>> left.get_title(loc="left"), right.get_title(loc="left")
    ('60 nodes, 189 links', 'What the model makes of them')
    """
    graph, n = model.graph_, model.graph_.n_nodes
    rows = grouped(model) if order is None else checked_order(order, n)
    left, right = axes or _two_axes()
    P = _sampled_probabilities(model, rows)
    heat_map(binned_links(graph, rows), left, extent=n, largest=_darkest(P))
    heat_map(P, right, extent=n, largest=_darkest(P), bar="probability of a link; at the left: share of pairs linked")
    label(left, title=f"{n:,} nodes, {graph.n_links:,} links", x="node", y="node")
    label(right, title="What the model makes of them", x="node")
    right.tick_params(labelleft=False)
    return left, right


def _two_axes() -> tuple[Axes, Axes]:
    figure = Figure(figsize=(10.5, 5.0), layout="compressed", dpi=150)
    left, right = figure.subplots(1, 2)
    return left, right


def heat_map(
    cells: npt.ArrayLike,
    ax: Axes | None = None,
    *,
    extent: int | None = None,
    largest: float = 1.0,
    bar: str | None = None,
) -> Axes:
    """A square matrix as colors from 0 (almost white) to ``largest``; ``bar`` labels a scale beside it.

    ``extent`` is the number of nodes along a side, if a cell stands for several.

    >>> import numpy as np
    >>> len(heat_map(np.eye(3)).images)
    1
    """
    ax = axes_or_new(ax)
    matrix = np.asarray(cells)
    side = extent or len(matrix)
    image = ax.imshow(
        matrix,
        cmap=PROBABILITY_MAP,
        vmin=0.0,
        vmax=largest,
        extent=(-0.5, side - 0.5, side - 0.5, -0.5),
        interpolation="antialiased",
        interpolation_stage="data",
    )
    label(ax)
    if bar is not None:
        beyond = "max" if matrix.size and matrix.max() > largest else "neither"
        scale = ax.figure.colorbar(image, ax=ax, shrink=0.8, pad=0.02, extend=beyond)
        scale.set_label(bar, fontsize=TICK)
        scale.ax.tick_params(labelsize=TICK - 0.5)
    return ax


def binned_links(graph: Graph, order: Int64Array, cells: int = CELLS) -> Float64Array:
    """The share of linked pairs in each of at most ``cells`` × ``cells`` parts of the reordered matrix.

    >>> from philia import as_graph
    >>> binned_links(as_graph([(0, 1), (2, 3), (1, 2)]), np.arange(4), cells=2).tolist()
    [[0.5, 0.25], [0.25, 0.5]]
    """
    n = graph.n_nodes
    side = min(n, cells)
    cell = np.empty(n, dtype=np.int64)
    cell[order] = np.arange(n) * side // max(n, 1)
    rows, columns = graph.links
    one_way = np.bincount(cell[rows] * side + cell[columns], minlength=side * side).reshape(side, side)
    sizes = np.bincount(cell, minlength=side)
    return np.asarray((one_way + one_way.T) / np.maximum(np.outer(sizes, sizes), 1))


def _sampled_probabilities(model: CommunityModel, order: Int64Array) -> Float64Array:
    """The fitted probabilities of all pairs in this order; in a large graph, of 500 nodes evenly spaced in it.

    >>> from philia.datasets import classic
    >>> model = CommunityModel(2, 1, penalty=1, random_state=0).fit(classic("karate"))
    >>> _sampled_probabilities(model, np.arange(34)).shape
    (34, 34)
    """
    n = len(order)
    shown = order[np.linspace(0, n - 1, min(n, CELLS)).round().astype(np.int64)]
    return np.asarray(expit(model.factors_.score_block(shown, shown)))


def checked_order(order: npt.ArrayLike | None, n: int) -> Int64Array:
    """The row numbers as an array, by default in order; an error if some row is missing or repeated.

    >>> checked_order(None, 3).tolist()
    [0, 1, 2]
    """
    if order is None:
        return np.arange(n, dtype=np.int64)
    rows = np.asarray(order)
    if rows.shape != (n,) or not np.array_equal(np.sort(rows), np.arange(n)):
        raise InvalidParameterError(
            f"an order holds each row number from 0 to {n - 1:,} once; found shape {rows.shape}"
        )
    return rows.astype(np.int64)


def _darkest(cells: Float64Array) -> float:
    """The value at the top of a color scale.

    >>> _darkest(np.array([0.0, 0.25, 0.25]))
    0.25
    """
    return float(np.quantile(cells[cells > 0], _DARKEST)) if cells.any() else 1.0


def grouped(model: CommunityModel) -> Int64Array:
    """Row numbers with the members of each community together, and communities that would merge first side by side.

    >>> from philia.datasets import classic
    >>> model = CommunityModel(2, 0, penalty=1, random_state=0).fit(classic("karate"))
    >>> bool((grouped(model) == by_community(model.read_columns())).all())
    True
    """
    if model.factors_.members is not None:
        levels = model.hierarchy()
        order = [-model.graph_.degrees, levels.default.labels, top_level(model).labels]
        return np.lexsort(order).astype(np.int64)
    return by_community(model.read_columns())


def top_level(model: CommunityModel) -> Level:
    """The communities of a sparse model where at most 24 are left.

    >>> from philia.datasets import overlapping_cliques
    >>> model = CommunityModel(storage="sparse", random_state=0).fit(overlapping_cliques(900, 36, random_state=0).graph)
    >>> len(top_level(model))
    24
    """
    levels = model.hierarchy()
    return levels.cut(max(count for count in levels.counts if count <= READABLE))


def by_community(factors: CommunityFactors) -> Int64Array:
    """Row numbers sorted by each node's strongest homophilous community, then by its strongest heterophilous one.

    Nodes below the mean of their heterophilous community count as in none, and come after those that are in one. Within
    each group, the fullest members come first.

    >>> factors = CommunityFactors(np.array([[2.0, 1.0], [0.0, 3.0], [3.0, 0.0]]), np.zeros((3, 1)), np.zeros(3))
    >>> by_community(factors).tolist()
    [2, 0, 1]
    """
    B, C = factors.homophilous, factors.heterophilous
    if not B.shape[1] and not C.shape[1]:
        return np.argsort(-factors.background, kind="stable")
    fullest = -(B if B.shape[1] else C).max(axis=1)
    attracting = B.argmax(axis=1) if B.shape[1] else np.zeros(len(B), np.int64)
    return np.lexsort([fullest, _repelling(C), attracting]).astype(np.int64)  # the last key counts most


def _repelling(C: Float64Array) -> Int64Array:
    """The strongest heterophilous community of each node; nodes below its mean get a number beyond all others."""
    if not C.shape[1]:
        return np.zeros(len(C), np.int64)
    strongest = C.argmax(axis=1)
    return np.asarray(np.where(C.max(axis=1) < C.mean(axis=0)[strongest], C.shape[1], strongest), dtype=np.int64)


def along_diagonal(F: Float64Array) -> Int64Array:
    """Column numbers sorted by the mean row of their weight, from top to bottom.

    >>> along_diagonal(np.array([[0.0, 1.0], [0.0, 2.0], [3.0, 0.0]])).tolist()
    [1, 0]
    """
    weight = F**2
    total = weight.sum(axis=0)
    middle = (np.arange(len(F)) @ weight) / np.where(total > 0, total, 1.0)
    middle[total == 0] = np.inf
    return np.argsort(middle, kind="stable").astype(np.int64)

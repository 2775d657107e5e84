"""Matrices as pictures: links and probabilities, never more than 500 cells a side."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from scipy.special import expit

from philia._types import Float64Array, Int64Array
from philia.exceptions import InvalidParameterError
from philia.graphs.graph import Graph
from philia.models import CommunityModel
from philia.plots.ordering import by_community
from philia.plots.style import PROBABILITY_MAP, axes_or_new, label

CELLS = 500
"""Sides of a picture in cells: finer than this neither a screen nor an eye can tell apart."""


def adjacency(graph: Graph, ax: Axes | None = None, order: npt.ArrayLike | None = None) -> Axes:
    """The links of a graph as a matrix of dots; of a large graph, the share of linked pairs in each cell.

    ``order`` holds row numbers, the one to be drawn first in front; without it, rows come as the graph has them.

    >>> from philia import as_graph, plots
    >>> ax = plots.adjacency(as_graph([("ann", "bob"), ("bob", "cat")]))
    >>> ax.get_title(loc="left")
    '3 nodes, 2 links'
    """
    cells = binned_links(graph, checked_order(order, graph.n_nodes))
    bar = None if len(cells) == graph.n_nodes else "share of pairs linked"
    drawn = heat_map(cells, ax, extent=graph.n_nodes, largest=darkest(cells), bar=bar)
    label(drawn, title=f"{graph.n_nodes:,} nodes, {graph.n_links:,} links", x="node", y="node")
    return drawn


def probabilities(model: CommunityModel, ax: Axes | None = None, order: npt.ArrayLike | None = None) -> Axes:
    """The fitted probability of every link as a matrix; of a large graph, of 500 nodes evenly spaced in the order.

    Without an ``order`` (row numbers), nodes stand beside those of their strongest community.

    >>> from philia import CommunityModel, plots
    >>> from philia.datasets import dating_app
    >>> model = CommunityModel(3, 2, penalty=1, random_state=0).fit(dating_app(60, cities=3, random_state=0).graph)
    >>> plots.probabilities(model).get_ylabel()
    'node'
    """
    n = model.graph_.n_nodes
    rows = by_community(model.factors_) if order is None else checked_order(order, n)
    P = sampled_probabilities(model, rows)
    drawn = heat_map(P, ax, extent=n, largest=darkest(P), bar="probability of a link")
    which = "every pair" if len(P) == n else f"pairs of {len(P)} of {n:,} nodes"
    label(drawn, title=f"Fitted probability of a link, {which}", x="node", y="node")
    return drawn


def heat_map(
    cells: npt.ArrayLike,
    ax: Axes | None = None,
    *,
    extent: int | None = None,
    largest: float = 1.0,
    bar: str | None = None,
) -> Axes:
    """A square matrix as colours from 0 (almost white) to ``largest``; ``bar`` labels a scale beside it.

    ``extent`` is how many nodes the side stands for, where a cell stands for several.

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
        scale.set_label(bar, fontsize=9.5)
        scale.ax.tick_params(labelsize=9)
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


def sampled_probabilities(model: CommunityModel, order: Int64Array) -> Float64Array:
    """The fitted probabilities of all pairs in that order; of a large graph, of 500 nodes evenly spaced in it.

    >>> from philia.datasets import classic
    >>> model = CommunityModel(2, 1, penalty=1, random_state=0).fit(classic("karate"))
    >>> sampled_probabilities(model, np.arange(34)).shape
    (34, 34)
    """
    n = len(order)
    shown = order[np.linspace(0, n - 1, min(n, CELLS)).round().astype(np.int64)]
    return np.asarray(expit(model.factors_.score_block(shown, shown)))


def checked_order(order: npt.ArrayLike | None, n: int) -> Int64Array:
    """The row numbers as an array, or a sentence if some row is missing or repeated.

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


def darkest(cells: Float64Array) -> float:
    """The top of a colour scale: a value that only one cell in two hundred exceeds, as a few would leave the rest pale.

    >>> darkest(np.array([0.0, 0.25, 0.25]))
    0.25
    """
    return float(np.quantile(cells[cells > 0], 0.995)) if cells.any() else 1.0

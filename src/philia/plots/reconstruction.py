"""What the model saw beside what it makes of it."""

from __future__ import annotations

import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from philia.models import CommunityModel
from philia.plots.matrices import binned_links, checked_order, darkest, heat_map, sampled_probabilities
from philia.plots.ordering import by_community
from philia.plots.style import label


def reconstruction(
    model: CommunityModel, axes: tuple[Axes, Axes] | None = None, order: npt.ArrayLike | None = None
) -> tuple[Axes, Axes]:
    """The links and the fitted probabilities side by side, in one order and one scale: a pair of axes.

    Without an ``order`` (row numbers), nodes stand beside those of their strongest community. Of a large graph the left
    side shows the share of linked pairs in each cell, and the right side 500 nodes evenly spaced in the order.

    >>> from philia import CommunityModel, plots
    >>> from philia.datasets import dating_app
    >>> model = CommunityModel(3, 2, penalty=1, random_state=0).fit(dating_app(60, cities=3, random_state=0).graph)
    >>> left, right = plots.reconstruction(model)
    >>> left.get_title(loc="left"), right.get_title(loc="left")
    ('60 nodes, 189 links', 'What the model makes of them')
    """
    graph, n = model.graph_, model.graph_.n_nodes
    rows = by_community(model.factors_) if order is None else checked_order(order, n)
    left, right = axes or _side_by_side()
    P = sampled_probabilities(model, rows)
    heat_map(binned_links(graph, rows), left, extent=n, largest=darkest(P))
    heat_map(P, right, extent=n, largest=darkest(P), bar="probability of a link; at the left: share of pairs linked")
    label(left, title=f"{n:,} nodes, {graph.n_links:,} links", x="node", y="node")
    label(right, title="What the model makes of them", x="node")
    right.tick_params(labelleft=False)
    return left, right


def _side_by_side() -> tuple[Axes, Axes]:
    figure = Figure(figsize=(10.5, 5.0), layout="compressed", dpi=150)
    left, right = figure.subplots(1, 2)
    return left, right

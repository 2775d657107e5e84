"""Step 7: pictures. Each function draws into the axes it is given, or into a new figure, and returns the axes.

>>> from philia import as_graph, plots
>>> ax = plots.adjacency(as_graph([("ann", "bob"), ("bob", "cat")]))
>>> ax.figure.savefig("links.png")  # doctest: +SKIP
"""

from philia.plots.communities import communities, memberships, overlap, stability
from philia.plots.comparisons import bars, curves, error_by_dimension
from philia.plots.fit import loss_curve, reliability, selection
from philia.plots.hierarchy import hierarchy
from philia.plots.matrices import adjacency, by_community, heat_map, probabilities, reconstruction
from philia.plots.network import network
from philia.plots.waterfall import waterfall

__all__ = [
    "adjacency",
    "bars",
    "by_community",
    "communities",
    "curves",
    "error_by_dimension",
    "heat_map",
    "hierarchy",
    "loss_curve",
    "memberships",
    "network",
    "overlap",
    "probabilities",
    "reconstruction",
    "reliability",
    "selection",
    "stability",
    "waterfall",
]

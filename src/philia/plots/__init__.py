"""Step 7: pictures. Each function draws into the axes it is given, or into a new figure, and returns the axes.

>>> from philia import as_graph, plots
>>> ax = plots.adjacency(as_graph([("ann", "bob"), ("bob", "cat")]))
>>> ax.figure.savefig("links.png")  # doctest: +SKIP
"""

from philia.plots.communities import communities
from philia.plots.comparisons import bars, curves
from philia.plots.dimensions import error_by_dimension
from philia.plots.loss import loss_curve
from philia.plots.matrices import adjacency, heat_map, probabilities
from philia.plots.memberships import memberships
from philia.plots.ordering import by_community
from philia.plots.overlap import overlap
from philia.plots.reconstruction import reconstruction
from philia.plots.reliability import reliability
from philia.plots.selection import selection
from philia.plots.stability import stability
from philia.plots.waterfall import waterfall

__all__ = [
    "adjacency",
    "bars",
    "by_community",
    "communities",
    "curves",
    "error_by_dimension",
    "heat_map",
    "loss_curve",
    "memberships",
    "overlap",
    "probabilities",
    "reconstruction",
    "reliability",
    "selection",
    "stability",
    "waterfall",
]

"""Step 7: pictures. Each function draws into the axes it is given, or into a new figure, and returns the axes.

>>> from philia import as_graph, plots
>>> ax = plots.adjacency(as_graph([("ann", "bob"), ("bob", "cat")]))
>>> ax.figure.savefig("links.png")  # doctest: +SKIP
"""

from typing import TYPE_CHECKING, NoReturn

from philia._text import no_such_name
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

_HABITS = {
    **dict.fromkeys(
        ("draw", "plot", "graph", "draw_network"), "plots.network(model) draws the network with its communities"
    ),
    **dict.fromkeys(("dendrogram", "tree"), "plots.hierarchy(model) draws how communities merge"),
    **dict.fromkeys(("calibration", "calibration_curve"), "plots.reliability(scores.calibration) draws it"),
    "loss": "plots.loss_curve(model) draws it",
    "explanation": "plots.waterfall(model.explain(u, v)) draws it",
}
"""What users write from habit, and what there is instead."""

if not TYPE_CHECKING:  # type checkers should know that there are no such names

    def __getattr__(name: str) -> NoReturn:
        raise no_such_name(__name__, name, _HABITS)

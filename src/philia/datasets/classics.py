"""Small classic networks, by name, as networkx ships them."""

from __future__ import annotations

from philia.exceptions import InvalidParameterError, MissingDependencyError
from philia.graphs import Graph, as_graph

CLASSICS = {
    "karate": "karate_club_graph",
    "davis": "davis_southern_women_graph",
    "florentine": "florentine_families_graph",
    "les_miserables": "les_miserables_graph",
}


def classic(name: str) -> Graph:
    """A classic network: "karate", "davis" (women and the events they attended), "florentine" or "les_miserables".

    >>> classic("karate")
    Graph(34 nodes, 78 links; ... weights dropped)
    """
    if name not in CLASSICS:
        raise InvalidParameterError(
            f"there is no classic network {name!r}; choose one of {', '.join(map(repr, CLASSICS))}"
        )
    try:
        import networkx
    except ImportError:
        raise MissingDependencyError(
            f"the network {name!r} comes from networkx, which is not installed; install it with `pip install networkx`"
        ) from None
    return as_graph(getattr(networkx, CLASSICS[name])())

"""What is said about input: how it was read is logged, and what was lost is warned of."""

from __future__ import annotations

import logging
import sys
import warnings

from philia.exceptions import InputWarning
from philia.graphs.graph import Graph

_LOG = logging.getLogger("philia")


def tell(sentence: str) -> None:
    """Log how the input was read; commands print it."""
    _LOG.info(sentence)


def warn(sentence: str) -> None:
    """Warn that something in the input was guessed or lost, at the line of the caller's program."""
    frame, level = sys._getframe(), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "philia":
        frame, level = frame.f_back, level + 1
    warnings.warn(sentence, InputWarning, stacklevel=level)


def warn_of_changes(graph: Graph, *, weights: bool = True, directions: bool = True) -> Graph:
    """The same graph, after a warning if weights or directions were dropped without being asked to.

    >>> from philia import as_graph
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     _ = warn_of_changes(as_graph([("ann", "bob", 2)], weights=False))
    >>> print(caught[0].message)
    1 weight dropped: links are counted as there or not there; pass weights=True to keep weights, or weights=False if
    dropping them is meant
    """
    lost = graph.changes
    if weights and lost.weights:
        warn(
            f"{lost.only('weights')}: links are counted as there or not there; pass weights=True to keep weights, or "
            "weights=False if dropping them is meant"
        )
    if directions and lost.directions:
        warn(f"{lost.only('directions')}: philia describes undirected networks, so a link runs both ways")
    return graph

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
    1 weight dropped: links are counted as there or not there; as_graph and read_graph keep weights with weights=True,
    and drop them without a warning with weights=False
    """
    lost = graph.changes
    if weights and lost.weights:
        warn(
            f"{lost.only('weights')}: links are counted as there or not there; as_graph and read_graph keep weights "
            "with weights=True, and drop them without a warning with weights=False"
        )
    if directions and lost.directions:
        warn(f"{lost.only('directions')}: philia describes undirected networks, so a link runs both ways")
    if graph.nodes.integers is None:
        _warn_of_blanks(graph)
    return graph


def _warn_of_blanks(graph: Graph) -> None:
    padded = [name for name in graph.nodes if isinstance(name, str) and name != name.strip()]
    if padded:
        begin = "1 name begins or ends" if len(padded) == 1 else f"{len(padded):,} names begin or end"
        warn(
            f"{begin} with blanks, such as {padded[0]!r}; this is another node than {padded[0].strip()!r}, so strip "
            "the names if that is not meant"
        )

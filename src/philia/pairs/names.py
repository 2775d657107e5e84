"""Pairs of nodes given by their names."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from philia._types import Int64Array, Node, Pair
from philia.exceptions import InvalidParameterError
from philia.graphs.conversion import columns_of_frame, is_frame
from philia.graphs.graph import Graph


def rows_of_pairs(graph: Graph, pairs: Iterable[Pair]) -> tuple[Int64Array, Int64Array]:
    """The rows of the first and of the second node of each pair.

    >>> from philia import as_graph
    >>> rows_of_pairs(as_graph([("a", "b"), ("b", "c")]), [("c", "a")])
    (array([2]), array([0]))
    """
    first, second = names_of_pairs(pairs)
    return graph.nodes.rows(first), graph.nodes.rows(second)


def names_of_pairs(pairs: Iterable[Pair]) -> tuple[list[Node], list[Node]]:
    """The names of the first and of the second node of each pair.

    >>> names_of_pairs([("c", "a"), ("b", "a")])
    (['c', 'b'], ['a', 'a'])

    A single pair may stand alone, and a frame of pandas or polars has one pair per row, in columns found as
    :func:`philia.as_graph` finds them.

    >>> names_of_pairs(("c", "a"))
    (['c'], ['a'])
    """
    if is_frame(pairs):
        return columns_of_frame(pairs)
    if isinstance(pairs, (tuple, list, np.ndarray)) and len(pairs) == 2 and not any(map(_is_pair, pairs)):
        pairs = [(pairs[0], pairs[1])]
    first: list[Node] = []
    second: list[Node] = []
    for pair in pairs:
        try:
            if isinstance(pair, (str, bytes)):  # two letters are no pair
                raise TypeError
            u, v = pair
        except (TypeError, ValueError):
            raise InvalidParameterError(f"a pair is two node names such as ('a', 'b'); found {pair!r}") from None
        first.append(_plain(u))
        second.append(_plain(v))
    return first, second


def _is_pair(x: object) -> bool:
    return isinstance(x, (tuple, list, np.ndarray))


def two_names(u: Any, v: Any = None) -> tuple[Node, Node]:
    """Two names, given one by one or as a pair.

    >>> two_names("c", "a"), two_names(("c", "a"))
    (('c', 'a'), ('c', 'a'))
    >>> two_names("c")
    Traceback (most recent call last):
    philia.exceptions.InvalidParameterError: two nodes are needed, as in explain('a', 'b'); found only 'c'
    """
    if v is not None:
        return u, v
    if not isinstance(u, (tuple, list, np.ndarray)):
        raise InvalidParameterError(f"two nodes are needed, as in explain('a', 'b'); found only {u!r}")
    (first,), (second,) = names_of_pairs([tuple(u)])  # its length is checked there
    return first, second


def _plain(name: Node) -> Node:
    """A NumPy scalar as the Python value that names the node."""
    return name.item() if isinstance(name, np.generic) else name

"""One door for communities in memory: whatever holds sets of nodes goes in, members by community come out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from philia._types import Node
from philia.exceptions import InvalidParameterError


def as_communities(x: Any) -> dict[Node, list[Node]]:
    """The members of each community, by the community's name; those without one are called 0, 1, ….

    >>> as_communities({"red": {"ann"}, "blue": ["bob", "cat", "bob"]})
    {'red': ['ann'], 'blue': ['bob', 'cat']}
    >>> as_communities([["ann", "bob"], ["bob", "cat"]])
    {0: ['ann', 'bob'], 1: ['bob', 'cat']}

    ``x`` may be a mapping from names to nodes, anything with a row of nodes each, as networkx's methods give it, the
    communities of a model, a ``NodeClustering`` of cdlib, or a ``VertexClustering`` or ``VertexCover`` of igraph, whose
    numbers become the names of its graph.
    """
    given = _unpacked(x)
    if not isinstance(given, Mapping):
        if isinstance(given, (str, bytes)) or not isinstance(given, Iterable):
            raise InvalidParameterError(
                f"found {given!r} where communities are expected; give the nodes of each, as in [{{1, 2}}, {{2, 3}}]"
            )
        given = dict(enumerate(given))
    return {name: _members(nodes) for name, nodes in given.items()}


def _unpacked(x: Any) -> Any:
    """A mapping or rows of nodes out of the objects that hold them."""
    libraries = {base.__module__.split(".")[0] for base in type(x).__mro__}
    if "cdlib" in libraries and hasattr(x, "communities"):
        return x.communities
    if "igraph" in libraries and hasattr(x, "membership") and hasattr(x, "graph"):
        named = "name" in x.graph.vs.attributes()
        names = x.graph.vs["name"] if named else range(x.graph.vcount())
        return [[names[number] for number in numbers] for numbers in x]
    return x.as_sets() if hasattr(x, "as_sets") else x


def _members(nodes: Any) -> list[Node]:
    try:
        if isinstance(nodes, (str, bytes)):  # a name, which would fall apart into its letters
            raise TypeError
        return list(dict.fromkeys(nodes))
    except TypeError:
        raise InvalidParameterError(
            f"found {nodes!r} where the nodes of a community are expected; give their names in a set or a list"
        ) from None

"""Whom new nodes are linked with, from names to rows, checked once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from scipy import sparse

from philia._types import Int64Array, Node
from philia.exceptions import InvalidParameterError
from philia.graphs import Nodes

Neighbours = Mapping[Node, Iterable[Node]] | Iterable[Node]
"""The neighbours of each new node by its name, or those of one node without a name."""

NAMELESS = "new"
"""What a single new node is called that came without a name."""


def rows_of_neighbours(
    fitted: Nodes, neighbours: Neighbours, unknown: Neighbours | None
) -> tuple[sparse.csr_array, sparse.csr_array, Nodes]:
    """Links and unknown pairs (new × fitted, 0 or 1), and the names of the new nodes.

    >>> links, unknown, new = rows_of_neighbours(Nodes(["ann", "bob"]), {"zoe": ["bob"]}, {"zoe": ["ann"]})
    >>> links.toarray().tolist(), unknown.toarray().tolist(), list(new)
    ([[0.0, 1.0]], [[1.0, 0.0]], ['zoe'])
    """
    linked = _by_name(neighbours, "neighbours")
    if not linked:
        raise InvalidParameterError("there are no new nodes to place; give at least one, such as {'zoe': ['ann']}")
    new = Nodes(list(linked))
    for name in new:
        if name in fitted:
            raise InvalidParameterError(
                f"{name!r} is not new: the model was fitted with it, and model.communities().of({name!r}) has its "
                "communities; partial_fit adds links to it"
            )
    left_out = _by_name({} if unknown is None else unknown, "unknown")
    rest = {name: left_out.pop(name, ()) for name in new}
    if left_out:
        raise InvalidParameterError(
            f"unknown names {next(iter(left_out))!r}, which is not among the new nodes; name it in neighbours as well, "
            "with [] if none of its links is known"
        )
    links, hidden = (_matrix(fitted, new, named) for named in (linked, rest))
    both = links.multiply(hidden).tocoo()
    if both.nnz:
        u, v = new[int(both.row[0])], fitted[int(both.col[0])]
        raise InvalidParameterError(f"the pair ({u!r}, {v!r}) is given as a link and as unknown; decide for one")
    return links, hidden, new


def _by_name(given: Neighbours, what: str) -> dict[Node, Iterable[Node]]:
    if isinstance(given, Mapping):
        return dict(given)
    if isinstance(given, (str, bytes)) or not isinstance(given, Iterable):
        raise InvalidParameterError(
            f"{what} is {given!r}; give a list of names, or such a list for each new node: {{'zoe': ['ann', 'bob']}}"
        )
    return {NAMELESS: given}


def _matrix(fitted: Nodes, new: Nodes, named: Mapping[Node, Iterable[Node]]) -> sparse.csr_array:
    ends = [_rows(fitted, new, name, others) for name, others in named.items()]
    rows = np.repeat(np.arange(len(new)), [len(found) for found in ends])
    columns = np.concatenate([np.empty(0, np.int64), *ends])
    return sparse.csr_array((np.ones(len(rows)), (rows, columns)), shape=(len(new), len(fitted)))


def _rows(fitted: Nodes, new: Nodes, name: Node, others: Iterable[Node]) -> Int64Array:
    """The rows of the names, each once."""
    if isinstance(others, (str, bytes)) or not isinstance(others, Iterable):
        raise InvalidParameterError(f"{name!r} is given {others!r}; give a list of names, such as ['ann', 'bob']")
    listed = list(others)
    for other in listed:
        if other in new and other not in fitted:
            raise InvalidParameterError(
                f"{name!r} and {other!r} are both new, and new nodes are placed without each other; leave the pair "
                "out, or add all links with partial_fit"
            )
    return np.unique(fitted.rows(listed))

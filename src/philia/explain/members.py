"""Who is in a community, as arrays that are read like a table of names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property

import numpy as np

from philia._types import Float64Array, Int64Array, Node
from philia.graphs.nodes import Nodes

_AT_A_TIME = 4096
"""Names that are looked up together."""


class Members(Mapping[Node, float]):
    """Names with their memberships, fullest first; a name takes no memory until it is asked for.

    >>> members = Members(Nodes(["ann", "bob", "cat"]), np.array([2, 0]), np.array([1.0, 0.6]))
    >>> members, members["ann"], "bob" in members, members == {"ann": 0.6, "cat": 1.0}
    ({'cat': 1.0, 'ann': 0.6}, 0.6, False, True)
    """

    def __init__(self, nodes: Nodes, rows: Int64Array, memberships: Float64Array) -> None:
        self._nodes, self.rows, self._memberships = nodes, rows, memberships

    def __getitem__(self, name: Node) -> float:
        row = self._nodes.find(name)
        by_row, places = self._by_row
        at = len(by_row) if row is None else int(np.searchsorted(by_row, row))
        if at == len(by_row) or by_row[at] != row:
            raise KeyError(name)
        return float(self._memberships[places[at]])

    def __iter__(self) -> Iterator[Node]:
        for first in range(0, len(self.rows), _AT_A_TIME):
            yield from self._nodes.pick(self.rows[first : first + _AT_A_TIME])

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        return repr(dict(zip(self, self._memberships.tolist(), strict=True)))

    @cached_property
    def _by_row(self) -> tuple[Int64Array, Int64Array]:
        places = np.argsort(self.rows)
        return self.rows[places], places


def rows_of(members: Mapping[Node, float], nodes: Nodes) -> Int64Array:
    """The rows of some members.

    >>> rows_of({"cat": 1.0, "ann": 0.6}, Nodes(["ann", "bob", "cat"])).tolist()
    [2, 0]
    """
    return members.rows if isinstance(members, Members) else nodes.rows(members)

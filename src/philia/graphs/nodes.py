"""Node names, any hashable objects, and the mapping from a name to its row."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from philia._types import Int64Array, Node
from philia.exceptions import InvalidGraphError, UnknownNodeError

_COMPARED = 100_000
"""Names among which similar ones are looked for; comparing more would take seconds."""


class Nodes(Sequence[Node]):
    """The names of a graph's nodes in row order, as they were given: text stays text, integers stay integers.

    Integers are kept as one array, so a million of them take eight megabytes; the mapping from names to rows is made
    on first use.

    >>> nodes = Nodes(["ann", "bob", "cat"])
    >>> nodes[1], nodes.row("cat"), len(nodes)
    ('bob', 2, 3)
    >>> nodes.row("anne")
    Traceback (most recent call last):
    philia.exceptions.UnknownNodeError: no node is called 'anne'; the nearest names are 'ann'
    """

    def __init__(self, names: Iterable[Node] | npt.NDArray[Any]) -> None:
        self._names: Int64Array | tuple[Node, ...]
        # Unsigned 64-bit integers may not fit into signed ones, so they are converted one by one.
        if isinstance(names, np.ndarray) and names.dtype.kind in "iu" and names.dtype != np.uint64:
            self._names = names.astype(np.int64)
        else:
            listed = names.tolist() if isinstance(names, np.ndarray) else names
            self._names = tuple(name.item() if isinstance(name, np.generic) else name for name in listed)
            if self._names and all(type(name) is int and abs(name) < 2**63 for name in self._names):
                self._names = np.array(self._names, dtype=np.int64)
        if isinstance(self._names, np.ndarray):
            self._names.flags.writeable = False

    @classmethod
    def numbered(cls, count: int) -> Nodes:
        """The names 0, 1, …, count - 1, for graphs without names."""
        return cls(np.arange(count, dtype=np.int64))

    @property
    def integers(self) -> Int64Array | None:
        """All names as one array if every one of them is an integer, else None."""
        return self._names if isinstance(self._names, np.ndarray) else None

    def row(self, name: Node) -> int:
        """The row of the node called ``name``; an error with the nearest names if there is none."""
        row = self.find(name)
        if row is None:
            raise UnknownNodeError(self._unknown(name))
        return row

    def find(self, name: Node) -> int | None:
        """The row of the node called ``name``, or None if there is none."""
        try:
            return self._rows.get(name)
        except TypeError:  # an unhashable object is never a name
            return None

    def rows(self, names: Iterable[Node]) -> Int64Array:
        """The rows of many names."""
        return np.fromiter((self.row(name) for name in names), dtype=np.int64)

    def pick(self, rows: npt.NDArray[Any]) -> list[Node]:
        """The names of many rows."""
        if isinstance(self._names, np.ndarray):
            picked: list[Node] = self._names[rows].tolist()
            return picked
        return [self._names[row] for row in rows]

    def check_unique(self) -> None:
        """Raise an error if two nodes have the same name."""
        # Integers are compared as an array: a dictionary of millions would take ten times the memory.
        different = len(self._rows) if self.integers is None else np.unique(self.integers).size
        if different == len(self):
            return
        seen: set[Node] = set()
        twice = next(name for name in self if name in seen or seen.add(name))  # type: ignore[func-returns-value]
        raise InvalidGraphError(f"the name {twice!r} is given to more than one node; node names must be unique")

    @cached_property
    def _rows(self) -> dict[Node, int]:
        return {name: row for row, name in enumerate(self)}

    def _unknown(self, name: Node) -> str:
        text = str(name)
        # The same text in another type ("7" for 7) is the most common mistake, so it is looked for first.
        twins = [known for known in self._rows if str(known) == text]
        if twins:
            kind, found = type(twins[0]).__name__, type(name).__name__
            return f"no node is called {name!r} ({found}), but there is {twins[0]!r} ({kind}); pass that instead"
        compared = {str(known): known for known in self[:_COMPARED]}
        near = [compared[match] for match in difflib.get_close_matches(text, compared, n=3)]
        hint = f"the nearest names are {', '.join(map(repr, near))}" if near else self._examples()
        return f"no node is called {name!r}; {hint}"

    def _examples(self) -> str:
        return f"names look like {', '.join(map(repr, self[:3]))}" if len(self) else "the graph has no nodes"

    @overload
    def __getitem__(self, row: int) -> Node: ...
    @overload
    def __getitem__(self, row: slice) -> list[Node]: ...
    def __getitem__(self, row: int | slice) -> Node | list[Node]:
        if isinstance(row, slice):
            return self.pick(np.arange(len(self))[row])
        name = self._names[row]
        return name.item() if isinstance(name, np.generic) else name

    def __len__(self) -> int:
        return len(self._names)

    def __iter__(self) -> Any:
        return iter(self._names.tolist() if isinstance(self._names, np.ndarray) else self._names)

    def __contains__(self, name: object) -> bool:
        try:
            return name in self._rows
        except TypeError:  # unhashable
            return False

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Nodes)
            and len(self) == len(other)
            and all(a == b for a, b in zip(self, other, strict=True))
        )

    def __hash__(self) -> int:
        return hash((len(self), *self[:8]))

    def __repr__(self) -> str:
        shown = ", ".join(map(repr, self[:4])) + (", …" if len(self) > 4 else "")
        return f"Nodes({len(self)}: {shown})"

"""Things with a place in the course of a fit."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Generic, TypeVar

T = TypeVar("T")

Place = tuple[int, ...]
"""(3,) is the fourth answer of a fit, (3, 0) the first answer on the way to the fourth."""


class Course(Generic[T]):
    """What is known about a fit, by place; an answer makes those on the way to it needless.

    >>> course = Course()
    >>> course[0,], course[1, 0], course[1, 1] = "a start", "a value", "another value"
    >>> course[1,] = "the minimum"
    >>> dict(course.items())
    {(0,): 'a start', (1,): 'the minimum'}
    """

    def __init__(self) -> None:
        self._ways: dict[Place, dict[int, T]] = {}

    def get(self, place: Place) -> T | None:
        """What is known at a place."""
        return self._ways.get(place[:-1], {}).get(place[-1])

    def __setitem__(self, place: Place, known: T) -> None:
        """Know something, and forget what it replaces: the way to it, or an answer that is being found once more."""
        self._forget_way(place)
        for end in range(1, len(place)):
            self._ways.get(place[: end - 1], {}).pop(place[end - 1], None)
        self._ways.setdefault(place[:-1], {})[place[-1]] = known

    def forget(self, place: Place) -> None:
        """Forget a place, the way to it, and those that follow it."""
        way = self._ways.get(place[:-1], {})
        for at in [at for at in way if at >= place[-1]]:
            del way[at]
        for other in [w for w in self._ways if w[: len(place) - 1] == place[:-1] and w >= place]:
            del self._ways[other]

    def items(self) -> Iterator[tuple[Place, T]]:
        """All places, and what is known there."""
        return (((*way, at), known) for way, there in self._ways.items() for at, known in there.items())

    def _forget_way(self, place: Place) -> None:
        for other in [w for w in self._ways if w[: len(place)] == place]:
            del self._ways[other]

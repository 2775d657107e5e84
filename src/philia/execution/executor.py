"""What a place to run must offer, and what it is given to do."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Protocol, Self, TypeVar, runtime_checkable

T = TypeVar("T")
R = TypeVar("R")
Given = TypeVar("Given")
GivenIn = TypeVar("GivenIn", contravariant=True)
Piece = TypeVar("Piece")
Total = TypeVar("Total")


class Executor(Protocol):
    """Anything with a ``map`` that gives its results in order."""

    def map(self, function: Callable[[T], R], items: Iterable[T], /) -> Iterator[R]:
        """The function's result for each item, in the items' order."""
        ...


class Work(Protocol[GivenIn, Piece, Total]):
    """Pieces that are added up, again and again for other given numbers; all else about them never changes."""

    def __len__(self) -> int:
        """How many pieces there are."""
        ...

    def part(self, first: int, end: int, /) -> Self:
        """The pieces from ``first`` up to ``end``, with what they need and no more."""
        ...

    def pieces(self, given: GivenIn, executor: Executor, /) -> Iterable[Piece]:
        """Every piece for these numbers, in order."""
        ...

    def added(self, total: Total | None, pieces: Iterable[Piece], /) -> Total:
        """The total with more pieces added, one after the other; the total handed in stays as it is."""
        ...


@runtime_checkable
class Changing(Protocol):
    """Given numbers most of which stay from round to round: where the earlier ones are known, the change is enough."""

    def since(self, earlier: Any, /) -> Callable[[Any], Any]:
        """The function that makes these numbers of the earlier ones; smaller than either."""
        ...


@runtime_checkable
class CachingExecutor(Executor, Protocol):
    """An executor that is far away: it takes what never changes once, and the numbers of each round after that."""

    def keep(self, work: Work[Given, Piece, Total], /) -> Callable[[Given], Total]:
        """The function that gives the total for given numbers."""
        ...


def cached_on(executor: Executor, work: Work[Given, Piece, Total]) -> Callable[[Given], Total]:
    """The function that gives the work's total for given numbers, computed where the executor runs.

    Pieces are added in their order wherever they were computed, so the place changes no bit of the total.
    """
    if isinstance(executor, CachingExecutor):
        return executor.keep(work)
    return lambda given: work.added(None, work.pieces(given, executor))

"""The interface of executors, and of the work that they cache."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Protocol, Self, TypeVar, runtime_checkable

T = TypeVar("T")
R = TypeVar("R")
Given = TypeVar("Given")
_GivenIn = TypeVar("_GivenIn", contravariant=True)
Piece = TypeVar("Piece")
Total = TypeVar("Total")


class Executor(Protocol):
    """Anything with a ``map`` that yields its results in order."""

    def map(self, function: Callable[[T], R], items: Iterable[T], /) -> Iterator[R]:
        """The function's result for each item, in the items' order."""
        ...


class Work(Protocol[_GivenIn, Piece, Total]):
    """A sum of pieces, computed again and again for new inputs, while everything else about it stays the same."""

    def __len__(self) -> int:
        """Number of pieces."""
        ...

    def part(self, first: int, end: int, /) -> Self:
        """Pieces ``first`` up to ``end``, with only what they need."""
        ...

    def pieces(self, given: _GivenIn, executor: Executor, /) -> Iterable[Piece]:
        """All pieces for this input, in order."""
        ...

    def added(self, total: Total | None, pieces: Iterable[Piece], /) -> Total:
        """The total plus more pieces, added one by one; the argument is not modified."""
        ...


@runtime_checkable
class Changing(Protocol):
    """An input that changes little between rounds: it can be sent as a difference from the previous one."""

    def since(self, earlier: Any, /) -> Callable[[Any], Any]:
        """A function that computes this input from the earlier one, and is smaller than either."""
        ...


@runtime_checkable
class CachingExecutor(Executor, Protocol):
    """A remote executor: it receives what never changes once, and afterwards only the input of each round."""

    def keep(self, work: Work[Given, Piece, Total], /) -> Callable[[Given], Total]:
        """A function that returns the total for an input."""
        ...


def cached_on(executor: Executor, work: Work[Given, Piece, Total]) -> Callable[[Given], Total]:
    """A function that returns the total of the work for an input, computed by the executor.

    Pieces are added in the same order wherever they were computed, so the executor changes no bit of the total.
    """
    if isinstance(executor, CachingExecutor):
        return executor.keep(work)
    return lambda given: work.added(None, work.pieces(given, executor))

"""A cluster without a cluster: work cut into parts that are all kept here."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

from philia.execution import LocalThreads


class Parts(LocalThreads):
    """Keeps work in so many parts, one after the other, on one thread."""

    def __init__(self, count: int) -> None:
        super().__init__(1)
        self.count = count

    def keep(self, work: Any) -> Callable[[Any], Any]:
        cuts = [round(len(work) * part / self.count) for part in range(self.count + 1)]
        parts = [work.part(first, end) for first, end in pairwise(cuts) if first < end]

        def total(given: Any) -> Any:
            found = None
            for part in parts:
                found = part.added(found, part.pieces(given, self))
            return found

        return total

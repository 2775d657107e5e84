"""Work whose parts lie on the workers of a cluster, from the first round to the last."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Generic

from philia.execution.executor import Changing, Given, Piece, Total, Work
from philia.execution.local import LocalThreads, one_blas_thread

if TYPE_CHECKING:
    from philia.execution.cluster import DaskCluster


@dataclass(frozen=True, eq=False)
class _Share:
    """What one worker has: its part of the work, as a future of dask, and the threads that it may use."""

    worker: str
    threads: int
    part: Any

    def place(self) -> dict[str, Any]:
        """Where tasks on this part run: where it is, unless that worker leaves and hands it on."""
        return {"workers": [self.worker], "allow_other_workers": True, "pure": False}


class KeptWork(Generic[Given, Piece, Total]):
    """The total of some work for given numbers; parts are dealt anew when workers come or go."""

    def __init__(self, cluster: DaskCluster, work: Work[Given, Piece, Total]) -> None:
        self.cluster, self.work = cluster, work
        self._dealt: dict[str, int] = {}
        self._shares: list[_Share] = []
        self._told: Given | None = None
        self._there: list[Any] = []

    def __call__(self, given: Given) -> Total:
        """The total, computed again where a worker is lost."""
        return self.cluster.in_spite_of_losses(partial(self._total, given))

    def _total(self, given: Given) -> Total:
        shares, client = self._up_to_date(), self.cluster.client
        try:
            self._there, self._told = self._tell(given), given
            pieces = [
                client.submit(_pieces, share.part, there, share.threads, **share.place())
                for share, there in zip(shares, self._there, strict=True)
            ]
            total = None
            for share, found in zip(shares, pieces, strict=True):
                total = client.submit(_added, share.part, total, found, **share.place())
            result: Total = client.gather(total)
        except BaseException:
            self._forget()  # some of it may be gone
            raise
        return result

    def _forget(self) -> None:
        """Nothing is known about what the workers have."""
        self._dealt, self._shares, self._told, self._there = {}, [], None, []

    def _tell(self, given: Given) -> list[Any]:
        """The given numbers at each share, as futures of dask; only what has changed is sent, where that is known."""
        client, earlier = self.cluster.client, self._told
        sends = given.since(earlier) if isinstance(given, Changing) and earlier is not None else given
        first = [self._shares[0].worker]  # from which the others fetch it
        [sent] = client.scatter([sends], workers=first, hash=False, timeout=self.cluster.timeout)
        if sends is given:
            return [sent] * len(self._shares)
        at = zip(self._shares, self._there, strict=True)
        return [client.submit(_changed, sent, had, **share.place()) for share, had in at]

    def _up_to_date(self) -> list[_Share]:
        workers = self.cluster.workers()
        if workers != self._dealt:
            self._forget()
            self._shares = list(self._deal(workers))
            self._dealt = workers
        return self._shares

    def _deal(self, workers: dict[str, int]) -> Iterator[_Share]:
        """Runs of pieces in order, as many for each worker as its share of all threads."""
        client, all_threads, begun, cuts = self.cluster.client, sum(workers.values()), 0, [0]
        for threads in workers.values():
            begun += threads
            cuts.append(round(len(self.work) * begun / all_threads))
        for (worker, threads), (first, end) in zip(workers.items(), pairwise(cuts), strict=True):
            if first < end:
                part = self.work.part(first, end)
                [sent] = client.scatter([part], workers=[worker], hash=False, timeout=self.cluster.timeout)
                yield _Share(worker, threads, sent)


def _changed(change: Callable[[Given], Given], earlier: Given) -> Given:
    return change(earlier)


def _pieces(part: Work[Given, Piece, Total], given: Given, threads: int) -> list[Piece]:
    with one_blas_thread():
        return list(part.pieces(given, LocalThreads(threads)))


def _added(part: Work[Given, Piece, Total], total: Total | None, pieces: list[Piece]) -> Total:
    return part.added(total, pieces)

"""Clusters of machines, through dask.distributed.

Each worker caches a run of lanes, with the links of their rows, from the first evaluation to the last. An evaluation
sends F to one worker, from which the others fetch it; then the running total passes once from worker to worker, in the
order of the lanes, and from the last one to the client. So a sum adds the same numbers in the same order as on one
machine, and with the same processors and libraries the result has the same bits.
"""

from __future__ import annotations

import logging
import signal
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from itertools import pairwise
from typing import Any, Generic, Self, TypeVar

from philia.exceptions import ClusterError, InvalidParameterError, MissingDependencyError
from philia.execution.executor import Changing, Given, Piece, Total, Work
from philia.execution.local import LocalThreads, one_blas_thread

T = TypeVar("T")
R = TypeVar("R")

_LOG = logging.getLogger("philia")
_LOSSES = 5
"""How often an evaluation is retried after losing a worker; after that, the work itself must be at fault."""

_NO_PAGES: dict[str, list[str]] = {"distributed.scheduler.http.routes": [], "distributed.worker.http.routes": []}
"""Settings that leave the web servers, which Dask always starts, without pages."""

_SAME = ("dask", "distributed", "cloudpickle", "numpy", "scipy", "numba", "philia")
"""Packages whose versions must match: they exchange serialized data, or affect the last bits of a sum."""


class DaskCluster:
    """An executor on the workers of a dask.distributed cluster, which caches what never changes.

    Takes the address of a scheduler, or a ``distributed.Client``, which stays open when this is closed. The loss of a
    worker, even during an evaluation, only costs time: its lanes are sent to others. When workers join, lanes are
    distributed again. No step waits longer than ``timeout`` seconds for a scheduler or for the first worker.

    >>> import numpy as np, philia
    >>> from philia.objective import AllPairsObjective
    >>> graph, recipe = philia.as_graph([(0, 1)]), philia.CommunityModel(1, 1, background="none").recipe()
    >>> with DaskCluster.local(workers=2) as cluster:  # doctest: +SKIP
    ...     value, gradient = AllPairsObjective(graph, recipe, executor=cluster).value_and_gradient(np.zeros(4))
    """

    def __init__(self, client_or_address: Any, *, timeout: float = 30.0) -> None:
        self.timeout = timeout
        self._closing = ExitStack()
        self._checked: set[str] = set()
        self.client = (
            self._closing.enter_context(_connected(client_or_address, timeout))
            if isinstance(client_or_address, str)
            else _as_client(client_or_address)
        )
        self._address = self.client.scheduler.address
        try:
            self.workers()
        except BaseException:
            self.close()
            raise

    @classmethod
    def local(cls, workers: int = 2, *, threads: int | None = None, timeout: float = 60.0) -> Self:
        """A cluster of processes on this machine, stopped by ``close`` or at the end of a ``with`` block.

        Each process has ``threads`` threads, by default its share of the cores. Use it to try out what will run
        elsewhere; threads, the default without a cluster, have less to send.

        Dask's workers run any code they are sent, so nobody else may reach them: they listen on 127.0.0.1 only, and
        require a certificate that is created for this cluster and known only to this process and its workers.
        """
        if workers < 1:
            raise InvalidParameterError(f"a cluster of {workers} workers was asked for; it needs at least one")
        distributed = _distributed()
        threads = threads or max(1, LocalThreads().threads // workers)
        with ExitStack() as closing:
            dask_config = import_module("dask").config
            with dask_config.set(_NO_PAGES):
                started = distributed.LocalCluster(
                    n_workers=0,
                    threads_per_worker=threads,
                    host="127.0.0.1",
                    security=_throw_away_certificates(distributed),
                    dashboard_address="127.0.0.1:0",  # Dask always opens a port, by default to everybody
                    scheduler_kwargs={"dashboard": False},
                    silence_logs=logging.ERROR,
                    preload=[__name__, *dask_config.get("distributed.worker.preload")],
                    config=_NO_PAGES,
                )
            closing.enter_context(started)
            client = closing.enter_context(_connected(started, timeout, direct_to_workers=True))
            started.scale(workers)
            try:
                client.wait_for_workers(workers, timeout=timeout)
            except OSError as error:
                raise ClusterError(
                    f"{len(client.nthreads())} of {workers} workers started within {timeout:g} seconds; see the output "
                    "of the others above. A script that starts processes needs its work under "
                    '`if __name__ == "__main__":`; a slow machine may need a larger timeout'
                ) from error
            cluster = cls(client, timeout=timeout)
            cluster._closing = closing.pop_all()
            return cluster

    def map(self, function: Callable[[T], R], items: Iterable[T], /) -> Iterator[R]:
        """The function's result for each item, in order."""
        items = list(items)

        def results() -> list[R]:
            [sent] = self.client.scatter([function], hash=False, timeout=self.timeout)
            tasks = self.client.map(_result, items, function=sent, pure=False)
            return list(self.client.gather(tasks))

        yield from self.in_spite_of_losses(results)

    def keep(self, work: Work[Given, Piece, Total], /) -> Callable[[Given], Total]:
        """A function that returns the total of the work for an input; its first call sends the parts of the work."""
        return _CachedWork(self, work)

    def in_spite_of_losses(self, action: Callable[[], R]) -> R:
        """The result of the action, which is retried a few times if workers are lost."""
        lost = (CancelledError, OSError, _distributed().KilledWorker)  # Dask cancels tasks that need lost data
        last: Exception | None = None
        for _ in range(_LOSSES):
            try:
                return action()
            except lost as error:
                _LOG.warning("a worker was lost: its work is sent to others and computed again")
                last = error
        raise ClusterError(
            f"a worker was lost {_LOSSES} times in a row before the work was done. The usual cause is memory: give the "
            "workers more, or use more of them; their own output says why they ended"
        ) from last

    def workers(self) -> dict[str, int]:
        """The number of threads per worker address: at least one worker, all with the same versions as here."""
        while not (found := self._found()):
            try:
                self.client.wait_for_workers(1, timeout=self.timeout)
            except TimeoutError as error:
                raise ClusterError(
                    f"the scheduler at {self._address} had no worker for {self.timeout:g} seconds; start some with "
                    f"`dask worker {self._address}`, or give a larger timeout"
                ) from error
        if not found.keys() <= self._checked:
            _require_same_versions(self.client.get_versions(packages=list(_SAME)))
            self._checked |= found.keys()
        return dict(sorted(found.items()))

    def close(self) -> None:
        """Close what this object opened: its connection, and the processes of a local cluster."""
        self._closing.close()

    def __repr__(self) -> str:
        return f"DaskCluster({self._address!r})"

    def __deepcopy__(self, memo: object) -> Self:
        return self  # a copy of a model uses the same cluster

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _found(self) -> dict[str, int]:
        if self.client.scheduler is None:
            raise ClusterError(f"the connection to the scheduler at {self._address} is closed; open a new one")
        try:
            return dict(self.client.nthreads())
        except OSError as error:
            raise ClusterError(
                f"the scheduler at {self._address} no longer answers; restart it and connect again"
            ) from error


@dataclass(frozen=True, eq=False)
class _Share:
    """What one worker caches: its part of the work, as a Dask future, and the number of threads it may use."""

    worker: str
    threads: int
    part: Any

    def place(self) -> dict[str, Any]:
        """Scheduling of tasks on this part: on its worker, unless that worker retires and hands the part on."""
        return {"workers": [self.worker], "allow_other_workers": True, "pure": False}


class _CachedWork(Generic[Given, Piece, Total]):
    """The total of some work for an input; its parts are distributed again when workers join or leave."""

    def __init__(self, cluster: DaskCluster, work: Work[Given, Piece, Total]) -> None:
        self.cluster, self.work = cluster, work
        self._dealt: dict[str, int] = {}
        self._shares: list[_Share] = []
        self._told: Given | None = None
        self._there: list[Any] = []

    def __call__(self, given: Given) -> Total:
        """The total, recomputed if a worker is lost."""
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
            self._forget()  # some of it may be lost
            raise
        return result

    def _forget(self) -> None:
        """Assume that the workers have nothing."""
        self._dealt, self._shares, self._told, self._there = {}, [], None, []

    def _tell(self, given: Given) -> list[Any]:
        """The input at each share, as Dask futures; workers that have the previous input get only the difference."""
        client, earlier = self.cluster.client, self._told
        sends = given.since(earlier) if isinstance(given, Changing) and earlier is not None else given
        first = [self._shares[0].worker]  # the others fetch it from there
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
        """Consecutive runs of pieces, in proportion to the threads of each worker."""
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


def dask_setup(_: object) -> None:
    """Called by Dask in each process of a local cluster: leave Ctrl-C to the process that started it.

    Ctrl-C in a terminal reaches all processes that were started from it. The main process then keeps the best result so
    far, for which it still needs the others; it stops them afterwards.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _result(item: T, function: Callable[[T], R]) -> R:
    with one_blas_thread():
        return function(item)


def _distributed() -> Any:
    try:
        return import_module("distributed")
    except ImportError as error:
        raise MissingDependencyError(
            "a cluster needs the package distributed, which is not installed: pip install 'philia[dask]'"
        ) from error


def _throw_away_certificates(distributed: Any) -> Any:
    """Keys for one cluster, which never leave the memory of its processes; None, with a warning, if not possible."""
    try:
        return distributed.Security.temporary()
    except ImportError:
        _LOG.warning(
            "the package cryptography is not installed, so the workers' ports on 127.0.0.1 are open: every user of "
            "this machine can run programs as you while the cluster runs. To close them: pip install 'philia[dask]'"
        )
        return None


def _connected(address: Any, timeout: float, **settings: Any) -> Any:
    distributed = _distributed()
    try:
        return distributed.Client(address, timeout=timeout, set_as_default=False, **settings)
    except ValueError as error:
        raise InvalidParameterError(
            f"{address!r} is not the address of a scheduler ({error}); it looks like tcp://10.0.0.1:8786"
        ) from None
    except OSError as error:
        raise ClusterError(
            f"no scheduler answered at {address} within {timeout:g} seconds; check that `dask scheduler` runs there, "
            "that this machine can reach the port, or give a larger timeout"
        ) from error


def _as_client(client: Any) -> Any:
    if not isinstance(client, _distributed().Client) or client.asynchronous or client.scheduler is None:
        raise InvalidParameterError(
            f"found {client!r} where the address of a scheduler was expected, or a distributed.Client that is "
            "connected and not asynchronous"
        )
    return client


def _require_same_versions(found: dict[str, Any]) -> None:
    """Refuse workers that could not read what is sent to them, or would compute with other libraries."""
    ours = _versions(found["client"])
    other = [
        f"{package} {theirs or 'is not installed'} on {worker}, {ours[package]} here"
        for worker, versions in found["workers"].items()
        for package, theirs in _versions(versions).items()
        if theirs != ours[package]
    ]
    if other:
        more = f", and {len(other) - 4} more" if len(other) > 4 else ""
        raise ClusterError(
            f"workers run other versions than this program: {'; '.join(other[:4])}{more}. Install the same versions "
            "everywhere and restart the workers"
        )


def _versions(said: dict[str, Any]) -> dict[str, str | None]:
    python = ".".join(said["packages"]["python"].split(".")[:2])  # 3.12.1 reads what 3.12.2 writes
    return {"python": python, **{package: said["packages"].get(package) for package in _SAME}}

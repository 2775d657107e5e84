"""The ``executor`` setting of a model, turned into an executor."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from philia.exceptions import InvalidParameterError
from philia.execution.cluster import DaskCluster
from philia.execution.executor import Executor
from philia.execution.local import LocalThreads

T = TypeVar("T")
R = TypeVar("R")


@dataclass(frozen=True)
class Scheduler:
    """The cluster at an address, connected only while a ``map`` runs.

    Use ``opened`` to stay connected for more than one ``map``.

    >>> Scheduler("tcp://10.0.0.1:8786")
    Scheduler(address='tcp://10.0.0.1:8786')
    """

    address: str

    def map(self, function: Callable[[T], R], items: Iterable[T], /) -> Iterator[R]:
        """The function's result for each item, in order."""
        with DaskCluster(self.address) as cluster:
            yield from cluster.map(function, items)


def as_executor(executor: Any = None, n_jobs: int | None = None) -> Executor:
    """The executor for a setting.

    None means ``n_jobs`` threads of this machine. A ``distributed.Client`` or the address of a scheduler means its
    cluster. Any other object with an ordered ``map`` is used as it is; the functions passed to it hold large arrays, so
    it should run threads, or be a ``DaskCluster``.

    >>> as_executor(n_jobs=2).threads, as_executor("tcp://10.0.0.1:8786")
    (2, Scheduler(address='tcp://10.0.0.1:8786'))
    >>> as_executor(8786)
    Traceback (most recent call last):
    philia.exceptions.InvalidParameterError: executor is 8786; give a distributed.Client, the address of a scheduler ...
    """
    if executor is None:
        return LocalThreads(n_jobs)
    if isinstance(executor, str):
        return Scheduler(executor)
    if _is_client(executor):
        return DaskCluster(executor)
    if not isinstance(executor, type) and callable(getattr(executor, "map", None)):
        found: Executor = executor
        return found
    raise InvalidParameterError(
        f"executor is {executor!r}; give a distributed.Client, the address of a scheduler such as "
        "'tcp://10.0.0.1:8786', a DaskCluster, anything else with an ordered map, or None for the threads of this "
        "machine"
    )


@contextmanager
def opened(executor: Any = None, n_jobs: int | None = None) -> Iterator[Executor]:
    """``as_executor`` for work of many steps: a connection to an address stays open for the duration of the block.

    >>> with opened(n_jobs=2) as threads:
    ...     list(threads.map(abs, [-1, 2]))
    [1, 2]
    """
    if isinstance(executor, str):
        with DaskCluster(executor) as cluster:
            yield cluster
    else:
        yield as_executor(executor, n_jobs)


def _is_client(executor: Any) -> bool:
    """Whether this is a Dask client, whose ``map`` returns futures; if Dask is not imported, it cannot be one."""
    distributed = sys.modules.get("distributed")
    return distributed is not None and isinstance(executor, distributed.Client)

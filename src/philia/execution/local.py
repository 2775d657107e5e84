"""Threads of this machine."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from itertools import chain, islice
from threading import Lock
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from philia._interrupts import interruptible

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController

T = TypeVar("T")
R = TypeVar("R")


class LocalThreads:
    """Runs a function on several items at once, each with BLAS on one thread, and yields results in order.

    BLAS threads inside ours would compete for the same cores, which was measured to take thirteen times as long.

    >>> list(LocalThreads(2).map(abs, [-1, 2, -3]))
    [1, 2, 3]
    """

    def __init__(self, threads: int | None = None) -> None:
        self.threads = threads if threads is not None and threads > 0 else _cores()

    def map(self, function: Callable[[T], R], items: Iterable[T], /) -> Iterator[R]:
        """The function's result for each item, in order; at most two items per thread are submitted ahead."""
        with one_blas_thread():
            rest = iter(items)
            first = list(islice(rest, 2 * self.threads))
            if self.threads == 1 or len(first) == 1:  # handing over a single item takes longer than most items do
                yield from map(function, chain(first, rest))
                return
            pool = _pool(self.threads - 1)
            waiting = deque(_Task.submitted(pool, function, item) for item in first)
            while waiting:
                while not waiting[0].done and any(task.taken_over() for task in waiting):
                    pass
                yield waiting.popleft().result()
                waiting.extend(_Task.submitted(pool, function, item) for item in islice(rest, 1))


class _Task(Generic[T, R]):
    """A function of an item, which a thread of the pool calls, or the calling thread if none has begun it.

    The calling thread works rather than waits, because waking another thread takes as long as many an item.
    """

    def __init__(self, future: Future[R], function: Callable[[T], R], item: T) -> None:
        self._future, self._function, self._item = future, function, item

    @classmethod
    def submitted(cls, pool: ThreadPoolExecutor, function: Callable[[T], R], item: T) -> _Task[T, R]:
        return cls(pool.submit(function, item), function, item)

    @property
    def done(self) -> bool:
        return self._future.done()

    def taken_over(self) -> bool:
        """Call the function here, unless another thread has begun to."""
        if not self._future.cancel():
            return False
        self._future = Future()
        with interruptible():
            self._future.set_result(self._function(self._item))
        return True

    def result(self) -> R:
        return self._future.result()


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Limits BLAS to one thread, for lanes that share the cores and for sums whose order must not vary.

    BLAS has one setting per process. The first thread to enter changes it, and the last to leave restores it: otherwise
    a thread that leaves would restore it while another still relies on it.

    >>> with one_blas_thread():
    ...     product = [[2.0]] @ __import__("numpy").eye(1)
    """
    _LIMIT.enter()
    try:
        yield
    finally:
        _LIMIT.leave()


class _Limit:
    """The limit on BLAS, with a count of the threads that rely on it."""

    def __init__(self) -> None:
        self._lock, self._users = Lock(), 0
        self._limiter: Any = None

    def enter(self) -> None:
        with self._lock:
            if self._users == 0:
                _free_control()
                self._limiter = _blas().limit(limits=1, user_api="blas")
            self._users += 1

    def leave(self) -> None:
        with self._lock:
            self._users -= 1
            if self._users == 0:
                _free_control()
                self._limiter.restore_original_limits()
                _free_control()


_LIMIT = _Limit()


def _free_control() -> None:
    """Let any thread set OpenBLAS: from threadpoolctl 3.8 on, only the first that did so can, for as long as it lives.

    Threads that computed once may live on, and the last to leave need not be the first that entered.
    """
    for library in _blas().lib_controllers:
        if hasattr(library, "clear_controlling_thread"):
            library.clear_controlling_thread(force=True)


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):  # the cores this process may use, not all of the machine
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads, thread_name_prefix="philia")


@cache
def _blas() -> ThreadpoolController:
    import scipy.linalg  # noqa: F401  (compiled kernels call its BLAS, which must be loaded to be found)
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()

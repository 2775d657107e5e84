"""Compiling numerical loops: once, on first use, remembered on disk, and never silently."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numba

_LOG = logging.getLogger("philia")

# NaN and infinity keep their meaning; the order of sums is the compiler's, which is what lets it vectorise them.
FAST_LOOPS: dict[str, Any] = {"error_model": "numpy", "fastmath": {"reassoc", "contract", "nsz", "arcp"}, "nogil": True}


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function compiled on first use, outside Python's lock, and kept on disk where a folder can be written to."""
    try:
        return numba.njit(function, cache=True, **FAST_LOOPS)  # type: ignore[no-any-return]
    except RuntimeError:  # numba found no folder for its cache, as in a read-only installation
        return numba.njit(function, **FAST_LOOPS)  # type: ignore[no-any-return]


@contextmanager
def announced(work: str, after: float = 1.0) -> Iterator[None]:
    """Say what takes so long if it takes longer than ``after`` seconds; from the cache it takes far less."""
    timer = threading.Timer(after, _LOG.info, args=(f"{work}: once, about ten seconds; later runs find it ready",))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()

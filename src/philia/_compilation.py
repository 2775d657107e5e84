"""Compiling numerical loops: once, on first use, remembered on disk, and never silently."""

from __future__ import annotations

import hashlib
import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import numba
from numba.core.dispatcher import Dispatcher

_LOG = logging.getLogger("philia")

# NaN and infinity keep their meaning; the order of sums is the compiler's, which is what lets it vectorise them.
FAST_LOOPS: dict[str, Any] = {"error_model": "numpy", "fastmath": {"reassoc", "contract", "nsz", "arcp"}, "nogil": True}


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function compiled on first use, outside Python's lock, and kept on disk where a folder can be written to.

    Numba looks for a new version of a function only where the function itself is written. Here it also depends on the
    kernels and constants that its file takes from others, so a digest of all of that becomes part of its name.
    """
    function.__qualname__ += f".{_digest(function)}"
    try:
        return numba.njit(function, cache=True, **FAST_LOOPS)  # type: ignore[no-any-return]
    except RuntimeError:  # numba found no folder for its cache, as in a read-only installation
        return numba.njit(function, **FAST_LOOPS)  # type: ignore[no-any-return]


def _digest(function: Callable[..., Any]) -> str:
    """A digest of what the machine code of a function depends on beside the processor, of which numba takes care.

    That is its file, how it is compiled, the constants that its file knows, and the kernels from other files, whose
    names contain their own digests.
    """
    known = function.__globals__
    kernels = [value.py_func.__qualname__ for value in known.values() if isinstance(value, Dispatcher)]
    constants = [f"{name} = {value!r}" for name, value in known.items() if _is_constant(value)]
    code = _source(function.__code__.co_filename) + repr(sorted(FAST_LOOPS["fastmath"]))
    return hashlib.sha256("\n".join([code, *sorted(kernels), *sorted(constants)]).encode()).hexdigest()[:12]


def _is_constant(value: object) -> bool:
    """Whether a kernel could use a value; other objects may have a name that is new in every process."""
    if isinstance(value, tuple):
        return all(_is_constant(part) for part in value)
    return isinstance(value, int | float | str)


@cache
def _source(path: str) -> str:
    file = Path(path)
    return file.read_text(encoding="utf-8") if file.is_file() else path


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

"""Compiling numerical loops: once, on first use, cached on disk, and never silently."""

from __future__ import annotations

import hashlib
import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import numba
import numpy as np
from numba.core.dispatcher import Dispatcher
from numba.extending import overload
from scipy.special import expit

_LOG = logging.getLogger("philia")

# NaN and infinity keep their meaning; the order of sums is the compiler's, which is what lets it vectorise them.
FAST_LOOPS: dict[str, Any] = {"error_model": "numpy", "fastmath": {"reassoc", "contract", "nsz", "arcp"}, "nogil": True}


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function compiled on first use, outside Python's lock, and cached on disk where a folder can be written to.

    Numba looks for a new version of a function only where the function itself is written. Here it also depends on the
    kernels and constants that its file takes from others, so a digest of all of that becomes part of its name.
    """
    function.__qualname__ += f".{_digest(function)}"
    try:
        return numba.njit(function, cache=True, **FAST_LOOPS)  # type: ignore[no-any-return]
    except RuntimeError:  # numba found no folder for its cache, as in a read-only installation
        return numba.njit(function, **FAST_LOOPS)  # type: ignore[no-any-return]


def inlined(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function as a part of the kernels that call it: compiled into each of them, and cached with them only."""
    function.__qualname__ += f".{_digest(function)}"
    return numba.njit(function, forceinline=True, **FAST_LOOPS)  # type: ignore[no-any-return]


def specialized(kernel: Callable[..., Any], **names: Any) -> Callable[..., Any]:
    """The kernel, which is not compiled yet, with these functions and constants in place of its globals.

    Functions that are not compiled either become parts of it. A closure would do the same, but numba never finds a
    closure over compiled functions in its cache again.
    """
    return compiled(_rebound(kernel, names))


def specialized_part(part: Callable[..., Any], **names: Any) -> Callable[..., Any]:
    """The same for a part of a kernel."""
    return inlined(_rebound(part, names))


def _rebound(function: Any, names: dict[str, Any]) -> Callable[..., Any]:
    parts = {name: _part(value) if isinstance(value, FunctionType) else value for name, value in names.items()}
    copy = FunctionType(function.__code__, {**function.__globals__, **parts}, function.__name__, function.__defaults__)
    copy.__module__, copy.__qualname__ = function.__module__, function.__qualname__
    return copy


@cache
def _part(function: Callable[..., Any]) -> Callable[..., Any]:
    return specialized_part(function)


@overload(expit, inline="always", jit_options=FAST_LOOPS)
def _expit(x: Any) -> Callable[[Any], Any]:  # noqa: ARG001  (numba looks at the type)
    """1 / (1 + e^-x), as SciPy has it; numba does not know SciPy's functions."""

    def logistic(x: Any) -> Any:
        return 1 / (1 + np.exp(-x))

    return logistic


def _digest(function: Callable[..., Any]) -> str:
    """A digest of what the machine code of a function depends on beside the processor, of which numba takes care.

    That is its file, how it is compiled, the constants that its file knows, and the kernels from other files, whose
    names contain their own digests.
    """
    known = function.__globals__
    kernels = [value.py_func.__qualname__ for value in known.values() if isinstance(value, Dispatcher)]
    constants = [f"{name} = {value!r}" for name, value in known.items() if _is_constant(value)]
    parts = [_source(function.__code__), _source(_digest.__code__), *sorted(kernels), *sorted(constants)]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:12]


def _is_constant(value: object) -> bool:
    """Whether a kernel could use a value; other objects may have a name that is new in every process."""
    if isinstance(value, tuple):
        return all(_is_constant(part) for part in value)
    return isinstance(value, int | float | str)


@cache
def _source(code: CodeType) -> str:
    """The text of the file that a function is written in; of a function typed at a prompt, all that it consists of."""
    file = Path(code.co_filename)
    if file.is_file():
        return file.read_text(encoding="utf-8")
    return repr((code.co_filename, code.co_code, code.co_names, [c for c in code.co_consts if _is_constant(c)]))


@contextmanager
def announced(work: str, after: float = 1.0) -> Iterator[None]:
    """Log what takes so long if it takes longer than ``after`` seconds; from the cache it takes far less."""
    timer = threading.Timer(after, _LOG.info, args=(f"{work}: once, about ten seconds; later runs find it ready",))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()

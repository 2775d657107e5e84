"""Compiling numerical loops: once, on first use, cached on disk, and never silently."""

from __future__ import annotations

import hashlib
import logging
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cache
from pathlib import Path
from types import CodeType, FrameType, FunctionType
from typing import Any

import numba
import numpy as np
from numba.core import event
from numba.core.dispatcher import Dispatcher
from numba.extending import overload
from scipy.special import expit

_LOG = logging.getLogger("philia")

# NaN and infinity keep their meaning; the order of sums is the compiler's, which is what lets it vectorise them.
FAST_LOOPS: dict[str, Any] = {"error_model": "numpy", "fastmath": {"reassoc", "contract", "nsz", "arcp"}, "nogil": True}

# Nobody calls a kernel from C, and only kernels call parts. An entry that nobody needs would take as long to compile as
# a short part.
_FROM_PYTHON: dict[str, Any] = {"no_cfunc_wrapper": True, **FAST_LOOPS}
_FROM_KERNELS: dict[str, Any] = {"no_cpython_wrapper": True, **_FROM_PYTHON}


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, compiled on first use without the GIL, and cached on disk if a folder is writable.

    Numba's cache notices only changes of the file that defines a function. Here a function also depends on kernels and
    constants imported from other files, so a digest of all of them becomes part of its name.
    """
    function.__qualname__ += f".{_digest(function)}"
    try:
        return numba.njit(function, cache=True, **_FROM_PYTHON)  # type: ignore[no-any-return]
    except RuntimeError:  # numba found no folder for its cache, as in a read-only installation
        return numba.njit(function, **_FROM_PYTHON)  # type: ignore[no-any-return]


def inlined(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function as a part of the kernels that call it: inlined into each of them, and cached only with them.

    A part that was compiled and cached by itself might be optimized differently from one that was not, and a result
    would depend on whether its kernel came from the cache.
    """
    function.__qualname__ += f".{_digest(function)}"
    return numba.njit(function, forceinline=True, **_FROM_KERNELS)  # type: ignore[no-any-return]


def part(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same for a long part that is called in several places: compiled once, and not inlined unless LLVM wants to.

    A number written in a call would be a type of its own, and the part be compiled again for it; so pass none.
    """
    function.__qualname__ += f".{_digest(function)}"
    return numba.njit(function, **_FROM_KERNELS)  # type: ignore[no-any-return]


def specialized(kernel: Callable[..., Any], **names: Any) -> Callable[..., Any]:
    """A plain function compiled as a kernel, with these functions and constants in place of its globals.

    Plain functions among them are inlined. A closure would do the same, but numba cannot find a closure over compiled
    functions in its cache.
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
    """1 / (1 + e^-x), as in SciPy, whose functions numba does not know."""

    def logistic(x: Any) -> Any:
        return 1 / (1 + np.exp(-x))

    return logistic


def _digest(function: Callable[..., Any]) -> str:
    """A digest of everything that the machine code of a function depends on, except the processor, which numba checks.

    That is its file, this file, its global constants, and kernels from other files, whose names contain their own
    digests.
    """
    known = function.__globals__
    kernels = [value.py_func.__qualname__ for value in known.values() if isinstance(value, Dispatcher)]
    constants = [f"{name} = {value!r}" for name, value in known.items() if _is_constant(value)]
    parts = [_source(function.__code__), _source(_digest.__code__), *sorted(kernels), *sorted(constants)]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:12]


def _is_constant(value: object) -> bool:
    """Whether a value can be a constant of a kernel; the repr of other objects may differ in every process."""
    if isinstance(value, tuple):
        return all(_is_constant(part) for part in value)
    return isinstance(value, int | float | str)


@cache
def _source(code: CodeType) -> str:
    """The text of the file that defines a function; for one typed at a prompt, its bytecode and constants."""
    file = Path(code.co_filename)
    if file.is_file():
        return file.read_text(encoding="utf-8")
    return repr((code.co_filename, code.co_code, code.co_names, [c for c in code.co_consts if _is_constant(c)]))


_ANNOUNCED = threading.Event()
"""Set when the first compilation of this process was announced."""


class _Announcement(event.Listener):  # type: ignore[misc]
    """Logs the first compilation of a process; numba tells it of compilations, but not of loads from its cache."""

    def __init__(self, work: str) -> None:
        self._work = work

    def on_start(self, event: event.Event) -> None:
        if not _ANNOUNCED.is_set():
            _ANNOUNCED.set()
            _LOG.info(
                f"{self._work}, and what else is used for the first time: seconds each, once per version of philia"
            )

    def on_end(self, event: event.Event) -> None:
        pass


@contextmanager
def announced(work: str) -> Iterator[None]:
    """Log what is compiled in the block, if it is compiled rather than loaded, and the first in this process."""
    with event.install_listener("numba:compile", _Announcement(work)), _interrupted_at_the_end():
        yield


@contextmanager
def _interrupted_at_the_end() -> Iterator[None]:
    """Raise the first KeyboardInterrupt of the block at its end; a second one is raised at once.

    The compiler releases its objects as Python collects them, and Python drops an exception that is raised there: the
    Ctrl-C would be lost.
    """
    usual = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(usual):
        yield
        return
    waiting: list[tuple[int, FrameType | None]] = []

    def later(number: int, frame: FrameType | None) -> None:
        if waiting:
            usual(number, frame)
        waiting.append((number, frame))

    signal.signal(signal.SIGINT, later)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, usual)
    if waiting:
        usual(*waiting[0])


def first_call_of(kernel: Any, work: str) -> AbstractContextManager[None]:
    """Like ``announced`` around the first call of a kernel, which compiles it; nothing around later ones."""
    return nullcontext() if kernel.signatures else announced(work)

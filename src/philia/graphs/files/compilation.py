"""Compilation with numba, which is loaded when the first large file is read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function compiled by numba, and kept on disk if there is a place where that is possible."""
    try:
        return numba.njit(cache=True, nogil=True)(function)  # type: ignore[no-any-return]
    except RuntimeError:  # no folder that may be written to, as in a read-only installation
        return numba.njit(nogil=True)(function)  # type: ignore[no-any-return]

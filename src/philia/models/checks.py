"""Checks of settings, before any work."""

from __future__ import annotations

import numbers
from typing import Any, Final

import numpy as np

from philia.exceptions import InvalidParameterError

AUTO: Final = "auto"
"""A setting that the fit chooses."""


def check_counts(model: Any, *names: str, least: int, auto: bool = False) -> None:
    """Raise unless each named setting is a whole number of at least ``least``, or "auto" where that is allowed."""
    for name in names:
        count = getattr(model, name)
        if auto and count == "auto":
            continue
        if not isinstance(count, numbers.Integral) or count < least:
            or_auto = ', or "auto"' if auto else ""
            raise InvalidParameterError(f"{name} is {count!r}; it must be a whole number, {least} or more{or_auto}")


def check_search(model: Any, *, auto: bool = False) -> None:
    """Check the settings that every factorization has: penalty, precision and threads."""
    penalty = 0.0 if auto and model.penalty == "auto" else model.penalty
    if not isinstance(penalty, numbers.Real) or not 0 <= float(penalty) < np.inf:
        or_auto = ', or "auto"' if auto else ""
        raise InvalidParameterError(f"penalty is {penalty!r}; it must be a number, 0 or more{or_auto}")
    if model.dtype not in ("float32", "float64", np.float32, np.float64):
        raise InvalidParameterError(f"dtype is {model.dtype!r}; use 'float64' or 'float32'")
    threads = model.n_jobs
    if threads is not None and (not isinstance(threads, numbers.Integral) or threads == 0):
        raise InvalidParameterError(f"n_jobs is {threads!r}; use a number of threads, or None or -1 for all cores")

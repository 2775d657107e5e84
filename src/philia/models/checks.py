"""Settings that make no sense, refused before any work."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np

from philia.exceptions import InvalidParameterError


def check_counts(model: Any, *names: str, least: int) -> None:
    """Complain about numbers of columns that are not whole numbers of at least ``least``."""
    for name in names:
        count = getattr(model, name)
        if not isinstance(count, numbers.Integral) or count < least:
            raise InvalidParameterError(f"{name} is {count!r}; it must be a whole number, {least} or more")


def check_search(model: Any) -> None:
    """Complain about the settings that every factorisation has: penalty, precision, threads."""
    penalty = model.penalty
    if not isinstance(penalty, numbers.Real) or not 0 <= float(penalty) < np.inf:
        raise InvalidParameterError(f"penalty is {penalty!r}; it must be a number, 0 or more")
    if model.dtype not in ("float32", "float64", np.float32, np.float64):
        raise InvalidParameterError(f"dtype is {model.dtype!r}; use 'float64' or 'float32'")
    threads = model.n_jobs
    if threads is not None and (not isinstance(threads, numbers.Integral) or threads == 0):
        raise InvalidParameterError(f"n_jobs is {threads!r}; use a number of threads, or None or -1 for all cores")

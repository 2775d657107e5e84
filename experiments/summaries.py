"""Summaries of results: means and ranges over seeds, as numbers and as text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from experiments.experiment import Result

Pick = Callable[[Result], float | None]


def by_dataset(results: Iterable[Result], pick: Pick) -> dict[str, dict[str, list[float]]]:
    """The picked value for every seed, by dataset and method, in order of first appearance.

    >>> result = Result("figure4", "blog", "SVD", 0, {}, {"relative": 0.81}, 1.0)
    >>> by_dataset([result], lambda found: found.values["relative"])
    {'blog': {'SVD': [0.81]}}
    """
    found: dict[str, dict[str, list[float]]] = {}
    for result in results:
        value = pick(result)
        if value is not None:
            found.setdefault(result.dataset, {}).setdefault(result.method, []).append(float(value))
    return found


def mean(values: Sequence[float]) -> float:
    """The mean over seeds."""
    return float(np.mean(values))


def with_range(values: Sequence[float], digits: int = 3) -> str:
    """A mean with its range over seeds, as text.

    >>> with_range([0.5, 0.6]), with_range([0.5]), with_range([])
    ('0.550 (0.500–0.600)', '0.500', '–')
    """
    if not values:
        return "–"
    low, high = f"{min(values):.{digits}f}", f"{max(values):.{digits}f}"
    return f"{mean(values):.{digits}f}" + (f" ({low}–{high})" if low != high else "")


def grid(
    found: dict[str, dict[str, list[float]]], digits: int = 3
) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """The columns and rows of a table with one row per method and one column per dataset.

    >>> grid({"blog": {"SVD": [0.81]}})
    (('method', 'blog'), (('SVD', '0.810'),))
    """
    methods = list(dict.fromkeys(method for values in found.values() for method in values))
    rows = tuple(
        (method, *(with_range(values.get(method, []), digits) for values in found.values())) for method in methods
    )
    return ("method", *found), rows


def listed(words: Sequence[str]) -> str:
    """Words as a list: "a, b and c".

    >>> listed(["a", "b", "c"]), listed(["a"]), listed([])
    ('a, b and c', 'a', 'none')
    """
    if not words:
        return "none"
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"

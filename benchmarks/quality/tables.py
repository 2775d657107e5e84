"""Results as tables: a row per method, a column per network, the mean over seeds with its spread, the best in bold."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

import numpy as np

from experiments.experiment import Result, Table
from experiments.summaries import by_dataset, mean

Found = Mapping[str, Mapping[str, Sequence[float]]]
"""The values of every seed, by dataset and method."""

DASH = "–"


def picked(results: Sequence[Result], *path: str) -> dict[str, dict[str, list[float]]]:
    """The values under a name, or under a name within a name, by dataset and method.

    >>> result = Result("links", "blog", "SVD", 0, {}, {"order": {"auc": 0.9}}, 1.0)
    >>> picked([result], "order", "auc"), picked([result], "f1")
    ({'blog': {'SVD': [0.9]}}, {})
    """

    def pick(result: Result) -> float | None:
        value: object = result.values
        for name in path:
            value = value.get(name) if isinstance(value, Mapping) else None
        return float(value) if isinstance(value, (int, float)) else None

    return by_dataset(results, pick)


def with_spread(values: Sequence[float], digits: int) -> str:
    """A mean with the standard deviation over seeds.

    >>> with_spread([0.5, 0.6], 3), with_spread([0.5], 3)
    ('0.550 ± 0.071', '0.500')
    """
    spread = f" ± {np.std(values, ddof=1):.{digits}f}" if len(values) > 1 else ""
    return f"{mean(values):.{digits}f}{spread}"


def best_in_bold(
    title: str,
    found: Found,
    datasets: Sequence[str],
    *,
    digits: int = 3,
    beside: Collection[str] = (),
    missing: Callable[[str, str], str] = lambda *_: DASH,
    note: str = "",
) -> Table:
    """A table of values of which the highest is best; methods ``beside`` the others are never in bold.

    >>> best_in_bold("AUC", {"blog": {"a": [0.5], "b": [0.6]}}, ["blog"]).rows
    (('a', '0.500'), ('b', '**0.600**'))
    """
    shown = [name for name in datasets if name in found]
    methods = list(dict.fromkeys(method for name in shown for method in found[name]))
    tops = {
        name: max((round(mean(v), digits) for m, v in found[name].items() if m not in beside), default=np.inf)
        for name in shown
    }

    def cell(name: str, method: str) -> str:
        values = found[name].get(method, [])
        if not values:
            return missing(name, method)
        text = with_spread(values, digits)
        return f"**{text}**" if method not in beside and round(mean(values), digits) >= tops[name] else text

    rows = tuple((method, *(cell(name, method) for name in shown)) for method in methods)
    return Table(title, ("method", *shown), rows, note)


def times(results: Sequence[Result], datasets: Sequence[str]) -> Table:
    """Seconds and peak memory of a task, process start and judging included; means over seeds."""
    seconds = by_dataset(results, lambda result: result.seconds)
    memory = picked(results, "peak_gb")
    shown = [name for name in datasets if name in seconds]
    methods = list(dict.fromkeys(method for name in shown for method in seconds[name]))

    def cell(name: str, method: str) -> str:
        if method not in seconds[name]:
            return DASH
        used = memory.get(name, {}).get(method)
        return f"{mean(seconds[name][method]):,.0f} s" + (f", {mean(used):.2f} GB" if used else "")

    rows = tuple((method, *(cell(name, method) for name in shown)) for method in methods)
    return Table("Seconds and peak memory", ("method", *shown), rows)


def failures(results: Sequence[Result]) -> Table | None:
    """What left a message instead of figures; None if nothing did."""
    rows = tuple(dict.fromkeys((r.dataset, r.method, str(r.values["error"])) for r in results if "error" in r.values))
    return Table("What did not run", ("network", "method", "why"), rows) if rows else None

"""Claims about the results, each with what was measured and whether it holds."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from benchmarks.quality.methods import PHILIA
from benchmarks.quality.tables import Found
from experiments.experiment import Claim, verdict
from experiments.summaries import listed, mean


def at_least(
    found: Found,
    others: Sequence[str],
    datasets: Sequence[str],
    where: str,
    what: str,
    left_out: Collection[tuple[str, str]] = (),
) -> Claim:
    """Whether philia's mean is at least that of every other method on every network.

    A method that was not run with as many seeds, other than those left out on purpose, leaves the claim open.

    >>> at_least({"blog": {"philia": [0.5], "SVD": [0.4]}}, ["SVD"], ["blog"], "links", "AUC").verdict
    'holds'
    """
    lost = [
        f"{name} {mean(found[name][PHILIA]):.4f} / {mean(values):.4f} ({method})"
        for name in datasets
        for method, values in found.get(name, {}).items()
        if PHILIA in found[name] and method in others and mean(values) > mean(found[name][PHILIA])
    ]
    needed = [(name, method) for name in datasets for method in (PHILIA, *others) if (name, method) not in left_out]
    complete = all(_seeds(found, name, method) == _seeds(found, name, PHILIA) > 0 for name, method in needed)
    return Claim(
        where,
        f"philia's {what} is at least that of every factor model, on every network.",
        "mean over seeds",
        _told(lost, found, datasets),
        verdict(False if lost else True if complete else None),
    )


def beats_all_but_one(found: Found, formulas: Sequence[str], datasets: Sequence[str], where: str, what: str) -> Claim:
    """Whether philia's mean is at least that of every formula on all networks but at most one.

    >>> few = {"blog": {"philia": [0.5], "AA": [0.6]}, "ppi": {"philia": [0.5], "AA": [0.4]}}
    >>> beats_all_but_one(few, ["AA"], ["blog", "ppi"], "links", "AUC").measured
    'philia / other: blog 0.5000 / 0.6000 (AA)'
    """
    judged = [n for n in datasets if all(method in found.get(n, {}) for method in (PHILIA, *formulas))]
    best = {name: max((mean(found[name][method]), method) for method in formulas) for name in judged}
    ours = {name: mean(found[name][PHILIA]) for name in judged}
    lost = {name: best[name] for name in judged if best[name][0] > ours[name]}
    said = [f"{name} {ours[name]:.4f} / {value:.4f} ({method})" for name, (value, method) in lost.items()]
    return Claim(
        where,
        f"philia's {what} is at least that of {listed(list(formulas))} on all networks but at most one.",
        "mean over seeds",
        _told(said, found, judged),
        verdict(False if len(lost) > 1 else True if len(judged) == len(datasets) else None),
    )


def never_below(found: Found, other: str, datasets: Sequence[str], where: str, what: str) -> Claim:
    """Whether philia is at least as good as a trivial answer on every network with every seed.

    >>> never_below({"blog": {"philia": [-1.0, -3.0], "constant": [-2.0, -2.0]}}, "constant", ["blog"], "", "").verdict
    'does not hold'
    """
    judged = [name for name in datasets if _seeds(found, name, PHILIA) == _seeds(found, name, other) > 0]
    lost = [
        f"{name} {ours:.5f} / {theirs:.5f}"
        for name in judged
        for ours, theirs in zip(found[name][PHILIA], found[name][other], strict=True)
        if ours < theirs
    ]
    return Claim(
        where,
        f"philia's {what} is never below that of {other}.",
        "every seed",
        _told(lost, found, judged),
        verdict(False if lost else True if len(judged) == len(datasets) else None),
    )


def _seeds(found: Found, dataset: str, method: str) -> int:
    return len(found.get(dataset, {}).get(method, ()))


def _told(lost: Sequence[str], found: Found, datasets: Sequence[str]) -> str:
    run = [name for name in datasets if PHILIA in found.get(name, {})]
    if lost:
        return f"philia / other: {', '.join(lost)}"
    return f"on {listed(run)}" if run else "nothing was run"

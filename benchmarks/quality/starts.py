"""Where a search should begin: the loss that each start reaches, after as many steps and in as much time as the others.

Run as `python -m benchmarks.quality.starts`; what has a result already is not run again. The networks are those on
which settings are chosen, and generated ones. Time is that of the processor, the start included, so that other programs
on the machine do not count.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, Literal

import numpy as np

from benchmarks.measuring import RESULTS, save
from experiments.data import split_by_signs
from philia import CommunityModel, Graph
from philia._types import Float64Array
from philia.datasets import dating_app, load, planted
from philia.execution import LocalThreads
from philia.initialization import STARTS, Start
from philia.initialization.starts import logistic, signed
from philia.solvers import LBFGSB, Progress

NAME = "quality_starts"
STEPS = (25, 50, 100, 200)
PENALTIES = (0.5, 2.0, 10.0)
BACKGROUNDS: tuple[Literal["none", "popularity"], ...] = ("none", "popularity")
ONE = LocalThreads(1)
TRIED: dict[str, Start] = {
    "uniform": STARTS["uniform"],
    "background": STARTS["background"],
    "spectral": STARTS["spectral"],
    "signed": partial(signed, executor=ONE),
    "logistic": partial(logistic, executor=ONE),
}


@dataclass(frozen=True)
class Case:
    """What all starts are tried on; the seed draws generated graphs too."""

    network: str
    background: Literal["none", "popularity"]
    penalty: float
    seed: int


def network(name: str, seed: int) -> tuple[Graph, tuple[int, int]]:
    """A graph and the numbers of columns of either kind that are fitted to it."""
    if name == "dating app":
        return dating_app(400, cities=5, random_state=seed).graph, (5, 2)
    if name == "planted":
        return planted(400, 8, 2, degree=15, overlap=0.3, random_state=seed).graph, (8, 2)
    if name == "planted, popular nodes":
        return planted(400, 6, 3, degree=12, popularity=1.0, random_state=seed).graph, (6, 3)
    if name == "planted, weak":
        return planted(300, 12, 0, degree=20, attraction=3.0, overlap=0.5, random_state=seed).graph, (12, 1)
    graph = load(name).graph
    return graph, split_by_signs(graph, {"football": 12, "email": 20, "chameleon": 10}[name])


NETWORKS = ("football", "email", "chameleon", "dating app", "planted", "planted, popular nodes", "planted, weak")
ONCE = ("email", "chameleon")
"""Large enough that one seed has to do."""


def cases(seeds: Sequence[int]) -> Iterator[Case]:
    """All that is tried."""
    for name in NETWORKS:
        for seed in seeds[:1] if name in ONCE else seeds:
            for background in BACKGROUNDS:
                for penalty in PENALTIES:
                    yield Case(name, background, penalty, seed)


def fitted(case: Case, start: Start) -> tuple[list[float], list[float]]:
    """The values at the start and after every step, and the seconds until each."""
    graph, (k_B, k_C) = network(case.network, case.seed)
    stamps: list[float] = []

    def watched(
        graph: Graph, n_homophilous: int, n_heterophilous: int, baseline: float, rng: np.random.Generator
    ) -> tuple[Float64Array, Float64Array]:
        stamps.append(time.process_time())
        found = start(graph, n_homophilous, n_heterophilous, baseline, rng)
        stamps.append(time.process_time())
        return found

    def note(_: Progress) -> None:
        stamps.append(time.process_time())

    model = CommunityModel(
        k_B,
        k_C,
        penalty=case.penalty,
        background=case.background,
        start=watched,
        solver=LBFGSB(max(STEPS)),
        include_diagonal=True,
        random_state=case.seed,
        dtype="float32",
        n_jobs=1,
    ).fit(graph, on_iteration=note)
    return model.solution_.history.tolist(), (np.array(stamps[1:]) - stamps[0]).tolist()


def measure(case: Case) -> dict[str, Any]:
    """The values of all starts after equal numbers of steps, and in the time of as many average steps from chance."""
    paths = {name: fitted(case, start) for name, start in TRIED.items()}
    seconds = paths["uniform"][1]
    budgets = [seconds[0] + (seconds[-1] - seconds[0]) * steps / max(1, len(seconds) - 1) for steps in STEPS]
    return {
        **asdict(case),
        "seconds": [round(budget, 3) for budget in budgets],
        "after steps": {name: [_at(values, steps) for steps in STEPS] for name, (values, _) in paths.items()},
        "in seconds": {name: [_within(*path, budget) for budget in budgets] for name, path in paths.items()},
        "seconds of the start": {name: round(seconds[0], 3) for name, (_, seconds) in paths.items()},
        "seconds in all": {name: round(seconds[-1], 3) for name, (_, seconds) in paths.items()},
    }


def _at(values: Sequence[float], steps: int) -> float:
    return round(values[min(steps, len(values) - 1)], 3)


def _within(values: Sequence[float], seconds: Sequence[float], budget: float) -> float | None:
    """The value reached within this many seconds; None if not even the start is ready by then."""
    reached = int(np.searchsorted(seconds, budget, side="right"))
    return round(values[reached - 1], 3) if reached else None


def ranks(values: Sequence[float]) -> Float64Array:
    """The places of values from the lowest, which is best; those within a thousandth of a percent share a place.

    >>> ranks([10.0, 30.0, 20.0, 10.00001]).tolist()
    [1.5, 4.0, 3.0, 1.5]
    """
    exact = np.asarray(values)
    alike = np.abs(exact[:, None] - exact) <= 1e-5 * np.abs(exact)
    alike |= np.isinf(exact)[:, None] & np.isinf(exact)
    with np.errstate(invalid="ignore"):
        below = (exact[None, :] < exact[:, None]) & ~alike
    return np.asarray(below.sum(axis=1) + (alike.sum(axis=1) + 1) / 2)


def summary(rows: Sequence[dict[str, Any]], measured: str, place: int) -> dict[str, dict[str, float | None]]:
    """For each start the mean rank, the share of cases in which none was lower, and how far it was above the lowest.

    A ratio is None where not even the start was found in the time.
    """
    table = np.array([[row[measured][name][place] for name in TRIED] for row in rows], dtype=float)
    table = np.where(np.isnan(table), np.inf, table)
    places = np.array([ranks(values) for values in table])
    ratios = table / table.min(axis=1, keepdims=True)
    return {
        name: {
            "mean rank": round(float(places[:, column].mean()), 2),
            "best": round(float((ratios[:, column] <= 1 + 1e-5).mean()), 2),
            "median ratio": _finite(np.median(ratios[:, column])),
            "worst ratio": _finite(ratios[:, column].max()),
        }
        for column, name in enumerate(TRIED)
    }


def _finite(ratio: float) -> float | None:
    return round(float(ratio), 4) if np.isfinite(ratio) else None


def summaries(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """All tables: at equal time and after equal steps, together and by background."""
    chosen = {"all": rows} | {b: [row for row in rows if row["background"] == b] for b in BACKGROUNDS}
    return {
        f"{measured}, {steps} steps{' of the uniform start' if measured == 'in seconds' else ''}, {which}": summary(
            some, measured, place
        )
        for which, some in chosen.items()
        for measured in ("in seconds", "after steps")
        for place, steps in enumerate(STEPS)
        if some
    }


def main() -> None:
    """The command: ``python -m benchmarks.quality.starts``."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1])
    parser.add_argument("--again", action="store_true", help="forget earlier results")
    options = parser.parse_args()
    path = RESULTS / f"{NAME}.json"
    rows = [] if options.again or not path.exists() else json.loads(path.read_text())["result"]["cases"]
    done = {tuple(row[name] for name in ("network", "background", "penalty", "seed")) for row in rows}
    measure(Case("football", "none", 10.0, 0))  # kernels are compiled or read before anything is timed
    left = [case for case in cases(options.seeds) if tuple(asdict(case).values()) not in done]
    try:
        for case in left:
            rows.append(measure(case))
            print(case, rows[-1]["in seconds"], flush=True)
    finally:
        save(NAME, {"summary": summaries(rows), "cases": rows})
    for title, table in summaries(rows).items():
        print(f"\n{title}")
        for name, figures in table.items():
            print(f"{name:12}" + "".join(f"{label} {value!s:<9}" for label, value in figures.items()))


if __name__ == "__main__":
    main()

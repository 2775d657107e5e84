"""Who is a member: the rules of `communities` beside others that were tried, by best-match F1 with known groups.

Run as `python -m benchmarks.quality.rules`. The networks are those on which settings are chosen, and generated ones.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from benchmarks.measuring import save
from benchmarks.quality.experiment import TUNING
from experiments.data import split_by_signs
from philia import BigClam, CommunityModel, Graph, SymNMF
from philia._types import Float64Array
from philia.datasets import dating_app, load, planted
from philia.evaluate import best_match_f1, trivial_covers

BACKGROUNDS: tuple[Literal["none", "constant", "popularity"], ...] = ("none", "constant", "popularity")
PENALTIES = (1, 3, 10)
RULES: tuple[str | float, ...] = ("nearest", "split", "odds", "density", 0.5)


def typical(affinities: Float64Array) -> float:
    """The affinity of a typical member: the mean over nodes, weighed by their affinities.

    >>> typical(np.array([2.0, 2.0, 0.0]))
    2.0
    """
    return float(affinities @ affinities / affinities.sum())


TRIED: dict[str, Callable[[Float64Array], float]] = {
    "doubles the odds with a typical member": lambda f: math.log(2) / typical(f),
    "the same, beyond an average node": lambda f: f.mean() + math.log(2) / typical(f),
    "half of a typical member": lambda f: typical(f) / 2,
}
"""Rules that were tried and not taken: the affinity from which on a node is a member, from a column."""


@dataclass(frozen=True)
class Known:
    """A network whose groups are known, and how many columns of each kind to fit."""

    name: str
    graph: Graph
    groups: list[set[Any]]
    columns: tuple[int, int]


def networks() -> Iterator[Known]:
    """Two generated networks, twice, and three real ones."""
    for seed in (0, 1):
        app = dating_app(400, cities=5, random_state=seed)
        sides = [(app.city, c) for c in range(5)] + [(app.gender, g) for g in range(2)]
        yield Known("dating app", app.graph, [set(np.flatnonzero(who == c).tolist()) for who, c in sides], (5, 2))
        made = planted(500, 8, 2, degree=15, overlap=0.3, popularity=0.5, random_state=seed)
        yield Known("planted", made.graph, [*made.homophilous, *made.heterophilous], (8, 2))
    for name in TUNING:
        data = load(name)
        groups = [set(members) for members in data.communities.values()]
        yield Known(name, data.graph, groups, split_by_signs(data.graph, len(groups)))


def scores(model: CommunityModel, known: Known) -> dict[str, float]:
    """The F1 of each rule; 0 where no community has a member."""
    found = {str(rule): best_match_f1(model.communities(rule), known.groups) for rule in RULES}
    columns = [f for f in model.factors_.readable().columns.T if f.max() ** 2 >= 1e-3]
    for name, bar in TRIED.items():
        sets = [set(known.graph.nodes.pick(np.flatnonzero((f >= bar(f)) & (f > 0)))) for f in columns]
        found[name] = best_match_f1(sets, known.groups)
    return found


def run() -> None:
    """The table: one row per network, background and penalty."""
    rows: dict[tuple[str, str, float], list[dict[str, float]]] = {}
    without_odds: dict[str, list[dict[str, float]]] = {}
    for known in networks():
        alone = {
            "all nodes as one": best_match_f1(trivial_covers(known.graph)["one community of all nodes"], known.groups)
        }
        for name, found in others(known).items():
            without_odds.setdefault(name, []).append(found)
        for background in BACKGROUNDS:
            for penalty in PENALTIES:
                model = CommunityModel(*known.columns, penalty=penalty, background=background, random_state=0)
                found = scores(model.fit(known.graph), known) | alone
                rows.setdefault((known.name, background, penalty), []).append(found)
                print(known.name, background, penalty, {rule: round(f1, 3) for rule, f1 in found.items()}, flush=True)
    by_row = {key: _means(found) for key, found in rows.items()}
    table = [{"network": key[0], "background": key[1], "penalty": key[2], **found} for key, found in by_row.items()]
    means = {which: _means([found for key, found in by_row.items() if key[1] == which]) for which in BACKGROUNDS}
    plain = {name: _means(found) for name, found in without_odds.items()}
    save("quality_rules", {"best-match F1": table, "mean by background": means, "other models": plain})


def others(known: Known) -> dict[str, dict[str, float]]:
    """The F1 of two rules with models that have no odds, which keep the older one."""
    k = sum(known.columns)
    models = {"BigClam": BigClam(k, random_state=0), "SymNMF": SymNMF(k, random_state=0)}
    return {
        name: {rule: best_match_f1(model.communities(rule), known.groups) for rule in model.rules}
        for name, model in ((name, model.fit(known.graph)) for name, model in models.items())
    }


def _means(found: list[dict[str, float]]) -> dict[str, float]:
    return {rule: round(float(np.mean([f[rule] for f in found])), 3) for rule in found[0]}


if __name__ == "__main__":
    run()

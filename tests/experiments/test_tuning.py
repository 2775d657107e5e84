"""Settings are chosen by pairs that are neither fitted nor tested on, and the readings are judged apart."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from experiments import EXPERIMENTS, WHOLE, Result
from experiments.communities import both_readings
from experiments.methods import FAMILIES, GRID, OWN, SAME, Settings, Shape
from experiments.tuning import RATE, best_settings
from philia.evaluate import link_scores
from philia.models import LinkModel
from philia.pairs import RandomPairs
from tests.strategies import random_graph

GRAPH = random_graph(40, 0.2, seed=3)
SHAPE = Shape(2, 1, seed=1, iterations=40)


def test_all_factor_models_have_the_same_settings() -> None:
    models: dict[str, Any] = {name: family(SAME)(SHAPE) for name, family in FAMILIES.items()}
    assert {(model.penalty, model.start) for model in models.values()} == {(10.0, "uniform")}
    assert models.keys() == {"CommunityModel", "BigClam", "SymNMF"}


@pytest.mark.parametrize("tested", [None, RandomPairs(RATE, seed=5)])
def test_the_best_settings_are_those_of_a_plain_search(tested: RandomPairs | None) -> None:
    found = best_settings(FAMILIES["CommunityModel"], GRAPH, SHAPE, lambda scores: scores.auc, tested)
    hidden = RandomPairs(0.1, seed=1) if tested is None else RandomPairs(0.19, seed=5)
    n, known = GRAPH.n_nodes, RandomPairs(0.0) if tested is None else tested
    pairs = [
        (i, j) for i in range(n) for j in range(i + 1, n) if _contains(hidden, i, j) and not _contains(known, i, j)
    ]
    values = {}
    for settings in GRID:
        model = FAMILIES["CommunityModel"](settings)(replace(SHAPE, iterations=10)).fit(GRAPH, held_out=hidden)
        linked = [bool(GRAPH.adjacency[i, j]) for i, j in pairs]
        values[settings] = link_scores(linked, model.decision_function(pairs)).auc
    assert found.value == max(v for v in values.values() if v is not None)
    assert values[found.settings] == found.value


def _contains(held_out: RandomPairs, i: int, j: int) -> bool:
    return bool(held_out.contains(np.array([i]), np.array([j]))[0])


def test_test_pairs_have_no_say_in_the_choice() -> None:
    tested, looked_at = RandomPairs(RATE, seed=2), []

    def family(settings: Settings) -> Any:
        def make(shape: Shape) -> LinkModel:
            model = FAMILIES["SymNMF"](settings)(shape)
            looked_at.append(model)
            return model

        return make

    best_settings(family, GRAPH, SHAPE, lambda scores: scores.auc, tested)
    rows, columns = tested.pairs(GRAPH.n_nodes)
    assert len(looked_at) == len(GRID)
    assert all(m.held_out_ is not None and m.held_out_.contains(rows, columns).all() for m in looked_at)


def scored(f1: dict[str, float]) -> dict[str, dict[str, list[float]]]:
    return {name: {method: [value] for method, value in f1.items()} for name in WHOLE.datasets}


def test_each_reading_has_its_own_verdict() -> None:
    f1 = {"CommunityModel": 0.5, "BigClam": 0.5, f"CommunityModel{OWN}": 0.5, f"BigClam{OWN}": 0.6}
    same, own = both_readings(scored(f1), ["BigClam"], "Figure 5, left")
    assert (same.verdict, own.verdict) == ("holds", "does not hold")
    assert same.reading.startswith("same settings")
    assert own.reading.startswith("own settings")
    missing = {method: value for method, value in f1.items() if method != f"BigClam{OWN}"}
    assert [claim.verdict for claim in both_readings(scored(missing), ["BigClam"], "")] == ["holds", "cannot be judged"]


def test_a_method_without_settings_counts_in_both_readings() -> None:
    f1 = {"CommunityModel": 0.5, f"CommunityModel{OWN}": 0.5, "VGraph": 0.8}
    assert {claim.verdict for claim in both_readings(scored(f1), ["VGraph"], "")} == {"does not hold"}


def by_rule(density: dict[str, float], others: float) -> Iterator[Result]:
    for name in WHOLE.datasets:
        for method, f1 in density.items():
            rules = {rule: {"f1": others} for rule in ("membership of 0.5", "split", "strongest column")}
            yield Result("communities", name, method, 0, {}, {"density": {"f1": f1}, **rules}, 1.0)


@pytest.mark.parametrize(("others", "verdict"), [(0.1, "holds"), (0.49, "does not hold")])
def test_what_decides_is_judged_by_the_numbers(others: float, verdict: str) -> None:
    results = list(by_rule({"CommunityModel": 0.5, "BigClam": 0.4, "SymNMF": 0.45}, others))
    decisive = [c for c in EXPERIMENTS["communities"].claims(results) if "decisive" in c.claim]
    assert [claim.verdict for claim in decisive] == [verdict]

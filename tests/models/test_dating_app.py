"""The introduction of the paper: cities and genders are found, from nothing but the links."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from philia import CommunityModel
from philia._types import Node
from philia.datasets import DatingApp, dating_app
from philia.explain import Community


@pytest.mark.parametrize("seed", [*range(3), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(3, 10))])
def test_default_settings_find_all_cities_and_both_genders(seed: int) -> None:
    app = dating_app(random_state=seed)
    model = CommunityModel(10, 2, random_state=seed).fit(app.graph)
    assert adjusted_rand_score(app.city, model.factors_.homophilous.argmax(axis=1)) >= 0.95
    assert adjusted_rand_score(app.gender, model.factors_.heterophilous.argmax(axis=1)) >= 0.95
    communities = model.communities()
    cities = [set((app.city == c).nonzero()[0].tolist()) for c in range(10)]
    genders = [set((app.gender == g).nonzero()[0].tolist()) for g in range(2)]
    assert best_match([c for c in communities if c.kind == "homophilous"], cities) >= 0.95
    assert best_match([c for c in communities if c.kind == "heterophilous"], genders) >= 0.95


def best_match(found: list[Community], truth: list[set[int]]) -> float:
    """The mean over true groups of the best F1 with a found one."""
    best = [max(f1(set(community.members), group) for community in found) for group in truth]
    return float(np.mean(best))


def f1(a: set[Node], b: set[int]) -> float:
    return 2 * len(a & b) / (len(a) + len(b))


def test_without_the_repelling_communities_the_fit_is_worse() -> None:
    app: DatingApp = dating_app(random_state=0)
    both = CommunityModel(10, 2, random_state=0).fit(app.graph).score()
    only = CommunityModel(12, 0, background="constant", random_state=0).fit(app.graph).score()
    assert both > only

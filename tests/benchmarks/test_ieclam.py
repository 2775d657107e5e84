"""IeClam is BigClam where nothing is exclusive, and goes below it where something is."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.quality.ieclam import ClippedNoisyOr, IeClam
from philia import BigClam
from philia.datasets import planted
from philia.objective import AllPairsObjective, exact_objective

GRAPH = planted(100, 4, 2, degree=12, random_state=0).graph


def test_without_exclusive_communities_it_is_bigclam() -> None:
    theirs = BigClam(4, include_diagonal=False, random_state=0).fit(GRAPH, held_out=0.1)
    ours = IeClam(4, 0, random_state=0).fit(GRAPH, held_out=0.1)
    assert ours.solution_.value == pytest.approx(theirs.solution_.value, rel=1e-6)


def test_its_loss_falls_below_that_of_bigclam() -> None:
    theirs = BigClam(4, include_diagonal=False, random_state=0).fit(GRAPH)
    ours = IeClam(4, 2, random_state=0).fit(GRAPH)
    assert ours.solution_.value < theirs.solution_.value < theirs.solution_.history[0]
    assert min(ours.factors_.homophilous.min(), ours.factors_.heterophilous.min()) >= 0


def test_a_negative_score_is_never_summed_away() -> None:
    recipe = IeClam(1, 1).recipe()
    objective = exact_objective(GRAPH, recipe)
    assert type(objective) is AllPairsObjective
    far_below = recipe.point(np.hstack([np.zeros((100, 1)), np.ones((100, 1))]))
    assert objective.value_and_gradient(far_below)[0] > 0


def test_its_probabilities_and_likelihoods_are_some() -> None:
    scores = np.array([-5.0, -1e-9, 0.0, 1e-3, 40.0])
    p = ClippedNoisyOr().expected(scores)
    assert ((p > 0) & (p <= 1)).all()
    for linked in (True, False):
        assert (ClippedNoisyOr().log_likelihood(scores, linked) <= 0).all()


def test_the_gradient_is_the_slope_where_links_are_likely() -> None:
    recipe = IeClam(3, 2).recipe()
    objective = exact_objective(GRAPH, recipe, diagonal=False)
    rng = np.random.default_rng(0)
    point = recipe.point(np.hstack([rng.uniform(0.5, 1.0, (100, 3)), rng.uniform(0.0, 0.3, (100, 2))]))
    way = rng.normal(size=len(point))
    _, gradient = objective.value_and_gradient(point)
    up, down = (objective.value_and_gradient(point + step * way)[0] for step in (1e-6, -1e-6))
    assert (up - down) / 2e-6 == pytest.approx(float(gradient @ way), rel=1e-5)

from __future__ import annotations

import numpy as np
import pytest

from philia import AttractRepel, BigClam, CommunityModel, LogisticPCA, SymNMF
from philia.datasets import planted
from philia.models.calibrated import calibrated
from philia.models.factorization import Factorization
from philia.objective import AllPairsObjective
from philia.objective.likelihood import sample_loss
from philia.pairs import PairSample, RandomPairs
from philia.solvers import Adam, Progress
from tests.strategies import random_graph

GRAPH = planted(1000, 5, 2, degree=20, random_state=0).graph


LOWEST = Adam(hidden=0.0)


@pytest.mark.parametrize(("background", "penalty"), [("none", 5.0), ("constant", 1.0), ("popularity", 2.0)])
def test_with_nothing_hidden_the_loss_is_about_that_of_the_exact_search(background: str, penalty: float) -> None:
    model = CommunityModel(5, 2, penalty=penalty, background=background, random_state=0)  # type: ignore[arg-type]
    exact = model.fit(GRAPH).solution_.value
    solution = model.set_params(solver=LOWEST).fit(GRAPH).solution_
    objective = AllPairsObjective(GRAPH, model._recipe(), penalty=penalty, diagonal=False)
    value, _ = objective.value_and_gradient(solution.point)
    assert value < 1.02 * exact
    assert solution.value == pytest.approx(value, rel=0.02)
    assert solution.iterations > 204  # four epochs find the length of steps, and at the end come steps on all pairs


def test_hidden_pairs_end_the_search_and_are_predicted_better_than_by_the_lowest_loss() -> None:
    held_out = RandomPairs(0.1, seed=1)
    scored = PairSample.draw(GRAPH, None, 10**6, np.random.default_rng(3))
    tested = held_out.contains(scored.rows, scored.columns)

    def cost(solver: Adam) -> float:
        model = CommunityModel(12, 8, penalty=0.0, solver=solver, random_state=0).fit(GRAPH, held_out=held_out)
        scores = model.factors_.scores(scored.rows[tested], scored.columns[tested])
        linked = scored.linked[tested]
        return float((scored.weights[tested] * (np.logaddexp(0, scores) - linked * scores)).sum())

    assert cost(Adam()) < cost(LOWEST)


@pytest.mark.parametrize(
    "model", [BigClam(5), SymNMF(5), LogisticPCA(4), AttractRepel(4, 2), CommunityModel(5, 0, penalty=1.0)], ids=str
)
def test_every_factorisation_is_fitted_better_than_its_start(model: Factorization) -> None:
    recipe = model._recipe()
    objective = AllPairsObjective(GRAPH, recipe, penalty=float(model.penalty), diagonal=model.include_diagonal)
    start = recipe.point(model._start(GRAPH, recipe, np.random.default_rng(0)))
    model.set_params(solver=Adam(60), random_state=0).fit(GRAPH)
    factors, solution = model.factors_, model.solution_
    assert objective.value_and_gradient(solution.point)[0] < objective.value_and_gradient(start)[0]
    F, (i, j) = recipe.factors(solution.point, GRAPH.n_nodes), np.random.default_rng(1).integers(1000, size=(2, 50))
    scores = F @ recipe.mixing @ F.T
    np.testing.assert_allclose(factors.scores(i, j), (scores + scores.T)[i, j] / 2, atol=1e-9)
    assert (solution.point >= recipe.lower_bounds(GRAPH.n_nodes)).all()


def test_progress_is_told_and_an_interrupt_keeps_the_best() -> None:
    def stop(progress: Progress) -> None:
        if progress.iteration == 3:
            raise KeyboardInterrupt

    model = CommunityModel(5, 2, penalty=1.0, solver="adam", random_state=0).fit(GRAPH, on_iteration=stop)
    solution = model.solution_
    assert solution.reason == "interrupted"
    assert np.isfinite(solution.point).all()


def test_the_same_seed_gives_the_same_factors() -> None:
    one, two = (
        CommunityModel(3, 2, penalty=1.0, n_jobs=jobs, solver=Adam(5), random_state=4).fit(GRAPH) for jobs in (1, 2)
    )
    np.testing.assert_array_equal(one.solution_.point, two.solution_.point)


def test_graphs_with_few_or_no_links_are_fitted() -> None:
    for graph in (random_graph(30, 0.2, seed=0), random_graph(30, 0.0, seed=0)):
        model = CommunityModel(2, 1, penalty=1.0, solver=Adam(5), random_state=0).fit(graph)
        assert np.isfinite(model.solution_.point).all()


def test_a_start_that_is_far_too_strong_is_brought_to_size() -> None:
    model = CommunityModel(5, 2, penalty=0.0)
    recipe, rng = model._recipe(), np.random.default_rng(0)
    F = model._start(GRAPH, recipe, rng)
    pairs = PairSample.draw(GRAPH, None, 2000, rng)
    strong = F * np.array([3.0] * 7 + [1, 1, 1])
    found = [calibrated(start, recipe, pairs) for start in (F, strong)]
    assert sample_loss(pairs, recipe, found[0]) <= sample_loss(pairs, recipe, F)
    assert sample_loss(pairs, recipe, strong) > 2 * sample_loss(pairs, recipe, found[1])
    np.testing.assert_allclose(found[0], found[1], rtol=0.05, atol=0.02)

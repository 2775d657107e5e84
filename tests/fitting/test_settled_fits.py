"""Fits that begin where the trials of an automatic choice ended."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from philia import CommunityModel
from philia.datasets import planted
from philia.fitting import AllPairs, CommunityParametrization, SampledPairs
from philia.fitting.warm_starts import FromFactors
from philia.pairs import RandomPairs
from philia.selection import choose, search
from philia.solvers import LBFGSB, FloorLBFGS

GRAPH = planted(600, 4, 0, degree=16, random_state=0).graph


def _problem(**changes: Any) -> AllPairs:
    columns, rng = CommunityModel(4, 0).parametrization(), np.random.default_rng(0)
    problem = AllPairs(graph=GRAPH, parametrization=columns, penalty=2.0, rng=rng)
    return replace(problem, **changes)


def test_a_fit_that_settles_ends_in_its_own_precision_near_the_optimum() -> None:
    problem = _problem(held_out=RandomPairs(0.1))
    begun = problem.solve(problem.start(), FloorLBFGS(iterations=50, keep=0.0))
    columns = problem.parametrization
    assert isinstance(columns, CommunityParametrization)
    columns = replace(columns, begin=FromFactors(columns.factors(begun.point)))
    settled = replace(problem, parametrization=columns).settle(FloorLBFGS(iterations=30, keep=0.0))
    value, _ = problem.objective.value_and_gradient(problem.recipe.point(settled.point))
    assert settled.value == pytest.approx(value, rel=1e-12)
    assert settled.value <= begun.value
    assert settled.value == pytest.approx(problem.solve(begun.point, LBFGSB()).value, rel=2e-3)


def test_trials_on_sampled_pairs_choose_about_what_trials_on_all_pairs_choose(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = _problem()
    all_pairs, _ = choose(problem, None, None, None)
    monkeypatch.setattr(search, "_SAMPLED_NODES", 500)
    sampled, factors = choose(replace(problem, rng=np.random.default_rng(0)), None, None, None)
    again, same = choose(replace(problem, rng=np.random.default_rng(0)), None, None, None)
    assert factors.homophilous.tolist() == same.homophilous.tolist()
    assert [step.log_likelihood for step in again.steps] == [step.log_likelihood for step in sampled.steps]
    assert sampled.choice.n_homophilous == pytest.approx(all_pairs.choice.n_homophilous, abs=2)
    assert sampled.penalty == pytest.approx(all_pairs.penalty, rel=1.01)  # within a factor of two
    assert sampled.choice.log_likelihood == pytest.approx(all_pairs.choice.log_likelihood, rel=0.05)


def test_a_problem_on_sampled_pairs_is_the_same_problem_on_all_pairs_again() -> None:
    problem = _problem(held_out=RandomPairs(0.1), dtype=None)
    sampled = SampledPairs.of(problem)
    assert sampled.affords_all_pairs
    assert vars(sampled.on_all_pairs()) == vars(problem)


@pytest.mark.parametrize("seed", range(3))
def test_a_small_fit_after_a_choice_converges(seed: int) -> None:
    graph = planted(60, 2, 0, degree=6, random_state=seed).graph
    found = CommunityModel(random_state=seed).fit(graph).solution_
    assert found.converged, found.reason

"""Columns that are given: they count in every score, and no solver moves them."""

from __future__ import annotations

import numpy as np
import pytest

from philia.datasets import planted
from philia.factors import CommunityFactors
from philia.fitting import AllPairs, CommunityParametrization
from philia.objective import Freedom, Group
from philia.reading import Level, read_levels
from philia.solvers import LBFGSB

GRAPH = planted(90, 3, 0, degree=12, attraction=5, overlap=0, random_state=0).graph


@pytest.fixture(scope="module")
def level() -> Level:
    return read_levels(GRAPH).default


def test_a_fixed_group_has_the_columns_it_is_given_and_nothing_to_search_for() -> None:
    given = np.arange(6.0).reshape(3, 2)
    group = Group("read", 2, freedom=Freedom.FIXED, given=given)
    assert group.size(3) == 0
    np.testing.assert_array_equal(group.columns(np.empty(0), 3), given)
    assert group.values(given).size == group.pulled_back(given).size == 0
    np.testing.assert_array_equal(Group("ones", 1, freedom=Freedom.FIXED).columns(np.empty(0), 3), np.ones((3, 1)))


@pytest.mark.parametrize("background", ["none", "constant", "popularity"])
def test_given_columns_come_first_and_are_no_part_of_the_factors(level: Level, background: str) -> None:
    columns = CommunityParametrization(2, 1, background, given=level)  # type: ignore[arg-type]
    rng = np.random.default_rng(0)
    factors = CommunityFactors(rng.random((90, 2)), rng.random((90, 1)), np.full(90, -2.0 * (background != "none")))
    F = columns.columns(factors)
    np.testing.assert_array_equal(F[:, :3], level.affinities.toarray())
    again = columns.recipe.factors(columns.recipe.point(F), 90)
    np.testing.assert_allclose(again, F, atol=1e-12)
    assert columns.factors(F).counts == (2, 1)
    whole = columns.whole
    assert whole.counts == (5, 1)
    assert whole.given is None
    np.testing.assert_array_equal(
        whole.factors(F).homophilous, np.hstack([level.affinities.toarray(), factors.homophilous])
    )
    scores = F @ columns.recipe.mixing @ F.T
    np.testing.assert_allclose(scores, whole.factors(F).score_block(slice(None), slice(None)), atol=1e-12)


def test_nothing_given_is_the_whole() -> None:
    columns = CommunityParametrization(2, 1)
    assert columns.whole is columns
    assert "read" not in {group.name for group in columns.recipe.groups}


def test_a_solver_does_not_move_what_is_given_and_fits_the_rest_around_it(level: Level) -> None:
    columns = CommunityParametrization(0, 1, given=level)
    problem = AllPairs(graph=GRAPH, parametrization=columns, penalty=1.0, rng=np.random.default_rng(0))
    first = problem.solve(problem.start(), LBFGSB(iterations=1))
    last = problem.solve(problem.start(), LBFGSB(iterations=60))
    np.testing.assert_array_equal(last.point[:, :3], level.affinities.toarray())
    assert last.history[-1] < first.history[-1]
    alone = AllPairs(graph=GRAPH, parametrization=CommunityParametrization(0, 1), penalty=1.0, rng=problem.rng)
    assert last.history[-1] < alone.solve(alone.start(), LBFGSB(iterations=60)).history[-1]

from __future__ import annotations

import numpy as np

from philia import plots
from philia.models import CommunityModel
from philia.solvers import Solution
from tests.plots.rendering import render


def test_a_model_and_its_solution_give_the_same_curve(model: CommunityModel) -> None:
    (of_model,), (of_solution,) = (plots.loss_curve(fitted).lines for fitted in (model, model.solution_))
    np.testing.assert_array_equal(of_model.get_ydata(), model.solution_.history)
    np.testing.assert_array_equal(of_model.get_ydata(), of_solution.get_ydata())


def test_the_title_says_why_the_solver_stopped(model: CommunityModel) -> None:
    assert plots.loss_curve(model).get_title(loc="left").lower() == model.solution_.reason


def test_a_fit_that_was_interrupted_at_once_has_an_empty_curve() -> None:
    nothing = Solution(np.zeros(1), np.inf, np.array([]), 0, 0.0, "interrupted", converged=False)
    ax = plots.loss_curve(nothing)
    render(ax)
    assert np.size(ax.lines[0].get_ydata()) == 0

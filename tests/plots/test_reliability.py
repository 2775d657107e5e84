from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.container import ErrorbarContainer

from philia import plots
from philia.datasets import DatingApp
from philia.evaluate import evaluate_links
from philia.models import CommunityModel
from philia.pairs.calibration import calibrate
from tests.plots.models import random_model
from tests.plots.rendering import room_left


def drawn(ax: Axes) -> tuple[Any, Any, Any]:
    """Predicted and observed shares, and the ends of the intervals."""
    (bars,) = (container for container in ax.containers if isinstance(container, ErrorbarContainer))
    line, _, (ends,) = bars.lines
    assert line is not None
    segments = np.array([segment[:, 1] for segment in ends.get_segments()])
    return np.asarray(line.get_xdata()), np.asarray(line.get_ydata()), segments


@pytest.fixture(scope="module")
def hidden(app: DatingApp) -> CommunityModel:
    return CommunityModel(3, 2, penalty=1, random_state=0).fit(app.graph, held_out=0.3)


def test_hidden_pairs_are_judged_if_there_are_any(hidden: CommunityModel) -> None:
    scores = evaluate_links(hidden)
    assert scores.calibration is not None
    ax = plots.reliability(hidden)
    predicted, observed, ends = drawn(ax)
    np.testing.assert_allclose(predicted, scores.calibration.predicted)
    np.testing.assert_allclose(observed, scores.calibration.observed)
    np.testing.assert_allclose(ends.T, scores.calibration.intervals)
    assert ax.get_title(loc="left").endswith(f"on {scores.pairs:,} pairs, held out of the fit")


def test_otherwise_all_pairs_are_and_the_title_says_so(model: CommunityModel) -> None:
    i, j = np.triu_indices(120, k=1)
    every = calibrate(model.graph_.linked(i, j), model.expected(i, j))
    ax = plots.reliability(model)
    predicted, observed, _ = drawn(ax)
    np.testing.assert_allclose(predicted, every.predicted)
    np.testing.assert_allclose(observed, every.observed)
    assert ax.get_title(loc="left").endswith("on all 7,140 pairs, which the fit has seen")


def test_a_calibration_is_drawn_as_its_model_is(hidden: CommunityModel) -> None:
    calibration = evaluate_links(hidden).calibration
    assert calibration is not None
    for of_model, of_calibration in zip(
        drawn(plots.reliability(hidden)), drawn(plots.reliability(calibration)), strict=True
    ):
        np.testing.assert_allclose(of_model, of_calibration)


def test_pairs_without_a_link_can_be_drawn_where_axes_count_in_powers_of_ten() -> None:
    p = np.array([0.001, 0.2, 0.2, 0.2])
    ax = plots.reliability(calibrate(np.array([False, True, False, False]), p))
    assert ax.get_xscale() == ax.get_yscale() == "log"
    low, high = ax.get_ylim()
    _, observed, _ = drawn(ax)
    assert ((low <= observed) & (observed <= high)).all()


def test_many_pairs_are_sampled_always_alike_and_the_title_says_so() -> None:
    model = random_model(3000, 30_000, 4, 1)
    ax = plots.reliability(model)
    predicted, observed, ends = drawn(ax)
    assert ax.get_title(loc="left").endswith("(all links, and a sample of the others)")
    assert room_left(ax) >= 0
    assert len(predicted) > 5
    np.testing.assert_array_equal(observed, drawn(plots.reliability(model))[1])  # drawn by chance, but always alike
    assert ((ends[:, 0] <= observed) & (observed <= ends[:, 1])).all()

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.figure import Figure
from scipy.special import expit

from philia import plots
from philia.exceptions import InvalidParameterError
from philia.models import CommunityModel
from tests.plots.models import random_model
from tests.plots.rendering import room_left


def test_links_and_probabilities_stand_in_one_order_and_one_scale(model: CommunityModel) -> None:
    left, right = (ax.images[0] for ax in plots.reconstruction(model))
    order = plots.by_community(model.factors_)
    links = model.graph_.adjacency.toarray()[np.ix_(order, order)]
    np.testing.assert_array_equal(np.asarray(left.get_array()), links)
    np.testing.assert_allclose(np.asarray(right.get_array()), expit(model.factors_.score_block(order, order)))
    assert left.get_clim() == right.get_clim()


def test_an_order_of_ones_own_holds_for_both_sides(model: CommunityModel) -> None:
    backwards = np.arange(120)[::-1]
    left, right = plots.reconstruction(model, order=backwards)
    alone = plots.probabilities(model, order=backwards)
    np.testing.assert_array_equal(np.asarray(right.images[0].get_array()), np.asarray(alone.images[0].get_array()))
    np.testing.assert_array_equal(np.asarray(left.images[0].get_array()), model.graph_.adjacency.toarray()[::-1, ::-1])
    with pytest.raises(InvalidParameterError, match="each row number"):
        plots.reconstruction(model, order=[0])


def test_it_draws_into_the_two_axes_it_is_given_and_cuts_nothing_off(model: CommunityModel) -> None:
    above, below = Figure().subplots(2, 1)
    assert plots.reconstruction(model, (above, below)) == (above, below)
    assert room_left(plots.reconstruction(model)[0]) >= 0


def test_of_a_large_graph_both_sides_have_five_hundred_cells() -> None:
    left, right = plots.reconstruction(random_model(1200, 4000, 3, 1))
    assert left.images[0].get_size() == right.images[0].get_size() == (500, 500)

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure
from scipy.special import expit

from philia import plots
from philia.datasets import DatingApp
from philia.exceptions import InvalidParameterError
from philia.factors import CommunityFactors
from philia.models import CommunityModel
from philia.plots.matrices import binned_links
from tests.plots.models import random_graph, random_model
from tests.plots.rendering import room_left


def drawn(ax: Any) -> Any:
    (image,) = ax.images
    return np.asarray(image.get_array())


def test_a_small_graph_is_drawn_exactly_in_the_given_order(app: DatingApp) -> None:
    order = np.lexsort((app.gender, app.city))
    expected = app.graph.adjacency.toarray()[np.ix_(order, order)]
    np.testing.assert_array_equal(drawn(plots.adjacency(app.graph, order=order)), expected)


@given(n=st.integers(1, 40), cells=st.integers(1, 12), seed=st.integers(0, 10))
def test_cells_add_up_to_all_links(n: int, cells: int, seed: int) -> None:
    graph = random_graph(n, 3 * n, seed)
    order = np.random.default_rng(seed).permutation(n)
    shares = binned_links(graph, order, cells)
    sizes = np.bincount(np.arange(n) * min(n, cells) // n)
    dense = graph.adjacency.toarray()[np.ix_(order, order)]
    edges = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    expected = np.add.reduceat(np.add.reduceat(dense, edges, axis=0), edges, axis=1) / np.outer(sizes, sizes)
    np.testing.assert_allclose(shares, expected)


def test_a_large_graph_needs_little_memory() -> None:
    graph = random_graph(100_000, 300_000)
    tracemalloc.start()
    ax = plots.adjacency(graph)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert drawn(ax).shape == (500, 500)
    assert peak < 100e6


def test_drawn_probabilities_are_those_of_the_model(model: CommunityModel) -> None:
    order = np.arange(120)[::-1]
    expected = expit(model.factors_.score_block(order, order))
    np.testing.assert_allclose(drawn(plots.probabilities(model, order=order)), expected)


def test_by_default_members_of_a_community_are_drawn_together(app: DatingApp, model: CommunityModel) -> None:
    order = plots.by_community(model.factors_.readable())
    assert sorted(order.tolist()) == list(range(120))
    assert np.count_nonzero(np.diff(app.city[order])) == 2


def test_nodes_in_no_repelling_community_come_after_its_members() -> None:
    C = np.array([[0.1], [2.0], [0.0], [1.5]])
    factors = CommunityFactors(np.ones((4, 1)), C, np.zeros(4))
    assert plots.by_community(factors).tolist() == [1, 3, 0, 2]


@pytest.mark.parametrize("order", [[0, 1], [0] * 120, np.arange(1, 121)])
def test_an_order_must_have_every_row_once(order: Any, app: DatingApp) -> None:
    with pytest.raises(InvalidParameterError, match="each row number"):
        plots.adjacency(app.graph, order=order)


def test_a_graph_without_links_is_drawn_empty() -> None:
    assert not drawn(plots.adjacency(random_graph(5, 0))).any()


def test_links_and_probabilities_have_the_same_order_and_scale(model: CommunityModel) -> None:
    left, right = (ax.images[0] for ax in plots.reconstruction(model))
    order = plots.by_community(model.factors_.readable())
    links = model.graph_.adjacency.toarray()[np.ix_(order, order)]
    np.testing.assert_array_equal(np.asarray(left.get_array()), links)
    np.testing.assert_allclose(np.asarray(right.get_array()), expit(model.factors_.score_block(order, order)))
    assert left.get_clim() == right.get_clim()


def test_a_given_order_holds_for_both_sides(model: CommunityModel) -> None:
    backwards = np.arange(120)[::-1]
    left, right = plots.reconstruction(model, order=backwards)
    alone = plots.probabilities(model, order=backwards)
    np.testing.assert_array_equal(np.asarray(right.images[0].get_array()), np.asarray(alone.images[0].get_array()))
    np.testing.assert_array_equal(np.asarray(left.images[0].get_array()), model.graph_.adjacency.toarray()[::-1, ::-1])
    with pytest.raises(InvalidParameterError, match="each row number"):
        plots.reconstruction(model, order=[0])


def test_a_reconstruction_draws_into_two_given_axes_and_cuts_nothing_off(model: CommunityModel) -> None:
    above, below = Figure().subplots(2, 1)
    assert plots.reconstruction(model, (above, below)) == (above, below)
    assert room_left(plots.reconstruction(model)[0]) >= 0


def test_both_sides_of_a_large_graph_have_five_hundred_cells() -> None:
    left, right = plots.reconstruction(random_model(1200, 4000, 3, 1))
    assert left.images[0].get_size() == right.images[0].get_size() == (500, 500)

"""The drawing of a network: the same every time, members inside outlines, circles that do not overlap."""

from __future__ import annotations

import random

import numpy as np
import pytest
from matplotlib.path import Path
from scipy import sparse

from philia import CommunityModel, as_graph, plots
from philia.datasets import classic, overlapping_cliques
from philia.factors import CommunityFactors
from philia.graphs import Graph, Nodes
from philia.plots.layout import Layout
from philia.plots.network import CommunityMap, Drawing
from tests.plots.models import of_factors, random_model
from tests.plots.rendering import render, room_left


@pytest.fixture(scope="module")
def karate() -> CommunityModel:
    return CommunityModel(random_state=0).fit(classic("karate"))


def test_circles_without_links_to_others_stay_near_the_rest() -> None:
    """Three linked communities and two small ones alone, as two separate components are."""
    links = np.zeros((5, 5))
    links[:3, :3] = 50
    layout = Layout.of_communities(links, np.array([100, 80, 90, 3, 4]))
    middle = layout.positions[:3].mean(axis=0)
    far = np.linalg.norm(layout.positions - middle, axis=1)
    assert far[3:].max() < (far + layout.radii)[:3].max() + 3 * layout.radii.max()
    apart = np.linalg.norm(layout.positions[:, None] - layout.positions[None], axis=2)
    np.fill_diagonal(apart, np.inf)
    assert (apart >= (layout.radii[:, None] + layout.radii[None]) * 0.999).all()


def test_the_same_graph_is_drawn_in_the_same_places_whatever_was_drawn_before(karate: CommunityModel) -> None:
    first = Drawing.of(karate).layout.positions
    random.seed(5)
    state = random.getstate()
    again = Drawing.of(karate).layout.positions
    assert random.getstate() == state
    assert (first == again).all()


def test_nodes_that_coincide_to_igraph_are_placed_without_touching_pythons_generator() -> None:
    graph = as_graph([(0, i) for i in range(1, 40)])
    state = random.getstate()
    one, other = (Layout.of_nodes(graph, sparse.csr_array((40, 0))).positions for _ in range(2))
    assert random.getstate() == state
    assert (one == other).all()
    assert np.isfinite(one).all()


def test_positions_and_radii_are_inside_the_box(karate: CommunityModel) -> None:
    layout = Drawing.of(karate).layout
    assert (layout.positions >= 0).all()
    assert (layout.positions <= np.array([1, layout.height]) + 1e-12).all()
    assert ((layout.radii > 0) & (layout.radii < 0.1)).all()


def test_every_member_is_inside_an_outline_of_its_community(karate: CommunityModel) -> None:
    drawing = Drawing.of(karate)
    for community, polygons in zip(drawing.communities, drawing.outlines, strict=True):
        rows = [drawing.graph.nodes.row(name) for name in community]
        places = drawing.layout.positions[rows]
        covered = np.any([Path(polygon).contains_points(places) for polygon in polygons], axis=0)
        assert covered.all()


def test_members_are_closer_to_each_other_than_to_the_rest(karate: CommunityModel) -> None:
    drawing = Drawing.of(karate)
    for community in drawing.communities:
        inside = np.array([name in community for name in drawing.graph.nodes])
        places = drawing.layout.positions
        apart = np.linalg.norm(places[:, None] - places[None], axis=2)
        assert apart[np.ix_(inside, inside)].mean() < apart[np.ix_(inside, ~inside)].mean()


def test_slices_are_the_shares_of_links_and_add_up_to_one_at_most(karate: CommunityModel) -> None:
    drawing = Drawing.of(karate)
    level = karate.level()
    assert level is not None
    for row, name in enumerate(drawing.graph.nodes):
        neighbours = drawing.graph.adjacency[[row]].indices
        for c, community in enumerate(drawing.communities):
            leading = np.mean(level.labels[neighbours] == level.names.index(community.name))
            assert drawing.shares[row, c] == pytest.approx(leading), (name, community.name)
    assert (np.asarray(drawing.shares.sum(axis=1)).ravel() <= 1 + 1e-12).all()


def test_circles_of_a_map_do_not_overlap_and_have_areas_like_their_members() -> None:
    model = random_model(4000, 9000, 20, 0)
    drawn = CommunityMap.of(model)
    places, radii = drawn.layout.positions, drawn.layout.radii
    apart = np.linalg.norm(places[:, None] - places[None], axis=2) + 9 * np.eye(len(radii))
    assert (apart > radii[:, None] + radii[None]).all()
    assert radii**2 / drawn.sizes == pytest.approx(np.full(len(radii), radii[0] ** 2 / drawn.sizes[0]))
    assert drawn.sizes.tolist() == [len(c) for c in model.communities() if c.kind == "homophilous"]


def test_links_between_communities_are_counted_as_a_loop_counts_them(karate: CommunityModel) -> None:
    drawn, found = CommunityMap.of(karate), karate.communities()
    rows, columns = karate.graph_.links
    links = list(zip(karate.graph_.nodes.pick(rows), karate.graph_.nodes.pick(columns), strict=True))
    for i, one in enumerate(found):
        for j, other in enumerate(found):
            ends = sum((u in one and v in other) + (v in one and u in other) for u, v in links)
            assert drawn.links[i, j] == ends


def test_a_large_network_is_drawn_as_a_map() -> None:
    ax = plots.network(random_model(4000, 9000, 20, 2))
    assert ax.get_title(loc="left").endswith(", 20 communities")
    assert sum(text.get_text().startswith("B") for text in ax.texts) == 20
    assert room_left(ax) >= 0


def test_thousands_of_communities_are_drawn_in_parts() -> None:
    graph = overlapping_cliques(900, 36, random_state=0).graph
    model = CommunityModel(storage="sparse", random_state=0).fit(graph)
    assert "in 24 parts" in plots.network(model).get_title(loc="left")


@pytest.mark.parametrize("k_B", [0, 1])
@pytest.mark.parametrize("n", [1, 2, 3])
def test_the_smallest_networks_are_drawn(n: int, k_B: int) -> None:
    rng = np.random.default_rng(0)
    factors = CommunityFactors(rng.uniform(1, 2, (n, k_B)), np.zeros((n, 0)), np.zeros(n))
    empty = np.empty(0, np.int64)
    model = of_factors(factors, Graph.from_rows(empty, empty, Nodes.numbered(n)))
    assert render(plots.network(model)).startswith(b"\x89PNG")


def test_communities_that_only_repel_have_pies_but_no_outlines() -> None:
    drawing = Drawing.of(random_model(60, 120, 0, 2))
    assert {community.kind for community in drawing.communities} == {"heterophilous"}
    assert not any(drawing.outlines)
    assert drawing.shares.nnz > 0

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.patches import Rectangle

from philia import plots
from philia.datasets import DatingApp, dating_app
from philia.explain import measure_stability
from philia.explain.links import factor_in_words
from philia.factors import CommunityFactors
from philia.graphs import Nodes
from philia.models import CommunityModel
from philia.plots.communities import overlap_shares, similar_together
from philia.plots.matrices import along_diagonal
from philia.plots.style import ATTRACT, REPEL
from philia.solvers import LBFGSB
from tests.plots.models import of_factors, random_graph, random_model
from tests.plots.rendering import render


def test_bars_are_effects_from_the_most_attracting_to_the_most_repelling(model: CommunityModel) -> None:
    ax = plots.communities(model)
    found = sorted(model.communities(), key=lambda community: -community.typical)
    bars = [patch for patch in ax.patches if isinstance(patch, Rectangle)]
    assert [bar.get_width() for bar in bars] == pytest.approx([community.typical for community in found])
    assert [text.get_text() for text in ax.texts] == [factor_in_words(community.typical) for community in found]
    assert [tick.get_text() for tick in ax.get_yticklabels()] == [f"{c.name}  {len(c)} members" for c in found]
    colors = [to_hex(bar.get_facecolor()).upper() for bar in bars]
    assert colors == [ATTRACT if community.kind == "homophilous" else REPEL for community in found]


def test_of_many_communities_the_weakest_are_left_out_and_counted() -> None:
    model = random_model(300, 2000, 45, 15)
    ax = plots.communities(model)
    shown = {tick.get_text().split()[0] for tick in ax.get_yticklabels()}
    found = model.communities()
    weakest = max(abs(community.typical) for community in found if community.name not in shown)
    assert len(shown) == 40
    assert all(abs(community.typical) >= weakest for community in found if community.name in shown)
    attract = sum(community.kind == "homophilous" for community in found)
    title = f"{attract} communities attract, {len(found) - attract} repel\n(without the {len(found) - 40} weakest)"
    assert ax.get_title(loc="left") == title


def overlapping() -> CommunityModel:
    """Of six nodes B1 has the first four, B2 the last three, C1 the first two; B3 has no node in common with B1."""
    B = np.array([[2, 0, 0], [2, 0, 0], [2, 0, 0], [2, 2, 0], [0, 2, 2], [0, 2, 2]], dtype=float)
    C = np.array([[2], [2], [0], [0], [0], [0]], dtype=float)
    return of_factors(CommunityFactors(B, C, np.zeros(6)), random_graph(6, 9))


def test_overlaps_are_shares_of_the_smaller_community() -> None:
    expected = np.array([[1, 1 / 3, 0, 1], [1 / 3, 1, 1, 0], [0, 1, 1, 0], [1, 0, 0, 1]])
    np.testing.assert_allclose(overlap_shares(overlapping().communities()), expected)


def test_overlaps_are_drawn_in_percent_under_the_right_names() -> None:
    ax = plots.overlap(overlapping())
    names = [tick.get_text() for tick in ax.get_xticklabels()]
    assert sorted(names) == ["B1 (4)", "B2 (3)", "B3 (2)", "C1 (2)"]
    assert names == [tick.get_text() for tick in ax.get_yticklabels()]
    assert names[-1] == "C1 (2)"
    cells = np.asarray(ax.images[0].get_array())
    at = {name.split()[0]: place for place, name in enumerate(names)}
    assert cells[at["B1"], at["B2"]] == pytest.approx(100 / 3)
    assert cells[at["C1"], at["B1"]] == pytest.approx(100)
    assert abs(at["B2"] - at["B3"]) == 1
    written = sorted(text.get_text() for text in ax.texts)
    assert written == ["100", "100", "100", "100", "33", "33"]


def test_overlapping_communities_are_drawn_next_to_each_other() -> None:
    shares = np.eye(6)
    for a, b in [(0, 3), (1, 4), (2, 5)]:
        shares[a, b] = shares[b, a] = 0.9
    place = np.argsort(similar_together(shares))
    assert [abs(place[a] - place[b]) for a, b in [(0, 3), (1, 4), (2, 5)]] == [1, 1, 1]


def test_columns_are_sorted_like_their_members(app: DatingApp, model: CommunityModel) -> None:
    order = np.lexsort((app.gender, app.city))
    names = [tick.get_text() for tick in plots.memberships(model, order=order).get_xticklabels()]
    B = model.factors_.homophilous
    strongest = [f"B{B[app.city == city].mean(axis=0).argmax() + 1}" for city in range(3)]
    assert names[:3] == strongest
    assert sorted(names[3:]) == ["C1", "C2"]


def test_full_members_are_dark_and_others_are_not(app: DatingApp, model: CommunityModel) -> None:
    order = np.lexsort((app.gender, app.city))
    ax = plots.memberships(model, order=order, kinds=["homophilous"])
    colors = np.asarray(ax.images[0].get_array()).mean(axis=2)
    inside = app.city[order][:, None] == np.arange(3)
    assert colors[inside].mean() < colors[~inside].mean() - 0.2


@pytest.mark.parametrize(("attract", "repel"), [(2, 0), (0, 2)])
def test_one_kind_can_be_drawn_alone(attract: int, repel: int, app: DatingApp) -> None:
    model = CommunityModel(attract, repel, random_state=0).fit(app.graph)
    assert len(plots.memberships(model).get_xticklabels()) == 2


def test_names_of_few_nodes_are_written_literally() -> None:
    graph = dating_app(20, cities=2, random_state=0).graph
    named = graph.renamed(Nodes([f"$x_{row}$ [red]" for row in range(20)]))
    ax = plots.memberships(CommunityModel(2, 1, random_state=0).fit(named))
    render(ax)
    assert "\\$x_0\\$ [red]" in [tick.get_text() for tick in ax.get_yticklabels()]


def test_many_rows_are_averaged() -> None:
    many = CommunityModel(2, 1, solver=LBFGSB(iterations=2), random_state=0)
    many.fit(dating_app(511, cities=2, random_state=0).graph)
    assert plots.memberships(many).images[0].get_size() == (500, 3)


def test_empty_columns_come_last() -> None:
    assert along_diagonal(np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0]])).tolist() == [2, 1, 0]


def test_every_fit_has_a_dot_and_every_community_its_number_of_fits() -> None:
    B = np.repeat(np.eye(2), 3, axis=0)
    both = CommunityFactors.attracting(B)
    ax = plots.stability(measure_stability(both, [both, CommunityFactors.attracting(B[:, :1]), both]))
    dots = [np.asarray(line.get_xdata()) for line in ax.lines if len(np.asarray(line.get_xdata())) == 3]
    np.testing.assert_allclose(dots, [[1, 1, 1], [1, 0, 1]])
    assert [text.get_text() for text in ax.texts] == ["3 of 3", "2 of 3"]


def test_stability_without_communities_is_an_empty_picture() -> None:
    nothing = CommunityFactors.attracting(np.zeros((3, 1)))
    assert plots.stability(measure_stability(nothing, [nothing])).get_yticklabels() == []

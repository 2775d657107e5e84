from __future__ import annotations

import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.patches import Rectangle

from philia import plots
from philia.explain.links import factor_in_words
from philia.factors import CommunityFactors
from philia.models import CommunityModel
from philia.plots.communities import shared_members, similar_together
from philia.plots.style import ATTRACT, REPEL
from tests.plots.models import of_factors, random_graph, random_model


def test_bars_are_strengths_from_the_most_attracting_to_the_most_repelling(model: CommunityModel) -> None:
    ax = plots.communities(model)
    found = sorted(model.communities(), key=lambda community: -community.strength)
    bars = [patch for patch in ax.patches if isinstance(patch, Rectangle)]
    assert [bar.get_width() for bar in bars] == pytest.approx([community.strength for community in found])
    assert [text.get_text() for text in ax.texts] == [factor_in_words(community.strength) for community in found]
    assert [tick.get_text() for tick in ax.get_yticklabels()] == [f"{c.name}  {len(c)} members" for c in found]
    colours = [to_hex(bar.get_facecolor()).upper() for bar in bars]
    assert colours == [ATTRACT if community.kind == "homophilous" else REPEL for community in found]


def test_of_many_communities_the_weakest_are_left_out_and_counted() -> None:
    model = random_model(300, 2000, 45, 15)
    ax = plots.communities(model)
    shown = {tick.get_text().split()[0] for tick in ax.get_yticklabels()}
    found = model.communities()
    weakest = max(abs(community.strength) for community in found if community.name not in shown)
    assert len(shown) == 40
    assert all(abs(community.strength) >= weakest for community in found if community.name in shown)
    assert ax.get_title(loc="left") == f"45 communities attract, 15 repel\n(without the {len(found) - 40} weakest)"


def overlapping() -> CommunityModel:
    """Of six nodes B1 has the first four, B2 the last three, C1 the first two; B3 has nobody in common with B1."""
    B = np.array([[2, 0, 0], [2, 0, 0], [2, 0, 0], [2, 2, 0], [0, 2, 2], [0, 2, 2]], dtype=float)
    C = np.array([[2], [2], [0], [0], [0], [0]], dtype=float)
    return of_factors(CommunityFactors(B, C, np.zeros(6)), random_graph(6, 9))


def test_overlaps_are_shares_of_the_smaller_one() -> None:
    expected = np.array([[1, 1 / 3, 0, 1], [1 / 3, 1, 1, 0], [0, 1, 1, 0], [1, 0, 0, 1]])
    np.testing.assert_allclose(shared_members(overlapping().communities()), expected)


def test_the_picture_shows_them_in_percent_under_the_right_names() -> None:
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


def test_communities_that_overlap_stand_similar_together() -> None:
    shares = np.eye(6)
    for a, b in [(0, 3), (1, 4), (2, 5)]:
        shares[a, b] = shares[b, a] = 0.9
    place = np.argsort(similar_together(shares))
    assert [abs(place[a] - place[b]) for a, b in [(0, 3), (1, 4), (2, 5)]] == [1, 1, 1]

from __future__ import annotations

import numpy as np
import pytest

from philia import plots
from philia.datasets import DatingApp, dating_app
from philia.graphs import Nodes
from philia.models import CommunityModel
from philia.plots.matrices import along_diagonal
from philia.solvers import LBFGSB
from tests.plots.rendering import render


def test_columns_stand_where_their_members_are(app: DatingApp, model: CommunityModel) -> None:
    order = np.lexsort((app.gender, app.city))
    names = [tick.get_text() for tick in plots.memberships(model, order=order).get_xticklabels()]
    B = model.factors_.homophilous
    strongest = [f"B{B[app.city == city].mean(axis=0).argmax() + 1}" for city in range(3)]
    assert names[:3] == strongest
    assert sorted(names[3:]) == ["C1", "C2"]


def test_full_members_are_dark_and_others_are_not(app: DatingApp, model: CommunityModel) -> None:
    order = np.lexsort((app.gender, app.city))
    ax = plots.memberships(model, order=order, kinds=["homophilous"])
    colours = np.asarray(ax.images[0].get_array()).mean(axis=2)
    inside = app.city[order][:, None] == np.arange(3)
    assert colours[inside].mean() < colours[~inside].mean() - 0.2


@pytest.mark.parametrize(("attract", "repel"), [(2, 0), (0, 2)])
def test_one_kind_alone_is_drawn(attract: int, repel: int, app: DatingApp) -> None:
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

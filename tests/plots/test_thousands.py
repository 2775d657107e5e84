"""Pictures of models with many small communities: the top of the hierarchy, or the largest communities."""

from __future__ import annotations

import numpy as np
import pytest

from philia import as_graph, plots
from philia.exceptions import InvalidParameterError
from philia.plots.hierarchy import Tree
from philia.plots.matrices import grouped, top_level
from philia.reading import Hierarchy, read_levels
from tests.plots.rendering import room_left
from tests.sparse_models import cliques


@pytest.fixture(scope="module")
def many() -> Hierarchy:
    """310 cliques of four nodes in a ring."""
    inside = [(4 * c + i, 4 * c + j) for c in range(310) for i in range(4) for j in range(i)]
    labels = np.repeat(np.arange(310), 4)
    graph = as_graph([*inside, *((4 * c, (4 * c + 5) % 1240) for c in range(310))])
    measured = read_levels(graph)._measure
    return Hierarchy(graph, measured.describe(labels[np.array(list(graph.nodes))]))


def test_of_hundreds_of_communities_the_tree_has_sixty_parts_that_hold_them_all(many: Hierarchy) -> None:
    tree = Tree.of(many)
    assert len(tree.leaves) == 60
    assert len(tree.at) == 59
    names = [tick.get_text() for tick in plots.hierarchy(many).get_yticklabels()]
    members = [int(name.split("  ")[1].split()[0].replace(",", "")) for name in names]
    assert sum(members) == 1240
    more = [int(name.split(" and ")[1].split()[0]) for name in names if " and " in name]
    assert sum(more) + 60 == many.counts[0]


def test_memberships_are_those_of_the_level_with_24_communities() -> None:
    ax = plots.memberships(cliques())
    assert len(ax.get_xticklabels()) == len(top_level(cliques())) == 24


def test_overlaps_are_those_of_the_largest_communities() -> None:
    ax = plots.overlap(cliques())
    sizes = sorted((len(community) for community in cliques().communities()), reverse=True)
    shown = [int(tick.get_text().split("(")[1][:-1]) for tick in ax.get_xticklabels()]
    assert sorted(shown, reverse=True) == sizes[:40]
    assert f"the 40 largest of {len(sizes)} communities" in ax.get_title(loc="left")


def test_in_matrices_the_members_of_a_community_are_together() -> None:
    order = grouped(cliques())
    assert sorted(order.tolist()) == list(range(2000))
    level = cliques().level()
    assert level is not None
    changes = np.count_nonzero(np.diff(level.labels[order]))
    assert changes == len(np.unique(level.labels)) - 1
    left, right = plots.reconstruction(cliques())
    assert left.get_title(loc="left").startswith("2,000 nodes")
    assert plots.probabilities(cliques()).get_ylabel() == "node"
    assert right.images


def test_strengths_calibration_and_reasons_are_drawn() -> None:
    assert "without the" in plots.communities(cliques()).get_title(loc="left")
    assert plots.reliability(cliques()).get_title(loc="left").startswith("Calibration")
    link = cliques().top_links(1, node=3)[0]
    assert room_left(plots.waterfall(cliques().explain(link.u, link.v))) > 0


def test_the_choice_of_weights_has_no_picture() -> None:
    chosen = cliques().selection_
    assert chosen is not None
    with pytest.raises(InvalidParameterError, match="tried weights"):
        plots.selection(chosen)

"""The tree of levels: its branches are the merges, and the line crosses the default level."""

from __future__ import annotations

import numpy as np
import pytest

from philia import as_graph, plots
from philia.graphs import Graph
from philia.plots.hierarchy import Tree
from philia.reading import read_levels
from tests.plots.rendering import room_left


def cliques(count: int, *links: tuple[int, int]) -> Graph:
    """Cliques of eight nodes, and some links between them."""
    inside = [(8 * c + i, 8 * c + j) for c in range(count) for i in range(8) for j in range(i)]
    return as_graph([*inside, *links])


GRAPHS = {
    "apart": cliques(4),
    "joined": cliques(5, (0, 9), (1, 10), (2, 12), (33, 24), (8, 30)),
    "many": cliques(70),
}


@pytest.fixture(params=GRAPHS)
def graph(request: pytest.FixtureRequest) -> Graph:
    return GRAPHS[request.param]


def test_the_line_crosses_as_many_branches_as_the_default_level_has_communities(graph: Graph) -> None:
    levels = read_levels(graph)
    tree = Tree.of(levels)
    assert sorted(tree.leaves) == list(range(levels.counts[0]))
    merged = sum(max(lost) < tree.cut for lost in tree.lost)
    assert levels.counts[0] - merged == len(levels.default)


def test_branches_end_where_the_linkage_says(graph: Graph) -> None:
    levels = read_levels(graph)
    assert sorted(max(lost) for lost in Tree.of(levels).lost) == pytest.approx(levels.linkage()[:, 2].tolist())
    assert len(levels.linkage()) == levels.counts[0] - 1
    assert (np.diff(levels.linkage()[:, 2]) >= 0).all()


def test_every_leaf_has_its_name_unless_there_are_too_many(graph: Graph) -> None:
    levels = read_levels(graph)
    ax = plots.hierarchy(levels)
    told = [tick.get_text().split()[0] for tick in ax.get_yticklabels()]
    assert sorted(told) == (sorted(levels[0].names) if levels.counts[0] <= 60 else [])
    assert room_left(ax) >= 0


def test_a_graph_without_communities_has_an_empty_tree() -> None:
    ax = plots.hierarchy(read_levels(as_graph([(i, i + 1) for i in range(30)])))
    assert ax.get_title(loc="left") == "No communities"

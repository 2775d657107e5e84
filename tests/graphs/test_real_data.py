"""The real graphs, if present: nodes, links, loops and labels as their descriptions count them."""

from __future__ import annotations

import pytest
from tests.real_data import DATA, NEEDS_DATA

from philia.graphs import read_communities, read_graph

pytestmark = NEEDS_DATA

GRAPHS = [
    ("blog/blogcatalog.mat", 10_312, 333_983, 0, 3_992),
    ("youtube/top5CommunitiesEdges-Yu.csv", 5_346, 24_121, 0, 628),
    ("pos/POS.mat", 4_777, 92_295, 222, 3_644),
    ("ppi/Homo_sapiens.mat", 3_890, 37_845, 894, 593),
    ("amazon/com-amazon_train.txt", 3_225, 10_262, 0, 51),
    ("extra/email-Eu-core/eu-core.edges", 1_005, 16_064, 642, 345),
    ("extra/football/football.gml", 115, 613, 0, 12),
    ("extra/chameleon/chameleon_filtered.npz", 890, 8_854, 0, 247),
    ("extra/soc-slashdot0902/soc-slashdot0902-undirected.jlg", 82_168, 504_230, 78_303, 2_552),
]

COMMUNITIES = [
    ("blog/blogcatalog.mat", 39, 14_476),
    ("youtube/top5Communities-Yu.txt", 5, 6_739),
    ("pos/POS.mat", 40, 6_770),
    ("ppi/Homo_sapiens.mat", 50, 6_640),
    ("amazon/com-amazon.sampled.cmty.txt", 100, 9_766),
    ("extra/email-Eu-core/eu-core.clusters", 42, 1_005),
    ("extra/football/football.gml", 12, 115),
    ("extra/chameleon/chameleon_filtered.npz", 5, 890),
]


@pytest.mark.parametrize(("name", "nodes", "links", "loops", "largest"), GRAPHS)
def test_a_real_graph_has_the_nodes_and_links_it_should(
    name: str, nodes: int, links: int, loops: int, largest: int
) -> None:
    graph = read_graph(DATA / name)
    assert (graph.n_nodes, graph.n_links, graph.changes.loops) == (nodes, links, loops)
    assert graph.degrees.max() == largest
    assert (graph.changes.duplicates, graph.changes.directions) == (0, 0)


@pytest.mark.parametrize(("name", "count", "memberships"), COMMUNITIES)
def test_real_communities_have_the_members_they_should(name: str, count: int, memberships: int) -> None:
    communities = read_communities(DATA / name)
    assert (len(communities), sum(map(len, communities.values()))) == (count, memberships)


def test_the_members_of_real_communities_are_nodes_of_their_graphs() -> None:
    pairs = [
        ("blog/blogcatalog.mat", "blog/blogcatalog.mat"),
        ("youtube/top5CommunitiesEdges-Yu.csv", "youtube/top5Communities-Yu.txt"),
        ("amazon/com-amazon_train.txt", "amazon/com-amazon.sampled.cmty.txt"),
        ("extra/email-Eu-core/eu-core.edges", "extra/email-Eu-core/eu-core.clusters"),
        ("extra/football/football.gml", "extra/football/football.gml"),
    ]
    for graph, communities in pairs:
        members = {node for listed in read_communities(DATA / communities).values() for node in listed}
        assert members == set(read_graph(DATA / graph).nodes)

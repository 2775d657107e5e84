"""The real datasets, if their files are present: counts of the catalog and of the paper, degeneracy and arboricity."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from philia.datasets import CATALOG, load
from philia.graphs import arboricity, degeneracy, pseudoarboricity

DATA = Path(os.environ.get("PHILIA_DATA", Path(__file__).parents[3] / "shared" / "data"))

pytestmark = pytest.mark.skipif(
    not (DATA / "README.md").is_file(), reason=f"no data in {DATA}; set PHILIA_DATA to the folder that holds it"
)

MEMBERSHIPS = {
    "blog": 14_476,
    "youtube": 6_739,
    "pos": 6_770,
    "amazon": 1_386,
    "amazon-100": 9_766,
    "email": 1_005,
    "football": 115,
    "chameleon": 890,
    "slashdot": 0,
}
DENSITY = [
    ("blog", 3_992, 114, 99, 99),
    ("youtube", 628, 19, 17, 17),
    ("pos", 3_644, 49, 42, 43),
    ("ppi", 593, 29, 25, 25),
    ("amazon", 29, 6, 5, 5),
    ("email", 345, 34, 28, 28),
    ("chameleon", 247, 62, 38, 38),
    ("slashdot", 2_552, 55, 44, 44),
]
"""Largest degree, degeneracy, pseudoarboricity and arboricity."""


@pytest.fixture(autouse=True)
def data(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PHILIA_DATA", str(DATA))
    monkeypatch.setenv("PHILIA_CACHE", str(tmp_path))


@pytest.mark.parametrize("name", list(CATALOG))
def test_a_dataset_is_as_large_as_the_catalog_says(name: str) -> None:
    dataset, entry = load(name), CATALOG[name]
    assert (dataset.graph.n_nodes, dataset.graph.n_links) == (entry.n_nodes, entry.n_links)
    assert len(dataset.communities) == entry.n_labels
    labelled = {node for members in dataset.communities.values() for node in members}
    assert labelled == (set(dataset.graph.nodes) if entry.n_labels else set())


@pytest.mark.parametrize("name", MEMBERSHIPS)
def test_every_membership_is_kept(name: str) -> None:
    assert sum(map(len, load(name).communities.values())) == MEMBERSHIPS[name]


def test_names_are_those_of_the_files() -> None:
    assert load("youtube").graph.nodes[-1] == 662_975
    assert load("blog").graph.nodes[:3] == [0, 1, 2]
    assert load("slashdot").graph.nodes[0] == 1
    assert "BrighamYoung" in load("football").graph.nodes


def test_two_of_the_five_categories_of_amazon_are_the_same() -> None:
    communities = load("amazon").communities
    assert sorted(map(len, communities.values()), reverse=True) == [328, 328, 312, 264, 154]
    assert len({frozenset(members) for members in communities.values()}) == 4


@pytest.mark.parametrize(("name", "degree", "d", "p", "a"), DENSITY)
def test_the_densest_parts_are_as_dense_as_they_should(name: str, degree: int, d: int, p: int, a: int) -> None:
    graph = load(name).graph
    found = arboricity(graph)
    assert (graph.degrees.max(), degeneracy(graph), pseudoarboricity(graph).value, found.value) == (degree, d, p, a)
    rows = graph.nodes.rows(found.lower)
    assert graph.adjacency[rows][:, rows].nnz // 2 > (a - 1) * (len(rows) - 1)
    assert found.upper.most_received == p

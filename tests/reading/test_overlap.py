"""Communities that overlap: found again where they were planted, and counted as a plain loop counts them."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from scipy import sparse

from philia import as_graph
from philia.datasets import OverlappingCliques, overlapping_cliques, random_cliques
from philia.evaluate import best_match_f1
from philia.graphs import Graph, Nodes
from philia.reading import Effort, Hierarchy, overlapping_level, read_overlapping, shortest
from philia.reading.overlap import _twins, shares_of_members


def read(graph: Graph) -> Hierarchy:
    return read_overlapping(graph, shortest(graph, np.random.default_rng(0), Effort(1, 0)))


@pytest.fixture(scope="module")
def drawn() -> OverlappingCliques:
    return overlapping_cliques(2500, 100, random_state=1)


@pytest.fixture(scope="module")
def levels(drawn: OverlappingCliques) -> Hierarchy:
    return read(drawn.graph)


def test_planted_communities_are_found_with_the_nodes_that_are_in_two(
    drawn: OverlappingCliques, levels: Hierarchy
) -> None:
    found = levels.default.as_sets()
    assert best_match_f1(found, drawn.communities()) > 0.97
    assert abs(len(found) - 100) <= 5
    planted, told = (np.zeros(2500, int) for _ in range(2))
    for rows in drawn.members:
        planted[rows] += 1
    for names in found.values():
        told[np.array(list(names))] += 1
    assert (told[planted == 2] == 2).mean() > 0.9
    assert (told[planted == 1] == 1).mean() > 0.9


@pytest.mark.slow
@pytest.mark.parametrize(("inside", "outside"), [(10, 2), (15, 2), (8, 3)])
def test_two_thousand_communities_are_found(inside: float, outside: float) -> None:
    drawn = overlapping_cliques(50_000, 2000, inside=inside, outside=outside, random_state=0)
    found = read(drawn.graph).default.as_sets()
    assert best_match_f1(found, drawn.communities()) > 0.97
    assert abs(len(found) - 2000) <= 60


def test_every_community_is_the_main_one_of_three_nodes_and_the_largest_come_first(levels: Hierarchy) -> None:
    level = levels.default
    main = np.bincount(level.labels[level.labels >= 0], minlength=len(level))
    assert main.min() >= 3
    assert level.names == tuple(f"B{c + 1}" for c in range(len(level)))
    member = level.labels >= 0
    assert level.memberships[np.flatnonzero(member), level.labels[member]].all()


def test_shares_of_links_are_those_of_a_plain_loop(drawn: OverlappingCliques, levels: Hierarchy) -> None:
    graph, level = drawn.graph, levels.default
    member = [set(level.memberships.indices[slice(*level.memberships.indptr[i : i + 2])]) for i in range(2500)]
    for i in range(0, 2500, 37):
        expected = dict.fromkeys(member[i], 0.0)
        for j in graph.nodes.rows(graph.neighbours(i)).tolist():
            for c in member[i] & member[j]:
                expected[c] += 1 / len(member[i] & member[j]) / graph.degrees[i]
        row = slice(*level.shares.indptr[i : i + 2])
        assert dict(zip(level.shares.indices[row], level.shares.data[row], strict=True)) == pytest.approx(expected)
    assert np.asarray(level.shares.sum(axis=1)).max() <= 1 + 1e-12


def test_coarser_levels_merge_the_main_communities(levels: Hierarchy) -> None:
    counts = levels.counts
    assert counts[0] == len(levels.default)
    assert counts[-49:] == (*range(48, 0, -1), 0)
    assert all(after >= before * 4 // 5 - 1 for before, after in pairwise(counts))
    fine, coarse = levels[0], levels.cut(20)
    for c in range(len(fine)):
        assert len(np.unique(coarse.labels[fine.labels == c])) == 1
    assert len(levels.linkage()) == counts[0] - 1


def test_a_level_is_made_again_from_main_communities_and_members(drawn: OverlappingCliques, levels: Hierarchy) -> None:
    level = levels.default
    again = overlapping_level(drawn.graph, level.labels, level.memberships.astype(float))
    np.testing.assert_array_equal(again.labels, level.labels)
    np.testing.assert_array_equal(again.strengths, level.strengths)
    assert again.as_sets() == level.as_sets()


def test_the_answer_does_not_depend_on_the_order_of_nodes_much(drawn: OverlappingCliques, levels: Hierarchy) -> None:
    order = np.random.default_rng(5).permutation(2500)
    rows, columns = drawn.graph.links
    other = read(Graph.from_rows(order[rows], order[columns], Nodes.numbered(2500))).default.as_sets()
    back = np.argsort(order)
    renamed = {name: set(back[np.array(list(rows))].tolist()) for name, rows in other.items()}
    assert best_match_f1(renamed, levels.default.as_sets()) > 0.97


def test_communities_with_mostly_the_same_members_are_twins_and_the_larger_one_stays() -> None:
    members = sparse.csr_array(np.array([[1, 1, 0], [1, 1, 0], [1, 1, 0], [1, 0, 1], [0, 0, 1]], float))
    assert _twins(members).tolist() == [False, True, False]


def test_a_link_that_runs_through_two_communities_counts_half_for_each() -> None:
    graph = as_graph([("ann", "bob"), ("ann", "cat")])
    members = sparse.csr_array(np.array([[1, 1], [1, 1], [0, 0]], float))
    assert shares_of_members(graph, members).toarray().tolist() == [[0.25, 0.25], [0.5, 0.5], [0.0, 0.0]]


def test_communities_are_found_where_a_third_of_the_nodes_are_in_none() -> None:
    drawn = random_cliques(5000, 200, random_state=4)
    first = shortest(drawn.graph, np.random.default_rng(0), Effort(1, 0))
    found = read_overlapping(drawn.graph, first, singles=False).default
    assert 180 <= len(found) <= 220
    assert best_match_f1(list(found.as_sets().values()), drawn.communities()) > 0.95

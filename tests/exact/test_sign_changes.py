"""Eliminations compared with a full recount, greedy removal with all orders of removal, and the search."""

from __future__ import annotations

from itertools import pairwise, permutations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from philia.datasets import classic
from philia.exact.compiled import anneal, packed
from philia.exact.sign_changes import Elimination, SearchProgress, eliminated, found_order
from philia.exceptions import InvalidParameterError
from philia.graphs import Graph, as_graph, read_graph
from tests.real_data import DATA, NEEDS_DATA
from tests.strategies import graphs, random_graph


def changes_of(A: np.ndarray, v: int, line: list[int]) -> int:
    """The sign changes of row v along the line, counted one by one."""
    row = [A[v, u] for u in line]
    return sum(first != second for first, second in pairwise(row))


def most_changes(A: np.ndarray, line: list[int], removal: tuple[int, ...]) -> int:
    """The largest number of sign changes if nodes go in the given order."""
    left, most = list(line), 0
    for v in removal:
        most = max(most, changes_of(A, v, left))
        left.remove(v)
    return most


def shuffled(graph: Graph, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).permutation(graph.n_nodes)


@given(graphs(), st.integers(0, 10**6))
def test_each_removed_node_has_the_fewest_sign_changes_and_they_are_counted_correctly(graph: Graph, seed: int) -> None:
    found = eliminated(graph, shuffled(graph, seed))
    A, left = graph.adjacency.toarray(), found.order.tolist()
    for v in found.removal.tolist():
        assert found.changes[v] == changes_of(A, v, left) == min(changes_of(A, u, left) for u in left)
        left.remove(v)
    assert not left


@pytest.mark.parametrize("seed", range(6))
def test_no_order_of_removal_is_better_than_greedy_on_six_nodes(seed: int) -> None:
    graph = random_graph(6, 0.5, seed)
    line = shuffled(graph, seed)
    A = graph.adjacency.toarray()
    best = min(most_changes(A, line.tolist(), removal) for removal in permutations(range(6)))
    assert eliminated(graph, line).most == best


@pytest.mark.parametrize(
    ("graph", "most"),
    [
        (nx.empty_graph(1), 0),
        (nx.empty_graph(7), 0),
        (nx.complete_graph(2), 1),
        (nx.complete_graph(9), 1),
        (nx.star_graph(8), 1),
        (nx.path_graph(12), 2),
        (nx.balanced_tree(2, 4), 2),
        (nx.complete_bipartite_graph(4, 5), 1),
    ],
    ids=["one node", "no links", "one link", "complete", "star", "path", "tree", "bipartite"],
)
def test_simple_graphs_need_few_sign_changes(graph: nx.Graph, most: int) -> None:
    found = found_order(as_graph(graph), rounds=30)
    assert found.most <= most
    assert found.columns == 2 * (found.most + 1)


def test_a_complete_graph_has_one_sign_change_on_every_line() -> None:
    graph = as_graph(nx.complete_graph(7))
    assert all(eliminated(graph, shuffled(graph, seed)).most == 1 for seed in range(5))


def test_a_line_that_is_not_a_permutation_is_refused() -> None:
    graph = as_graph(nx.path_graph(3))
    for line in ([0, 1], [0, 1, 1], [1, 2, 3], [[0, 1, 2]]):
        with pytest.raises(InvalidParameterError, match="permutation of range\\(3\\)"):
            eliminated(graph, np.array(line))


def test_the_line_is_copied_and_not_changed() -> None:
    graph, line = as_graph(nx.path_graph(4)), np.array([3, 1, 0, 2])
    found = eliminated(graph, line)
    line[0] = 0
    assert found.order.tolist() == [3, 1, 0, 2]


@given(st.integers(2, 150), st.floats(0, 1), st.integers(0, 10**6))
def test_annealing_counts_sign_changes_correctly_after_every_move(n: int, density: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    graph = random_graph(n, density, seed)
    rank, line = rng.permutation(n), rng.permutation(n)
    A = np.empty((n, n), int)
    A[np.ix_(rank, rank)] = graph.adjacency.toarray()

    def counted() -> list[int]:
        return [changes_of(A, t, [u for u in line.tolist() if u >= t]) for t in range(n)]

    changes = np.array(counted())
    starts, neighbours = graph.adjacency.indptr.astype(np.int64), graph.adjacency.indices.astype(np.int64)
    beside = (np.arange(n)[:, None] + rng.integers(1, n, (n, 3))) % n
    for temperature in (1e-9, 1e9):
        before = np.exp(0.1 * changes).sum()
        draws = rng.random((5, 4))
        anneal(
            packed(starts, neighbours, rank), line, changes, np.exp(0.1 * np.arange(n + 3)), beside, draws, temperature
        )
        assert sorted(line.tolist()) == list(range(n))
        assert changes.tolist() == counted()
        assert temperature > 1 or np.exp(0.1 * changes).sum() <= before + 1e-9


def test_both_starts_are_improved_and_the_better_result_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = random_graph(60, 0.2, 0)
    both = found_order(graph, rounds=20)
    monkeypatch.setattr("philia.exact.sign_changes._FEW", 0)
    told: list[SearchProgress] = []
    alone = found_order(graph, rounds=20, on_progress=told.append)
    assert {step.rounds for step in told} == {40}
    assert (both.most, (both.changes == both.most).sum()) <= (alone.most, (alone.changes == alone.most).sum())


def test_the_same_random_state_finds_the_same_line() -> None:
    graph = random_graph(60, 0.2, 0)
    first, second = (found_order(graph, rounds=20, random_state=5) for _ in range(2))
    np.testing.assert_array_equal(first.order, second.order)
    np.testing.assert_array_equal(first.removal, second.removal)


def test_the_karate_club_needs_no_more_than_eight_columns() -> None:
    assert found_order(classic("karate")).columns <= 8


@NEEDS_DATA
def test_football_needs_no_more_than_fourteen_columns() -> None:
    assert found_order(read_graph(DATA / "extra/football/football.gml")).columns <= 14


def test_a_search_is_never_worse_than_the_order_of_the_rows() -> None:
    graph = as_graph(nx.convert_node_labels_to_integers(nx.grid_2d_graph(8, 8)))
    assert found_order(graph, rounds=0).most <= eliminated(graph, np.arange(64)).most


def test_progress_is_reported_after_every_round_and_never_rises() -> None:
    told: list[SearchProgress] = []
    found = found_order(random_graph(40, 0.3, 1), searches=2, rounds=10, on_progress=told.append)
    assert [step.done for step in told] == list(range(1, 41))  # from two starts
    assert {step.rounds for step in told} == {40}
    assert all(later.most <= sooner.most for sooner, later in pairwise(told))
    assert found.most <= told[-1].most


def test_an_interrupt_gives_the_best_line_so_far() -> None:
    graph = random_graph(60, 0.2, 0)

    def stop(step: SearchProgress) -> None:
        if step.done == 90:
            raise KeyboardInterrupt

    found = found_order(graph, searches=1, rounds=100, on_progress=stop)
    assert isinstance(found, Elimination)
    assert found.most < found_order(graph, searches=0).most

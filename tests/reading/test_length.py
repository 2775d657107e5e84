"""The length of a description, against a sum over all pairs of nodes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from philia.graphs import Graph, Nodes
from philia.reading import DescriptionLength
from philia.reading.length import fitted_popularity, popularity_classes, tidied
from tests.reading.graphs import planted
from tests.reference import description as reference
from tests.strategies import graphs, random_graph

NATS = 1e-3
"""The lengths agree to within a thousandth of a nat, although both minima are found by iteration."""


def dense(graph: Graph) -> np.ndarray:
    return np.asarray(graph.adjacency.toarray(), float)


def random_labels(n: int, groups: int, seed: int) -> np.ndarray:
    """Groups of at least three nodes, and some nodes in none."""
    return tidied(np.random.default_rng(seed).integers(-1, groups, n))


def with_isolated_nodes(graph: Graph, count: int) -> Graph:
    return Graph.from_rows(*graph.links, Nodes.numbered(graph.n_nodes + count))


@given(graphs(max_nodes=20), st.integers(0, 4), st.integers(0, 2**32 - 1))
def test_the_length_is_that_of_the_reference(graph: Graph, groups: int, seed: int) -> None:
    labels = random_labels(graph.n_nodes, groups, seed)
    found = DescriptionLength(graph).describe(labels)
    assert found.length == pytest.approx(reference.described(dense(graph), labels).length, abs=NATS)


@pytest.mark.parametrize("seed", range(4))
def test_level_and_strengths_are_those_of_the_reference(seed: int) -> None:
    graph = with_isolated_nodes(planted(3, 8, seed, inside=0.6, across=0.1), 3)
    labels = np.append(np.repeat([0, 1, 2], 8), [-1, 1, -1])
    measure = DescriptionLength(graph)
    found, expected = measure.describe(labels), reference.described(dense(graph), labels)
    np.testing.assert_allclose(measure.popularity[measure.classes], reference.popularity(dense(graph)), atol=1e-4)
    assert found.level == pytest.approx(expected.level, abs=1e-3)
    np.testing.assert_allclose(found.strengths, expected.strengths, atol=1e-3)
    assert found.length == pytest.approx(expected.length, abs=NATS)
    assert found.saved == pytest.approx(measure.none.length - found.length)
    np.testing.assert_array_equal(found.sizes, [8, 9, 8])


def test_a_group_without_links_has_no_strength_and_only_costs() -> None:
    graph = random_graph(20, 0.3, 0)
    apart = next(
        rows
        for seed in range(100)
        for rows in [np.random.default_rng(seed).choice(20, 3, replace=False)]
        if not dense(graph)[np.ix_(rows, rows)].any()
    )
    labels = np.full(20, -1)
    labels[apart] = 0
    found = DescriptionLength(graph).describe(labels)
    assert found.strengths.tolist() == [0.0]
    assert found.saved < 0


@pytest.mark.parametrize("n", [1, 2, 3, 12])
@pytest.mark.parametrize("density", [0.0, 1.0])
def test_a_graph_without_links_or_with_all_costs_hardly_more_than_its_labels(n: int, density: float) -> None:
    measure = DescriptionLength(random_graph(n, density, 0))
    assert measure.none.length == pytest.approx(np.log(n), abs=0.01)
    assert measure.none.saved == 0


def test_small_groups_are_left_out_of_a_description() -> None:
    graph = random_graph(12, 0.4, 1)
    labels = np.array([0, 0, 1, 1, 1, 2, 2, 2, 2, -1, -1, 3])
    found = DescriptionLength(graph).describe(labels)
    assert found.labels.tolist() == [-1, -1, 0, 0, 0, 1, 1, 1, 1, -1, -1, -1]
    assert found.length == pytest.approx(DescriptionLength(graph).describe(found.labels).length)


@given(st.lists(st.integers(-1, 6), max_size=30).map(np.array))
def test_tidied_groups_are_those_of_three_or_more_numbered_without_gaps(labels: np.ndarray) -> None:
    labels = labels.astype(np.int64)
    found = tidied(labels)
    large = [c for c in range(7) if np.count_nonzero(labels == c) >= 3]
    np.testing.assert_array_equal(found >= 0, np.isin(labels, large))
    assert [labels[found == c].tolist() for c in range(len(large))] == [labels[labels == c].tolist() for c in large]
    np.testing.assert_array_equal(tidied(found), found)


@given(st.lists(st.integers(0, 10_000), min_size=1, max_size=200).map(np.array))
def test_classes_are_ranges_of_degrees_in_rising_order_without_gaps(degrees: np.ndarray) -> None:
    classes = popularity_classes(degrees)
    order = np.argsort(degrees, kind="stable")
    assert (np.diff(classes[order]) >= 0).all()
    assert np.unique(classes).tolist() == list(range(classes.max() + 1))
    assert classes.max() < 24
    assert all(len(np.unique(classes[degrees == d])) == 1 for d in np.unique(degrees))


def test_up_to_24_degrees_are_told_apart_and_more_are_not() -> None:
    assert len(np.unique(popularity_classes(np.arange(24)))) == 24
    many = popularity_classes(np.arange(1, 1001))
    assert 12 < len(np.unique(many)) <= 24
    ends = [np.flatnonzero(many == c) + 1 for c in range(many.max() + 1)]
    ratios = np.array([rows.max() / rows.min() for rows in ends if rows.min() > 10])
    assert ratios.max() < 1.5


@pytest.mark.parametrize("seed", range(3))
def test_popularity_gives_every_class_its_mean_degree(seed: int) -> None:
    graph = random_graph(80, 0.15, seed)
    classes = popularity_classes(graph.degrees)
    a = fitted_popularity(graph.degrees, classes)[classes]
    P = 1 / (1 + np.exp(-(a[:, None] + a)))
    np.fill_diagonal(P, 0.0)
    np.testing.assert_allclose(P.sum(axis=1), graph.degrees, atol=0.05)


@pytest.mark.parametrize("seed", range(3))
def test_gains_say_how_much_likelier_the_links_of_one_more_member_become(seed: int) -> None:
    graph = random_graph(18, 0.4, seed)
    labels = tidied(np.repeat([0, 1, -1], 6))
    measure = DescriptionLength(graph)
    found, A = measure.describe(labels), dense(graph)
    a, gains = measure.popularity[measure.classes], measure.gains(found).toarray()
    before = reference.unlikely(A, reference.scores(a, labels, found.level, found.strengths))
    for i in np.flatnonzero(labels < 0):
        for c in range(2):
            joined = np.where(np.arange(18) == i, c, labels)
            after = reference.unlikely(A, reference.scores(a, joined, found.level, found.strengths))
            assert gains[i, c] == pytest.approx(before - after)


def test_links_into_a_group_are_counted_per_node() -> None:
    graph = random_graph(20, 0.3, 0)
    labels = random_labels(20, 3, 0)
    expected = dense(graph) @ (labels[:, None] == np.arange(3))
    np.testing.assert_array_equal(DescriptionLength(graph).links_into(labels, 3).toarray(), expected)

"""The numbers of a sparse model, chosen by hidden links."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from philia.datasets import overlapping_cliques, random_cliques
from philia.fitting.sparse import SparseColumns
from philia.graphs import Graph
from philia.pairs import PairSample
from philia.reading import Effort, Overlaps, shortest
from philia.selection import choose_sparse
from philia.selection.sparse import _Shared


def read(graph: Graph) -> Overlaps:
    return Overlaps(graph, shortest(graph, np.random.default_rng(0), Effort(1, 0)))


@pytest.mark.parametrize("adds", [False, True])
def test_the_cost_is_that_of_the_factors_and_slopes_are_its_derivatives(adds: bool) -> None:
    graph = overlapping_cliques(600, 30, random_state=0).graph
    level, sample = read(graph).level(singles=True), PairSample.draw(graph, None, 500, np.random.default_rng(0))
    sample = replace(sample, rows=sample.rows[~sample.linked], columns=sample.columns[~sample.linked])
    sample = replace(sample, weights=sample.weights[~sample.linked], linked=np.zeros(len(sample.rows), bool))
    shared, x = _Shared.of(graph, level, sample), np.array([1.7, 0.4, 1.2, 0.6, -3.0])
    curve = np.log1p(shared.resources / 0.05)
    scores, cost, slopes = shared.cost(x, curve, adds)
    factors = SparseColumns(1.7, 0.4, 1.2, 0.05, 0.6, -3.0, adds).factors(graph, level)
    np.testing.assert_allclose(scores, factors.scores(sample.rows, sample.columns), atol=1e-9)
    assert cost == pytest.approx(-sample.of_factors(factors).sum())
    steps = [(shared.cost(x + e, curve, adds)[1] - shared.cost(x - e, curve, adds)[1]) / 2e-6 for e in 1e-6 * np.eye(5)]
    np.testing.assert_allclose(slopes, steps, rtol=1e-5)


@pytest.mark.parametrize(("drawn", "singles"), [(random_cliques, False), (overlapping_cliques, None)])
def test_hidden_links_tell_whether_a_single_link_makes_a_member(drawn: object, singles: bool | None) -> None:
    graph = drawn(4000, 160, random_state=1).graph  # type: ignore[operator]
    choice = choose_sparse(graph, None, read, np.random.default_rng(0))
    assert choice.selection.choice.log_likelihood > choice.selection.density
    assert singles is None or choice.singles == singles


def test_a_link_does_not_count_to_its_own_degrees_and_neighbours() -> None:
    graph = overlapping_cliques(300, 12, random_state=0).graph
    rows, columns = graph.links
    level, n = read(graph).level(singles=True), graph.n_nodes
    own = PairSample.of_links(n, (rows[:1], columns[:1]), (rows[:0], columns[:0]), np.ones(1))
    without = Graph.from_rows(rows[1:], columns[1:], graph.nodes)
    hidden = replace(own, linked=np.zeros(1, bool))
    counted, expected = _Shared.of(graph, level, own), _Shared.of(without, level, hidden)
    np.testing.assert_allclose(counted.degrees, expected.degrees)
    np.testing.assert_allclose(counted.resources, expected.resources)

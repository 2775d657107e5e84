"""The two sides of networks whose links only run across."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from scipy.optimize import minimize

from philia import CommunityModel, as_graph
from philia.reading import DescriptionLength
from philia.reading.sides import real_sides, sides_save, two_sides
from tests.reading.graphs import shuffled


@pytest.mark.parametrize("seed", range(20))
def test_sides_are_those_that_networkx_finds(seed: int) -> None:
    graph = shuffled(nx.gnm_random_graph(12, 11, seed=seed), seed)
    other = nx.from_scipy_sparse_array(graph.adjacency)
    sides = two_sides(graph)
    assert (sides is not None) == nx.is_bipartite(other)
    if sides is not None:
        part = set(np.flatnonzero(sides >= 0).tolist())
        assert len(part) == max(map(len, nx.connected_components(other)))
        assert part in list(nx.connected_components(other))
        rows, columns = graph.links
        assert all({sides[i], sides[j]} in ({0, 1}, {-1}) for i, j in zip(rows, columns, strict=True))
        assert np.count_nonzero(sides == 0) >= np.count_nonzero(sides == 1)


@pytest.mark.parametrize("graph", [nx.grid_2d_graph(5, 6), nx.complete_bipartite_graph(6, 9), nx.star_graph(9)])
def test_what_sides_save_is_what_a_sum_over_all_pairs_gives(graph: nx.Graph) -> None:
    known = as_graph(graph)
    measure, sides = DescriptionLength(known), two_sides(known)
    assert sides is not None
    n = known.n_nodes
    i, j = np.triu_indices(n, 1)
    a, linked = measure.popularity[measure.classes], known.adjacency.toarray()[i, j] > 0
    within = [(sides[i] == c) & (sides[j] == c) for c in (0, 1)]

    def cost(point: np.ndarray) -> float:
        odds = a[i] + a[j] + point[0] - point[1] * within[0] - point[2] * within[1]
        return float(np.logaddexp(0, odds).sum() - odds[linked].sum() + 0.05 * (point[1:] ** 2).sum())

    free = minimize(cost, [0.0, 1.0, 1.0], bounds=[(None, None), (0, None), (0, None)]).fun
    none = minimize(lambda level: cost(np.array([level[0], 0.0, 0.0])), [0.0]).fun
    code = measure.code(np.bincount(sides)) - measure.code(np.array([n]))
    expected = none - free - np.log(n * (n - 1) / 2) - code
    assert sides_save(measure, sides) == pytest.approx(expected, abs=1e-3)


@pytest.mark.parametrize(
    ("graph", "told"),
    [
        (nx.grid_2d_graph(8, 8), True),
        (nx.hypercube_graph(5), True),
        (nx.complete_bipartite_graph(6, 9), True),
        (nx.path_graph(30), False),
        (nx.cycle_graph(30), False),
        (nx.star_graph(30), False),
        (nx.balanced_tree(2, 5), False),
        (nx.random_labeled_tree(300, seed=0), False),
        (nx.empty_graph(5), False),
    ],
)
def test_sides_count_if_there_are_enough_links_to_tell(graph: nx.Graph, told: bool) -> None:
    assert (real_sides(as_graph(graph)) is not None) == told


def test_a_number_that_was_given_stays() -> None:
    model = CommunityModel(n_heterophilous=3, random_state=0).fit(nx.grid_2d_graph(8, 8))
    assert model.factors_.counts[1] == 3
    assert model.selection_ is not None
    assert not model.selection_.sides

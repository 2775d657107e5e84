from __future__ import annotations

from importlib import import_module

import networkx as nx
import numpy as np
import pytest
from hypothesis import given

from philia.evaluate import PREDICTORS
from philia.graphs import Graph
from tests.strategies import graphs, random_graph


def all_pairs(graph: Graph) -> list[tuple[int, int]]:
    return [(i, j) for i in range(graph.n_nodes) for j in range(graph.n_nodes) if i != j]


def by_networkx(graph: Graph, pairs: list[tuple[int, int]]) -> dict[str, list[float]]:
    G = nx.from_scipy_sparse_array(graph.adjacency)
    return {
        "constant density": [nx.density(G)] * len(pairs),
        "preferential attachment": [score for _, _, score in nx.preferential_attachment(G, pairs)],
        "common neighbours": [len(set(nx.common_neighbors(G, u, v))) for u, v in pairs],
        "Adamic-Adar": [score for _, _, score in nx.adamic_adar_index(G, pairs)],
        "resource allocation": [score for _, _, score in nx.resource_allocation_index(G, pairs)],
    }


def assert_those_of_networkx(graph: Graph, pairs: list[tuple[int, int]]) -> None:
    rows, columns = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    expected = by_networkx(graph, pairs)
    assert set(PREDICTORS) == set(expected)
    for name, predictor in PREDICTORS.items():
        np.testing.assert_allclose(predictor(graph, rows, columns), expected[name], atol=1e-12)


@given(graphs(max_nodes=15))
def test_scores_are_those_of_networkx(graph: Graph) -> None:
    assert_those_of_networkx(graph, all_pairs(graph))


def test_pairs_in_any_order_get_their_own_scores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_module("philia.evaluate.predictors"), "_ROWS", 3)
    graph = random_graph(25, 0.2, seed=4)
    pairs = all_pairs(graph)
    chosen = np.random.default_rng(0).choice(len(pairs), 60)
    assert_those_of_networkx(graph, [pairs[at] for at in chosen])


def test_pairs_of_large_graphs_get_the_same_scores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_module("philia.evaluate.predictors"), "_SMALL", 0)
    monkeypatch.setattr(import_module("philia.evaluate.predictors"), "_ENTRIES", 40)
    assert_those_of_networkx(random_graph(25, 0.2, seed=4), all_pairs(random_graph(25, 0.2, seed=4)))
    assert_those_of_networkx(random_graph(25, 0.2, seed=4), [])

"""The claims of docs/errata.md that no other test shows."""

from __future__ import annotations

import numpy as np
import pytest

from philia.datasets import load
from philia.factors import LogisticFactors
from philia.factors.conversion import split
from philia.graphs import arboricity, as_graph
from philia.objective import AllPairsObjective
from tests.real_data import DATA, NEEDS_DATA
from tests.strategies import community_recipe


def test_the_symmetric_part_may_have_other_signs() -> None:
    X, Y = np.eye(2), np.array([[-1.0, -3.0], [1.0, -1.0]])  # X Yᵀ is +1 above the diagonal and -3 below it
    L = LogisticFactors(X, Y).score_block(slice(None), slice(None))
    assert (X @ Y.T)[0, 1] > 0 > L[0, 1]


def test_algorithm_1_gives_fewer_than_6k_columns_if_an_eigenvalue_is_zero() -> None:
    same = np.array([[1.0], [2.0], [3.0]])
    found = split(LogisticFactors(same, same))  # L = X Xᵀ has one nonzero eigenvalue out of 2k = 2
    assert found.homophilous.shape[1] + found.heterophilous.shape[1] == 3


def test_algorithm_2_counts_a_pair_twice_and_a_node_with_itself_once() -> None:
    even_odds = np.zeros(4)
    value, _ = AllPairsObjective(as_graph([(0, 1)]), community_recipe(1, 1)).value_and_gradient(even_odds)
    assert value == pytest.approx((2 + 2) * np.log(2))  # one link in two directions, two nodes with themselves


@NEEDS_DATA
def test_the_bound_by_arboricity_is_mostly_above_that_by_degree_and_sometimes_above_the_number_of_nodes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PHILIA_DATA", str(DATA))
    worse, useless = set(), set()
    for name in ("blog", "youtube", "pos", "ppi", "amazon"):
        graph = load(name).graph
        bound = 4 * arboricity(graph).value ** 2 + 1
        worse |= {name} if bound > 2 * int(graph.degrees.max()) + 1 else set()
        useless |= {name} if bound > graph.n_nodes else set()
    assert worse == {"blog", "pos", "ppi", "amazon"}
    assert useless == {"blog", "pos"}

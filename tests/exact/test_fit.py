from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from philia import as_graph
from philia.datasets import classic
from philia.exact import load_exact
from philia.exact.fit import fit_exact, smallest_exact
from philia.exact.products import FloatCommunities, FloatLogistic
from philia.exceptions import InvalidGraphError, InvalidParameterError
from philia.graphs import Graph
from philia.solvers import Progress
from tests.strategies import graphs, random_graph

KARATE = classic("karate")
QUICK: dict[str, Any] = {"starts": 1, "patience": 1, "iterations": 20}


def wanted(graph: Graph) -> Any:
    return np.where(graph.adjacency.toarray() > 0, 1, -1)


@settings(max_examples=15, deadline=None)
@given(graphs(max_nodes=7), st.sampled_from(["community", "logistic"]))
def test_a_fit_has_the_signs_of_the_graph_in_exact_arithmetic(graph: Graph, model: Any) -> None:
    found = fit_exact(graph, 8, model=model)
    assert found is not None
    fitted = found.certified.representation
    assert isinstance(fitted, FloatCommunities | FloatLogistic)
    signs = fitted.signs(np.arange(graph.n_nodes))
    np.testing.assert_array_equal(signs.values, wanted(graph))


def test_the_karate_club_takes_six_columns_and_stops_as_soon_as_it_is_exact() -> None:
    found = fit_exact(KARATE, (3, 3), iterations=200)
    assert found is not None
    assert found.columns == 6
    B, C = (found.certified.representation.arrays()[name] for name in ("homophilous", "heterophilous"))
    np.testing.assert_array_equal(np.sign(B @ B.T - C @ C.T), wanted(KARATE))
    assert found.iterations < 3 * 9 * 200


def test_both_directions_of_logistic_factors_are_right() -> None:
    found = fit_exact(KARATE, 6, model="logistic")
    assert found is not None
    assert isinstance(found.certified.representation, FloatLogistic)
    X, Y = (found.certified.representation.arrays()[name] for name in ("left", "right"))
    np.testing.assert_array_equal(np.sign(X @ Y.T), wanted(KARATE))


def test_an_odd_number_of_columns_has_one_more_repelling_than_attracting() -> None:
    found = fit_exact(as_graph([("ann", "bob"), ("bob", "cat")]), 3)
    assert found is not None
    assert isinstance(found.certified.representation, FloatCommunities)
    assert found.certified.representation.heterophilous.shape == (3, 2)


def test_the_same_seed_gives_the_same_factors() -> None:
    graph = random_graph(12, 0.3, 0)
    first, again = (fit_exact(graph, 8, random_state=3) for _ in "ab")
    assert first is not None
    assert again is not None
    assert first.certified.certificate.representation == again.certified.certificate.representation


def test_link_weights_change_nothing() -> None:
    graph = random_graph(10, 0.4, 0)
    weights = np.full(graph.adjacency.nnz, 3.0)
    plain, weighed = fit_exact(graph, 8), fit_exact(replace(graph, weights=weights), 8)
    assert plain is not None
    assert weighed is not None
    assert plain.iterations == weighed.iterations


def test_a_search_without_an_exact_fit_gives_none() -> None:
    assert fit_exact(KARATE, (1, 0), **QUICK) is None  # no score is negative
    assert smallest_exact(KARATE, most=2, **QUICK) is None


def test_the_smallest_fit_is_no_larger_than_those_tried_on_the_way() -> None:
    star = as_graph([("hub", name) for name in ("ann", "bob", "cat", "dan")])
    found = smallest_exact(star)
    assert found is not None
    assert found.columns == 3  # with 1 + 1, a link needs a node with b > c, whose own score is then wrong
    assert found.certified.verify(star).links == 4


def test_a_fit_can_be_saved_and_verified_again(tmp_path: Path) -> None:
    graph = as_graph([("ann", "bob"), ("bob", "cat"), ("cat", "dan")])
    found = fit_exact(graph, 6)
    assert found is not None
    found.certified.save(tmp_path / "graph.json")
    assert load_exact(tmp_path / "graph.json").verify(graph).columns == 6


def test_progress_is_reported_and_can_interrupt() -> None:
    seen: list[Progress] = []
    fit_exact(KARATE, (1, 1), on_iteration=seen.append, **QUICK)
    assert seen[0].stage == "2 columns"

    def impatient(progress: Progress) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fit_exact(KARATE, (1, 1), on_iteration=impatient, **QUICK)


@pytest.mark.parametrize("columns", [0, (0, 0), (-1, 3)])
def test_too_few_columns_are_refused(columns: Any) -> None:
    with pytest.raises(InvalidParameterError, match="at least one column together"):
        fit_exact(KARATE, columns)


def test_other_wrong_parameters_are_named() -> None:
    with pytest.raises(InvalidParameterError, match=r"columns is \(1, 2\); X and Y need the same number"):
        fit_exact(KARATE, (1, 2), model="logistic")
    with pytest.raises(InvalidParameterError, match="model is 'svd'; use 'community' or 'logistic'"):
        fit_exact(KARATE, 2, model="svd")  # type: ignore[arg-type]
    with pytest.raises(InvalidGraphError, match="no nodes"):
        fit_exact(random_graph(0, 0.0, 0), 2)

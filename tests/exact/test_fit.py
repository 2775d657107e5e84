from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from philia import as_graph
from philia.datasets import classic
from philia.exact import load_exact
from philia.exact.fit import _Exact, _narrowed, fit_exact, smallest_exact
from philia.exact.hinge import Hinge
from philia.exact.products import IntegerCommunities, IntegerLogistic
from philia.exceptions import InvalidGraphError, InvalidParameterError
from philia.graphs import Graph
from philia.solvers import Progress
from tests.exact.kinds import product_signs, wanted
from tests.strategies import graphs, random_graph

KARATE = classic("karate")
QUICK: dict[str, Any] = {"starts": 1, "patience": 1, "iterations": 20}


@settings(max_examples=15, deadline=None)
@given(graphs(max_nodes=7), st.sampled_from(["community", "logistic"]))
def test_a_fit_has_the_signs_of_the_graph_in_exact_arithmetic(graph: Graph, model: Any) -> None:
    found = fit_exact(graph, 8, model=model)
    assert found is not None
    fitted = found.certified.representation
    assert isinstance(fitted, IntegerCommunities | IntegerLogistic)
    np.testing.assert_array_equal(product_signs(fitted), wanted(graph))
    assert fitted.logistic_columns == 8


@pytest.mark.parametrize("model", ["community", "logistic"])
def test_the_karate_club_takes_five_columns_of_short_integers(model: Any) -> None:
    found = fit_exact(KARATE, 5, model=model)
    assert found is not None
    assert found.columns == 5
    assert found.certified.certificate.bits < 50
    fitted = found.certified.representation
    assert isinstance(fitted, IntegerCommunities if model == "community" else IntegerLogistic)
    np.testing.assert_array_equal(product_signs(fitted), wanted(KARATE))


def test_a_search_stops_as_soon_as_it_is_exact() -> None:
    found = fit_exact(KARATE, 12, iterations=1000)
    assert found is not None
    assert found.rounds == found.starts == 1
    assert found.iterations < 500


@pytest.mark.parametrize(("columns", "repelling"), [(3, 2), ((1, 2), 2), (6, 3), ((2, 4), 4)])
def test_the_columns_attract_and_repel_as_asked(columns: Any, repelling: int) -> None:
    found = fit_exact(as_graph([("ann", "bob"), ("bob", "cat")]), columns)
    assert found is not None
    fitted = found.certified.representation
    assert isinstance(fitted, IntegerCommunities)
    assert (fitted.weights < 0).sum() == repelling
    assert fitted.memberships.min() >= 0


@settings(max_examples=40, deadline=None)
@given(graphs(max_nodes=7), st.integers(0, 3), st.integers(0, 10**6))
def test_the_gradient_of_the_hinge_is_the_derivative_of_its_value(graph: Graph, k: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    hinge = Hinge(graph, rng.choice([-1.0, 1.0], k))
    F, way = rng.normal(size=(2, graph.n_nodes, k + 1))
    M = (F[:, :-1] * hinge.signs) @ F[:, :-1].T + F[:, -1:] + F[:, -1]
    value, gradient, wrong = hinge.at(F, hinge.near(F))
    assert value == pytest.approx(0.5 * (np.maximum(0, 1 - wanted(graph) * M) ** 2).sum())
    assert wrong == np.triu(wanted(graph) * M <= 0).sum()
    ahead, behind = (hinge.at(point, hinge.near(point))[0] for point in (F + 1e-6 * way, F - 1e-6 * way))
    assert (ahead - behind) / 2e-6 == pytest.approx(np.vdot(gradient, way), rel=1e-4, abs=1e-3)


@settings(max_examples=40, deadline=None)
@given(graphs(max_nodes=7), st.integers(1, 3), st.integers(0, 10**6), st.integers(1, 60))
def test_near_pairs_are_the_links_and_all_that_score_above_or_just_below_minus_one(
    graph: Graph, k: int, seed: int, block: int
) -> None:
    rng = np.random.default_rng(seed)
    signs = rng.choice([-1.0, 1.0], k)
    F = 2 * rng.normal(size=(graph.n_nodes, k + 1))
    M = (F[:, :-1] * signs) @ F[:, :-1].T + F[:, -1:] + F[:, -1]
    with mock.patch.multiple("philia.exact.hinge", _ALL=0, _NEAR=0.3, _PAIRS=block):
        near = Hinge(graph, signs).near(F)
    rows = np.repeat(np.arange(graph.n_nodes), np.diff(near.starts))
    expected = np.triu((wanted(graph) > 0) | (M > -1.3))
    np.testing.assert_array_equal(np.stack([rows, near.columns]), np.stack(np.nonzero(expected)))
    np.testing.assert_array_equal(near.signs, wanted(graph)[rows, near.columns])


def test_a_larger_graph_is_fitted_by_looking_at_near_pairs_only() -> None:
    graph = random_graph(300, 0.03, 0)
    found = fit_exact(graph, 24)
    assert found is not None
    assert found.certified.verify(graph).columns == 24


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
    assert fit_exact(KARATE, 3, **QUICK) is None
    assert smallest_exact(KARATE, most=2, patience=1, iterations=20) is None


def test_the_smallest_fit_is_no_larger_than_those_tried_on_the_way() -> None:
    star = as_graph([("hub", name) for name in ("ann", "bob", "cat", "dan")])
    found = smallest_exact(star)
    assert found is not None
    assert found.columns == 3  # with 1 + 1, a link needs a node with b > c, whose own score is then wrong
    assert found.certified.verify(star).links == 4


def test_a_search_for_the_fewest_columns_drops_them_from_one_exact_fit_to_the_next() -> None:
    graph = random_graph(60, 0.15, 0)
    found = smallest_exact(graph)
    assert found is not None
    exact = [columns for columns, enough in found.tried if enough]
    assert len(exact) > 2
    assert exact == sorted(exact, reverse=True)
    assert found.columns == exact[-1]
    assert found.tried[-1] == (found.columns - 1, False)
    fitted = found.certified.representation
    assert isinstance(fitted, IntegerCommunities)
    np.testing.assert_array_equal(product_signs(fitted), wanted(graph))


def test_an_interrupted_search_gives_the_smallest_fit_so_far() -> None:
    def impatient(progress: Progress) -> None:
        if progress.stage.startswith("5 columns"):
            raise KeyboardInterrupt

    found = smallest_exact(KARATE, on_iteration=impatient)
    assert found is not None
    assert found.columns == 6
    assert found.certified.verify(KARATE).columns == 6


@settings(max_examples=20, deadline=None)
@given(st.integers(1, 12), st.integers(0, 4), st.integers(0, 4), st.integers(0, 10**6))
def test_without_a_column_that_is_not_needed_all_scores_stay_the_same(n: int, p: int, q: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    graph = random_graph(n, 0.3, seed)
    few, many = (Hinge(graph, np.repeat([1.0, -1.0], [p + more, q + more])) for more in (0, 1))
    F = rng.normal(size=(n, p + q + 3))
    # What a further column adds is as well in the span of the others and of the background.
    F[:, p] = F[:, :p] @ rng.normal(size=p) + 2
    F[:, -2] = F[:, p + 1 : -2] @ rng.normal(size=q) - 3

    def scores(F: Any, hinge: Hinge) -> Any:
        return (F[:, :-1] * hinge.signs) @ F[:, :-1].T + F[:, -1:] + F[:, -1]

    none = np.empty(0, dtype=np.int64)
    np.testing.assert_allclose(scores(_narrowed(_Exact(many, F, none, none), few), few), scores(F, many), atol=1e-9)


def test_a_fit_can_be_saved_and_verified_again(tmp_path: Path) -> None:
    graph = as_graph([("ann", "bob"), ("bob", "cat"), ("cat", "dan")])
    found = fit_exact(graph, 6)
    assert found is not None
    found.certified.save(tmp_path / "graph.json")
    assert load_exact(tmp_path / "graph.json").verify(graph).columns == 6


def test_progress_is_reported_and_can_interrupt() -> None:
    seen: list[Progress] = []
    fit_exact(KARATE, (1, 2), on_iteration=seen.append, **QUICK)
    assert seen[0].stage.startswith("3 columns, ")
    assert [now.iteration for now in seen] == list(range(1, len(seen) + 1))

    def impatient(progress: Progress) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fit_exact(KARATE, (1, 2), on_iteration=impatient, **QUICK)


@pytest.mark.parametrize("columns", [0, (0, 0), (-1, 3)])
def test_too_few_columns_are_refused(columns: Any) -> None:
    with pytest.raises(InvalidParameterError, match="at least one column together"):
        fit_exact(KARATE, columns)


def test_other_wrong_parameters_are_named() -> None:
    with pytest.raises(InvalidParameterError, match=r"columns is \(1, 2\); X and Y need the same number"):
        fit_exact(KARATE, (1, 2), model="logistic")
    with pytest.raises(InvalidParameterError, match="model is 'svd'; use 'community' or 'logistic'"):
        fit_exact(KARATE, 2, model="svd")  # type: ignore[arg-type]
    for fit in (lambda graph: fit_exact(graph, 2), smallest_exact):
        with pytest.raises(InvalidGraphError, match="no nodes"):
            fit(random_graph(0, 0.0, 0))

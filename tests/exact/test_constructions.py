"""The constructions on known graphs, and the ranks of the paper's own matrices."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from philia.datasets import classic, overlap_threshold
from philia.exact import (
    IntegerCommunities,
    SignPolynomials,
    by_arboricity,
    by_arboricity_as_printed,
    by_levels,
    by_overlap_threshold,
    by_sign_changes,
    certify,
    exact_community,
    exact_logistic,
    methods,
)
from philia.exceptions import InvalidParameterError, NotExactError
from philia.graphs import Graph, as_graph, degeneracy, pseudoarboricity
from philia.solvers import Progress
from tests.exact.kinds import CONSTRUCTIONS, made, product_signs, rank_modulo, wanted
from tests.strategies import random_graph


@pytest.mark.parametrize("name", ["karate", "davis", "florentine", "les_miserables"])
@pytest.mark.parametrize("construction", ["sign changes", "levels"])
def test_classic_graphs_are_products_of_nonnegative_integer_columns(name: str, construction: str) -> None:
    graph = classic(name)
    communities = CONSTRUCTIONS[construction](graph).communities()  # type: ignore[union-attr]
    np.testing.assert_array_equal(product_signs(communities), wanted(graph))
    assert communities.memberships.min() >= 0
    assert certify(graph, communities).checked == "every entry in integers"


@pytest.mark.parametrize(("kind", "n", "p"), [("tree", 60, 1), ("attached", 120, 2), ("attached by three", 140, 3)])
def test_the_papers_matrix_has_one_rank_more_than_the_padded_one(kind: str, n: int, p: int) -> None:
    graph = made(kind, n, seed=1)
    assert pseudoarboricity(graph).value == p
    for found, columns in (
        (by_arboricity_as_printed(graph), (2 * p + 1) ** 2 + 1),
        (by_arboricity(graph), (2 * p + 1) ** 2),
    ):
        scores = np.array([[found.score(u, v) for v in range(n)] for u in range(n)], dtype=object)
        assert rank_modulo(scores) == columns == found.logistic_columns  # the lower bound equals the upper bound


def test_two_linked_nodes_refute_the_theorem_on_overlap_thresholds_without_loops() -> None:
    pair = overlap_threshold(b=[[1], [1]], c=np.zeros((2, 0)), threshold=1)
    found = by_overlap_threshold(pair)
    with pytest.raises(NotExactError, match="the score of 0 and 0 is positive, but in the graph they are not linked"):
        certify(pair.graph, found)
    assert certify(pair.graph, found, loops=pair.loops).loops == 2


def test_more_links_in_a_round_take_fewer_bits() -> None:
    graph = made("attached", 200, seed=0)
    few, many = by_levels(graph), by_levels(graph, most=8)
    assert few.community_columns == 4 * degeneracy(graph) + 2
    assert many.community_columns == 4 * 8 + 2
    assert many.bits < few.bits


def test_fewer_rounds_than_the_degeneracy_allows_are_refused() -> None:
    with pytest.raises(InvalidParameterError, match="less than the degeneracy"):
        by_levels(as_graph([(0, 1), (1, 2), (2, 0)]), most=1)


def test_the_automatic_choice_is_never_worse_than_any_construction() -> None:
    for seed, kind in enumerate(("sparse", "middling", "star", "empty")):
        graph = made(kind, 20, seed)
        community, logistic = exact_community(graph), exact_logistic(graph, floats=False)
        for make in CONSTRUCTIONS.values():
            found = make(graph)
            assert community.certificate.columns <= (found.community_columns or 10**9)
            assert logistic.representation.logistic_columns <= found.logistic_columns


def test_the_choice_for_karate_is_a_product_of_five_nonnegative_columns() -> None:
    karate = classic("karate")
    found = exact_community(karate)
    assert isinstance(found.representation, IntegerCommunities)
    np.testing.assert_array_equal(product_signs(found.representation), wanted(karate))
    assert found.representation.memberships.min() >= 0
    assert found.representation.memberships.shape[1] == found.certificate.columns == 5


def test_logistic_factors_are_floats_if_these_can_be_proved() -> None:
    sparse, dense = random_graph(60, 0.03, 0), random_graph(60, 0.7, 0)
    assert exact_logistic(sparse).representation.logistic_columns == 4 * degeneracy(sparse) + 2
    assert exact_logistic(sparse).certificate.construction == "circle"
    assert exact_logistic(dense).certificate.construction != "circle"


def test_an_empty_graph_takes_one_column() -> None:
    empty = Graph.from_rows(np.array([]), np.array([]), classic("karate").nodes)
    assert exact_community(empty).certificate.columns == 1
    assert exact_logistic(empty, floats=False).certificate.columns == 1


@pytest.mark.parametrize(
    ("changed", "complaint"),
    [
        ({"points": np.array([2, 2])}, "same point"),
        ({"roots": np.array([3, 4])}, "a root is also a point"),
        ({"leading": np.array([1, 2])}, "leading signs"),
        ({"starts": np.array([0, 1, 3])}, "starts must rise"),
        ({"starts": np.array([0, 1])}, "2 points need 3 starts"),
        ({"starts": np.array([0, 0, 2]), "roots": np.array([5, 3])}, "must be sorted"),
        ({"exponents": np.array([0, 1 << 40])}, "exponents must be smaller"),
        ({"points": np.array([2.0, 4.0])}, "must be integers"),
        ({"points": np.array([2, 1 << 30])}, "Python integers"),
    ],
)
def test_numbers_that_are_not_polynomials_are_refused(changed: dict[str, Any], complaint: str) -> None:
    parts = {"points": [2, 4], "starts": [0, 1, 2], "roots": [3, 3], "leading": [1, -1], "exponents": [0, 0]}
    with pytest.raises(InvalidParameterError, match=complaint):
        SignPolynomials(**{name: np.array(part) for name, part in parts.items()} | changed)


def test_the_columns_follow_the_sign_changes() -> None:
    path = made("path", 30, seed=0)
    assert by_sign_changes(path).community_columns <= 4 * 1 + 2


def test_a_thorough_effort_also_fits_graphs_that_are_not_small(monkeypatch: pytest.MonkeyPatch) -> None:
    karate = classic("karate")
    monkeypatch.setattr(methods, "_FITTED", {"quick": 33, "thorough": 34})
    told: list[Progress] = []
    quick, thorough = exact_community(karate), exact_community(karate, effort="thorough", on_iteration=told.append)
    assert thorough.certificate.columns < quick.certificate.columns
    constructed = f"sign changes: {quick.certificate.columns} columns"
    assert quick.tried == (constructed, 'fit: not tried with more than 33 nodes; a "thorough" effort does')
    assert thorough.tried[0] == constructed
    assert f"fit: {thorough.certificate.columns} columns" in thorough.tried
    assert thorough.verify(karate).columns == thorough.certificate.columns
    assert 0 < told[0].iteration <= told[0].iterations
    with pytest.raises(InvalidParameterError, match="effort is 'much'; use one of 'quick', 'thorough'"):
        exact_community(karate, effort="much")  # type: ignore[arg-type]
    monkeypatch.setattr(methods, "_FITTED", {"thorough": 33})
    found = exact_community(karate, effort="thorough")
    assert found.tried[1] == "fit: not tried with more than 33 nodes, as it would take days"


@pytest.mark.parametrize("iterations", [1, 200])
def test_an_interrupted_search_for_fits_gives_the_best_so_far_and_says_so(iterations: int) -> None:
    karate = classic("karate")

    def interrupt(now: Progress) -> None:
        if now.iteration == iterations:
            raise KeyboardInterrupt

    found = exact_community(karate, on_iteration=interrupt)
    assert found.tried[-1] == ("fit: interrupted before one was exact" if iterations == 1 else "fit: interrupted")
    assert (found.certificate.construction == "fitted") == (iterations > 1)
    assert found.verify(karate).columns == found.certificate.columns


def test_an_effort_is_not_made_where_fewer_columns_are_impossible() -> None:
    apart = made("empty", 4, 0)
    assert exact_community(apart, effort="thorough").tried == (
        f"{exact_community(apart).certificate.construction}: 1 column",
    )

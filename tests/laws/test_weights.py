"""Weights of links: the loss of a link of weight w is w times that of a link of weight 1."""

from __future__ import annotations

from itertools import chain, repeat

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from philia._types import BoolArray, Float64Array
from philia.execution import LocalThreads
from philia.graphs import Graph, Nodes, as_graph
from philia.models import MODELS
from philia.models.factorization import Factorization
from philia.objective import AllPairsObjective, Recipe, exact_objective
from philia.objective.kernels import reference
from philia.pairs import HeldOut, ListedPairs, RandomPairs, seen
from tests.reference import dense
from tests.strategies import community_recipe, graphs, logistic_recipe, random_graph, recipes, weighed

seeds = st.integers(0, 10**6)


def point_for(recipe: Recipe, n: int, seed: int) -> Float64Array:
    return np.random.default_rng(seed).uniform(0.05, 0.7, recipe.size(n))


def held_out_for(graph: Graph, kind: str, seed: int) -> HeldOut | None:
    n, rng = graph.n_nodes, np.random.default_rng(seed)
    drawn = [(u, v) for u, v in rng.integers(n, size=(2 * n, 2)).tolist() if u != v]
    return {"none": None, "random": RandomPairs(0.3, seed), "listed": ListedPairs(graph, drawn)}[kind]


def seen_pairs(n: int, held_out: HeldOut | None, *, diagonal: bool) -> BoolArray:
    rows, columns = np.indices((n, n))
    pairs = np.ones((n, n), dtype=bool) if held_out is None else ~held_out.contains(rows, columns)
    np.fill_diagonal(pairs, diagonal)
    return pairs


def dense_weights(graph: Graph) -> Float64Array:
    W = np.ones((graph.n_nodes, graph.n_nodes))
    rows, columns = graph.links
    if graph.link_weights is not None:
        W[rows, columns] = W[columns, rows] = graph.link_weights
    return W


@settings(max_examples=150)
@given(
    plain=graphs(max_nodes=25),
    recipe=recipes(),
    dtype=st.sampled_from(["float64", "float32"]),
    kind=st.sampled_from(["none", "random", "listed"]),
    diagonal=st.booleans(),
    seed=seeds,
)
def test_every_mixing_loss_precision_and_mask_gives_the_weighted_dense_objective(
    plain: Graph, recipe: Recipe, dtype: str, kind: str, diagonal: bool, seed: int
) -> None:
    graph, n = weighed(plain, seed), plain.n_nodes
    held_out, point = held_out_for(graph, kind, seed), point_for(recipe, n, seed)
    A, W = graph.adjacency.toarray().astype(float), dense_weights(graph)
    mask = seen_pairs(n, held_out, diagonal=diagonal)
    F, penalties = recipe.factors(point, n), recipe.penalties(0.0, n)
    expected_value, by_factors = dense.weighted(type(recipe.loss).__name__, A, W, F, recipe.mixing, mask)
    expected_value += float(penalties @ point**2)
    expected_gradient = recipe.pulled_back(by_factors) + 2 * penalties * point
    close = 1e-10 if dtype == "float64" else 3e-5
    for way in (AllPairsObjective, exact_objective):  # tile by tile, and in closed form where there is one
        objective = way(graph, recipe, diagonal=diagonal, held_out=held_out, dtype=dtype)
        value, gradient = objective.value_and_gradient(point)
        assert value == pytest.approx(expected_value, rel=close, abs=close * (n**2 + 1))
        scale = np.abs(expected_gradient).max(initial=0.0) + 1
        np.testing.assert_allclose(gradient, expected_gradient, rtol=0, atol=close * scale)


@settings(max_examples=60)
@given(graph=graphs(max_nodes=12), recipe=recipes(), seed=seeds)
def test_the_gradient_is_the_slope_of_the_value(graph: Graph, recipe: Recipe, seed: int) -> None:
    point = point_for(recipe, graph.n_nodes, seed)
    objective = exact_objective(weighed(graph, seed), recipe, penalty=0.5)
    _, gradient = objective.value_and_gradient(point)
    direction = np.random.default_rng(seed).standard_normal(point.size)
    ahead, behind = (objective.value_and_gradient(point + t * direction)[0] for t in (1e-5, -1e-5))
    slope = float(gradient @ direction)
    assert (ahead - behind) / 2e-5 == pytest.approx(slope, rel=1e-4, abs=1e-4 * (1 + np.abs(gradient).max()))


@settings(max_examples=60)
@given(recipe=recipes(), counts=st.lists(st.integers(1, 6), min_size=4, max_size=4), seed=seeds)
def test_a_whole_weight_is_a_link_counted_so_often(recipe: Recipe, counts: list[int], seed: int) -> None:
    pairs = [(0, 1), (1, 2), (0, 3), (2, 4)]
    told = as_graph([(u, v, count) for (u, v), count in zip(pairs, counts, strict=True)], weights=True)
    repeated = as_graph(chain.from_iterable(map(repeat, pairs, counts)), weights=True)
    point = point_for(recipe, 5, seed)
    value, gradient = exact_objective(told, recipe).value_and_gradient(point)
    again, same = exact_objective(repeated, recipe).value_and_gradient(point)
    assert value == again
    np.testing.assert_array_equal(gradient, same)

    plain = Graph.from_rows(*told.links, told.nodes)
    once = exact_objective(plain, recipe).value_and_gradient(point)[0]
    more = 0.0
    for (u, v), count in zip(pairs, counts, strict=True):  # what a link costs is what it adds to a graph without it
        without = ListedPairs(plain, [(u, v)])
        more += (count - 1) * (once - exact_objective(plain, recipe, held_out=without).value_and_gradient(point)[0])
    assert value == pytest.approx(once + more, rel=1e-9)


def test_weights_of_one_are_no_weights() -> None:
    graph = random_graph(30, 0.3, seed=0)
    ones = Graph.from_rows(*graph.links, graph.nodes, weights=np.ones(graph.n_links))
    assert ones.weights is None
    assert ones.link_weights is None


@pytest.mark.parametrize("recipe", [community_recipe(3, 2), logistic_recipe(2)], ids=["symmetric", "one way"])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_the_number_of_threads_changes_no_bit(recipe: Recipe, dtype: str) -> None:
    graph = weighed(random_graph(900, 0.02, seed=1), seed=2)
    point = point_for(recipe, 900, 0)
    one, three = (
        AllPairsObjective(graph, recipe, dtype=dtype, executor=LocalThreads(threads), kernel=reference)
        for threads in (1, 3)
    )
    value, gradient = one.value_and_gradient(point)
    again, same = three.value_and_gradient(point)
    assert value == again
    np.testing.assert_array_equal(gradient, same)


def test_more_links_than_fit_into_a_chunk_are_all_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    graph, recipe = weighed(random_graph(60, 0.4, seed=3), seed=4), community_recipe(2, 1)
    point = point_for(recipe, 60, 5)
    value, gradient = AllPairsObjective(graph, recipe).value_and_gradient(point)
    monkeypatch.setattr("philia.objective.all_pairs._CHUNK", 7)
    again, same = AllPairsObjective(graph, recipe).value_and_gradient(point)
    assert again == pytest.approx(value, rel=1e-12)
    np.testing.assert_array_equal(gradient, same)


@given(plain=graphs(), seed=seeds)
def test_what_is_seen_keeps_its_weights(plain: Graph, seed: int) -> None:
    graph, held_out = weighed(plain, seed), RandomPairs(0.4, seed)
    known = seen(graph, held_out)
    np.testing.assert_array_equal(dense_weights(known)[known.links], dense_weights(graph)[known.links])
    assert not held_out.contains(*known.links).any()


def test_weights_of_held_out_links_do_not_matter() -> None:
    pairs = [(0, 1), (1, 2), (2, 3), (3, 0)]
    recipe = community_recipe(2, 1)
    point = point_for(recipe, 4, 0)
    values = set()
    for weight in (1, 5):
        graph = as_graph([*pairs[1:], (*pairs[0], weight)], weights=True)
        objective = AllPairsObjective(graph, recipe, held_out=ListedPairs(graph, [(1, 0)]))
        values.add(objective.value_and_gradient(point)[0])
    assert len(values) == 1


@pytest.mark.parametrize("name", MODELS)
def test_models_with_a_loss_over_all_pairs_follow_weights_and_the_others_ignore_them(name: str) -> None:
    plain = random_graph(25, 0.3, seed=6)
    graph = Graph.from_rows(*plain.links, Nodes.numbered(25), weights=np.linspace(0.2, 9, plain.n_links))
    kind = MODELS[name]
    with_weights, without = (kind(random_state=0, **_small(kind)).fit(g) for g in (graph, plain))
    rows, columns = graph.links
    same = np.array_equal(with_weights.expected(rows, columns), without.expected(rows, columns))
    assert same != issubclass(kind, Factorization)


def _small(kind: type) -> dict[str, float]:
    known = {"n_homophilous": 2, "n_heterophilous": 1, "n_communities": 2, "n_columns": 2, "penalty": 0.1}
    return {key: value for key, value in known.items() if key in kind._get_param_names()}  # type: ignore[attr-defined]

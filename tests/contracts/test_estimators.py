"""Every estimator keeps scikit-learn's conventions, where they can apply to a graph."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import estimator_checks_generator

from philia.exceptions import InvalidGraphError, InvalidParameterError, UnknownNodeError
from philia.graphs import Graph, Nodes
from philia.models import MODELS, LinkModel, RandomLinks, load
from tests.strategies import random_graph

PAIRS = "decision_function and predict_proba take pairs of nodes; the check gives them a matrix of features"
WORDS = "the same input is refused, but scikit-learn asks for a sentence of its own that does not fit a graph"
RECTANGLE = "the check fits a rectangular matrix; an adjacency matrix is square"
INAPPLICABLE = {
    "check_n_features_in_after_fitting": PAIRS,
    "check_estimators_dtypes": PAIRS,
    "check_methods_sample_order_invariance": PAIRS,
    "check_methods_subset_invariance": PAIRS,
    "check_dict_unchanged": PAIRS,
    "check_fit_idempotent": PAIRS,
    "check_fit2d_predict1d": PAIRS,
    "check_estimators_pickle": PAIRS,
    "check_positive_only_tag_during_fit": WORDS,
    "check_complex_data": WORDS,
    "check_dtype_object": WORDS,
    "check_estimators_empty_data_messages": WORDS,
    "check_estimators_nan_inf": RECTANGLE,
    "check_estimator_sparse_array": RECTANGLE,
    "check_estimator_sparse_matrix": RECTANGLE,
    "check_transformer_data_not_an_array": "a graph has many forms; an object that only looks like an array is none",
    "check_array_api_input": "graphs are NumPy and SciPy arrays; no other array library is claimed to work",
}
"""The checks of scikit-learn that no model passes, and why. Their subjects are tested below in a graph's terms."""

_FEWER: dict[str, dict[str, int]] = {"AttractRepel": {"n_homophilous": 2, "n_heterophilous": 1}}
"""With its twelve columns the optimum on the small graphs here is flat, and a fit takes thousands of iterations."""

KINDS = {model.__base__: name for name, model in reversed(MODELS.items())}
"""The first model of each base class stands for its kind in `make check`."""
EACH_MODEL = [
    pytest.param(name, marks=() if name in KINDS.values() else pytest.mark.same_kind, id=name) for name in MODELS
]


def checks(model: type[LinkModel], applicable: bool) -> Iterator[tuple[str, Callable[[], None]]]:
    """Scikit-learn's checks of a model, by name, ready to be called."""
    with warnings.catch_warnings():  # models have an estimator's methods without its ancestor, which is slow to import
        warnings.filterwarnings("ignore", "Estimator .* does not inherit from", UserWarning)
        generated = list(estimator_checks_generator(model(), mark=None))
    for estimator, check in generated:
        name = check.func.__name__
        if (name not in INAPPLICABLE) == applicable:
            yield name, partial(check, estimator)


@pytest.mark.parametrize("name", EACH_MODEL)
def test_scikit_learn_conventions_hold(name: str) -> None:
    failed = {}
    for check, run in checks(MODELS[name], applicable=True):
        try:
            run()
        except Exception as error:
            failed[check] = error
    assert failed == {}


def test_a_check_that_is_said_not_to_apply_would_fail() -> None:
    passed, seen = [], set()
    for check, run in checks(RandomLinks, applicable=False):
        seen.add(check)
        try:
            run()
        except Exception:  # some by an assertion, some by the error of ours that the check did not expect
            continue
        passed.append(check)
    assert passed == []
    assert seen == INAPPLICABLE.keys()


@pytest.mark.parametrize("matrix", [np.full((3, 3), -1.0), np.full((3, 3), 1j), np.empty((0, 3)), np.full((3, 3), "a")])
def test_a_matrix_that_scikit_learn_would_refuse_is_refused(matrix: Any) -> None:
    with pytest.raises(InvalidGraphError):
        RandomLinks().fit(matrix)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_matrix_with_entries_that_are_not_finite_is_refused(value: float) -> None:
    with pytest.raises(InvalidGraphError, match=r"nan|inf|finite"):
        RandomLinks().fit(np.full((3, 3), value))


@pytest.fixture(params=EACH_MODEL)
def model(request: pytest.FixtureRequest) -> LinkModel:
    return MODELS[request.param](random_state=0, **_FEWER.get(request.param, {}))


@pytest.fixture
def graph() -> Graph:
    return random_graph(30, 0.2, seed=0)


def test_any_form_of_the_same_graph_gives_the_same_fit(model: LinkModel, graph: Graph) -> None:
    import networkx as nx

    dense = graph.adjacency.toarray()
    forms = (graph, dense, graph.adjacency, nx.from_numpy_array(dense))
    scores = [model.fit(form).factors_.score_block(slice(None), slice(None)) for form in forms]
    for other in scores[1:]:
        np.testing.assert_array_equal(other, scores[0])


def test_to_fit_and_transform_is_to_fit_and_then_transform(model: LinkModel, graph: Graph) -> None:
    at_once = model.fit_transform(graph)
    np.testing.assert_array_equal(at_once, model.features())
    np.testing.assert_array_equal(at_once, clone(model).fit(graph).transform(graph))
    some = Graph.from_rows(np.array([0]), np.array([1]), Nodes([7, 3]))
    np.testing.assert_array_equal(model.transform(some), at_once[[7, 3]])
    with pytest.raises(UnknownNodeError, match="no node is called 99"):
        model.transform([(7, 99)])


def test_a_model_can_be_pickled_for_parallel_work(model: LinkModel, graph: Graph) -> None:
    import pickle

    model.fit(graph)
    again = pickle.loads(pickle.dumps(model))
    assert again.predict_proba([(0, 1)]) == model.predict_proba([(0, 1)])
    assert again.score() == model.score()


def test_scores_are_symmetric_and_the_same_by_pair_by_block_and_by_name(model: LinkModel, graph: Graph) -> None:
    model.fit(graph)
    block = model.factors_.score_block(slice(None), slice(None))
    rows, columns = np.triu_indices(graph.n_nodes, k=1)
    np.testing.assert_allclose(block, block.T, atol=1e-12)
    np.testing.assert_allclose(model.factors_.scores(rows, columns), block[rows, columns], atol=1e-12)
    pairs = list(zip(rows.tolist(), columns.tolist(), strict=True))
    np.testing.assert_allclose(model.decision_function(pairs), block[rows, columns], atol=1e-12)
    np.testing.assert_allclose(
        model.predict_proba(pairs), np.clip(model.expected(rows, columns), 0, 1), rtol=1e-12, atol=1e-15
    )
    np.testing.assert_allclose(
        model.expected_block(slice(None), slice(None))[rows, columns], model.expected(rows, columns), atol=1e-12
    )


def test_the_score_is_the_mean_log_likelihood_of_all_pairs(model: LinkModel, graph: Graph) -> None:
    model.fit(graph)
    rows, columns = np.triu_indices(graph.n_nodes, k=1)
    p = np.clip(model.expected(rows, columns), 1e-12, 1 - 1e-12)
    expected = np.log(np.where(graph.linked(rows, columns), p, 1 - p)).mean()
    assert model.score() == pytest.approx(expected, rel=1e-6)
    pairs = list(zip(rows.tolist(), columns.tolist(), strict=True))
    assert model.score(pairs=pairs) == pytest.approx(model.score(), rel=1e-9)


def test_a_model_comes_back_from_a_file_as_it_was(model: LinkModel, graph: Graph, tmp_path: Path) -> None:
    named = graph.renamed(Nodes([f"node {row}" for row in range(graph.n_nodes)]))
    model.fit(named, held_out=0.2)
    model.save(tmp_path / "model.safetensors")
    again = load(tmp_path / "model.safetensors")
    assert type(again) is type(model)
    assert again.get_params() == model.get_params()
    assert again.held_out_ == model.held_out_
    for name, array in model.factors_.arrays().items():
        np.testing.assert_array_equal(again.factors_.arrays()[name], array)
    assert again.communities() == model.communities()
    assert again.top_links(count=3) == model.top_links(count=3)
    assert (again.sample(1).adjacency != model.sample(1).adjacency).nnz == 0


def test_hidden_pairs_do_not_influence_a_fit(model: LinkModel, graph: Graph) -> None:
    rng = np.random.default_rng(1)
    rows, columns = np.triu_indices(graph.n_nodes, k=1)
    hidden = rng.random(rows.size) < 0.2
    listed = list(zip(rows[hidden].tolist(), columns[hidden].tolist(), strict=True))
    linked = graph.linked(rows, columns)
    flipped = np.where(hidden, ~linked, linked)
    other = Graph.from_rows(rows[flipped], columns[flipped], graph.nodes)
    one, two = (model.fit(g, held_out=listed).factors_.score_block(slice(None), slice(None)) for g in (graph, other))
    np.testing.assert_array_equal(one, two)


def test_communities_are_sets_of_nodes_of_the_graph(model: LinkModel, graph: Graph) -> None:
    found = model.fit(graph).communities()
    for community in found:
        assert set(community.members) <= set(graph.nodes)
        assert all(0 < membership <= 1 for membership in community.members.values())
    assert str(found)


@pytest.mark.parametrize("links", [[(0, 1)], [(0, 1), (2, 3)], [(i, j) for i in range(5) for j in range(i)]])
def test_tiny_and_complete_graphs_are_fitted(model: LinkModel, links: list[tuple[int, int]]) -> None:
    model.fit(links)
    assert np.isfinite(model.decision_function([(0, 1)])).all()
    assert np.isfinite(model.score())


def test_a_graph_without_links_is_fitted(model: LinkModel) -> None:
    empty = Graph.from_rows(np.empty(0, int), np.empty(0, int), Nodes.numbered(6))
    model.fit(empty)
    assert np.isfinite(model.decision_function([(0, 1)])).all()
    model.communities()


def test_the_same_seed_gives_the_same_model(model: LinkModel, graph: Graph) -> None:
    first, second = (model.fit(graph, held_out=0.1).factors_.score_block(slice(None), slice(None)) for _ in range(2))
    np.testing.assert_array_equal(first, second)


def test_senseless_settings_are_refused(model: LinkModel, graph: Graph) -> None:
    counts = [name for name in model.get_params() if name.startswith("n_") and name != "n_jobs"]
    for name in counts:
        for value in (-1, 2.5, "many"):
            with pytest.raises(InvalidParameterError, match=name):
                clone(model).set_params(**{name: value}).fit(graph)

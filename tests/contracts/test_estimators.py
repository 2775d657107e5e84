"""Every estimator keeps scikit-learn's conventions, where they can apply to a graph."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from philia.graphs import Graph
from philia.models import MODELS, Factorization
from tests.strategies import random_graph

PAIRS = "decision_function and predict_proba take pairs of nodes, not a matrix of features"
WORDS = "the same is refused, in words that fit a graph instead of scikit-learn's"
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
    "check_estimators_nan_inf": "a graph may have any values as weights; NaN and infinity are refused, in other words",
    "check_estimator_sparse_array": "the data are rectangular, which no adjacency matrix is",
    "check_estimator_sparse_matrix": "the data are rectangular, which no adjacency matrix is",
}


def inapplicable(estimator: Any) -> dict[str, str]:
    return INAPPLICABLE


@parametrize_with_checks([model() for model in MODELS.values()], expected_failed_checks=inapplicable)  # type: ignore[untyped-decorator]
def test_scikit_learn_conventions_hold(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.fixture(params=MODELS)
def model(request: pytest.FixtureRequest) -> Factorization:
    return MODELS[request.param](random_state=0)


@pytest.fixture
def graph() -> Graph:
    return random_graph(30, 0.2, seed=0)


def test_any_form_of_the_same_graph_gives_the_same_fit(model: Factorization, graph: Graph) -> None:
    import networkx as nx

    dense = graph.adjacency.toarray()
    points = [model.fit(form).solution_.point for form in (graph, dense, graph.adjacency, nx.from_numpy_array(dense))]
    for point in points[1:]:
        np.testing.assert_array_equal(point, points[0])


def test_a_model_can_be_pickled_for_parallel_work(model: Factorization, graph: Graph) -> None:
    import pickle

    model.fit(graph)
    again = pickle.loads(pickle.dumps(model))
    assert again.predict_proba([(0, 1)]) == model.predict_proba([(0, 1)])
    assert again.score() == model.score()

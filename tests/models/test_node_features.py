"""Features of nodes in scikit-learn's pipelines."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import Pipeline, make_pipeline

from philia import SVD, CommunityModel
from philia.datasets import dating_app
from philia.exceptions import UnknownNodeError
from philia.graphs import Graph, Nodes
from philia.models import NodeFeatures
from philia.solvers import LBFGSB

APP = dating_app(n=120, cities=3, random_state=0)
GRAPH: Graph = APP.graph.renamed(Nodes([f"user {name}" for name in APP.graph.nodes]))
NAMES: list[Any] = list(GRAPH.nodes)
MODEL = CommunityModel(3, 2, penalty=1, random_state=0)


@pytest.fixture(scope="module")
def fitted() -> CommunityModel:
    return clone(MODEL).fit(GRAPH)  # type: ignore[no-any-return]


def test_rows_are_those_of_the_names_in_the_order_asked_for(fitted: CommunityModel) -> None:
    features = NodeFeatures(MODEL, GRAPH).fit(NAMES[:5])
    asked = [NAMES[7], NAMES[3], NAMES[7]]
    np.testing.assert_array_equal(features.transform(asked), fitted.features()[[7, 3, 7]])


def test_names_come_as_lists_arrays_series_and_tables_of_one_column(fitted: CommunityModel) -> None:
    features = NodeFeatures(FrozenEstimator(fitted), GRAPH).fit(NAMES)
    some = NAMES[10:20]
    forms = (some, np.array(some), np.array(some, dtype=object)[:, None], pd.Series(some), pd.DataFrame({"user": some}))
    for form in forms:
        np.testing.assert_array_equal(features.transform(form), fitted.features()[10:20])


def test_the_model_that_was_given_is_not_fitted_but_a_copy_of_it() -> None:
    given = SVD(2, random_state=0)
    features = NodeFeatures(given, GRAPH).fit(NAMES)
    assert not hasattr(given, "factors_")
    assert features.model_.features().shape == (120, 2)
    assert features.get_feature_names_out().tolist() == ["nodefeatures0", "nodefeatures1"]


def test_a_frozen_model_is_taken_as_it_is(fitted: CommunityModel) -> None:
    copy = clone(NodeFeatures(FrozenEstimator(fitted), GRAPH)).fit(NAMES)
    assert copy.model_.factors_ is fitted.factors_


def test_a_copy_shares_the_graph_and_has_the_same_settings() -> None:
    copy = clone(NodeFeatures(MODEL, GRAPH))
    assert copy.graph is GRAPH
    assert copy.get_params()["model__n_homophilous"] == 3


def test_cities_are_learned_in_a_cross_validation_from_links_alone(fitted: CommunityModel) -> None:
    pipeline = make_pipeline(NodeFeatures(FrozenEstimator(fitted), GRAPH), LogisticRegression())
    assert cross_val_score(pipeline, NAMES, APP.city, cv=3).min() > 0.9


def test_features_do_not_change_with_what_is_to_be_predicted() -> None:
    features = NodeFeatures(SVD(3, random_state=0), GRAPH)
    first = features.fit(NAMES, APP.city).transform(NAMES)
    second = features.fit(NAMES, np.roll(APP.city, 1)).transform(NAMES)
    np.testing.assert_array_equal(first, second)


def test_a_grid_search_reaches_the_numbers_of_communities() -> None:
    model = clone(MODEL).set_params(solver=LBFGSB(iterations=20))
    pipeline = Pipeline([("features", NodeFeatures(model, GRAPH)), ("classify", LogisticRegression())])
    search = GridSearchCV(pipeline, {"features__model__n_homophilous": [0, 3]}, cv=2).fit(NAMES, APP.city)
    assert search.best_params_ == {"features__model__n_homophilous": 3}
    assert search.best_estimator_["features"].model_.factors_.counts[0] == 3


def test_several_labels_a_node_are_learned_one_by_one(fitted: CommunityModel) -> None:
    labels = np.column_stack([APP.city == city for city in range(3)] + [APP.gender == 0]).astype(int)
    pipeline = make_pipeline(
        NodeFeatures(FrozenEstimator(fitted), GRAPH), OneVsRestClassifier(LogisticRegression())
    ).fit(NAMES[:60], labels[:60])
    assert (pipeline.predict(NAMES[60:]) == labels[60:]).mean() > 0.95


def test_a_name_that_is_not_in_the_graph_is_refused() -> None:
    features = NodeFeatures(SVD(2, random_state=0), GRAPH).fit(NAMES)
    with pytest.raises(UnknownNodeError, match="nobody"):
        features.transform(["nobody"])
    with pytest.raises(UnknownNodeError, match="nobody"):
        NodeFeatures(SVD(2, random_state=0), GRAPH).fit(["nobody"])

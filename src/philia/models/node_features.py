"""Node features from a fitted model, for scikit-learn pipelines."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Self

from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin, clone
from sklearn.utils.validation import check_is_fitted

from philia._types import Float64Array, Node
from philia.graphs import as_graph


class NodeFeatures(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Turns node names into rows of features that a model learns from the links of a graph.

    Use it as the first step of a scikit-learn pipeline that predicts a property of nodes. The model sees the links of
    all nodes but never the target, so no labels of test nodes leak into their features.

    Parameters
    ----------
    model
        A model such as ``CommunityModel(32, 8)``; a copy of it is fitted. To use a model that is already fitted, freeze
        it: ``sklearn.frozen.FrozenEstimator(fitted)``. That saves one fit per fold of a cross-validation.
    graph
        The graph, in any form that ``as_graph`` accepts. It must contain every node name that is asked for.

    >>> from philia import CommunityModel
    >>> from philia.datasets import dating_app
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> app = dating_app(n=120, cities=3, random_state=0)
    >>> names, cities = list(app.graph.nodes), app.city
    >>> features = NodeFeatures(CommunityModel(3, 2, penalty=1, random_state=0), app.graph)
    >>> pipeline = make_pipeline(features, LogisticRegression()).fit(names[:60], cities[:60])
    >>> pipeline.score(names[60:], cities[60:])
    1.0
    """

    model_: Any

    def __init__(self, model: Any, graph: Any) -> None:
        self.model = model
        self.graph = graph

    def fit(self, X: Any, y: Any = None) -> Self:
        """Fit a copy of the model to the graph; names in ``X`` are only checked, and ``y`` is ignored."""
        graph = as_graph(self.graph)
        graph.nodes.rows(_names(X))
        self.model_ = clone(self.model).fit(graph, None)
        self._n_features_out = self.model_.features().shape[1]
        return self

    def transform(self, X: Any) -> Float64Array:
        """The features of the nodes named in ``X`` (a list, a column or a series), in that order."""
        check_is_fitted(self)
        rows = self.model_.graph_.nodes.rows(_names(X))
        return self.model_.features()[rows]  # type: ignore[no-any-return]


def _names(X: Any) -> Iterable[Node]:
    """The names in a list, a series, an array, or a table with a single column."""
    if getattr(X, "ndim", 1) == 2 and X.shape[1] == 1:
        X = X.to_numpy() if hasattr(X, "to_numpy") else X
        return X[:, 0]  # type: ignore[no-any-return]
    return X  # type: ignore[no-any-return]

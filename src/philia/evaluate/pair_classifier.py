"""Link prediction as scikit-learn knows it: pairs with labels, and a classifier of pairs around any model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from philia._types import BoolArray, Float64Array, Int64Array
from philia.fitting.estimator import Estimator, check_is_fitted
from philia.graphs import Graph, as_graph
from philia.models.link_model import LinkModel, generator


@dataclass(frozen=True, eq=False)
class LabelledPairs:
    """Pairs of rows of a graph and whether each is linked, to be split by scikit-learn.

    >>> from philia import CommunityModel
    >>> from philia.datasets import classic
    >>> from sklearn.model_selection import cross_val_score
    >>> data = labelled_pairs(classic("karate"), random_state=0)
    >>> judged = data.classifier(CommunityModel(2, 0, penalty=1, random_state=0))
    >>> scores = cross_val_score(judged, data.X, data.y, cv=3, scoring="roc_auc")
    >>> scores.shape
    (3,)
    """

    graph: Graph
    X: Int64Array
    y: BoolArray

    def classifier(self, model: LinkModel) -> PairClassifier:
        """A classifier that fits the model without the pairs that it is not given: those that it will be tested on."""
        return PairClassifier(model, self)

    def __deepcopy__(self, memo: Any) -> LabelledPairs:
        """Itself: it never changes, and scikit-learn copies the settings of estimators again and again."""
        return self


def labelled_pairs(graph: Any, *, random_state: Any = None) -> LabelledPairs:
    """All links of a graph and as many pairs that are not linked, drawn at random, in random order.

    >>> data = labelled_pairs([("ann", "bob"), ("bob", "cat"), ("cat", "dan")], random_state=0)
    >>> data.X.shape, data.y.tolist().count(True)
    ((6, 2), 3)
    """
    graph, rng = as_graph(graph), generator(random_state)
    linked = np.stack(graph.links, axis=1)
    n, wanted = graph.n_nodes, min(graph.n_links, graph.n_nodes * (graph.n_nodes - 1) // 2 - graph.n_links)
    codes = np.zeros(0, np.int64)
    while codes.size < wanted:
        low, high = np.sort(rng.integers(n, size=(2 * wanted + 16, 2)), axis=1).T
        free = (low != high) & ~graph.linked(low, high)
        both = np.concatenate([codes, (low * n + high)[free]])
        codes = both[np.sort(np.unique(both, return_index=True)[1])][:wanted]
    X = np.concatenate([linked, np.stack([codes // n, codes % n], axis=1)])
    order = rng.permutation(len(X))
    return LabelledPairs(graph, X[order], (np.arange(len(X)) < len(linked))[order])


class PairClassifier(Estimator):
    """A classifier of pairs for ``cross_val_score`` and ``GridSearchCV``; settings of the model are ``model__…``.

    ``fit`` fits the model to the whole graph, except for the labelled pairs that it is not given, which are held out.
    ``labelled_pairs(graph).classifier(model)`` makes one.

    >>> from philia import SVD
    >>> data = labelled_pairs([("ann", "bob"), ("bob", "cat"), ("cat", "dan")], random_state=0)
    >>> PairClassifier(SVD(2, random_state=0), data).fit(data.X[:4]).predict(data.X[4:]).shape
    (2,)
    """

    _estimator_type = "classifier"

    def __init__(self, model: Any, data: Any) -> None:
        self.model, self.data = model, data

    def fit(self, X: npt.NDArray[Any], y: Any = None) -> Self:
        """Fit the model without the labelled pairs that are not among these."""
        n, rows = self.data.graph.n_nodes, np.asarray(X)
        held = self.data.X[~np.isin(self.data.X @ [n, 1], rows @ [n, 1])]
        pick = self.data.graph.nodes.pick
        pairs = list(zip(pick(held[:, 0]), pick(held[:, 1]), strict=True))
        self.model_ = self.model.__sklearn_clone__().fit(self.data.graph, held_out=pairs or None)
        self.classes_ = np.array([False, True])
        return self

    def predict_proba(self, X: npt.NDArray[Any]) -> Float64Array:
        """The probabilities of no link and of a link, one row per pair."""
        check_is_fitted(self)
        linked = np.clip(self.model_.expected(np.asarray(X)[:, 0], np.asarray(X)[:, 1]), 0, 1)
        return np.stack([1 - linked, linked], axis=1)

    def predict(self, X: npt.NDArray[Any]) -> BoolArray:
        """Whether a link is more likely than not, for each pair."""
        return np.asarray(self.predict_proba(X)[:, 1] > 0.5)

    def score(self, X: npt.NDArray[Any], y: Any) -> float:
        """The area under the ROC curve: how often a link is ranked above another pair."""
        from sklearn.metrics import roc_auc_score

        return float(roc_auc_score(y, self.predict_proba(X)[:, 1]))

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import ClassifierTags

        tags = super().__sklearn_tags__()
        tags.estimator_type, tags.classifier_tags = "classifier", ClassifierTags()
        tags.target_tags.required = True
        return tags

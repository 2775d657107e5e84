"""Predict properties of nodes from their links: communities as features for scikit-learn.

We know the city and the gender of half of the users of a dating app. A model is fitted to the matches of all users,
logistic regression learns from the known half what the numbers of a user mean, and the other half is predicted.

    python examples/node_classification.py
    python examples/node_classification.py ppi      # a real network with labels, from philia.datasets
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import Pipeline

import philia
from philia.datasets import dating_app, load
from philia.models import NodeFeatures


def network(name: str | None) -> tuple[philia.Graph, dict[Any, list[Any]]]:
    """The links, and the nodes that have each label."""
    if name is not None:
        dataset = load(name)
        return dataset.graph, dataset.communities
    app = dating_app(n=300, cities=8, random_state=0)
    labels = {f"city {city}": np.flatnonzero(app.city == city).tolist() for city in range(8)}
    return app.graph, labels | {f"gender {side}": np.flatnonzero(app.gender == side).tolist() for side in (0, 1)}


def label_matrix(graph: philia.Graph, labels: dict[Any, list[Any]]) -> tuple[list[Any], Any]:
    """The names of the nodes that have any label, and 1 where a node (row) has a label (column)."""
    table = np.zeros((graph.n_nodes, len(labels)), int)
    for column, members in enumerate(labels.values()):
        table[graph.nodes.rows(members), column] = 1
    rows = np.flatnonzero(table.any(axis=1))
    return graph.nodes.pick(rows), table[rows]


def likeliest(chances: Any, counts: Any) -> Any:
    """As many labels per node as it has: those with the largest probabilities."""
    ranks = (-chances).argsort(axis=1).argsort(axis=1)
    return (ranks < counts[:, None]).astype(int)


def main() -> None:
    """Fit, learn and predict with each kind of features."""
    graph, labels = network(sys.argv[1] if len(sys.argv) > 1 else None)
    names, table = label_matrix(graph, labels)
    print(f"{graph.n_nodes:,} nodes, {graph.n_links:,} links, {table.shape[1]} labels; half of the nodes are known\n")
    order = np.random.default_rng(0).permutation(len(names))
    known, rest = np.split(order, [len(order) // 2])
    learnable = table[known].any(axis=0)

    # The same number of columns per node for both; the communities also have a popularity.
    columns = 10 if len(sys.argv) < 2 else 32
    models: dict[str, philia.SVD | philia.CommunityModel] = {
        "SVD": philia.SVD(columns, random_state=0),
        "communities": philia.CommunityModel(columns - 2, 2, penalty=1, random_state=0),
    }
    for title, model in models.items():
        # The input rows are names. The features come from the links alone, so no label can leak into them.
        pipeline = Pipeline(
            [
                ("features", NodeFeatures(model, graph)),
                ("classify", OneVsRestClassifier(LogisticRegression(max_iter=1000))),
            ]
        )
        pipeline.fit([names[row] for row in known], table[known][:, learnable])
        chances = np.zeros(table[rest].shape)
        chances[:, learnable] = pipeline.predict_proba([names[row] for row in rest])
        found = likeliest(chances, table[rest].sum(axis=1))
        micro, macro = (f1_score(table[rest], found, average=kind, zero_division=0) for kind in ("micro", "macro"))
        print(f"{title:<12} micro F1 {micro:.3f}   macro F1 {macro:.3f}")


if __name__ == "__main__":
    main()

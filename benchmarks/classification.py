"""Labels of nodes predicted from the numbers that models find in the links, by the protocol that is usual for it.

Half of the nodes are known, and logistic regression learns each label from their features; a node of the other half
gets as many labels as it has, the likeliest ones. Five shuffles, the same for all. No model ever sees a label.

    python -m benchmarks.classification
"""

from __future__ import annotations

import argparse
import json
import time
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import Normalizer

from benchmarks.measuring import RESULTS, save
from philia import SVD, CommunityModel, Graph, LogisticPCA
from philia._types import Float64Array, Int64Array
from philia.datasets import Dataset, load
from philia.models import NodeFeatures

DATASETS = ("ppi", "blog")
COLUMNS = 64
SHUFFLES = 5
KINDS = ("micro", "macro")
SCALINGS = {"as they are": "passthrough", "rows of length 1": Normalizer()}


class Degrees(BaseEstimator):  # type: ignore[misc]
    """What needs no model: the logarithm of the number of neighbours."""

    graph_: Graph

    def fit(self, graph: Graph, y: None = None) -> Degrees:
        """Look at the graph."""
        self.graph_ = graph
        return self

    def features(self) -> Float64Array:
        """One column."""
        return np.log1p(self.graph_.degrees.astype(np.float64))[:, None]


class NormalizedSpectrum(BaseEstimator):  # type: ignore[misc]
    """Eigenvectors of the adjacency matrix divided by the roots of both degrees, as spectral clustering takes them."""

    graph_: Graph

    def __init__(self, n_columns: int) -> None:
        self.n_columns = n_columns

    def fit(self, graph: Graph, y: None = None) -> NormalizedSpectrum:
        """Find the eigenvectors."""
        scale = sparse.diags_array(1 / np.sqrt(np.maximum(graph.degrees, 1)))
        start = np.random.default_rng(0).standard_normal(graph.n_nodes)
        self.vectors_ = sparse.linalg.eigsh(scale @ graph.adjacency @ scale, self.n_columns, v0=start, which="LA")[1]
        self.graph_ = graph
        return self

    def features(self) -> Float64Array:
        """The eigenvectors, as large as if all entries were ±1."""
        return np.asarray(self.vectors_ * np.sqrt(self.graph_.n_nodes))


def models() -> dict[str, Any]:
    """All with the same number of columns a node; a popularity comes on top. The penalty was not tuned."""
    k = COLUMNS
    settings: Any = {"random_state": 0, "solver": "adam", "penalty": 1.0}
    return {
        "degree": Degrees(),
        f"SVD({k})": SVD(k, random_state=0),
        f"normalised spectrum, {k}": NormalizedSpectrum(k),
        f"LogisticPCA({k // 2})": LogisticPCA(k // 2, **settings),
        f"CommunityModel({k // 2}, {k // 2})": CommunityModel(k // 2, k // 2, **settings),
        f"CommunityModel({3 * k // 4}, {k // 4})": CommunityModel(3 * k // 4, k // 4, **settings),
        f"CommunityModel({k}, 0)": CommunityModel(k, 0, **settings),
    }


def label_matrix(dataset: Dataset) -> tuple[list[Any], Int64Array]:
    """The nodes that have labels, and 1 where a node (row) has a label (column)."""
    labels = np.zeros((dataset.graph.n_nodes, len(dataset.communities)), np.int64)
    for column, members in enumerate(dataset.communities.values()):
        labels[dataset.graph.nodes.rows(members), column] = 1
    known = np.flatnonzero(labels.any(axis=1))
    return dataset.graph.nodes.pick(known), labels[known]


def predicted(pipeline: Pipeline, names: list[Any], labels: Int64Array, half: Int64Array, rest: Int64Array) -> Any:
    """As many labels for each node of the rest as it has, learned from the other half."""
    seen = labels[half].any(axis=0)  # a label that nobody in this half has cannot be learned
    pipeline.fit([names[row] for row in half], labels[half][:, seen])
    chances = np.full((len(rest), labels.shape[1]), -1.0)
    chances[:, seen] = pipeline.predict_proba([names[row] for row in rest])
    ranks = (-chances).argsort(axis=1).argsort(axis=1)
    return (ranks < labels[rest].sum(axis=1)[:, None]).astype(np.int64)


def judged(fitted: Any, scaling: Any, names: list[Any], labels: Int64Array) -> dict[str, float]:
    """Micro and macro F1, means over the shuffles, and how far the micro F1 varies between them."""
    pipeline = Pipeline(
        [
            ("features", NodeFeatures(FrozenEstimator(fitted), fitted.graph_)),
            ("scale", scaling),
            ("classify", OneVsRestClassifier(LogisticRegression(max_iter=1000))),
        ]
    )
    scores = []
    for shuffle in range(SHUFFLES):
        rows = np.random.default_rng(shuffle).permutation(len(names))
        half, rest = rows[: len(rows) // 2], rows[len(rows) // 2 :]
        found = predicted(pipeline, names, labels, half, rest)
        scores.append([f1_score(labels[rest], found, average=kind, zero_division=0.0) for kind in KINDS])
    micro, macro = np.mean(scores, axis=0).round(4).tolist()
    return {"micro F1": micro, "macro F1": macro, "spread of micro F1": round(float(np.std(scores, axis=0)[0]), 4)}


def run(datasets: list[str] | None = None) -> None:
    """All models on each dataset; a file of results."""
    rows = []
    for name in datasets or DATASETS:
        dataset = load(name)
        names, labels = label_matrix(dataset)
        for title, model in models().items():
            began = time.process_time()
            fitted = model.fit(dataset.graph)
            seconds = round(time.process_time() - began, 1)
            for scaling, step in SCALINGS.items():
                scores = judged(fitted, step, names, labels)
                columns = fitted.features().shape[1]
                rows.append({"network": name, "model": title, "columns": columns, "features": scaling, **scores})
                rows[-1]["processor seconds of the fit"] = seconds
                print(rows[-1], flush=True)
    save("classification", {"labels": "half known", "shuffles": SHUFFLES, "rows": rows})


def table() -> str:
    """The results as a table in Markdown, for docs/interoperability.md."""
    rows = json.loads((RESULTS / "classification.json").read_text())["result"]["rows"]
    found = {(row["network"], row["model"], row["features"]): row for row in rows}
    lines = ["| network | model | " + " | ".join(f"{kind}, {how}" for how in SCALINGS for kind in KINDS) + " |"]
    lines.append("|---" * 6 + "|")
    for network, model in dict.fromkeys((row["network"], row["model"]) for row in rows):
        figures = [found[network, model, how][f"{kind} F1"] for how in SCALINGS for kind in KINDS]
        lines.append(f"| {network} | {model} | {' | '.join(f'{figure:.3f}' for figure in figures)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--datasets", nargs="+", choices=DATASETS)
    parser.add_argument("--table", action="store_true", help="print the table of the results there are")
    told = parser.parse_args()
    if told.table:
        print(table())
    else:
        run(told.datasets)

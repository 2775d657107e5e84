"""The measuring of labels: its protocol, and the table that the documentation shows of it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import Pipeline

from benchmarks import classification
from philia.datasets import Dataset, planted
from philia.models import NodeFeatures

PAGE = Path(__file__).parents[2] / "docs" / "interoperability.md"


def test_the_table_in_the_documentation_is_the_one_that_was_measured() -> None:
    assert classification.table() in PAGE.read_text()


def test_a_node_gets_as_many_labels_as_it_has_and_none_that_nobody_known_has() -> None:
    found = planted(100, 4, 2, degree=12, attraction=5, random_state=0)
    groups = {str(label): list(members) for label, members in enumerate(found.homophilous)}
    dataset = Dataset("small", "", found.graph, groups | {"alone": [99]}, "", "", "", "")
    names, labels = classification.label_matrix(dataset)
    rows = np.array([row for row, name in enumerate(names) if name != 99])
    half, rest = rows[: len(rows) // 2], np.append(rows[len(rows) // 2 :], names.index(99))
    features = NodeFeatures(classification.NormalizedSpectrum(4), found.graph)
    pipeline = Pipeline([("features", features), ("classify", OneVsRestClassifier(LogisticRegression()))])
    predicted = classification.predicted(pipeline, names, labels, half, rest)
    np.testing.assert_array_equal(predicted.sum(axis=1), labels[rest].sum(axis=1))
    assert predicted[:, -1].sum() == 0
    assert (predicted == labels[rest]).mean() > 0.7

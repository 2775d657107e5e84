"""The compiled loops that count against plain loops over all pairs."""

import numpy as np
import pytest

from philia.reading import counting
from philia.reading.length import DescriptionLength
from tests.strategies import random_graph


@pytest.mark.parametrize("k", [1, 4, 30])
def test_counts_are_those_of_loops_over_all_pairs(k: int) -> None:
    graph, rng = random_graph(60, 0.15, seed=k), np.random.default_rng(k)
    measure, labels = DescriptionLength(graph), rng.integers(-1, k, 60)
    labels[rng.integers(60)] = k - 1  # the number of groups is that of the last one
    H, links, sizes = counting.group_counts(labels, measure.classes, len(measure.counts), measure.rows)
    starts, others, counts = counting.links_between(labels, k, measure.rows)
    A, between = graph.adjacency.toarray(), np.zeros((k, k))
    for c in range(k):
        assert sizes[c] == np.count_nonzero(labels == c)
        assert links[c] == A[np.ix_(labels == c, labels == c)].sum() / 2
        assert (H[c] == np.bincount(measure.classes[labels == c], minlength=len(measure.counts))).all()
        assert (np.diff(others[starts[c] : starts[c + 1]]) > 0).all()
        between[c, others[starts[c] : starts[c + 1]]] = counts[starts[c] : starts[c + 1]]
    assert sizes[k] == np.count_nonzero(labels < 0)
    expected = np.array([[A[np.ix_(labels == c, labels == d)].sum() * (c != d) for d in range(k)] for c in range(k)])
    assert (between == expected).all()

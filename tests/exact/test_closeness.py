"""Probabilities of factors that are made from exact representations are as close to the graph as asked."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit

from philia.datasets import classic
from philia.exact import by_degeneracy, certified, exact_logistic, fit_exact
from philia.exceptions import InvalidParameterError, NotExactError
from philia.graphs import Graph
from tests.exact.kinds import by_sign_changes_as_given
from tests.strategies import graphs


@settings(max_examples=20, deadline=None)
@given(graphs(max_nodes=7), st.sampled_from([0.4, 0.01, 1e-9]))
def test_every_probability_is_close_to_the_graph(graph: Graph, epsilon: float) -> None:
    fitted = fit_exact(graph, 8)
    assert fitted is not None
    for found in (fitted.certified, certified(graph, by_sign_changes_as_given(graph))):
        factors = found.probabilities(epsilon).factors
        probabilities = expit(factors.score_block(slice(None), slice(None)))
        assert np.abs(probabilities - graph.adjacency.toarray()).max() <= epsilon
        assert sum(factors.counts) == found.certificate.columns


def test_the_scale_is_no_larger_than_it_must_be() -> None:
    karate = classic("karate")
    fitted = fit_exact(karate, 6)
    assert fitted is not None
    scores = fitted.certified.probabilities(0.01).factors.score_block(slice(None), slice(None))
    assert np.abs(scores).min() == pytest.approx(np.log(99), rel=1e-4)


def test_numbers_that_are_too_long_and_wrong_requests_are_refused() -> None:
    karate = classic("karate")
    long = certified(karate, by_degeneracy(karate))
    with pytest.raises(NotExactError, match="too long to be right as floats; use those of fit_exact"):
        long.probabilities(0.01)
    with pytest.raises(InvalidParameterError, match=r"epsilon is 0\.5; it must be more than 0"):
        long.probabilities(0.5)
    with pytest.raises(InvalidParameterError, match="has no nonnegative columns; use exact_community"):
        exact_logistic(karate).probabilities(0.01)

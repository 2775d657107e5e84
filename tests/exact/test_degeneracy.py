from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings

from philia import as_graph
from philia.exact import FloatLogistic, by_circle
from philia.exceptions import InvalidParameterError
from philia.graphs import Graph, degeneracy
from tests.strategies import graphs, random_graph


@settings(max_examples=40, deadline=None)
@given(graphs(max_nodes=12))
def test_circle_factors_have_the_signs_of_the_graph_and_the_promised_columns(graph: Graph) -> None:
    found = by_circle(graph)
    if found is None:
        assert degeneracy(graph) > 4
        return
    assert found.certificate.columns == 4 * degeneracy(graph) + 2
    assert isinstance(found.representation, FloatLogistic)
    signs = found.representation.signs(np.arange(graph.n_nodes)).values
    np.testing.assert_array_equal(signs, np.where(graph.adjacency.toarray() > 0, 1, -1))


def test_a_grid_of_900_nodes_takes_ten_columns() -> None:
    places = list(product(range(30), repeat=2))
    grid = as_graph([((i, j), (i + 1, j)) for i, j in places] + [((i, j), (i, j + 1)) for i, j in places])
    found = by_circle(grid)
    assert found is not None
    assert found.certificate.columns == 10


def test_the_limit_may_exceed_the_degeneracy_but_not_fall_below() -> None:
    star = as_graph([("hub", name) for name in ("ann", "bob", "cat")])
    found = by_circle(star, 2)
    assert found is not None
    assert found.certificate.columns == 10
    with pytest.raises(InvalidParameterError, match="most=0 is less than the degeneracy"):
        by_circle(star, 0)


def test_a_graph_beyond_the_range_of_floats_gives_none() -> None:
    assert by_circle(random_graph(300, 0.2, 0), tries=2) is None

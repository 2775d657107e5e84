from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from tests.strategies import graphs, weighed

from philia.graphs import Graph
from philia.graphs.graph import stored


@given(graphs(), st.integers(0, 2**32 - 1))
def test_pairs_are_linked_where_the_dense_matrix_says_so(graph: Graph, seed: int) -> None:
    rows, columns = np.random.default_rng(seed).integers(graph.n_nodes, size=(2, 60))
    np.testing.assert_array_equal(graph.linked(rows, columns), graph.adjacency.toarray()[rows, columns] != 0)


@given(st.integers(1, 30), st.integers(1, 30), st.sampled_from([0.0, 0.1, 0.5, 1.0]), st.integers(0, 2**32 - 1))
def test_stored_knows_every_entry_of_any_matrix(m: int, n: int, density: float, seed: int) -> None:
    dense = np.random.default_rng(seed).random((m, n)) < density
    matrix = sparse.csr_array(dense)
    np.testing.assert_array_equal(stored(matrix, np.arange(m)[:, None], np.arange(n)), dense)


def test_no_pairs_give_no_answers() -> None:
    nobody = np.empty(0, np.int64)
    assert stored(sparse.csr_array(np.eye(3)), nobody, nobody).shape == (0,)


@given(graphs(), st.integers(0, 2**32 - 1))
def test_links_and_their_weights_are_the_upper_triangle(graph: Graph, seed: int) -> None:
    graph = weighed(graph, seed)
    rows, columns = np.nonzero(np.triu(graph.adjacency.toarray()))
    np.testing.assert_array_equal(np.stack(graph.links), [rows, columns])
    assert {ends.dtype for ends in graph.links} == {np.dtype(np.int64)}
    if graph.weights is not None and graph.link_weights is not None:
        dense = sparse.csr_array((graph.weights, graph.adjacency.indices, graph.adjacency.indptr)).toarray()
        np.testing.assert_array_equal(graph.link_weights, dense[rows, columns])

"""Graphs on disk, against the same in memory."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from tests.strategies import graphs, weighed

from philia._types import BoolArray
from philia.graphs import Graph, disk
from philia.graphs.disk import link_parts, on_disk, part_of
from philia.storage.arrays import InMemory, OnDisk, storage_of


def dense(graph: Graph) -> npt.NDArray[Any]:
    values = graph.adjacency.data if graph.weights is None else graph.weights
    entries = (values, graph.adjacency.indices, graph.adjacency.indptr)
    return np.asarray(sparse.csr_array(entries, shape=graph.adjacency.shape).toarray())


@pytest.mark.parametrize("place", [lambda graph: graph, on_disk])
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_a_part_of_a_graph_has_the_links_that_are_kept(place: Any, data: st.DataObject) -> None:
    graph = weighed(data.draw(graphs()), data.draw(st.integers(0, 99)))
    kept = np.random.default_rng(data.draw(st.integers(0, 99))).random((graph.n_nodes,) * 2) < 0.5
    kept &= kept.T

    def keep(rows: npt.NDArray[Any], columns: npt.NDArray[Any]) -> BoolArray:
        return np.asarray(kept[rows, columns])

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(disk, "_ENTRIES", 1)  # as many entries at a time as there are nodes
        part = part_of(place(graph), keep)
        links = list(link_parts(part))
    rows, columns = np.nonzero(graph.adjacency.toarray() * kept)
    upper = rows < columns
    expected = Graph.from_rows(rows[upper], columns[upper], graph.nodes, None, dense(graph)[rows, columns][upper] * 1.0)
    np.testing.assert_array_equal(dense(part), dense(expected))
    assert (part.weights is None) == (expected.weights is None)
    assert part.adjacency.indices.dtype == expected.adjacency.indices.dtype
    assert storage_of(part.adjacency.indices) == storage_of(place(graph).adjacency.indices) or not part.n_links
    for which in (0, 1):
        found = np.concatenate([np.empty(0, np.int64), *[ends[which] for ends in links]])
        np.testing.assert_array_equal(found, expected.links[which])


@settings(max_examples=40, deadline=None)
@given(graphs(), st.integers(0, 99))
def test_a_graph_on_disk_is_the_same(graph: Graph, seed: int) -> None:
    graph = weighed(graph, seed)
    moved = on_disk(graph)
    np.testing.assert_array_equal(dense(moved), dense(graph))
    assert (repr(moved), moved.nodes, moved.changes) == (repr(graph), graph.nodes, graph.changes)
    assert storage_of(graph.adjacency.indices) == InMemory()
    if graph.n_links:
        assert storage_of(moved.adjacency.indices) == storage_of(moved.adjacency.data[1:]) == OnDisk()

"""as_graph: which objects it accepts, what it counts, and what it refuses."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import igraph
import networkx
import numpy as np
import pandas
import polars
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from philia.exceptions import InvalidGraphError
from philia.graphs import Changes, Graph, as_graph

PATH = [("a", "b"), ("b", "c")]


def links_of(graph: Graph) -> set[frozenset[Any]]:
    rows, columns = graph.links
    return {frozenset(pair) for pair in zip(graph.nodes.pick(rows), graph.nodes.pick(columns), strict=True)}


def test_a_graph_is_returned_as_it_is() -> None:
    graph = as_graph(PATH)
    assert as_graph(graph) is graph


def test_pairs_keep_their_names_and_count_what_is_dropped() -> None:
    graph = as_graph([("a", "b"), ("b", "a"), ["b", "c", 2.0], ("c", "c"), ("c", "b", 3)])
    assert list(graph.nodes) == ["a", "b", "c"]
    assert graph.changes == Changes(loops=1, duplicates=2, weights=1)


def test_any_hashable_is_a_name() -> None:
    graph = as_graph([((1, 2), "x"), (None, 3.5)])
    assert list(graph.nodes) == [(1, 2), "x", None, 3.5]


def test_numpy_integers_become_python_integers_in_ascending_order() -> None:
    for pairs in (np.array([[9, 2], [2, 5], [5, 9]]), [(np.int64(9), np.int32(2)), (2, 5), (5, np.uint8(9))]):
        names = list(as_graph(pairs).nodes)
        assert names == [2, 5, 9]
        assert {type(name) for name in names} == {int}


def test_a_generator_of_pairs_is_read() -> None:
    assert as_graph((i, i + 1) for i in range(3)).n_links == 3


def test_two_columns_of_whole_floats_are_links() -> None:
    assert list(as_graph(np.array([[1.0, 2.0], [2.0, 3.0], [1.0, 3.0]])).nodes) == [1, 2, 3]


def test_an_array_of_two_rows_and_two_columns_is_a_matrix() -> None:
    assert list(as_graph(np.array([[0, 1], [1, 0]])).nodes) == [0, 1]


def test_an_array_of_text_is_links_even_if_it_is_square() -> None:
    assert links_of(as_graph(np.array([["a", "b"], ["b", "c"]]))) == {frozenset("ab"), frozenset("bc")}


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "bsr", "dia", "lil", "dok"])
def test_every_sparse_format_is_read(form: str) -> None:
    matrix = sparse.coo_array(np.array([[0, 1, 0], [1, 0, 2.5], [0, 2.5, 1]])).asformat(form)
    graph = as_graph(matrix)
    assert links_of(graph) == {frozenset([0, 1]), frozenset([1, 2])}
    assert graph.changes == Changes(loops=1, weights=1)


def test_a_stored_zero_is_not_a_link() -> None:
    matrix = sparse.csr_array((np.array([0.0, 0.0, 1.0, 1.0]), ([0, 1, 1, 2], [1, 0, 2, 1])), shape=(3, 3))
    assert as_graph(matrix).n_links == 1
    assert matrix.nnz == 4


@pytest.mark.parametrize("kind", [np.bool_, np.int8, np.uint8, np.float32, object])
def test_dense_matrices_of_every_kind_are_read(kind: Any) -> None:
    assert as_graph(np.array([[0, 1], [1, 0]]).astype(kind)).n_links == 1


def test_a_matrix_without_rows_is_a_graph_without_nodes() -> None:
    assert (as_graph(np.zeros((0, 0))).n_nodes, as_graph(sparse.csr_array((0, 0))).n_nodes) == (0, 0)


def test_symmetrizing_counts_one_sided_entries() -> None:
    matrix = np.array([[0, 1, 1], [1, 0, 0], [0, 2, 1]])
    assert as_graph(matrix, symmetrize=True).changes == Changes(loops=1, directions=2, weights=1)


@settings(max_examples=60)
@given(
    st.integers(1, 8).flatmap(
        lambda n: st.lists(st.lists(st.integers(0, 2), min_size=n, max_size=n), min_size=n, max_size=n)
    )
)
def test_symmetrizing_gives_what_counting_by_hand_gives(rows: list[list[int]]) -> None:
    n = len(rows)
    arcs = {(i, j) for i in range(n) for j in range(n) if rows[i][j] and i != j}
    graph = as_graph(np.array(rows), symmetrize=True)
    assert links_of(graph) == {frozenset(arc) for arc in arcs}
    assert graph.changes == Changes(
        loops=sum(rows[i][i] > 0 for i in range(n)),
        directions=sum((j, i) not in arcs for i, j in arcs),
        weights=len({frozenset((i, j)) for i, j in arcs if rows[i][j] == 2}),
    )


def test_weights_that_differ_by_direction_are_weights_like_others() -> None:
    assert as_graph(np.array([[0, 2], [1, 0]])).changes == Changes(weights=1)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (np.zeros((2, 3)), "2 x 3"),
        (np.array([[0, 1, 2, 3], [1, 2, 3, 4]]), r"transposed \(array.T\)"),
        (np.zeros(4), "square"),
        (np.array([[0, 1], [0, 0]]), r"1 pair of nodes, .*\(0, 1\) is 1 and \(1, 0\) is 0.*symmetrize=True"),
        (np.array([[0, np.nan], [np.nan, 0]]), "2 entries that are not finite.*nan at row 0, column 1"),
        (np.array([[0, np.inf], [np.inf, 0]]), "not finite"),
        (np.array([[0, -1], [-1, 0]]), "2 entries that are negative.*-1 at row 0, column 1"),
        (np.array([[0, 1j], [1j, 0]]), "complex"),
        (np.array([[0.5, 1], [1, 2], [3, 4]]), "whole numbers"),
        ([("a",)], r"\('a',\), 1 values"),
        (["ab", "cd"], "'ab'; a link is a pair"),
        ([1, 2], "a link is a pair"),
        ([], "no links"),
        (np.zeros((0, 2)), "no links"),
        ([(["a"], "b")], "list, which cannot be looked up"),
        ([(float("nan"), 1)], "missing"),
        ([[0, 1, 1], [1, 0, 0], [1, 0, 0]], "matrix or three links"),
        ([[0, 1, 1, 0]] * 4, "numpy.array"),
        ({"a": {"b": 1}}, "dict cannot be read as a graph; give a philia Graph"),
        (42, "int cannot be read"),
        (None, "NoneType cannot be read"),
        (pandas.DataFrame({"a": [1]}), "1 column"),
        (pandas.DataFrame({"a": [], "b": []}), "no rows"),
        (pandas.DataFrame({"a": [1, None], "b": [2, 3], "c": [1, 1]}), "1 name is missing"),
        (pandas.Series([1, 2]), "a link is a pair"),
        (polars.DataFrame({"a": ["x", None], "b": ["y", "z"]}), "1 name is missing"),
        (polars.LazyFrame({"a": ["x"], "b": ["y"]}), "collect"),
        (SimpleNamespace(edge_index=np.array([[0], [5]]), num_nodes=3), "there are 3 nodes"),
    ],
)  # fmt: skip
def test_anything_but_a_graph_is_refused_with_a_reason(wrong: Any, said: str) -> None:
    with pytest.raises(InvalidGraphError, match=said):
        as_graph(wrong)


def test_a_damaged_sparse_matrix_is_refused_instead_of_crashing() -> None:
    matrix = sparse.csr_array(np.array([[0, 1], [1, 0]]))
    matrix.indices[0] = 10**6
    with pytest.raises(InvalidGraphError, match="damaged"):
        as_graph(matrix)


def test_networkx_graphs_keep_names_order_and_isolated_nodes() -> None:
    x = networkx.Graph(PATH)
    x.add_node("alone")
    x.add_edge("c", "c")
    graph = as_graph(x)
    assert list(graph.nodes) == ["a", "b", "c", "alone"]
    assert graph.changes == Changes(loops=1)


def test_a_reciprocal_pair_of_a_directed_graph_is_one_link_and_no_repetition() -> None:
    x = networkx.DiGraph([(1, 2), (2, 1), (2, 3)])
    x[2][3]["weight"] = 7
    assert as_graph(x).changes == Changes(directions=1, weights=1)


def test_parallel_edges_are_repetitions() -> None:
    assert as_graph(networkx.MultiGraph([(1, 2), (2, 1), (1, 2)])).changes == Changes(duplicates=2)
    assert as_graph(networkx.MultiDiGraph([(1, 2), (1, 2), (2, 1)])).changes == Changes(duplicates=1)


@settings(max_examples=40)
@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=20))
def test_networkx_and_igraph_and_pyg_agree(arcs: list[tuple[int, int]]) -> None:
    x = networkx.MultiDiGraph()
    x.add_nodes_from(range(6))
    x.add_edges_from(arcs)
    graph = as_graph(x)
    y = igraph.Graph(n=6, edges=arcs, directed=True)
    z = SimpleNamespace(edge_index=np.array(arcs, np.int64).reshape(-1, 2).T, num_nodes=6)
    for other in (as_graph(y), as_graph(z)):
        assert links_of(other) == links_of(graph)
        assert other.changes == graph.changes


def test_igraph_names_are_the_names() -> None:
    x = igraph.Graph(edges=[(0, 1), (1, 2)], vertex_attrs={"name": ["a", "b", "c"]}, edge_attrs={"weight": [1, 0.5]})
    graph = as_graph(x)
    assert list(graph.nodes) == ["a", "b", "c"]
    assert graph.changes == Changes(weights=1)
    x.vs["name"] = ["a", "a", "b"]
    with pytest.raises(InvalidGraphError, match="'a' is given to more than one node"):
        as_graph(x)


@pytest.mark.parametrize("names", [("source", "target"), ("From", "To"), ("u", "v"), ("src", "dst"), ("left", "right")])
@pytest.mark.parametrize("library", [pandas, polars])
def test_frames_are_read_by_the_names_of_their_columns(library: Any, names: tuple[str, str]) -> None:
    frame = library.DataFrame({names[0]: ["a", "b"], names[1]: ["b", "c"], "weight": [1.0, 2.0]})
    graph = as_graph(frame)
    assert links_of(graph) == {frozenset("ab"), frozenset("bc")}
    assert graph.changes == Changes(weights=1)


def test_usual_column_names_win_over_the_order_of_columns() -> None:
    frame = pandas.DataFrame({"year": [2000, 2001], "source": ["a", "b"], "target": ["b", "c"]})
    assert list(as_graph(frame).nodes) == ["a", "b", "c"]


def test_categories_and_nullable_integers_of_pandas_are_names() -> None:
    frame = pandas.DataFrame({"a": pandas.Categorical(["x", "y"]), "b": pandas.Categorical(["y", "z"])})
    assert list(as_graph(frame).nodes) == ["x", "y", "z"]
    frame = pandas.DataFrame({"a": pandas.array([4, 2], "Int64"), "b": pandas.array([2, 9], "Int64"), "c": [1, 1]})
    assert list(as_graph(frame).nodes) == [2, 4, 9]


def test_a_frame_whose_index_equals_its_columns_is_a_matrix() -> None:
    frame = pandas.DataFrame([[0, 1, 0], [1, 0, 1], [0, 1, 0]], index=list("abc"), columns=list("abc"))
    assert as_graph(frame).neighbours("b") == ["a", "c"]


def test_integers_beyond_64_bits_are_kept() -> None:
    large = np.array([[2**63, 1], [1, 5], [5, 2**63]], np.uint64)
    assert list(as_graph(large).nodes) == [1, 5, 2**63]


def test_edge_index_of_tensors_is_read_with_its_weights() -> None:
    class Tensor:
        """What a tensor of torch offers for being read."""

        def __init__(self, values: Any) -> None:
            self.values = np.array(values)

        def detach(self) -> Tensor:
            return self

        cpu = detach

        def numpy(self) -> Any:
            return self.values

    data = SimpleNamespace(edge_index=Tensor([[0, 1, 1], [1, 0, 2]]), num_nodes=4, edge_weight=Tensor([1, 1, 3]))
    graph = as_graph(data)
    assert (graph.n_nodes, graph.n_links) == (4, 2)
    assert graph.changes == Changes(directions=1, weights=1)


def test_a_path_is_read_as_a_file(tmp_path: Path) -> None:
    path = tmp_path / "links.txt"
    path.write_text("a b\nb c\n")
    assert links_of(as_graph(path)) == links_of(as_graph(str(path))) == {frozenset("ab"), frozenset("bc")}


def test_reading_a_list_of_pairs_loads_no_other_library() -> None:
    program = (
        "import sys; from philia.graphs import as_graph; as_graph([(1, 2)]); "
        "print({'numba', 'networkx', 'igraph', 'pandas', 'polars', 'pyarrow', 'torch', 'sklearn'} & set(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, env=dict(os.environ)
    )
    assert done.stdout.strip() == "set()"

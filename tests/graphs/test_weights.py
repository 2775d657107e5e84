"""Weights are dropped and counted, or kept if asked for, in every object and file format."""

from __future__ import annotations

import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import igraph
import networkx
import numpy as np
import pandas
import polars
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import io as scipy_io
from scipy import sparse

from philia.datasets.catalog import induced
from philia.exceptions import InvalidGraphError
from philia.graphs import Changes, Graph, Nodes, as_graph, read_graph, write_graph
from philia.graphs.files.dialect import Dialect
from philia.graphs.files.edge_list import graph_of, scan_weighted_blocks

LINKS = [(0, 1, 2.5), (1, 2, 1.0), (0, 2, 0.25)]
MATRIX = np.array([[0, 2.5, 0.25], [2.5, 0, 1], [0.25, 1, 0]])
TABLE = {"source": [0, 1, 0], "weight": [2.5, 1.0, 0.25], "target": [1, 2, 2]}
ENDS = np.array([[0, 1, 0, 1, 2, 2], [1, 2, 2, 0, 1, 0]])


def networkx_graph(kind: Any = networkx.Graph) -> Any:
    graph = kind()
    graph.add_weighted_edges_from(LINKS)
    return graph


def igraph_graph() -> Any:
    graph = igraph.Graph(edges=[(u, v) for u, v, _ in LINKS])
    graph.es["weight"] = [2.5, None, 0.25]
    return graph


SOURCES: dict[str, Any] = {
    "pairs": LINKS,
    "pairs with a dictionary": [(0, 1, {"weight": 2.5}), (1, 2, {}), (0, 2, {"weight": 0.25})],
    "array": MATRIX,
    "sparse": sparse.csr_matrix(MATRIX),
    "coo": sparse.coo_array(MATRIX),
    "named matrix": pandas.DataFrame(MATRIX, index=[0, 1, 2], columns=[0, 1, 2]),
    "pandas": pandas.DataFrame(TABLE),
    "pandas with a gap": pandas.DataFrame({**TABLE, "weight": [2.5, np.nan, 0.25]}),
    "polars": polars.DataFrame(TABLE),
    "networkx": networkx_graph(),
    "directed networkx": networkx_graph(networkx.DiGraph),
    "igraph": igraph_graph(),
    "edge_index": SimpleNamespace(
        edge_index=ENDS, num_nodes=3, edge_weight=np.array([2.5, 1.0, 0.25, 2.5, 1.0, 0.25], np.float32)
    ),
}


def weights_of(graph: Graph) -> dict[tuple[Any, Any], float]:
    rows, columns = graph.links
    weights = np.ones(rows.size) if graph.link_weights is None else graph.link_weights
    pairs = zip(graph.nodes.pick(rows), graph.nodes.pick(columns), strict=True)
    return dict(zip(pairs, weights.tolist(), strict=True))


def assert_aligned(graph: Graph) -> None:
    """The weights are symmetric, in the order of the entries, and cannot be written to."""
    assert graph.weights is not None
    A = graph.adjacency
    W = sparse.csr_array((graph.weights, A.indices, A.indptr), shape=A.shape).toarray()
    np.testing.assert_array_equal(W, W.T)
    rows, columns = graph.links
    np.testing.assert_array_equal(W[rows, columns], graph.link_weights)
    assert not graph.weights.flags.writeable


@pytest.mark.parametrize("source", SOURCES)
def test_every_object_gives_its_weights_if_they_are_asked_for(source: str) -> None:
    graph = as_graph(SOURCES[source], weights=True)
    assert weights_of(graph) == {(0, 1): 2.5, (1, 2): 1.0, (0, 2): 0.25}
    assert graph.changes.weights == 0
    assert_aligned(graph)


@pytest.mark.parametrize("source", SOURCES)
def test_every_object_loses_its_weights_otherwise_and_they_are_counted(source: str) -> None:
    graph = as_graph(SOURCES[source])
    assert graph.weights is None
    assert graph.changes.weights == 2
    assert (graph.adjacency != as_graph(SOURCES[source], weights=True).adjacency).nnz == 0


TEXTS = {
    "graph.txt": "0 1 2.5\n1 2\n0 2 0.25\n",
    "graph.csv": "source,note,weight,target\n0,x,2.5,1\n1,y,1,2\n0,z,.25,2\n",
    "graph.mtx": "%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n2 1 2.5\n3 2 1\n3 1 0.25\n",
    "graph.gml": "graph [ node [ id 0 ] node [ id 1 ] node [ id 2 ] edge [ source 0 target 1 value 2.5 ]"
    " edge [ source 1 target 2 ] edge [ source 0 target 2 weight 0.25 ] ]",
    "graph.graphml": '<graphml><key id="d0" for="edge" attr.name="weight"><default>1</default></key>'
    '<graph edgedefault="undirected"><node id="0"/><node id="1"/><node id="2"/>'
    '<edge source="0" target="1"><data key="d0">2.5</data></edge><edge source="1" target="2"/>'
    '<edge source="0" target="2" directed="true"><data key="d0">0.25</data></edge></graph></graphml>',
}


@pytest.mark.parametrize("name", [*TEXTS, "graph.npz", "graph.mat", "graph.parquet"])
def test_every_file_gives_its_weights_if_they_are_asked_for(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    if name in TEXTS:
        path.write_text(TEXTS[name])
    elif name == "graph.npz":
        sparse.save_npz(path, sparse.csr_array(MATRIX))
    elif name == "graph.mat":
        scipy_io.savemat(path, {"network": sparse.csc_matrix(MATRIX)})
    else:
        polars.DataFrame(TABLE).write_parquet(path)
    graph = read_graph(path, weights=True)
    assert weights_of(graph) == {(0, 1): 2.5, (1, 2): 1.0, (0, 2): 0.25}
    assert_aligned(graph)
    assert graph.changes.weights == 0
    plain = as_graph(path)
    assert plain.weights is None
    assert plain.changes.weights == 2


def test_the_weights_of_a_repeated_link_are_added() -> None:
    graph = as_graph([("a", "b", 2), ("b", "a"), ("c", "c", 9), ("b", "c", 0.5), ("a", "b", 0.25)], weights=True)
    assert weights_of(graph) == {("a", "b"): 3.25, ("b", "c"): 0.5}
    assert graph.changes == Changes(loops=1, duplicates=2)
    assert repr(graph) == "Graph(3 nodes, 2 links, weighted; 1 self-loop dropped, 2 repeated links merged)"


def test_plain_links_that_are_repeated_are_counted(tmp_path: Path) -> None:
    array = np.array([[0, 1], [1, 0], [1, 2], [0, 1]])
    assert weights_of(as_graph(array, weights=True)) == {(0, 1): 3.0, (1, 2): 1.0}
    multi = networkx.MultiGraph([(0, 1), (0, 1), (1, 2)])
    assert weights_of(as_graph(multi, weights=True)) == {(0, 1): 2.0, (1, 2): 1.0}
    path = tmp_path / "twice.jlg"
    path.write_text("3,3,u,g\n1,2\n1,2\n2,3\n")
    assert weights_of(read_graph(path, weights=True)) == {(1, 2): 2.0, (2, 3): 1.0}


def test_the_two_directions_of_a_directed_graph_are_added() -> None:
    directed = networkx.DiGraph()
    directed.add_weighted_edges_from([(0, 1, 2.0), (1, 0, 2.0), (1, 2, 5.0)])
    graph = as_graph(directed, weights=True)
    assert weights_of(graph) == {(0, 1): 4.0, (1, 2): 5.0}
    assert graph.changes == Changes(directions=1)


def test_a_matrix_that_is_not_symmetric_has_its_two_sides_added_if_that_is_asked_for() -> None:
    matrix = np.array([[0, 2, 0], [3, 0, 0], [0, 4, 0]])
    assert weights_of(as_graph(matrix, symmetrize=True, weights=True)) == {(0, 1): 5.0, (1, 2): 4.0}
    assert weights_of(as_graph(MATRIX, symmetrize=True, weights=True)) == weights_of(as_graph(MATRIX, weights=True))
    with pytest.raises(InvalidGraphError, match=r"\(0, 1\) is 2 and \(1, 0\) is 3; .* symmetrize=True to add"):
        as_graph(matrix[:2, :2], weights=True)
    assert as_graph(matrix[:2, :2]).changes.weights == 1


def test_rounding_does_not_make_a_matrix_asymmetric() -> None:
    graph = as_graph(np.array([[0, 0.1 + 0.2], [0.3, 0]]), weights=True)
    assert weights_of(graph)[0, 1] == pytest.approx(0.3)


def test_an_edge_index_with_every_link_in_both_directions_has_each_once(tmp_path: Path) -> None:
    path = tmp_path / "links.npz"
    for arrays in ({"edge_index": ENDS}, {"edge_index": ENDS, "num_nodes": np.array(3)}):
        np.savez(path, **arrays)  # type: ignore[arg-type]
        assert read_graph(path, weights=True).weights is None
    one_way = SimpleNamespace(edge_index=ENDS[:, :3], num_nodes=3, edge_weight=np.array([2.5, 1.0, 0.25]))
    assert weights_of(as_graph(one_way, weights=True)) == {(0, 1): 2.5, (1, 2): 1.0, (0, 2): 0.25}


@pytest.mark.parametrize("weight", [0, -2.0, np.inf, np.nan])
@pytest.mark.parametrize("make", [lambda links: links, lambda links: _networkx(links)], ids=["pairs", "networkx"])
def test_a_weight_that_is_not_finite_and_above_zero_is_refused(make: Any, weight: float) -> None:
    links = [("ann", "bob", 1.0), ("bob", "cat", weight)]
    found = "a weight that is not a number" if weight != weight else f"the weight {float(weight)}"
    with pytest.raises(InvalidGraphError, match=f"link of 'bob' and 'cat' has {found}; .* finite number above 0"):
        as_graph(make(links), weights=True)
    assert as_graph(make(links)).changes.weights == 1


def _networkx(links: list[tuple[str, str, float]]) -> Any:
    graph = networkx.Graph()
    graph.add_weighted_edges_from(links)
    return graph


def test_weights_of_mixed_and_bad_files_are_refused_too(tmp_path: Path) -> None:
    path = tmp_path / "links.txt"
    path.write_text("ann bob 1\nbob cat 0\n")
    with pytest.raises(InvalidGraphError, match=r"'bob' and 'cat' has the weight 0\.0"):
        read_graph(path, weights=True)
    mixed = tmp_path / "mixed.graphml"
    mixed.write_text(TEXTS["graph.graphml"].replace("2.5", "-3"))
    with pytest.raises(InvalidGraphError, match=r"has the weight -3\.0"):
        read_graph(mixed, weights=True)
    with pytest.raises(InvalidGraphError, match=r"weight column holds text, not numbers; convert it first"):
        as_graph(pandas.DataFrame({"u": [1], "v": [2], "weight": ["much"]}), weights=True)
    loops = as_graph([("a", "a", -1), ("a", "b", 2)], weights=True)
    assert weights_of(loops) == {("a", "b"): 2.0}


def test_a_graph_comes_back_with_its_weights_whatever_is_asked() -> None:
    graph = as_graph(LINKS, weights=True)
    assert as_graph(graph) is graph
    plain = as_graph([(0, 1), (1, 2)], weights=True)
    assert plain.weights is None
    assert repr(plain) == "Graph(3 nodes, 2 links)"


def test_renamed_graphs_and_parts_keep_weights() -> None:
    graph = as_graph(LINKS, weights=True)
    assert weights_of(graph.renamed(Nodes("abc"))) == {("a", "b"): 2.5, ("b", "c"): 1.0, ("a", "c"): 0.25}
    assert weights_of(induced(graph, np.array([0, 2]))) == {(0, 2): 0.25}


def test_a_file_of_several_blocks_keeps_its_weights() -> None:
    links = scan_weighted_blocks([b"a b 2\nb c 0.5\n", b"c a 7\n", b"a b\n"], Dialect(weight=2))
    assert weights_of(graph_of(links, keep_weights=True)) == {("a", "b"): 3.0, ("b", "c"): 0.5, ("a", "c"): 7.0}


@pytest.mark.parametrize("form", [".txt", ".csv", "", ".mtx", ".npz", ".graphml", ".gexf", ".gml", ".parquet"])
@settings(max_examples=25, deadline=None)
@given(
    links=st.dictionaries(
        st.sampled_from([(0, 1), (1, 2), (0, 2), (3, 1), (2, 3)]),
        st.floats(1e-300, 1e149) | st.integers(1, 9).map(float),
        min_size=1,
    ),
    names=st.sampled_from([[0, 1, 2, 3, 4], ["u", "v", "weight", "12", "a b"], ["source", "target", "x", "y", "z"]]),
)
@example(links={(0, 1): 2.0, (2, 3): 1e-07}, names=["u", "v", "weight", "12", "a b"])
def test_weights_come_back_as_they_were_written(
    form: str, links: dict[tuple[int, int], float], names: list[Any]
) -> None:
    ends = np.array(list(links)).T
    graph = Graph.from_rows(ends[0], ends[1], Nodes(names), weights=np.array(list(links.values())))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"graph{form}"
        write_graph(graph, path)
        read = read_graph(path, weights=True)
        plain = read_graph(path)
    expected = {frozenset(pair): weight for pair, weight in weights_of(graph).items()}
    assert {frozenset(pair): weight for pair, weight in weights_of(read).items()} == expected
    assert plain.weights is None
    assert plain.changes.weights == sum(weight != 1 for weight in expected.values())


def test_other_programs_read_the_written_weights(tmp_path: Path) -> None:
    graph = as_graph([("a", "b", 2.5), ("b", "c", 1e-7)], weights=True)
    for form, read in ((".gml", networkx.read_gml), (".graphml", networkx.read_graphml)):
        write_graph(graph, tmp_path / f"graph{form}")
        assert read(tmp_path / f"graph{form}")["b"]["c"]["weight"] == 1e-7
    write_graph(as_graph(LINKS, weights=True), tmp_path / "graph.npz")
    np.testing.assert_array_equal(sparse.load_npz(tmp_path / "graph.npz").toarray(), MATRIX)

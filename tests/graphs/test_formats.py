"""read_graph on everything that is not an edge list, with files written by other programs where possible."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

import igraph
import networkx
import numpy as np
import pandas
import polars
import pytest
from scipy import io as scipy_io
from scipy import sparse

from philia.exceptions import GraphFileError, InvalidGraphError, MissingDependencyError, NotEnoughMemoryError
from philia.graphs import Changes, Graph, read_graph
from philia.graphs.files import parquet

MARKET = "%%MatrixMarket matrix coordinate "


def links_of(graph: Graph) -> set[frozenset[Any]]:
    rows, columns = graph.links
    return {frozenset(pair) for pair in zip(graph.nodes.pick(rows), graph.nodes.pick(columns), strict=True)}


@pytest.fixture
def read(tmp_path: Path) -> Any:
    """Write text or bytes to a file and read it as a graph."""

    def write_and_read(content: str | bytes, name: str, **options: Any) -> Graph:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return read_graph(path, **options)

    return write_and_read


def test_a_symmetric_matrix_market_file_is_read(read: Any) -> None:
    graph = read(MARKET + "pattern symmetric\n% by hand\n3 3 3\n2 1\n3 2\n3 3\n", "x.mtx")
    assert links_of(graph) == {frozenset([0, 1]), frozenset([1, 2])}
    assert graph.changes == Changes(loops=1)


def test_half_of_a_general_matrix_needs_to_be_symmetrized(read: Any) -> None:
    text = MARKET + "real general\n3 3 2\n2 1 1\n3 2 4.5\n"
    with pytest.raises(InvalidGraphError, match=r"x\.mtx: the matrix is not symmetric.*symmetrize=True"):
        read(text, "x.mtx")
    assert read(text, "x.mtx", symmetrize=True).changes == Changes(directions=2, weights=1)


@pytest.mark.parametrize("size", [30, 3000, 300_000])
def test_a_matrix_market_file_of_any_size_is_read(read: Any, size: int) -> None:
    links = "".join(f"{row + 1} {row}\n" for row in range(1, size))
    assert read(f"{MARKET}pattern symmetric\n{size} {size} {size - 1}\n{links}", "x.mtx").n_links == size - 1


def test_a_dense_matrix_market_file_is_read(read: Any) -> None:
    assert read("%%MatrixMarket matrix array real general\n2 2\n0\n1\n1\n0\n", "x.mtx").n_links == 1


def test_a_matrix_market_file_is_recognized_by_its_first_line(read: Any) -> None:
    assert read(MARKET + "pattern symmetric\n5 5 1\n2 1\n", "x.txt").n_nodes == 5


@pytest.mark.parametrize(
    ("text", "error", "said"),
    [
        ("%%MatrixMarket matrix array real general\n99999999 99999999\n1\n", GraphFileError, "has 1; it is truncated"),
        (
            MARKET + "pattern symmetric\n9999999999999 9999999999999 1\n2 1\n",
            GraphFileError,
            "nodes but has entries for 2",
        ),
        (MARKET + "pattern symmetric\n5 5 999999999999\n2 1\n", GraphFileError, "but has 1; it is truncated"),
        (MARKET + "pattern general\n2 3 1\n2 1\n", GraphFileError, "2 x 3"),
        (MARKET + "pattern symmetric\n5 5 2\n2 1\n", GraphFileError, "not a valid MatrixMarket file"),
        (MARKET + "pattern symmetric\n5 5 1\n9 1\n", GraphFileError, "not a valid MatrixMarket file"),
        (MARKET + "real symmetric\n2 2 1\n2 1 -3\n", InvalidGraphError, "negative"),
        ("hello\n", GraphFileError, "not a valid MatrixMarket file"),
        ("", GraphFileError, "not a valid MatrixMarket file"),
    ],
)
def test_an_invalid_matrix_market_file_is_refused(read: Any, text: str, error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=r"x\.mtx: .*" + said):
        read(text, "x.mtx")


def saved(**arrays: Any) -> bytes:
    held = io.BytesIO()
    np.savez(held, **arrays)
    return held.getvalue()


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "bsr", "dia"])
def test_saved_sparse_matrices_are_read(tmp_path: Path, form: str) -> None:
    matrix = sparse.coo_array(np.array([[0, 1, 0], [1, 0, 3], [0, 3, 0]])).asformat(form)
    sparse.save_npz(tmp_path / "x.npz", matrix)
    assert read_graph(tmp_path / "x.npz").changes == Changes(weights=1)


def test_links_in_arrays_are_read(read: Any) -> None:
    edges = np.array([[0, 1], [1, 2], [5, 5]])
    assert list(read(saved(edges=edges), "x.npz").nodes) == [0, 1, 2, 5]
    assert read(saved(edges=edges, node_labels=np.zeros(9)), "x.npz").n_nodes == 9
    both = np.array([[0, 1, 1], [1, 0, 2]])
    assert read(saved(edge_index=both, num_nodes=4), "x.npz").changes == Changes(directions=1)


def test_a_zip_archive_of_a_table_is_told_from_arrays(read: Any) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("links.csv", "ann,bob\n")
    for name in ("links.zip", "links.npz"):
        with pytest.raises(GraphFileError, match=r"a zip archive with 'links\.csv' in it; unpack it first"):
            read(packed.getvalue(), name)


def test_a_damaged_sparse_matrix_in_a_file_is_refused(read: Any) -> None:
    parts = {"format": b"csr", "shape": (2, 2), "data": np.ones(2), "indptr": np.array([0, 1, 2])}
    with pytest.raises(InvalidGraphError, match="damaged"):
        read(saved(indices=np.array([10**6, 0]), **parts), "x.npz")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (saved(a=np.ones(3)), "the arrays in the file are 'a'; expected"),
        (saved(edges=np.array([[0, {}]], dtype=object)), "pickled objects"),
        (saved(edges=np.ones((3, 3))), "two integers"),
        (saved(edges=np.array([[0, 7]]), node_labels=np.zeros(3)), "there are 3 nodes"),
        (b"PK\x03\x04 and no more", "not a valid .npz file"),
        (b"nothing", "not a valid .npz file"),
    ],
)
def test_an_invalid_array_file_is_refused(read: Any, content: bytes, said: str) -> None:
    with pytest.raises(GraphFileError, match=said):
        read(content, "x.npz")


def test_an_array_file_that_unpacks_beyond_all_memory_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    np.savez_compressed(tmp_path / "x.npz", edges=np.zeros((10**5, 2), np.int64))
    monkeypatch.setattr("philia.storage.memory.available_memory", lambda: 10**5)
    with pytest.raises(NotEnoughMemoryError):
        read_graph(tmp_path / "x.npz")


def test_the_network_of_a_matlab_file_is_read(tmp_path: Path) -> None:
    square = sparse.csc_array(np.array([[0, 1.0], [1, 0]]))
    scipy_io.savemat(tmp_path / "a.mat", {"network": square, "other": np.eye(3)})
    scipy_io.savemat(tmp_path / "b.mat", {"G": square, "labels": np.ones((2, 5))}, do_compression=True)
    scipy_io.savemat(tmp_path / "c.mat", {"G": square, "H": np.eye(3)})
    assert read_graph(tmp_path / "a.mat").n_links == read_graph(tmp_path / "b.mat").n_links == 1
    with pytest.raises(GraphFileError, match=r"no matrix 'network' .* 'G' \(2 x 2 sparse\), 'H' \(3 x 3 double\)"):
        read_graph(tmp_path / "c.mat")


def test_an_invalid_matlab_file_is_refused(read: Any) -> None:
    for content in (
        b"",
        b"MATLAB 5.0 MAT-file" + bytes(200),
        b"MATLAB 7.3 MAT-file" + b" " * 105 + b"\x00\x02IM" + bytes(50),
    ):
        with pytest.raises(GraphFileError, match="MATLAB"):
            read(content, "x.mat")


@pytest.fixture
def directed() -> Any:
    x = networkx.DiGraph()
    x.add_edge("a & b", 'c "d"', weight=2.0)
    x.add_edge('c "d"', "a & b")
    x.add_edge("é日", "a & b")
    x.add_edge("é日", "é日")
    x.add_node("alone")
    return x


def test_what_networkx_writes_is_read(tmp_path: Path, directed: Any) -> None:
    networkx.write_graphml(directed, tmp_path / "x.graphml")
    networkx.write_gml(directed, tmp_path / "x.gml")
    for name in ("x.graphml", "x.gml"):
        graph = read_graph(tmp_path / name)
        assert list(graph.nodes) == list(directed.nodes)
        assert links_of(graph) == {frozenset(["a & b", 'c "d"']), frozenset(["é日", "a & b"])}
        assert graph.changes == Changes(loops=1, directions=1, weights=1)


def test_integers_that_networkx_writes_come_back_as_graphml_and_gml_hold_them(tmp_path: Path) -> None:
    x = networkx.path_graph(3)
    networkx.write_graphml(x, tmp_path / "x.graphml")
    networkx.write_gml(x, tmp_path / "x.gml")
    assert list(read_graph(tmp_path / "x.graphml").nodes) == [0, 1, 2]
    assert (
        list(read_graph(tmp_path / "x.gml").nodes)
        == list(networkx.read_gml(tmp_path / "x.gml").nodes)
        == ["0", "1", "2"]
    )


def test_what_igraph_writes_is_read_by_name(tmp_path: Path) -> None:
    x = igraph.Graph(n=3, edges=[(0, 1), (1, 2)], vertex_attrs={"name": ["a", "b", "c"]})
    x.write_graphml(str(tmp_path / "x.graphml"))
    x.write_gml(str(tmp_path / "x.gml"))
    for name in ("x.graphml", "x.gml"):
        assert list(read_graph(tmp_path / name).nodes) == ["a", "b", "c"]


def graphml(inside: str, default: str = "undirected") -> str:
    space = "http://graphml.graphdrawing.org/xmlns"
    return f'<graphml xmlns="{space}"><graph edgedefault="{default}">{inside}</graph></graphml>'


NODES = '<node id="1"/><node id="2"/><node id="3"/>'


def test_edges_of_graphml_may_come_before_nodes_and_be_of_both_kinds(read: Any) -> None:
    edges = '<edge source="1" target="2"/><edge source="2" target="3" directed="true"/><edge source="3" target="3"/>'
    graph = read(graphml(edges + NODES), "x.graphml")
    assert list(graph.nodes) == [1, 2, 3]
    assert graph.changes == Changes(loops=1, directions=1)


def test_a_default_weight_of_graphml_counts(read: Any) -> None:
    key = '<key id="d0" for="edge" attr.name="weight" attr.type="double"><default>2.5</default></key>'
    text = graphml(NODES + '<edge source="1" target="2"/>').replace("<graph ", key + "<graph ")
    assert read(text, "x.graphml").changes == Changes(weights=1)


BOMB = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]>'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (BOMB + graphml(NODES), "DOCTYPE"),
        (BOMB.replace("DOCTYPE x", "DOCTYPE x SYSTEM 'file:///etc/passwd'") + graphml(NODES), "DOCTYPE"),
        ((BOMB + graphml(NODES)).encode("utf-16"), "DOCTYPE"),
        (graphml(NODES)[:-9], "not valid XML"),
        (graphml(NODES + '<edge source="1" target="9"/>'), "ends at '9', but no such node"),
        (graphml(NODES + '<node id="1"/>'), "declared twice"),
        (graphml(NODES + '<edge source="1"/>'), "no target"),
        (graphml("<node/>"), "no id"),
        (graphml("<hyperedge/>"), "hyperedge"),
        (graphml('<node id="1"><graph/></node>'), "more than one graph"),
        ("<html/>", "no <graph>"),
        ("", "not valid XML"),
    ],
)
def test_an_invalid_graphml_file_is_refused(read: Any, text: str | bytes, said: str) -> None:
    with pytest.raises(GraphFileError, match=r"x\.graphml: .*" + said):
        read(text, "x.graphml")


def test_a_gml_file_with_comments_and_odd_spacing_is_read(read: Any) -> None:
    text = (
        '# by hand\nCreator "me"\ngraph[directed 0 node[id 1 label "a"]\n  # one more\n'
        'node [ id 2 label "b # no comment" ]\nedge[source 1 target 2 value 3.5]]'
    )
    graph = read(text, "x.gml")
    assert list(graph.nodes) == ["a", "b # no comment"]
    assert graph.changes == Changes(weights=1)


def test_labels_that_are_not_unique_give_way_to_ids(read: Any) -> None:
    assert list(read('graph [ node [ id 5 label "a" ] node [ id 3 label "a" ] ]', "x.gml").nodes) == [5, 3]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "0 graphs"),
        ("graph [ ] graph [ ]", "2 graphs"),
        ("graph [ node [ id 1 ]", "truncated"),
        ("graph [ node [ id 1 ] ] ]", "closes nothing"),
        ("graph [\nnode [ id ] ]", "line 2 has the key 'id' without a value"),
        ('graph [ "node" 1 ]', "where a key should be"),
        ('graph [ node [ id 1 label "a ] ]', "never closed"),
        ("graph [ node [ label 3 ] ]", "no id"),
        ("graph [ node [ id 1 ] edge [ source 1 target 2 ] ]", "ends at 2"),
        ("graph " * 1 + "[ a " * 200, "nested lists"),
    ],
)
def test_an_invalid_gml_file_is_refused(read: Any, text: str, said: str) -> None:
    with pytest.raises(GraphFileError, match=r"x\.gml: .*" + said):
        read(text, "x.gml")


@pytest.mark.parametrize("library", ["pyarrow", "polars"])
def test_parquet_is_read_through_either_library(tmp_path: Path, library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet, "find_spec", lambda name: name if name == library else None)
    frame = {"year": [1, 2], "source": ["a", "b"], "target": ["b", "c"], "weight": [None, 2.0]}
    polars.DataFrame(frame).write_parquet(tmp_path / "x.parquet")
    pandas.DataFrame({"v": [7, 3], "w": [3, 1]}).to_parquet(tmp_path / "y.parquet")
    graph = read_graph(tmp_path / "x.parquet")
    assert links_of(graph) == {frozenset("ab"), frozenset("bc")}
    assert graph.changes == Changes(weights=1)
    assert list(read_graph(tmp_path / "y.parquet").nodes) == [1, 3, 7]
    assert list(read_graph(tmp_path / "x.parquet", columns=("year", "target")).nodes) == [1, "b", 2, "c"]
    with pytest.raises(InvalidGraphError, match="no column 'when'"):
        read_graph(tmp_path / "x.parquet", columns=("when", "target"))


@pytest.mark.parametrize("library", ["pyarrow", "polars"])
def test_an_invalid_parquet_file_is_refused(
    tmp_path: Path, read: Any, library: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parquet, "find_spec", lambda name: name if name == library else None)
    with pytest.raises(GraphFileError, match="not a valid Parquet file"):
        read(b"PAR1 and no more", "x.parquet")
    polars.DataFrame({"a": ["x", None], "b": ["y", "z"]}).write_parquet(tmp_path / "y.parquet")
    with pytest.raises(InvalidGraphError, match="1 name is missing"):
        read_graph(tmp_path / "y.parquet")


def test_without_a_parquet_library_the_error_says_which_to_install(read: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet, "find_spec", lambda _: None)
    with pytest.raises(MissingDependencyError, match="pip install pyarrow"):
        read(b"PAR1", "x.parquet")

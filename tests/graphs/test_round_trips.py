"""Law: what is written comes back, or is refused before anything is written."""

from __future__ import annotations

import gzip
import os
import stat
import tempfile
from pathlib import Path
from typing import Any

import networkx
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import io as scipy_io
from scipy import sparse

from philia.exceptions import GraphFileError
from philia.graphs import Changes, Graph, Nodes, as_graph, read_communities, read_graph, write_communities, write_graph

EDGE_LISTS = [".txt", ".tsv", ".csv", ".edges", ".edgelist", ".ncol", ""]
FORMATS = [*EDGE_LISTS, ".mtx", ".npz", ".graphml", ".gexf", ".gml", ".parquet"]

anything = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
awkward = st.text(st.sampled_from("ab12 ,;|\t\"'#%/{}&<>é日=-:"), max_size=6)
telling = st.sampled_from(
    ["source", "target", "u", "v", "12", "007", "-3", "0", "#", "%", "//", '"', "", "{a", "nan", "a b", "weight"]
)
texts = st.lists(awkward | telling | anything, min_size=1, max_size=8, unique=True)
integers = st.lists(st.integers(-(2**63) + 1, 2**63 - 1) | st.integers(0, 9), min_size=1, max_size=8, unique=True)


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    names = Nodes(draw(st.one_of(texts, integers, st.integers(1, 6).map(lambda n: list(range(n))))))
    place = st.integers(0, len(names) - 1)
    pairs = (
        draw(st.lists(st.tuples(place, place).filter(lambda pair: pair[0] != pair[1]), max_size=10))
        if len(names) > 1
        else []
    )
    ends = np.array(pairs, np.int64).reshape(-1, 2)
    return Graph.from_rows(ends[:, 0], ends[:, 1], names)


def described(graph: Graph) -> tuple[set[Any], set[Any]]:
    rows, columns = graph.links
    links = {frozenset(pair) for pair in zip(graph.nodes.pick(rows), graph.nodes.pick(columns), strict=True)}
    return {(type(name), name) for name in graph.nodes}, links


def fits(graph: Graph, form: str) -> bool:
    """Whether the format has a way to write all names."""
    letters = {letter for name in graph.nodes for letter in str(name)}
    if form in (".graphml", ".gexf"):
        return not letters & {*map(chr, range(32)), "\ufffe", "\uffff"} - set("\t\n\r")
    return form not in EDGE_LISTS or not letters & set("\n\r\0")


@pytest.mark.parametrize("form", FORMATS)
@settings(max_examples=40, deadline=None)
@given(graph=graphs())
@example(graph=as_graph([("source", "target")]))
@example(graph=as_graph([("u", "v"), ("1", "2")]))
@example(graph=as_graph([("1", "2"), ("3", "4")]))
def test_a_graph_comes_back_as_it_was_written(form: str, graph: Graph) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"graph{form}"
        if not fits(graph, form):
            with pytest.raises(GraphFileError, match=r"one line|XML"):
                write_graph(graph, path)
            assert list(Path(folder).iterdir()) == []
            return
        write_graph(graph, path)
        read = read_graph(path)
    assert described(read) == described(graph)
    loops = int((graph.degrees == 0).sum()) if form in (*EDGE_LISTS, ".parquet") else 0
    assert read.changes == Changes(loops=loops)


@pytest.mark.parametrize(
    "form", [".txt.gz", ".csv.bz2", ".mtx.xz", ".npz.gz", ".gml.gz", ".graphml.xz", ".gexf.gz", ".parquet.gz"]
)
def test_a_graph_comes_back_from_a_compressed_file(tmp_path: Path, form: str) -> None:
    graph = as_graph([("a", "b"), ("b", "c")])
    write_graph(graph, tmp_path / f"graph{form}")
    assert described(read_graph(tmp_path / f"graph{form}")) == described(graph)


def test_the_same_graph_gives_the_same_bytes(tmp_path: Path) -> None:
    graph = as_graph([("a", "b"), ("b", "c")])
    for form in (".txt.gz", ".npz", ".csv"):
        for name in ("one", "two"):
            write_graph(graph, tmp_path / (name + form))
        assert (tmp_path / f"one{form}").read_bytes() == (tmp_path / f"two{form}").read_bytes()


@pytest.mark.parametrize("form", [".mtx", ".npz", ".graphml", ".gexf", ".gml"])
def test_a_graph_without_nodes_comes_back(tmp_path: Path, form: str) -> None:
    write_graph(as_graph(np.zeros((0, 0))), tmp_path / f"empty{form}")
    assert read_graph(tmp_path / f"empty{form}").n_nodes == 0


@pytest.mark.parametrize("form", [".txt", ".csv", ".parquet"])
def test_a_graph_without_nodes_is_refused_where_nodes_come_with_links(tmp_path: Path, form: str) -> None:
    with pytest.raises(GraphFileError, match="without nodes"):
        write_graph(as_graph(np.zeros((0, 0))), tmp_path / f"empty{form}")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.filterwarnings("ignore:The default value for `spmatrix`:DeprecationWarning")  # SciPy 1.18 and later
def test_other_programs_read_what_is_written(tmp_path: Path) -> None:
    graph = as_graph([("a & b", "c"), ("c", 'd "e"')])
    for form in (".mtx", ".npz", ".graphml", ".gml", ".csv"):
        write_graph(graph, tmp_path / f"graph{form}")
    assert sparse.load_npz(tmp_path / "graph.npz").nnz == scipy_io.mmread(tmp_path / "graph.mtx").nnz == 4
    assert set(networkx.read_graphml(tmp_path / "graph.graphml").edges) == {("a & b", "c"), ("c", 'd "e"')}
    assert set(networkx.read_gml(tmp_path / "graph.gml").edges) == {("a & b", "c"), ("c", 'd "e"')}
    assert (tmp_path / "graph.csv").read_text() == 'source,target\n"a & b",c\nc,"d ""e"""\n'


@pytest.mark.parametrize(
    ("names", "said"),
    [
        ([1, "a"], "1 is a int"),
        ([(1, 2), "a"], "tuple"),
        ([True, False], "bool"),
        ([2**70, 1], "int"),
        (["\ud800", "a"], "half a character"),
    ],
)
def test_names_that_no_file_can_bring_back_are_refused(tmp_path: Path, names: list[Any], said: str) -> None:
    with pytest.raises(GraphFileError, match=said):
        write_graph(as_graph([tuple(names)]), tmp_path / "graph.gml")
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_suffix_is_refused_with_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(GraphFileError, match=r"'\.docx'; use one of \.txt, .*\.parquet"):
        write_graph(as_graph([(1, 2)]), tmp_path / "graph.docx")


def test_a_failed_writing_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "graph.txt"
    write_graph(as_graph([("a", "b")]), path)
    before = path.read_bytes()
    with pytest.raises(GraphFileError):
        write_graph(as_graph([("a", "b\nc")]), path)
    assert path.read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["graph.txt"]


def test_a_file_that_is_replaced_keeps_its_permissions_and_its_links(tmp_path: Path) -> None:
    path, link = tmp_path / "graph.txt", tmp_path / "link.txt"
    path.touch(mode=0o600)
    link.symlink_to(path)
    write_graph(as_graph([(1, 2)]), link)
    assert link.is_symlink()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert path.read_text() == "1\t2\n"


def test_paths_that_cannot_be_written_are_refused(tmp_path: Path) -> None:
    for path, said in (
        (tmp_path / "no" / "graph.txt", "no folder"),
        (tmp_path, "is a folder"),
        ("a\0b.txt", "cannot be"),
    ):
        with pytest.raises(GraphFileError, match=said):
            write_graph(as_graph([(1, 2)]), path)


@pytest.mark.skipif(os.name != "posix", reason="there is no such device")
def test_a_device_is_written_to_directly() -> None:
    write_graph(as_graph([(1, 2)]), "/dev/null")
    assert not Path("/dev/null").is_file()


members = st.one_of(st.integers(-5, 20), awkward | telling | st.just("x"))


@pytest.mark.parametrize("form", [".txt", ".csv", ".txt.gz"])
@settings(max_examples=50, deadline=None)
@given(data=st.data())
def test_communities_come_back_as_they_were_written(form: str, data: st.DataObject) -> None:
    node = data.draw(st.sampled_from([st.integers(-5, 20), awkward | telling]))
    label = data.draw(st.sampled_from([st.integers(0, 9), awkward | telling])) if form == ".csv" else st.nothing()
    listed = st.lists(node, min_size=1, max_size=4, unique=True)
    made: Any = data.draw(
        st.dictionaries(label, listed, min_size=1, max_size=5)
        if form == ".csv"
        else st.lists(listed, min_size=1, max_size=5)
    )
    expected = made if isinstance(made, dict) else dict(enumerate(made))
    with tempfile.TemporaryDirectory() as folder:
        write_communities(made, Path(folder) / f"communities{form}")
        read = read_communities(Path(folder) / f"communities{form}")
    assert read == expected
    assert {type(name) for names in read.values() for name in names} == {
        type(name) for names in expected.values() for name in names
    }


@pytest.mark.parametrize(
    ("communities", "said"),
    [
        ({"red": [1], "blue": [2]}, "'red', 'blue'.*csv"),
        ({0: [], 1: [2]}, "community 0 has no members"),
        ({}, "no communities"),
        ([[1, "a"]], "1 is a int"),
        ([["a\nb"]], "one line"),
    ],
)
def test_communities_that_a_file_cannot_hold_are_refused(tmp_path: Path, communities: Any, said: str) -> None:
    with pytest.raises(GraphFileError, match=said):
        write_communities(communities, tmp_path / "communities.txt")
    assert list(tmp_path.iterdir()) == []


def test_compressed_files_are_what_their_names_say(tmp_path: Path) -> None:
    write_communities([[1, 2, 3]], tmp_path / "communities.txt.gz")
    assert gzip.decompress((tmp_path / "communities.txt.gz").read_bytes()) == b"1\t2\t3\n"

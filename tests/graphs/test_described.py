"""Described graphs are exported to other libraries and read back."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import igraph
import networkx
import numpy as np
import pytest

from philia.exceptions import GraphFileError, InvalidParameterError, MissingDependencyError
from philia.graphs import DescribedGraph, Frame, Graph, as_graph, read_graph, write_graph
from philia.graphs.frames import library

HOSTILE = ["<script>alert('x')</script>", "quo\"te & 's", "‮right to left", "日本 🦊", "", "tab\tand\nline\rbreak", "7"]


@pytest.fixture
def described() -> DescribedGraph:
    graph = as_graph([("ann", "bob", 2.5), ("bob", "cat", 1)], weights=True)
    nodes: dict[str, Any] = {
        "group": ["B1", "", "B1"],
        "membership": np.array([1.0, 0.1 + 0.2, np.nan]),
        "count": np.array([3, 4, 5]),
    }
    return DescribedGraph(graph, nodes, {"probability": np.array([0.75, 0.5])}, colour_by="group")


def hostile() -> DescribedGraph:
    graph = as_graph(list(pairwise(HOSTILE)))
    return DescribedGraph(graph, {'<a "title">': [f"{name}]]>" for name in graph.nodes]})


def same(a: Graph, b: Graph) -> bool:
    heavy, other = (np.ones(g.n_links) if g.link_weights is None else g.link_weights for g in (a, b))
    return a.nodes == b.nodes and np.array_equal(a.links, b.links) and np.array_equal(heavy, other)


@pytest.mark.parametrize("names", [["ann", "bob", "cat"], [3, 1, 2], [("a", 1), ("b", 2), "c"]])
def test_a_graph_comes_back_from_networkx_and_igraph_with_names_and_weights(names: list[Any]) -> None:
    graph = as_graph([(names[0], names[1], 2.5), (names[1], names[2], 1)], weights=True)
    assert same(as_graph(graph.to_networkx(), weights=True), graph)
    assert same(as_graph(graph.to_igraph(), weights=True), graph)


def test_nodes_without_links_are_exported() -> None:
    graph = as_graph(np.zeros((3, 3)))
    assert list(graph.to_networkx()) == [0, 1, 2]
    assert graph.to_igraph().vcount() == 3
    assert as_graph(np.zeros((0, 0))).to_networkx().number_of_nodes() == 0


def test_columns_become_attributes_of_plain_python_values(described: DescribedGraph) -> None:
    made = described.to_networkx()
    assert made.nodes["bob"] == {"group": "", "membership": 0.1 + 0.2, "count": 4}
    assert {type(value) for value in made.nodes["bob"].values()} == {str, float, int}
    assert made.edges["bob", "ann"] == {"weight": 2.5, "probability": 0.75}
    other = described.to_igraph()
    assert other.vs.find(name="bob")["count"] == 4
    assert other.es["probability"] == [0.75, 0.5]


def test_frames_have_a_row_per_node_and_per_link_and_links_are_read_again(described: DescribedGraph) -> None:
    for frame in (described.nodes.to_pandas(), described.nodes.to_polars()):
        assert list(frame.columns) == ["node", "group", "membership", "count"]
        assert list(frame["node"]) == ["ann", "bob", "cat"]
    for frame in (described.links.to_pandas(), described.links.to_polars()):
        assert list(frame.columns) == ["source", "target", "weight", "probability"]
        assert same(as_graph(frame, weights=True), described.graph)


def test_names_of_any_kind_stay_as_they_are_in_frames() -> None:
    names = [("a", 1), 7, "x"]
    frame = Frame({"node": names})
    assert frame.to_pandas()["node"].tolist() == names
    assert frame.to_polars()["node"].to_list() == names
    pairs = Frame({"node": [("a", 1), ("b", 2)]})
    assert pairs.to_pandas()["node"].tolist() == [("a", 1), ("b", 2)]


@pytest.mark.parametrize("form", [".gexf", ".graphml", ".gexf.gz"])
def test_a_described_graph_in_a_file_is_read_as_the_graph(described: DescribedGraph, form: str, tmp_path: Path) -> None:
    for some in (described, hostile(), DescribedGraph(as_graph([(3, 1)]), {"a": [1, 2]})):
        write_graph(some, tmp_path / f"x{form}")
        assert same(read_graph(tmp_path / f"x{form}", weights=True), some.graph)


def test_networkx_reads_names_kinds_and_values_of_gexf(described: DescribedGraph, tmp_path: Path) -> None:
    write_graph(described, tmp_path / "x.gexf")
    read = networkx.read_gexf(tmp_path / "x.gexf")
    assert list(read) == ["ann", "bob", "cat"]
    bob = read.nodes["bob"]
    assert (bob["label"], bob["group"], bob["membership"], bob["count"]) == ("bob", "", 0.1 + 0.2, 4)
    assert np.isnan(read.nodes["cat"]["membership"])
    assert read.edges["ann", "bob"]["probability"] == 0.75
    assert read.edges["ann", "bob"]["weight"] == 2.5
    colours = {name: tuple(read.nodes[name]["viz"]["color"].values()) for name in read}
    assert colours["ann"] == colours["cat"] != colours["bob"]


def test_networkx_and_igraph_read_names_kinds_and_values_of_graphml(described: DescribedGraph, tmp_path: Path) -> None:
    write_graph(described, tmp_path / "x.graphml")
    read = networkx.read_graphml(tmp_path / "x.graphml")
    assert read.nodes["bob"] == {"group": "", "membership": 0.1 + 0.2, "count": 4}
    assert read.edges["ann", "bob"] == {"weight": 2.5, "probability": 0.75}
    other = igraph.Graph.Read_GraphML(str(tmp_path / "x.graphml"))
    assert other.vs["id"] == ["ann", "bob", "cat"]
    assert other.vs["count"] == [3, 4, 5]
    assert other.es["probability"] == [0.75, 0.5]


def test_hostile_names_and_texts_come_through_other_readers(tmp_path: Path) -> None:
    some = hostile()
    write_graph(some, tmp_path / "x.gexf")
    write_graph(some, tmp_path / "x.graphml")
    for read in (networkx.read_gexf(tmp_path / "x.gexf"), networkx.read_graphml(tmp_path / "x.graphml")):
        assert set(read) == set(HOSTILE)
        assert read.nodes["7"]['<a "title">'] == "7]]>"


def test_integers_stay_integers_and_text_that_looks_like_them_stays_text(tmp_path: Path) -> None:
    for names, idtype in (([10, 9], "long"), (["10", "9"], "string")):
        write_graph(as_graph([tuple(names)]), tmp_path / "x.gexf")
        assert f'idtype="{idtype}"' in (tmp_path / "x.gexf").read_text()
        assert set(read_graph(tmp_path / "x.gexf").nodes) == set(names)


def test_what_networkx_writes_as_gexf_is_read(tmp_path: Path) -> None:
    given = networkx.DiGraph([("ann", "bob"), ("bob", "ann"), ("bob", "cat")])
    given.add_edge("cat", "dan", weight=3.0)
    for version in ("1.1draft", "1.2draft", "1.3"):
        networkx.write_gexf(given, tmp_path / "x.gexf", version=version)
        graph = read_graph(tmp_path / "x.gexf", weights=True)
        assert list(graph.nodes) == ["ann", "bob", "cat", "dan"]
        assert graph.n_links == 3
        assert graph.link_weights is not None
        assert graph.link_weights.max() == 3


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("<gexf/>", "no <graph>"),
        ("<gexf><graph/><graph/></gexf>", "more than one graph"),
        ("<gexf><graph><node/></graph></gexf>", "has no id"),
        ("<!DOCTYPE x []><gexf/>", "DOCTYPE"),
        ("<gexf><graph>", "not valid XML"),
        ('<gexf><graph><edge source="1" target="2"/></graph></gexf>', "no such node"),
    ],
)
def test_an_invalid_gexf_file_is_refused(text: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "x.gexf").write_text(text)
    with pytest.raises(GraphFileError, match=said):
        read_graph(tmp_path / "x.gexf")


def test_gexf_is_recognized_by_its_contents_too(tmp_path: Path) -> None:
    write_graph(as_graph([("a", "b")]), tmp_path / "x.gexf")
    (tmp_path / "x.gexf").rename(tmp_path / "x.xml")
    assert read_graph(tmp_path / "x.xml").n_links == 1


@pytest.mark.parametrize("form", [".gexf", ".graphml"])
def test_characters_that_xml_cannot_hold_are_refused_and_nothing_is_left(form: str, tmp_path: Path) -> None:
    graph = as_graph([("a", "b")])
    for some in (
        as_graph([("a\x01", "b")]),
        DescribedGraph(graph, {"text": ["\x0b", ""]}),
        DescribedGraph(graph, {"\x02": ["", ""]}),
    ):
        with pytest.raises(GraphFileError, match="XML cannot hold"):
            write_graph(some, tmp_path / f"x{form}")
    assert list(tmp_path.iterdir()) == []


def test_formats_without_attributes_refuse_a_described_graph_but_take_a_bare_one(
    described: DescribedGraph, tmp_path: Path
) -> None:
    with pytest.raises(GraphFileError, match=r"use \.graphml or \.gexf"):
        write_graph(described, tmp_path / "x.csv")
    write_graph(DescribedGraph(described.graph), tmp_path / "x.csv")
    assert same(read_graph(tmp_path / "x.csv", weights=True), described.graph)


def test_columns_of_the_wrong_length_or_with_a_reserved_name_are_refused() -> None:
    graph = as_graph([("a", "b")])
    with pytest.raises(InvalidParameterError, match="3 values, but there are 2 nodes"):
        DescribedGraph(graph, {"x": [1, 2, 3]})
    with pytest.raises(InvalidParameterError, match="2 values, but there are 1 links"):
        DescribedGraph(graph, {}, {"x": [1, 2]})
    with pytest.raises(InvalidParameterError, match="'name', which is reserved"):
        DescribedGraph(graph, {"name": [1, 2]})
    with pytest.raises(InvalidParameterError, match="colour_by is 'y'"):
        DescribedGraph(graph, {"x": [1, 2]}, colour_by="y")
    with pytest.raises(InvalidParameterError, match="same number"):
        Frame({"a": [1], "b": [1, 2]})


def test_a_missing_library_is_named_with_the_way_to_install_it() -> None:
    with pytest.raises(MissingDependencyError, match="pip install a_library_nobody_has"):
        library("a_library_nobody_has")

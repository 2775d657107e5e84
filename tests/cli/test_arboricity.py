"""philia arboricity: the numbers, the part that proves them, and the file of forests."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import networkx as nx
import pytest

from philia.graphs import arboricity, degeneracy, forests, pseudoarboricity, read_graph
from tests.cli.names import NAMES


def test_the_numbers_are_those_of_the_library(folder: Path, run_json: Any) -> None:
    found = run_json("arboricity", "links.csv")
    graph = read_graph(folder / "links.csv")
    needed = arboricity(graph)
    assert (found["nodes"], found["links"]) == (graph.n_nodes, graph.n_links)
    assert found["degeneracy"] == degeneracy(graph)
    assert found["pseudoarboricity"] == pseudoarboricity(graph).value
    assert found["arboricity"] == needed.value
    assert found["densest"]["nodes"] == list(needed.lower)
    assert found["forests"] is None


def test_the_densest_part_proves_that_fewer_forests_are_not_enough(folder: Path, run_json: Any) -> None:
    found = run_json("arboricity", "links.csv")
    part = found["densest"]
    inside = nx.Graph(read_graph(folder / "links.csv").adjacency).subgraph(
        read_graph(folder / "links.csv").nodes.rows(part["nodes"]).tolist()
    )
    assert part["links"] == inside.size() > part["fewer_forests_hold"]
    assert part["fewer_forests_hold"] == (found["arboricity"] - 1) * (len(inside) - 1)


def test_sentences_say_why(run: Any) -> None:
    said = run("arboricity", "-", "--forests", stdin="[red],bob\nbob,cat\ncat,[red]\ncat,dan\n").stdout
    assert "Degeneracy: 2." in said
    assert "Pseudoarboricity: 1." in said
    assert "Arboricity: 2. All links fit into 2 forests, but not into fewer." in said
    assert "3 nodes ([red], bob, cat) have 3 links among them; 1 forest can hold only 1 · (3 − 1) = 2." in said
    assert said.endswith("no cycles: 3, 1.\n")


def test_names_of_a_large_part_are_cut_short_on_screen_and_complete_in_json(
    folder: Path, run: Any, run_json: Any
) -> None:
    nx.write_edgelist(nx.complete_graph(30), folder / "complete.txt", data=False)
    assert (
        "30 nodes (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, …) have 435 links" in run("arboricity", "complete.txt").stdout
    )
    assert run_json("arboricity", "complete.txt")["densest"]["nodes"] == list(range(30))


@pytest.mark.parametrize(("links", "said"), [("1,1\n", "no forest is needed"), ("1,2\n2,3\n", "1 forest, but")])
def test_networks_without_a_dense_part_have_nothing_to_show(links: str, said: str, run: Any) -> None:
    shown = run("arboricity", "-", "--forests", stdin=links).stdout
    assert said in shown
    assert "Why" not in shown


def test_forests_are_written_with_the_names_of_the_nodes(folder: Path, run: Any, run_json: Any) -> None:
    sizes = run_json("arboricity", "links.csv", "-o", "forests.csv")["forests"]
    with (folder / "forests.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == ["source", "target", "forest"]
    graph = read_graph(folder / "links.csv")
    assert {name for row in rows for name in (row["source"], row["target"])} <= set(NAMES)
    assert [int(row["forest"]) for row in rows] == forests(graph).of_link.tolist()
    for number, size in enumerate(sizes):
        held = nx.Graph([(row["source"], row["target"]) for row in rows if row["forest"] == str(number)])
        assert held.size() == size
        assert nx.is_forest(held)
    again = read_graph(folder / "forests.csv")
    assert again.n_links == graph.n_links
    assert all(again.has_link(row["source"], row["target"]) for row in rows)


def test_a_file_is_replaced_only_if_asked(folder: Path, run: Any) -> None:
    assert "--force" in run("arboricity", "links.csv", "-o", "pairs.csv", code=2).stderr
    assert (
        "Wrote the forest of each link to pairs.csv."
        in run("arboricity", "links.csv", "-o", "pairs.csv", "--force").stdout
    )


def test_quiet_says_nothing(folder: Path, run: Any) -> None:
    done = run("arboricity", "links.csv", "-o", "forests.csv", "--quiet")
    assert (done.stdout, done.stderr) == ("", "")
    assert (folder / "forests.csv").is_file()

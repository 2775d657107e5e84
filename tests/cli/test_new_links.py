"""predict, sample and convert: probabilities, new networks, other formats."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import pytest

from philia.graphs import read_graph
from philia.models import CommunityModel


def test_pairs_keep_their_order_and_repetitions(folder: Path, run_json: Any) -> None:
    found = run_json("predict", "model.safetensors", "pairs.csv")["links"]
    assert [(row["source"], row["target"]) for row in found] == [("ann", "bob"), ("bob", "ann"), ("ann", "bob")]
    model = CommunityModel.load(folder / "model.safetensors")
    assert found[0]["probability"] == pytest.approx(model.predict_proba([("ann", "bob")])[0])


def test_pairs_come_from_standard_input_with_quotes_and_windows_line_ends(run_json: Any) -> None:
    lines = '"a,b","say ""hi"""\r\n[red],😀\r\n'.encode()
    found = run_json("predict", "model.safetensors", "-", stdin=lines)["links"]
    assert [(row["source"], row["target"]) for row in found] == [("a,b", 'say "hi"'), ("[red]", "😀")]


def test_an_unknown_node_in_a_file_is_named_with_its_pair(run: Any) -> None:
    said = run("predict", "model.safetensors", "-", code=2, stdin="ann,bob\nann,bbo\n").stderr
    assert "pair number 2" in said
    assert "'bob'" in said


def test_probabilities_are_written_as_csv(folder: Path, run: Any) -> None:
    run("predict", "model.safetensors", "-", "-o", "out.csv", stdin='"a,b","say ""hi"""\n')
    with (folder / "out.csv").open(newline="", encoding="utf-8") as file:
        header, row = csv.reader(file)
    assert header == ["source", "target", "probability"]
    assert row[:2] == ["a,b", 'say "hi"']
    assert 0 < float(row[2]) < 1


def test_probabilities_are_printed_as_csv_on_request(run: Any) -> None:
    rows = list(csv.reader(io.StringIO(run("predict", "model.safetensors", "pairs.csv", "-o", "-").stdout)))
    assert [row[:2] for row in rows] == [["source", "target"], ["ann", "bob"], ["bob", "ann"], ["ann", "bob"]]


def test_the_likeliest_missing_links_of_a_node(folder: Path, run_json: Any) -> None:
    found = run_json("predict", "model.safetensors", "--node", "[red]", "--top", "4")["links"]
    expected = CommunityModel.load(folder / "model.safetensors").top_links(4, node="[red]")
    assert [(row["source"], row["target"]) for row in found] == [(link.u, link.v) for link in expected]


def test_by_default_the_ten_likeliest_missing_links_are_shown(run_json: Any) -> None:
    assert len(run_json("predict", "model.safetensors")["links"]) == 10


def test_an_empty_file_of_pairs_is_not_an_error(run: Any, run_json: Any) -> None:
    assert run("predict", "model.safetensors", "-", stdin="").stdout == "There are no pairs to predict.\n"
    assert run_json("predict", "model.safetensors", "-", stdin="# nothing\n") == {"links": []}


def test_zero_missing_links_are_refused(run: Any) -> None:
    assert "at least 1" in run("predict", "model.safetensors", "--top", "0", code=2).stderr


def test_probabilities_are_not_written_as_what_they_are_not(folder: Path, run: Any) -> None:
    said = run("predict", "model.safetensors", "-o", "found.xlsx", code=2).stderr
    assert "must end in .csv" in said
    assert not (folder / "found.xlsx").exists()


def test_pairs_and_missing_links_are_not_mixed(run: Any) -> None:
    assert "not both" in run("predict", "model.safetensors", "pairs.csv", "--top", "3", code=2).stderr


def test_a_sample_is_a_graph_on_the_same_nodes_and_repeats_with_its_seed(folder: Path, run: Any) -> None:
    for name in ("one", "two"):
        run("sample", "model.safetensors", "-o", f"{name}.npz", "--seed", "5")
    one, two = read_graph(folder / "one.npz"), read_graph(folder / "two.npz")
    assert list(one.nodes) == list(CommunityModel.load(folder / "model.safetensors").graph_.nodes)
    assert (one.adjacency != two.adjacency).nnz == 0


@pytest.mark.parametrize("target", ["out.csv", "out.tsv.gz", "out.mtx", "out.npz", "out.gml", "out.graphml"])
def test_a_graph_survives_conversion(target: str, folder: Path, run: Any) -> None:
    run("convert", "links.csv", target)
    before, after = read_graph(folder / "links.csv"), read_graph(folder / target)
    assert set(before.nodes) == set(after.nodes)
    assert all(set(before.neighbours(name)) == set(after.neighbours(name)) for name in before.nodes)


def test_an_unknown_extension_is_refused(run: Any) -> None:
    assert ".xyz" in run("convert", "links.csv", "out.xyz", code=2).stderr

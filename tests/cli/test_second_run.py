"""Commands run again, files of the wrong kind, and results as tables and on the standard output."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import Any

import pandas
import pytest

from philia import load, read_communities, read_graph
from philia.cli.output import Output, progress_line
from philia.solvers import Progress

SMALL = ("-B2", "-C1", "--penalty", "1")


def test_every_command_of_the_readme_can_be_run_again(folder: Path, run: Any) -> None:
    for _ in range(2):
        run("fit", "links.csv", *SMALL, "--report", "report.html")
        run("report", "links.safetensors", "-o", "page.html")
        run("predict", "links.safetensors", "--top", "3", "-o", "links_to_come.csv")
        for name in ("found.csv", "found.json", "found.parquet", "found.txt", "found.gexf"):
            run("communities", "links.safetensors", "-o", name)


@pytest.mark.parametrize("suffix", ["csv", "tsv", "txt.gz", "mtx", "npz", "gml", "graphml", "gexf", "parquet"])
def test_networks_that_were_written_before_are_replaced_until_they_are_edited(
    suffix: str, folder: Path, run: Any
) -> None:
    written = folder / f"new.{suffix}"
    run("convert", "links.csv", written.name)
    run("sample", "model.safetensors", "-o", written.name, "--seed", "1")
    edited = written.read_bytes() + b" "
    written.write_bytes(edited)
    assert "--force" in run("sample", "model.safetensors", "-o", written.name, code=2).stderr
    assert written.read_bytes() == edited


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_figures_that_were_written_before_are_replaced(suffix: str, folder: Path, run: Any) -> None:
    for pair in (("ann", "bob"), ("ann", "cat")):
        run("explain", "model.safetensors", *pair, "--figure", f"why.{suffix}")
    (folder / f"own.{suffix}").write_bytes(b"precious")
    run("explain", "model.safetensors", *pair, "--figure", f"own.{suffix}", code=2)


def test_where_nothing_can_be_remembered_networks_are_written_and_never_replaced(
    folder: Path, run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PHILIA_CACHE", str(folder / "links.csv" / "no_folder"))
    run("sample", "model.safetensors", "-o", "new.csv")
    assert "--force" in run("sample", "model.safetensors", "-o", "new.csv", code=2).stderr


@pytest.mark.parametrize(
    ("command", "name"),
    [
        (["fit", "links.csv", *SMALL, "-o"], "notes.safetensors"),
        (["report", "model.safetensors", "-o"], "notes.html"),
        (["predict", "model.safetensors", "-o"], "notes.csv"),
        (["communities", "model.safetensors", "-o"], "notes.json"),
        (["communities", "model.safetensors", "-o"], "notes.parquet"),
        (["sample", "model.safetensors", "-o"], "notes.csv"),
    ],
)
@pytest.mark.parametrize("content", [b"precious", b"", b'{"mine": 1}', b"source,target,when\na,b,c\n", b"PAR1PAR1"])
def test_what_others_wrote_is_never_replaced_unasked(
    command: list[str], name: str, content: bytes, folder: Path, run: Any
) -> None:
    (folder / name).write_bytes(content)
    assert "--force" in run(*command, name, code=2).stderr
    assert (folder / name).read_bytes() == content


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--penalty", "-3"], "--penalty is -3"),
        (["-B", "-1"], "--homophilous is -1"),
        (["--columns", "0"], "--columns is '0'"),
        (["--memory", "lots"], "lots"),
        (["--held-out", "some"], "10%"),
    ],
)
def test_options_are_checked_before_files(options: list[str], said: str, folder: Path, run: Any) -> None:
    (folder / "links.safetensors").write_text("precious")
    shown = run("fit", "links.csv", *options, code=2).stderr
    assert said in shown
    assert "exists already" not in shown


def test_a_share_may_be_typed_in_percent(folder: Path, run: Any) -> None:
    run("fit", "links.csv", *SMALL, "--held-out", "10%")
    held_out = load(folder / "links.safetensors").held_out_
    assert held_out is not None
    assert "10 %" in str(held_out)


def test_a_file_of_links_is_not_taken_for_a_model_nor_the_reverse(folder: Path, run: Any) -> None:
    assert "philia fit links.csv" in run("communities", "links.csv", code=2).stderr
    (folder / "renamed.csv").write_bytes((folder / "model.safetensors").read_bytes())
    for name in ("model.safetensors", "renamed.csv"):
        said = run("fit", name, "-o", "new.safetensors", code=2).stderr
        assert "this is a model file, not a file of links" in said
    run("exact", "links.csv", "-o", "exact.json")
    said = run("verify", "exact.json", "links.csv", code=2).stderr
    assert "this is an exact representation, not a file of links" in said
    (folder / "program").write_bytes(b"\x7fELF\xc0\x00\x00")
    assert "binary file" in run("info", "program", code=2).stderr


def test_messages_name_options_and_not_arguments(folder: Path, run: Any) -> None:
    (folder / "latin.csv").write_bytes("é,ß\n".encode("latin-1"))
    said = run("info", "latin.csv", code=2).stderr
    assert "--encoding latin-1" in said
    assert "encoding=" not in said
    (folder / "ids.csv").write_text("id,a,b\n1,x,y\n2,y,z\n")
    assert "--columns a,b" in run("info", "ids.csv", code=2).stderr
    run("info", "ids.csv", "--columns", "a,b")


def test_a_guessed_header_is_said_and_can_be_overridden(folder: Path, run: Any, run_json: Any) -> None:
    (folder / "books.csv").write_text("book,bought_with\nx,y\ny,z\n")
    said = run("info", "books.csv").stderr
    assert "links join 'book' and 'bought_with'" in said
    assert "add --no-header if it is a link" in said
    assert run_json("info", "books.csv")["nodes"] == 3
    assert run_json("info", "books.csv", "--no-header")["nodes"] == 5


def test_communities_are_written_with_kind_share_and_membership(folder: Path, run: Any) -> None:
    for name in ("found.csv", "found.json", "found.parquet"):
        assert run("communities", "model.safetensors", "-o", name).stdout == ""
    model = load(folder / "model.safetensors")
    found = model.communities()
    expected = [(str(node), c.name, c.kind, value) for c in found for node, value in c.members.items()]
    with (folder / "found.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [(r["node"], r["community"], r["kind"], float(r["membership"])) for r in rows] == expected
    for row in rows:
        members, mine = found.as_sets()[row["community"]], model.graph_.neighbours(row["node"])
        assert float(row["share"]) == pytest.approx(len(members & set(mine)) / len(mine))
    listed = json.loads((folder / "found.json").read_text(encoding="utf-8"))["rows"]
    assert [(r["node"], r["community"], r["kind"], r["membership"]) for r in listed] == expected
    frame = pandas.read_parquet(folder / "found.parquet")
    assert list(frame.columns) == ["node", "community", "kind", "share", "membership"]
    assert list(zip(frame.node, frame.community, frame.kind, frame.membership, strict=True)) == expected
    assert {k: set(v) for k, v in read_communities(folder / "found.csv").items()} == {
        name: members for name, members in found.as_sets().items() if members
    }
    assert "use .csv, .json, .parquet" in run("communities", "model.safetensors", "-o", "found.xlsx", code=2).stderr


def test_networks_can_be_printed(folder: Path, run: Any) -> None:
    sampled, converted = run("sample", "model.safetensors", "-o", "-"), run("convert", "links.csv", "-")
    for name, result in (("sampled.csv", sampled), ("converted.csv", converted)):
        (folder / name).write_text(result.stdout, encoding="utf-8")
        assert result.stdout.startswith("source,target\n")
    assert read_graph(folder / "converted.csv").n_links == read_graph(folder / "links.csv").n_links
    run("sample", "model.safetensors", "-o", "saved.csv")
    assert (folder / "saved.csv").read_text(encoding="utf-8") == sampled.stdout


def test_a_model_that_does_not_choose_its_numbers_says_which_it_has(folder: Path, run: Any) -> None:
    assert "n_communities is 12" in run("fit", "links.csv", "--model", "BigClam", "--iterations", "2").stderr


@pytest.mark.parametrize(
    ("stage", "share", "said"),
    [
        ("trying 148 + 12 communities, penalty 0.0016", 0.5, r"penalty 0.0016 .* 50% about \d+:\d\d left"),
        ("", None, r"fitting, iteration 10 of 20 .* 50% at most \d+:\d\d left"),
    ],
)
def test_the_progress_line_fits_on_80_columns(
    stage: str, share: float | None, said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, value in (("COLUMNS", "80"), ("FORCE_COLOR", "1"), ("TTY_COMPATIBLE", "1")):
        monkeypatch.setenv(name, value)
    with progress_line(Output()) as show:
        assert show is not None
        for iteration in (1, 7, 10):
            show(Progress(iteration, 20, 1234.5, 0.1 * iteration, stage, share and share * iteration / 10))
    lines = [re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", line) for line in re.split("[\r\n]", capsys.readouterr().err)]
    assert max(map(len, lines)) <= 80
    assert any(re.search(said, line) for line in lines)


def test_commands_to_type_next_quote_names_with_blanks(folder: Path, run: Any) -> None:
    (folder / "my links.csv").write_bytes((folder / "links.csv").read_bytes())
    assert "philia communities 'my links.safetensors'" in run("fit", "my links.csv", *SMALL).stdout
    assert "philia fit 'my links.csv'" in run("communities", "my links.csv", code=2).stderr

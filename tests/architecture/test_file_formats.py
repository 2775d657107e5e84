"""A file format is one line of a table, and a reading option is one field: everything else follows from them."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, BinaryIO

import pytest
import typer
from typer.testing import CliRunner

from philia import as_graph, read_graph, write_graph
from philia.cli import app
from philia.cli.options import DETECTED, reads_links
from philia.exceptions import GraphFileError, InvalidParameterError
from philia.graphs import DescribedGraph, Graph
from philia.graphs.files import formats, read
from philia.graphs.files.formats import Format, written_suffixes
from philia.storage import ReadingOptions, Source
from philia.storage.options import option


@dataclass(frozen=True)
class MoreOptions(ReadingOptions):
    limit: int | None = option(None, "Read only the first links.")


def read_dashes(source: Source, options: ReadingOptions) -> Graph:
    lines = source.stream.read().decode(options.encoding).splitlines()[1:]
    limit = options.limit if isinstance(options, MoreOptions) else None
    return as_graph([line.split("-") for line in lines[:limit]])


def write_dashes(described: DescribedGraph, file: BinaryIO) -> None:
    names = described.graph.nodes
    lines = ["dashes!", *(f"{names[u]}-{names[v]}" for u, v in zip(*described.graph.links, strict=True))]
    file.write("\n".join(lines).encode())


@pytest.fixture
def dashes(monkeypatch: pytest.MonkeyPatch) -> None:
    """The toy format, added by one line."""
    toy = Format((".dash",), read_dashes, write_dashes, (b"dashes!",), frozenset({"encoding", "limit"}))
    monkeypatch.setattr(formats, "FORMATS", (*formats.FORMATS, toy))


friends = as_graph([("ann", "bob"), ("bob", "cat")])


@pytest.mark.usefixtures("dashes")
def test_a_toy_format_is_written_and_read_by_its_suffix_and_its_first_bytes(tmp_path: Path) -> None:
    for name in ("x.dash", "x.dash.gz"):
        write_graph(friends, tmp_path / name)
        assert list(read_graph(tmp_path / name).nodes) == ["ann", "bob", "cat"]
    (tmp_path / "x.dash").rename(tmp_path / "x.txt")
    assert read_graph(tmp_path / "x.txt").n_links == 2


@pytest.mark.usefixtures("dashes")
def test_messages_about_suffixes_and_options_name_a_toy_format(tmp_path: Path) -> None:
    with pytest.raises(GraphFileError, match=r"use one of .*\.dash"):
        write_graph(friends, tmp_path / "x.docx")
    write_graph(friends, tmp_path / "x.dash")
    with pytest.raises(InvalidParameterError, match=r"delimiter does not apply to \.dash files; leave it out"):
        read_graph(tmp_path / "x.dash", delimiter=",")


@pytest.mark.usefixtures("dashes")
def test_the_command_line_converts_to_a_toy_format(tmp_path: Path) -> None:
    write_graph(friends, tmp_path / "x.csv")
    done = CliRunner().invoke(app, ["convert", str(tmp_path / "x.csv"), str(tmp_path / "x.dash")])
    assert done.exit_code == 0, done.output
    assert (tmp_path / "x.dash").read_text() == "dashes!\nann-bob\nbob-cat"


@pytest.mark.usefixtures("dashes")
def test_a_toy_option_reaches_the_reader_and_is_refused_by_other_formats(tmp_path: Path) -> None:
    write_graph(friends, tmp_path / "x.dash")
    assert read(tmp_path / "x.dash", MoreOptions(limit=1)).n_links == 1
    write_graph(friends, tmp_path / "x.mtx")
    with pytest.raises(InvalidParameterError, match=r"limit does not apply to \.mtx files"):
        read(tmp_path / "x.mtx", MoreOptions(limit=1))


@pytest.mark.usefixtures("dashes")
def test_a_toy_option_is_an_option_of_commands_with_its_help(tmp_path: Path) -> None:
    program = typer.Typer()

    @program.command()
    @reads_links(options=MoreOptions)
    def count(path: str, reading: ReadingOptions = DETECTED) -> None:
        typer.echo(read(path, reading).n_links)

    write_graph(friends, tmp_path / "x.dash")
    assert CliRunner().invoke(program, [str(tmp_path / "x.dash"), "--limit", "1"]).output == "1\n"
    shown = CliRunner().invoke(program, ["--help"]).output
    assert "--limit" in shown
    assert "Read only the first links." in shown


def test_read_graph_has_an_argument_for_each_option() -> None:
    arguments: list[Any] = list(inspect.signature(read_graph).parameters.values())[1:]
    found = [(argument.name, argument.default, argument.annotation) for argument in arguments]
    assert found == [(one.name, one.default, one.type) for one in fields(ReadingOptions)]


@pytest.mark.parametrize("suffix", written_suffixes())
def test_every_suffix_that_can_be_written_is_documented(suffix: str) -> None:
    assert suffix in (write_graph.__doc__ or "")


@pytest.mark.parametrize(
    "one", [one for one in formats.FORMATS if one.write is not None], ids=lambda one: str(one.suffixes)
)
def test_the_help_of_convert_names_every_format(one: Format) -> None:
    shown = CliRunner().invoke(app, ["convert", "--help"]).output
    assert any(suffix in shown for suffix in one.suffixes if suffix)

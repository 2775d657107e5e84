from __future__ import annotations

import json
import logging
from itertools import pairwise
from pathlib import Path

import pytest
from typer.testing import CliRunner

from philia.cli import app
from philia.cli.output import Output


def test_log_messages_are_printed_only_while_listening(capsys: pytest.CaptureFixture[str]) -> None:
    logger = logging.getLogger("philia")
    with Output().listening():
        logger.info("compiling for the first time")
        logger.debug("a detail")
    logger.info("not heard")
    assert capsys.readouterr().err == "compiling for the first time\n"


def test_debug_prints_details_and_quiet_prints_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    logger = logging.getLogger("philia")
    for out in (Output(debug=True), Output(quiet=True)):
        with out.listening():
            logger.debug("a detail")
    assert capsys.readouterr().err == "a detail\n"


def test_sentences_and_tables_take_names_literally(capsys: pytest.CaptureFixture[str]) -> None:
    out = Output()
    out.say("[red] :smile: [/bold]")
    out.table(["name"], [["[bold]x[/bold]"], ["[/]"]])
    said = capsys.readouterr().out
    assert "[red] :smile: [/bold]" in said
    assert "[bold]x[/bold]" in said


def test_long_lines_are_not_broken_in_a_file(capsys: pytest.CaptureFixture[str]) -> None:
    Output().say("word " * 200)
    assert len(capsys.readouterr().out.splitlines()) == 1


def test_a_table_in_a_file_has_a_line_per_row_and_stays_narrow(capsys: pytest.CaptureFixture[str]) -> None:
    Output().table(["name", "size", "members"], [["B1", "12", "ann, " * 90], ["B2", "7", "bob"]], right=[1])
    header, rule, first, second, _ = capsys.readouterr().out.splitlines()
    assert max(map(len, (header, rule, first, second))) <= 120
    assert first.startswith("B1       12   ann, ann, ")
    assert first.rstrip().endswith("…")
    assert second.split() == ["B2", "7", "bob"]


def test_json_has_null_for_infinity(capsys: pytest.CaptureFixture[str]) -> None:
    Output(json=True).data({"odds": float("inf"), "list": (1.0, float("nan"))})
    assert json.loads(capsys.readouterr().out) == {"odds": None, "list": [1.0, None]}


def test_very_long_names_are_cut_off_on_screen_but_not_in_json(tmp_path: Path) -> None:
    names = ["n" * 10_000 + letter for letter in "abcd"]
    (tmp_path / "links.csv").write_text("".join(f"{u},{v}\n" for u, v in pairwise(names)))
    model, run = str(tmp_path / "m.safetensors"), CliRunner().invoke
    assert run(app, ["fit", str(tmp_path / "links.csv"), "-B1", "-C0", "--penalty", "1", "-o", model]).exit_code == 0
    for command in (["communities"], ["info"], ["predict", "--top", "1", "-o", str(tmp_path / "missing.csv")]):
        said = run(app, [command[0], model, *command[1:]])
        assert (said.exit_code, max(map(len, said.output.splitlines())) < 600) == (0, True), said.output
    assert names[0] in run(app, ["communities", model, "--json"]).stdout


@pytest.mark.parametrize("columns", ["1", "10", "20", "40"])
def test_a_table_keeps_its_words_on_a_narrow_screen(
    columns: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    Output().table(["name", "kind", "two typical members"], [["B1", "homophilous", "odds × 2,000"]])
    said = capsys.readouterr().out
    assert "homophilous" in said
    assert "odds × 2,000" in said

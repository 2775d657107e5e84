from __future__ import annotations

import json
import logging

import pytest

from philia.cli.output import Output


def test_what_the_library_logs_is_passed_on_only_while_listening(capsys: pytest.CaptureFixture[str]) -> None:
    logger = logging.getLogger("philia")
    with Output().listening():
        logger.info("compiling for the first time")
        logger.debug("a detail")
    logger.info("not heard")
    assert capsys.readouterr().err == "compiling for the first time\n"


def test_debug_listens_to_details_and_quiet_to_nothing(capsys: pytest.CaptureFixture[str]) -> None:
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


def test_json_has_null_for_infinity(capsys: pytest.CaptureFixture[str]) -> None:
    Output(json=True).data({"odds": float("inf"), "list": (1.0, float("nan"))})
    assert json.loads(capsys.readouterr().out) == {"odds": None, "list": [1.0, None]}

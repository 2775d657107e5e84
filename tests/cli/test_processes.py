"""What only a real process shows: pipes, terminals, colours and encodings."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

PHILIA = [sys.executable, "-c", "from philia.cli import main; main()"]


def test_a_reader_that_goes_away_is_no_error(folder: Path) -> None:
    process = subprocess.Popen(
        [*PHILIA, "predict", "model.safetensors", "-o", "-", "--top", "500"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    process.stdout.close()
    assert process.stderr is not None
    assert process.stderr.read() == ""
    assert process.wait(timeout=60) == 141
    process.stderr.close()


def test_json_is_all_there_is_on_standard_output_whatever_the_encoding(folder: Path) -> None:
    done = subprocess.run(
        [*PHILIA, "communities", "model.safetensors", "--json"],
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        check=True,
    )
    members = {m["node"] for c in json.loads(done.stdout.decode("ascii"))["communities"] for m in c["members"]}
    assert {"😀", "naïve"} <= members


def test_letters_that_the_terminal_lacks_are_written_out(folder: Path) -> None:
    done = subprocess.run(
        [*PHILIA, "explain", "model.safetensors", "naïve", "ann"],
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        check=True,
    )
    assert done.stdout.startswith(b"na\\xefve and ann")


def on_a_terminal(*arguments: str, **environment: str) -> bytes:
    """What a command writes to standard error if that is a terminal."""
    reader, terminal = pty.openpty()
    wanted = {"TERM": "xterm-256color", **environment}
    kept = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS")}
    subprocess.run([*PHILIA, *arguments], stderr=terminal, env={**kept, **wanted}, check=False)
    os.close(terminal)
    said = os.read(reader, 10_000)
    os.close(reader)
    return said


def test_errors_are_red_on_a_terminal_unless_colours_are_unwanted(folder: Path) -> None:
    assert b"\x1b[31m" in on_a_terminal("communities", "nope.safetensors")
    assert b"\x1b[31m" not in on_a_terminal("communities", "nope.safetensors", NO_COLOR="1")


def test_a_pipe_gets_no_colours_and_no_progress(folder: Path) -> None:
    done = subprocess.run(
        [*PHILIA, "fit", "links.csv", "-B", "2", "-C", "1"], capture_output=True, text=True, check=True
    )
    assert "\x1b" not in done.stdout + done.stderr
    assert "iteration 1 of" not in done.stderr

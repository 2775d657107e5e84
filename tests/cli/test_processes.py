"""What only a real process shows: pipes, terminals, colors and encodings."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from philia import load

PHILIA = [sys.executable, "-m", "philia"]


def test_a_reader_that_closes_the_pipe_causes_no_error(folder: Path) -> None:
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


@pytest.mark.parametrize(
    "arguments", [["--help"], ["datasets"], ["datasets", "list"], ["fit", "--help"], ["--version"]]
)
def test_help_and_lists_may_be_cut_off_too(arguments: list[str]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([*PHILIA, *arguments], stdout=writer, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writer)
    assert (done.returncode, done.stderr) == (141, "")


def test_help_for_a_full_disk_is_one_sentence() -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run([*PHILIA, "--help"], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, "No space left on device\n")


@pytest.mark.slow
@pytest.mark.parametrize("closed", [(0,), (1,), (2,), (0, 1, 2)])
def test_closed_streams_cause_no_error(closed: tuple[int, ...], folder: Path) -> None:
    def close() -> None:
        for number in closed:
            os.close(number)

    fit = [*PHILIA, "fit", "links.csv", "-B2", "-C1", "--penalty", "1", "-o", "new.safetensors"]
    done = subprocess.run(fit, capture_output=True, text=True, preexec_fn=close, check=False)
    assert (done.returncode, "bug" in done.stderr, "Traceback" in done.stderr) == (0, False, False)
    load(folder / "new.safetensors")
    subprocess.run([*PHILIA, "info", "new.safetensors"], preexec_fn=close, capture_output=True, check=True)


def test_a_closed_standard_input_is_an_empty_file(folder: Path) -> None:
    done = subprocess.run(
        [*PHILIA, "info", "-"], capture_output=True, text=True, preexec_fn=lambda: os.close(0), check=False
    )
    assert done.returncode == 2
    assert "bug" not in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_json_is_all_there_is_on_standard_output_whatever_the_encoding(folder: Path) -> None:
    done = subprocess.run(
        [*PHILIA, "communities", "model.safetensors", "--json"],
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        check=True,
    )
    members = {m["node"] for c in json.loads(done.stdout.decode("ascii"))["communities"] for m in c["members"]}
    assert {"😀", "naïve"} <= members


def test_letters_that_the_terminal_lacks_are_escaped(folder: Path) -> None:
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


def test_errors_are_red_on_a_terminal_unless_no_color_is_set(folder: Path) -> None:
    assert b"\x1b[31m" in on_a_terminal("communities", "nope.safetensors")
    assert b"\x1b[31m" not in on_a_terminal("communities", "nope.safetensors", NO_COLOR="1")


def test_a_pipe_gets_no_colors_and_no_progress(folder: Path) -> None:
    done = subprocess.run(
        [*PHILIA, "fit", "links.csv", "-B", "2", "-C", "1"], capture_output=True, text=True, check=True
    )
    assert "\x1b" not in done.stdout + done.stderr
    assert "iteration 1 of" not in done.stderr

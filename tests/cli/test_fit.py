from __future__ import annotations

import gzip
import os
import pty
import random
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from philia.models import CommunityModel, load

SMALL = ["-B", "3", "-C", "1", "--penalty", "1"]


def test_the_summary_says_what_was_read_changed_fitted_and_saved(folder: Path, run: Any) -> None:
    said = run("fit", "links.csv", *SMALL, "-o", "new.safetensors").stdout
    assert "40 nodes" in said
    assert "1 self-loop dropped, 1 repeated link merged" in said
    assert "converged" in said
    assert "Mean log-likelihood" in said
    assert "3 that attract" in said
    assert "new.safetensors" in said
    assert (folder / "new.safetensors").is_file()


def test_the_json_says_the_same(folder: Path, run_json: Any) -> None:
    found = run_json("fit", "links.csv", *SMALL, "-o", "new.safetensors")
    assert found["graph"]["changes"] == {"loops": 1, "duplicates": 1, "directions": 0, "weights": 0}
    model = CommunityModel.load(folder / "new.safetensors")
    assert found["fit"]["mean_log_likelihood"] == pytest.approx(model.score())
    assert found["communities"]["homophilous"] == 3


def test_quiet_prints_nothing(folder: Path, run: Any) -> None:
    assert run("fit", "links.csv", *SMALL, "-o", "new.safetensors", "--quiet").output == ""
    assert (folder / "new.safetensors").is_file()


def test_the_model_is_named_after_the_links(folder: Path, run: Any) -> None:
    (folder / "sub").mkdir()
    (folder / "sub" / "friends.csv.gz").write_bytes(gzip.compress((folder / "links.csv").read_bytes()))
    run("fit", "sub/friends.csv.gz", *SMALL)
    assert (folder / "friends.safetensors").is_file()


def test_the_same_seed_gives_the_same_factors(folder: Path, run: Any) -> None:
    for name in ("one", "two"):
        run("fit", "links.csv", *SMALL, "--start", "uniform", "--seed", "7", "-o", f"{name}.safetensors")
    one, two = (CommunityModel.load(folder / f"{name}.safetensors").factors_ for name in ("one", "two"))
    np.testing.assert_array_equal(one.homophilous, two.homophilous)


def test_every_setting_reaches_the_model(folder: Path, run: Any) -> None:
    settings = (
        "--background popularity --start uniform --solver floor --iterations 9 --dtype float32 --threads 1 --seed 3"
    )
    run("fit", "links.csv", *SMALL, *settings.split(), "-o", "new.safetensors")
    model = load(folder / "new.safetensors").get_params()
    assert model["background"] == "popularity"
    assert model["start"] == "uniform"
    assert repr(model["solver"]).startswith("FloorLBFGS(iterations=9")
    assert (model["dtype"], model["n_jobs"], model["random_state"], model["penalty"]) == ("float32", 1, 3, 1.0)


def test_held_out_pairs_are_scored(run_json: Any) -> None:
    scores = run_json("fit", "links.csv", *SMALL, "-o", "new.safetensors", "--held-out", "0.3")["held_out"]
    assert 150 < scores["pairs"] < 320
    assert scores["auc"] > 0.5


def test_links_come_from_standard_input_with_windows_line_ends(folder: Path, run_json: Any) -> None:
    lines = b"\xef\xbb\xbf" + "source;target\r\nann;bob\r\nbob;naïve 😀\r\n".encode()
    found = run_json("fit", "-", "-B", "1", "-C", "0", "-o", "new.safetensors", stdin=lines)
    assert (found["graph"]["nodes"], found["graph"]["links"]) == (3, 2)
    assert list(load(folder / "new.safetensors").graph_.nodes) == ["ann", "bob", "naïve 😀"]


def test_the_readers_options_are_passed_on(folder: Path, run_json: Any) -> None:
    (folder / "odd.txt").write_text("! a remark\nyear\tv\tu\n1999\tann\tbob\n2000\tann\tcat\n")
    options = ["--delimiter", "tab", "--comment", "!", "--columns", "u,v"]
    found = run_json("fit", "odd.txt", "-B", "1", "-C", "0", *options)
    assert found["graph"]["nodes"] == 3


def test_ctrl_c_saves_the_best_so_far(tmp_path: Path) -> None:
    chance = random.Random(0)
    lines = "".join(f"{chance.randrange(3000)} {chance.randrange(3000)}\n" for _ in range(30_000))
    (tmp_path / "links.txt").write_text(lines)
    reader, terminal = pty.openpty()
    program = [sys.executable, "-c", "from philia.cli import main; main()", "fit", "links.txt", "-B", "8", "-C", "4"]
    process = subprocess.Popen(
        [*program, "--penalty", "0", "--iterations", "1000000"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=terminal,
        text=True,
        env={**os.environ, "COLUMNS": "120", "TERM": "xterm"},
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    os.close(terminal)  # so that reading ends with the process, whatever happens to it
    try:
        _wait_for_iterations(reader, 3)
        process.send_signal(signal.SIGINT)
        said, _ = process.communicate(timeout=60)
    finally:
        process.kill()
        os.close(reader)
    assert process.returncode == 130
    assert "interrupted" in said
    model = load(tmp_path / "links.safetensors")
    assert model.solution_.reason == "interrupted"
    assert model.solution_.value < model.solution_.history[0]


def _wait_for_iterations(reader: int, count: int) -> None:
    """Read the terminal until the progress line has got this far."""
    seen = b""
    while not any(f"iteration {step} of".encode() in seen for step in range(count, count + 1000)):
        seen = seen[-10_000:] + os.read(reader, 4096)


def test_weights_are_used_on_request(folder: Path, run: Any, run_json: Any) -> None:
    (folder / "heavy.csv").write_text(
        "source,target,weight\n" + "".join(f"{i},{i + 1},{1 + i % 3}\n" for i in range(20))
    )
    plain = run_json("fit", "heavy.csv", *SMALL, "-o", "plain.safetensors")
    assert (plain["graph"]["weighted"], plain["graph"]["changes"]["weights"]) == (False, 13)
    found = run_json("fit", "heavy.csv", *SMALL, "--weights", "-o", "heavy.safetensors")
    assert (found["graph"]["weighted"], found["graph"]["changes"]["weights"]) == (True, 0)
    assert found["fit"]["loss"] != plain["fit"]["loss"]
    assert "20 links, weighted" in run("info", "heavy.safetensors").stdout
    run("convert", "heavy.csv", "heavy.mtx", "--weights")
    assert "20 links, weighted" in run("fit", "heavy.mtx", *SMALL, "--weights", "-o", "again.safetensors").stdout


def test_missing_or_ignored_weights_are_remarked_on(folder: Path, run: Any) -> None:
    (folder / "heavy.txt").write_text("a b 2\nb c 3\nc d 1\n")
    small = ["-B", "1", "-C", "1", "--weights", "--force"]
    assert "SVD ignores weights" in run("fit", "heavy.txt", *small, "--model", "SVD").stderr
    assert "No link has a weight other than 1" in run("fit", "heavy.txt", *small, "--columns", "0,1").stderr

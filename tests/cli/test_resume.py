from __future__ import annotations

import os
import random
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from subprocess import PIPE

import numpy as np
import pytest

from philia.models import load

PROGRAM = """
import os, shlex, signal, sys
import philia.fitting
from philia.cli import app
from philia.fitting import checkpoint
checkpoint.EVERY, checkpoint._SHARE = 0.005, 1e9
for line in sys.stdin:
    if not (process := os.fork()):
        folder, *arguments = shlex.split(line)
        os.chdir(folder)
        said = os.open("said.txt", os.O_CREAT | os.O_TRUNC | os.O_WRONLY)
        os.dup2(said, 1)
        os.dup2(said, 2)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        app(arguments)
    print(process, flush=True)
    print(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), flush=True)
"""
"""Runs each command in a forked process that writes checkpoints all the time; everything is already imported."""

FIXED = ["-B", "6", "-C", "3", "--penalty", "0.1", "--solver", "lbfgsb"]
SAMPLED = ["-B", "6", "-C", "3", "--penalty", "1", "--solver", "adam"]
KINDS = {"fixed": FIXED, "chosen": ["-C", "0", "--penalty", "1"], "sampled": SAMPLED}


@pytest.fixture
def links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with links of 200 nodes in five groups."""
    chance = random.Random(0)
    pairs = ((a, b) for a in range(200) for b in range(a) if chance.random() < (0.2 if a % 5 == b % 5 else 0.01))
    (tmp_path / "links.txt").write_text("".join(f"{a} {b}\n" for a, b in pairs))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="module")
def program() -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen([sys.executable, "-c", PROGRAM], stdin=PIPE, stdout=PIPE, text=True) as running:
        yield running


class Fit:
    """``philia fit links.txt`` in a process of its own."""

    def __init__(self, program: subprocess.Popen[str], *options: str) -> None:
        assert program.stdin
        assert program.stdout
        self.answers = program.stdout
        program.stdin.write(shlex.join([str(Path.cwd()), "fit", "links.txt", *options]) + "\n")
        program.stdin.flush()
        self.process = int(self.answers.readline())

    def send(self, what: signal.Signals, wait_for: Path) -> None:
        """Send a signal once the search has written to the folder, unless the process has ended by then."""
        with suppress(ProcessLookupError):
            while max(wait_for.glob("records-*"), default=wait_for).name < "records-00000002":  # 1 holds the start
                os.kill(self.process, 0)
                time.sleep(0.005)
            os.kill(self.process, what)

    def code(self) -> int:
        """The exit code, once it has ended."""
        return int(self.answers.readline())


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_fit_that_is_killed_at_any_moment_resumes_to_the_same_bits(
    kind: str, links: Path, program: subprocess.Popen[str]
) -> None:
    began = time.perf_counter()
    assert Fit(program, *KINDS[kind], "-o", "whole.safetensors").code() == 0
    longest, chance = time.perf_counter() - began, random.Random(1)
    codes: list[int] = []
    while not codes or codes[-1] == -signal.SIGKILL:
        fit = Fit(program, *KINDS[kind], "-o", "kept.safetensors", "--resume")
        if len(codes) < 2:
            time.sleep(chance.uniform(0, longest / 3))
            fit.send(signal.SIGKILL, links / "kept.checkpoint")
        codes.append(fit.code())
    assert codes[-1] == 0, Path("said.txt").read_text()
    assert len(codes) > 1
    one, two = load("whole.safetensors"), load("kept.safetensors")
    for name, array in one.factors_.arrays().items():
        np.testing.assert_array_equal(array, two.factors_.arrays()[name])
    np.testing.assert_array_equal(one.solution_.history, two.solution_.history)
    assert not (links / "kept.checkpoint").exists()


def test_an_unfinished_fit_is_resumed_by_the_same_command_and_discarded_only_if_asked(
    links: Path, program: subprocess.Popen[str]
) -> None:
    killed = Fit(program, *FIXED)
    killed.send(signal.SIGKILL, links / "links.checkpoint")
    assert killed.code() == -signal.SIGKILL
    assert Fit(program, *FIXED).code() == 0
    assert "Resuming a fit of CommunityModel to 200 nodes" in Path("said.txt").read_text()
    assert not (links / "links.checkpoint").exists()


def test_an_unfinished_fit_is_not_resumed_with_other_settings(links: Path, program: subprocess.Popen[str]) -> None:
    folder = links / "links.checkpoint"
    killed = Fit(program, *FIXED)
    killed.send(signal.SIGKILL, folder)
    assert killed.code() == -signal.SIGKILL
    left = sorted(folder.iterdir())
    assert Fit(program, *FIXED, "--seed", "7", "--resume").code() == 2
    assert "random_state was 0 and is 7" in Path("said.txt").read_text()
    assert sorted(folder.iterdir()) == left
    assert Fit(program, *FIXED, "--seed", "7", "--force").code() == 0
    assert load("links.safetensors").random_state == 7
    assert not folder.exists()


def test_the_checkpoint_of_another_fit_blocks_nothing(links: Path, program: subprocess.Popen[str]) -> None:
    folder = links / "links.checkpoint"
    killed = Fit(program, *FIXED)
    killed.send(signal.SIGKILL, folder)
    assert killed.code() == -signal.SIGKILL
    left = {path.name for path in folder.iterdir()}
    assert Fit(program, *FIXED, "--seed", "7").code() == 0
    said = Path("said.txt").read_text()
    assert "which is another fit (random_state was 0 and is 7)" in said
    assert "now called 'links.checkpoint.1'" in said
    assert load("links.safetensors").random_state == 7
    assert not folder.exists()
    aside = links / "links.checkpoint.1"
    assert {path.name for path in aside.iterdir()} == left
    aside.rename(folder)
    assert Fit(program, *FIXED, "--resume").code() == 0
    assert load("links.safetensors").random_state == 0


def test_resume_also_starts_a_fit_and_accepts_a_complete_one(links: Path, program: subprocess.Popen[str]) -> None:
    assert Fit(program, *SAMPLED, "--resume").code() == 0
    assert "There is no checkpoint 'links.checkpoint'; starting a new fit" in Path("said.txt").read_text()
    content = Path("links.safetensors").read_bytes()
    (links / "links.checkpoint").mkdir()  # as if it had been killed while removing the checkpoint
    for _ in range(2):
        assert Fit(program, *SAMPLED, "--resume").code() == 0
        assert "'links.safetensors' is already complete" in Path("said.txt").read_text()
    assert Path("links.safetensors").read_bytes() == content
    assert not (links / "links.checkpoint").exists()
    assert Fit(program, *SAMPLED, "--seed", "7", "--resume").code() == 2
    assert "is of another fit: random_state was 0 and is 7" in Path("said.txt").read_text()
    assert Path("links.safetensors").read_bytes() == content
    assert Fit(program, *SAMPLED, "--seed", "7", "--resume", "--force").code() == 0
    assert load("links.safetensors").random_state == 7


@pytest.mark.parametrize("harm", ["{}", "[]", "[" * 100_000, ""])
def test_a_damaged_checkpoint_is_one_sentence(harm: str, links: Path, program: subprocess.Popen[str]) -> None:
    (links / "links.checkpoint").mkdir()
    (links / "links.checkpoint" / "fit.json").write_text(harm)
    for options in ([], ["--resume"]):
        assert Fit(program, *FIXED, *options).code() == 2
        said = Path("said.txt").read_text()
        assert "the checkpoint 'links.checkpoint' is damaged: fit.json" in said
        assert "bug" not in said
    assert Fit(program, *FIXED, "--force").code() == 0


def test_ctrl_c_saves_the_best_so_far_and_the_fit_can_be_resumed(links: Path, program: subprocess.Popen[str]) -> None:
    stopped = Fit(program, *FIXED)
    stopped.send(signal.SIGINT, links / "links.checkpoint")
    assert stopped.code() == 130
    assert "run the same command again" in Path("said.txt").read_text()
    assert load("links.safetensors").solution_.reason == "interrupted"
    assert Fit(program, *FIXED, "--resume").code() == 0
    assert "Resuming a fit of CommunityModel" in Path("said.txt").read_text()
    assert Fit(program, *FIXED, "-o", "whole.safetensors").code() == 0
    one, two = load("links.safetensors"), load("whole.safetensors")
    np.testing.assert_array_equal(one.solution_.point, two.solution_.point)


def test_resume_starts_again_if_an_interrupted_model_has_no_checkpoint(
    links: Path, program: subprocess.Popen[str]
) -> None:
    assert Fit(program, *FIXED).code() == 0
    model = load("links.safetensors")
    model.solution_ = replace(model.solution_, reason="interrupted")  # a real Ctrl-C may come when none is saved
    model.save("links.safetensors")
    assert Fit(program, *FIXED, "--resume").code() == 0
    assert "was interrupted and left no checkpoint; starting a new fit" in Path("said.txt").read_text()
    assert load("links.safetensors").solution_.reason != "interrupted"

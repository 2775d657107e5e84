from __future__ import annotations

import os
import signal
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from philia.exceptions import GraphFileError
from tests.fuzz import harness
from tests.fuzz.harness import Target, run, shuffled_bytes


def _examples(folder: Path) -> Sequence[Path]:
    path = folder / "example.txt"
    path.write_text("a b\nb c\n")
    return [path]


def _misbehaving(behaviour: str) -> Target:
    def read(path: Path) -> str:
        if path.read_bytes()[0] != ord("a"):
            raise GraphFileError("not ours")
        match behaviour:
            case "crash":
                os.kill(os.getpid(), signal.SIGSEGV)
            case "hang":
                time.sleep(60)
            case "memory":
                np.ones(2**25)
            case "lie":
                raise AssertionError("two is three")
            case "foreign":
                raise KeyError("checksum")
        return "read"

    def first_byte(content: bytes, rng: np.random.Generator) -> bytes:
        return bytes([rng.choice(list(b"ab"))]) + content[1:]

    return Target("toy", _examples, read, first_byte)


@pytest.mark.parametrize("behaviour", ["crash", "hang", "memory", "lie", "foreign"])
def test_every_way_to_misbehave_is_noticed_and_the_run_goes_on(
    behaviour: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(harness, "SECONDS", 0.2 if behaviour == "hang" else 10)
    monkeypatch.setattr(harness, "GROWTH", 2**27)
    findings = run(_misbehaving(behaviour), inputs=6, keep=tmp_path)
    assert findings.outcomes.total() == 6
    assert len(findings.failures) == findings.outcomes[behaviour] > 0
    assert findings.outcomes["refused"] > 0
    assert len(list(tmp_path.iterdir())) == len(findings.failures)


def test_what_behaves_passes() -> None:
    findings = run(_misbehaving("none"), inputs=20)
    assert findings.failures == []
    assert set(findings.outcomes) == {"read", "refused"}


def test_the_same_seed_makes_the_same_inputs() -> None:
    made = [[shuffled_bytes(b"some text", np.random.default_rng((seed, 3))) for seed in range(20)] for _ in range(2)]
    assert made[0] == made[1]
    assert len(set(made[0])) > 10

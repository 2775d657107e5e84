"""``philia fit`` killed by SIGKILL at a hundred moments, and resumed to the same bits."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from philia.storage.tensors import read_arrays
from tests.cli.test_resume import KINDS, Fit, links, program

__all__ = ["links", "program"]

KILLS = 100
"""How many processes are killed, over all kinds of fits."""


@pytest.mark.slow
def test_a_hundred_kills_change_no_bit_and_leave_nothing_behind(links: Path, program: subprocess.Popen[str]) -> None:
    chance, seconds, whole = random.Random(15), {}, {}
    for kind, options in KINDS.items():
        for _ in range(2):  # the first run compiles and loads more
            began = time.perf_counter()
            assert Fit(program, *options, "-o", f"{kind}.safetensors", "--force").code() == 0
            seconds[kind] = time.perf_counter() - began
        whole[kind] = read_arrays(f"{kind}.safetensors")[0]
    killed = kept = 0
    while killed < KILLS:
        kind = chance.choice(list(KINDS))
        target, codes = links / "kept.safetensors", [-signal.SIGKILL]
        target.unlink(missing_ok=True)
        while codes[-1] == -signal.SIGKILL:
            fit = Fit(program, *KINDS[kind], "-o", target.name, "--resume")
            if len(codes) < 12:  # then it may finish
                time.sleep(chance.uniform(0, 0.7 * seconds[kind]))
                with suppress(ProcessLookupError):
                    os.kill(fit.process, signal.SIGKILL)
            codes.append(fit.code())
            killed += codes[-1] == -signal.SIGKILL
            kept += codes[-1] == -signal.SIGKILL and (links / "kept.checkpoint" / "fit.json").exists()
        assert codes[-1] == 0, Path("said.txt").read_text()
        assert Fit(program, *KINDS[kind], "-o", target.name, "--resume").code() == 0
        assert "is already complete" in Path("said.txt").read_text()
        found = read_arrays(target)[0]
        assert found.keys() == whole[kind].keys()
        for name, array in whole[kind].items():
            np.testing.assert_array_equal(found[name], array)
        assert not (links / "kept.checkpoint").exists()
    assert kept > KILLS // 5  # many kills come after something was written

"""How long ``import philia`` and short commands take on a warm machine, beside a bare interpreter."""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.measuring import save

REPEATS = 10

PHILIA = (sys.executable, "-m", "philia")
MODEL = "karate.safetensors"
PROCESSES: dict[str, tuple[str, ...]] = {
    "bare interpreter": (sys.executable, "-c", "pass"),
    "import numpy, scipy.sparse": (sys.executable, "-c", "import numpy, scipy.sparse"),
    "import philia": (sys.executable, "-c", "import philia"),
    "from philia import CommunityModel": (sys.executable, "-c", "from philia import CommunityModel"),
    "philia --help": (*PHILIA, "--help"),
    "philia fit --help": (*PHILIA, "fit", "--help"),
    "philia explain": (*PHILIA, "explain", MODEL, "0", "1"),
}


def run() -> None:
    """Medians of ten processes each, taken in turns."""
    from philia import CommunityModel
    from philia.datasets import classic

    with tempfile.TemporaryDirectory() as folder:
        CommunityModel(random_state=0).fit(classic("karate")).save(Path(folder, MODEL))
        turns = [{name: seconds(command, folder) for name, command in PROCESSES.items()} for _ in range(REPEATS + 1)]
    times = {name: statistics.median(turn[name] for turn in turns[1:]) for name in PROCESSES}  # the first warms caches
    save("startup", {name: round(value, 3) for name, value in times.items()})


def seconds(command: tuple[str, ...], folder: str) -> float:
    """The processor time of a process, which finds and leaves compiled bytecode as an installed program does."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, capture_output=True, cwd=folder, env=environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    run()

"""How long ``import philia`` and ``philia --help`` take on a warm machine, beside a bare interpreter."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from benchmarks.measuring import medians, save


def run() -> None:
    """Medians of ten, in seconds."""

    def process(*command: str) -> None:
        subprocess.run(command, check=True, capture_output=True)

    philia = str(Path(sys.executable).with_name("philia"))
    times = medians(
        {
            "bare interpreter": lambda: process(sys.executable, "-c", "pass"),
            "import philia": lambda: process(sys.executable, "-c", "import philia"),
            "from philia import CommunityModel": lambda: process(
                sys.executable, "-c", "from philia import CommunityModel"
            ),
            "philia --help": lambda: process(philia, "--help"),
            "philia fit --help": lambda: process(philia, "fit", "--help"),
        },
        repeats=10,
    )
    save("startup", {name: round(value, 3) for name, value in times.items()})


if __name__ == "__main__":
    run()

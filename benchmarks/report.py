"""Reports: seconds, memory and size, of blog's model and of that of a generated network of a million nodes.

The second is the one that `python -m benchmarks.large whole` leaves in its folder.

    python -m benchmarks.report
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.measuring import save
from philia import CommunityModel
from philia.datasets import load


def report_of(model: Path) -> dict[str, Any]:
    """``philia report`` in a process of its own."""
    page = model.with_suffix(".html")
    command = [str(Path(sys.executable).parent / "philia"), "report", str(model), "-o", str(page), "--force", "--quiet"]
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, check=True)
    took, used = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    return {
        "seconds": round(took, 1),
        "seconds of processor": round(used.ru_utime + used.ru_stime - before.ru_utime - before.ru_stime, 1),
        "largest peak so far, GB": round(used.ru_maxrss * 1024 / 1e9, 2),
        "MB of the page": round(page.stat().st_size / 1e6, 1),
    }


def blog_model(folder: Path) -> Path:
    """A model of blog with 5 % of the pairs held out, fitted unless it was before."""
    path = folder / "blog.safetensors"
    if not path.exists():
        CommunityModel(32, 8, penalty=10.0, solver="adam", random_state=0).fit(load("blog").graph, held_out=0.05).save(
            path
        )
    return path


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "philia_large")
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    models = {"blog": blog_model(folder), "a million nodes": folder / "model_1000000.safetensors"}
    found = [{"network": name, **report_of(path)} for name, path in models.items() if path.exists()]
    save("report", found)

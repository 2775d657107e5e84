"""The quick version of everything, as a user would run it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

DATA = Path(os.environ.get("PHILIA_DATA") or Path(__file__).parents[3] / "shared" / "data")


@pytest.mark.slow
@pytest.mark.skipif(not (DATA / "amazon").is_dir(), reason="the real networks are not on this machine")
def test_the_quick_version_runs_and_resumes(tmp_path: Path) -> None:
    program = [sys.executable, "-c", "from philia.cli import main; main()", "reproduce", "--quick", "--json"]
    environment = {**os.environ, "PHILIA_DATA": str(DATA)}

    def run() -> tuple[dict[str, list[dict[str, str]]], str]:
        done = subprocess.run(
            [*program, "-o", str(tmp_path)], capture_output=True, text=True, env=environment, check=True
        )
        return json.loads(done.stdout), done.stderr

    first, progress = run()
    assert "communities, amazon, VGraph" in progress
    assert first["missing"] == []
    assert len(first["claims"]) >= 18
    page = (tmp_path / "reproduction.md").read_text()
    pictures = re.findall(r"!\[.*?\]\((.*?)\)", page)
    assert len(pictures) >= 7
    assert all((tmp_path / picture).stat().st_size > 5_000 for picture in pictures)

    kept = sorted((tmp_path / "reproduction" / "results").iterdir())
    times = [file.stat().st_mtime_ns for file in kept]
    again, progress = run()
    assert "amazon" not in progress  # nothing had to run again
    assert again == first
    assert [file.stat().st_mtime_ns for file in kept] == times

from __future__ import annotations

import logging
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

import philia
from philia._compilation import announced, compiled


def test_what_takes_long_is_announced_and_what_is_quick_is_not(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "philia"):
        with announced("quick work", after=5):
            pass
        with announced("long work", after=0.01):
            time.sleep(0.3)
    assert "long work" in caplog.text
    assert "quick work" not in caplog.text


def test_a_function_without_a_place_for_a_cache_is_compiled_all_the_same() -> None:
    scope: dict[str, object] = {}
    exec("def twice(x):\n    return 2 * x", scope)  # no file, so nowhere to keep the result
    function = scope["twice"]
    assert callable(function)
    assert compiled(function)(21) == 42


def test_an_installation_where_nothing_can_be_written_still_works(tmp_path: Path) -> None:
    copy = tmp_path / "site" / "philia"
    shutil.copytree(Path(philia.__file__).parent, copy, ignore=shutil.ignore_patterns("__pycache__"))
    blocked = tmp_path / "blocked"
    for obstacle in (blocked, *(folder / "__pycache__" for folder in {file.parent for file in copy.rglob("*.py")})):
        obstacle.write_text("a file where a folder would have to be, which stops even an administrator")
    program = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from philia.objective.kernels import compiled; compiled.prepare('float64')\n"
        "print(compiled.__file__.startswith(sys.argv[1]), compiled._tiles._cache.cache_path)"
    )
    home = {"HOME": str(blocked), "XDG_CACHE_HOME": str(blocked / "cache")}
    command = [sys.executable, "-c", program, str(copy.parent)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env={**os.environ, **home})
    assert done.stdout.split() == ["True", "None"]

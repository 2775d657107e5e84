from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import philia
from philia._compilation import announced, compiled


def test_the_first_compilation_of_a_process_is_announced_and_a_load_from_the_cache_is_not(tmp_path: Path) -> None:
    (tmp_path / "kernels.py").write_text(
        "import logging, sys\n"
        "from philia._compilation import announced, compiled\n"
        "logging.basicConfig(level=logging.INFO, stream=sys.stdout, format='%(message)s')\n"
        "@compiled\ndef one(x):\n    return x + 1\n"
        "@compiled\ndef two(x):\n    return one(x) + 1\n"
        "for kernel in (one, two):\n"
        "    with announced(f'compiling {kernel.__name__}'):\n"
        "        kernel(1)\n"
    )

    def said() -> list[str]:
        command = [sys.executable, "kernels.py"]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout.splitlines()

    first, *more = said()
    assert "compiling one" in first
    assert not more
    assert not said()


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Ctrl-C as in a terminal: a program that a script starts in the background ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
def test_ctrl_c_while_something_is_compiled_is_raised_at_the_end() -> None:
    steps = []
    with pytest.raises(KeyboardInterrupt):  # noqa: PT012  (the steps before the exception are what is tested)
        with announced("work"):
            signal.raise_signal(signal.SIGINT)
            steps.append("went on")
        steps.append("never here")
    assert steps == ["went on"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.usefixtures("interruptible")
def test_a_second_ctrl_c_is_raised_at_once() -> None:
    def twice() -> None:
        with announced("work"):
            signal.raise_signal(signal.SIGINT)
            signal.raise_signal(signal.SIGINT)
            pytest.fail("the second Ctrl-C was not raised")

    with pytest.raises(KeyboardInterrupt):
        twice()


def test_a_function_without_a_place_for_a_cache_is_compiled_all_the_same() -> None:
    scope: dict[str, object] = {}
    exec("def twice(x):\n    return 2 * x", scope)  # no file, so nowhere to keep the result
    function = scope["twice"]
    assert callable(function)
    assert compiled(function)(21) == 42


@pytest.mark.slow
def test_an_installation_where_nothing_can_be_written_still_works(tmp_path: Path) -> None:
    copy = tmp_path / "site" / "philia"
    shutil.copytree(Path(philia.__file__).parent, copy, ignore=shutil.ignore_patterns("__pycache__"))
    blocked = tmp_path / "blocked"
    for obstacle in (blocked, *(folder / "__pycache__" for folder in {file.parent for file in copy.rglob("*.py")})):
        obstacle.write_text("a file where a folder would have to be, which stops even an administrator")
    program = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from philia.objective import CrossEntropy\n"
        "from philia.objective.kernels import compiled; compiled.prepare_lanes(CrossEntropy, 'float64')\n"
        "kernel = compiled._kernels_for(CrossEntropy).tiles\n"
        "print(compiled.__file__.startswith(sys.argv[1]), kernel._cache.cache_path)"
    )
    home = {"HOME": str(blocked), "XDG_CACHE_HOME": str(blocked / "cache")}
    command = [sys.executable, "-c", program, str(copy.parent)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env={**os.environ, **home})
    assert done.stdout.split() == ["True", "None"]


KERNELS = {
    "inner": """
from philia._compilation import compiled
OFFSET = 0
@compiled
def inner(x):
    return 2 * x + OFFSET
""",
    "constant": "SHIFT = 100",
    "outer": """
from philia._compilation import compiled
from kernels.constant import SHIFT
from kernels.inner import inner
@compiled
def outer(x):
    return helper(x) + SHIFT
@compiled
def helper(x):
    return inner(x)
""",
}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("module", "old", "new", "expected"),
    [("inner", "2 * x", "3 * x", 115), ("inner", "OFFSET = 0", "OFFSET = 7", 117), ("constant", "100", "200", 210)],
)
def test_a_kernel_is_compiled_again_when_one_that_it_calls_in_another_file_changes(
    module: str, old: str, new: str, expected: int, tmp_path: Path
) -> None:
    folder = tmp_path / "kernels"
    folder.mkdir()
    for name, source in KERNELS.items():
        (folder / f"{name}.py").write_text(source)

    def result() -> tuple[int, int]:
        """What the outer kernel gives in a new process, and how many compiled versions it found on disk."""
        program = "from kernels.outer import outer; print(outer(5), sum(outer.stats.cache_hits.values()))"
        command = [sys.executable, "-B", "-c", program]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
        value, hits = done.stdout.split()
        return int(value), int(hits)

    assert result() == (110, 0)
    assert result() == (110, 1)
    changed = folder / f"{module}.py"
    changed.write_text(changed.read_text().replace(old, new))
    assert result() == (expected, 0)


@pytest.mark.slow
def test_every_process_finds_the_kernels_that_another_one_compiled() -> None:
    program = """
import pkgutil, philia
from importlib import import_module
from numba.core.dispatcher import Dispatcher
for _, name, _ in pkgutil.walk_packages(philia.__path__, "philia."):
    if name != "philia.__main__":
        for value in vars(import_module(name)).values():
            if isinstance(value, Dispatcher):
                print(value.py_func.__module__, value.py_func.__qualname__)
"""
    said = [
        subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
        for _ in range(2)
    ]
    assert len(said[0].splitlines()) > 20
    assert said[0] == said[1]

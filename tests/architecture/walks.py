"""The files that a command passes through; ``python -m tests.architecture.walks`` writes them into the docs."""

from __future__ import annotations

import contextlib
import inspect
import io
import os
import re
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from types import FrameType
from typing import Any

import philia

PACKAGE = Path(philia.__file__).parent
PAGE = Path(__file__).parents[2] / "docs/architecture.md"

WALKS: dict[str, Sequence[Sequence[str]]] = {
    "philia explain": [["fit", "links.csv", "-B", "2", "-C", "1", "--penalty", "1"], ["explain", "MODEL", "0", "1"]],
    "philia exact": [["exact", "links.csv"]],
    "philia fit --report": [["fit", "links.csv", "--report", "report.html"]],
    "philia fit on sampled pairs": [["fit", "links.csv", "-B", "2", "-C", "1", "--penalty", "1", "--solver", "adam"]],
}
"""The last command of each is watched."""


def walk(commands: Sequence[Sequence[str]]) -> list[str]:
    """The files in which a function is called while the last command runs, from the package's folder."""
    from philia.cli import app

    seen: set[str] = set()

    def watch(frame: FrameType, event: str, argument: Any) -> None:
        # Modules and the bodies of classes run at import; of all code only functions have optimized locals.
        if event == "call" and frame.f_code.co_flags & inspect.CO_OPTIMIZED:
            seen.add(frame.f_code.co_filename)

    with _folder(), contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        for number, command in enumerate(commands):
            arguments = [str(next(Path().glob("*.safetensors"))) if word == "MODEL" else word for word in command]
            if number == len(commands) - 1:
                threading.setprofile(watch)
                sys.setprofile(watch)
            try:
                app(arguments, standalone_mode=False)
            finally:
                sys.setprofile(None)
                threading.setprofile(None)
    inside = (Path(file) for file in seen if Path(file).is_relative_to(PACKAGE))
    return sorted((file.relative_to(PACKAGE).as_posix() for file in inside), key=lambda file: file.rpartition("/"))


@contextlib.contextmanager
def _folder() -> Iterator[None]:
    """A folder of its own with the links of the karate club."""
    from philia.datasets import classic

    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            graph = classic("karate")
            lines = [f"{u},{v}" for u, v in zip(*(graph.nodes.pick(ends) for ends in graph.links), strict=True)]
            Path("links.csv").write_text("\n".join(["source,target", *lines]) + "\n")
            yield
        finally:
            os.chdir(before)


def as_markdown(name: str, files: Sequence[str]) -> str:
    """A walk as a line of the page: its number of files, and the files by room."""
    rooms = []
    for room, members in groupby(files, key=lambda file: file.rpartition("/")[0]):
        names = ", ".join(Path(file).stem for file in members)
        rooms.append(f"{room or 'philia'} ({names})")
    return f"- `{name}`, {len(files)} files: {'; '.join(rooms)}."


def told(page: str) -> dict[str, str]:
    """The walks on a page, by their names."""
    return {found[1]: found[0] for found in re.finditer(r"^- `(philia [^`]+)`, \d+ files: .*$", page, re.MULTILINE)}


if __name__ == "__main__":
    text = PAGE.read_text()
    before = told(text)
    for walk_name, commands in WALKS.items():
        line = as_markdown(walk_name, walk(commands))
        text = text.replace(before[walk_name], line) if walk_name in before else f"{text.rstrip()}\n{line}\n"
    PAGE.write_text(text)

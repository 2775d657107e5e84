"""Draw the pictures of the documentation again: ``python docs/make_pictures.py``.

The page is the recipe: its examples are run, and where a picture is shown, the axes last called ``ax`` are saved as it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from doctest import DocTestParser
from pathlib import Path
from typing import Any

PAGE = Path(__file__).parent / "plots.md"

_PICTURE = re.compile(r"!\[[^\]]*\]\(([^)]+)\)")


def recipes(text: str) -> Iterator[tuple[str, str]]:
    """The picture that each part of a page ends with, and the examples of that part as a script.

    >>> list(recipes("Two dots: ![dots](dots.png) and"))
    [('dots.png', '')]
    """
    start = 0
    for found in _PICTURE.finditer(text):
        examples = DocTestParser().get_examples(text[start : found.start()])
        yield found[1], "".join(example.source for example in examples)
        start = found.end()


def draw(page: Path, folder: Path) -> list[Path]:
    """Run the examples of a page and save its pictures below a folder; gives their paths."""
    names: dict[str, Any] = {}
    saved = []
    for picture, script in recipes(page.read_text(encoding="utf-8")):
        names.pop("ax", None)  # a picture without a line of its own is a mistake
        exec(script, names)
        saved.append(folder / picture)
        saved[-1].parent.mkdir(parents=True, exist_ok=True)
        names["ax"].figure.savefig(saved[-1], dpi=100, metadata={"Software": None})
    return saved


if __name__ == "__main__":
    draw(PAGE, PAGE.parent)

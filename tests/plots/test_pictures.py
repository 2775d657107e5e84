"""Every picture in the documents is drawn by code that exists and runs."""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
SCRIPT: dict[str, Any] = runpy.run_path(str(ROOT / "docs" / "make_pictures.py"))
ELSEWHERE = {
    "docs/pictures/exact_columns.png": "benchmarks/exact/picture.py",
    "docs/pictures/report.png": "tests/report/browser/first_screen.py",
}
"""Pictures that are not on the page of plots, and the code that draws them."""


def shown() -> set[str]:
    """All pictures in the README and the documentation, except those that the reproduction draws."""
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    found = {
        (page.parent / picture).resolve().relative_to(ROOT).as_posix()
        for page in pages
        for picture in re.findall(r"!\[[^\]]*\]\(([^)]+)\)", page.read_text(encoding="utf-8"))
    }
    return {picture for picture in found if not picture.startswith("docs/reproduction/")}


def drawn() -> set[str]:
    text = SCRIPT["PAGE"].read_text(encoding="utf-8")
    return {f"docs/{picture}" for picture, script in SCRIPT["recipes"](text) if "ax" in script}


def test_every_picture_in_the_documents_is_drawn_by_a_script() -> None:
    assert len(drawn()) > 10
    assert shown() - drawn() - set(ELSEWHERE) == set()
    assert [code for code in ELSEWHERE.values() if not (ROOT / code).exists()] == []


def test_every_picture_file_is_shown_somewhere() -> None:
    kept = {path.relative_to(ROOT).as_posix() for path in (ROOT / "docs" / "pictures").iterdir()}
    assert kept - shown() - {"docs/pictures/report.png"} == set()


def test_a_page_is_drawn_picture_by_picture(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "```python\n>>> from philia import as_graph, plots\n>>> ax = plots.adjacency(as_graph([(0, 1)]))\n\n```\n"
        "![one link](one.png)\n\n>>> ax = plots.adjacency(as_graph([(0, 1), (1, 2)]))\n\n![two links](more/two.png)\n"
    )
    saved = SCRIPT["draw"](page, tmp_path)
    assert saved == [tmp_path / "one.png", tmp_path / "more" / "two.png"]
    assert saved[0].read_bytes() != saved[1].read_bytes()


def test_a_picture_without_its_own_line_is_refused(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("![nothing](nothing.png)\n")
    with pytest.raises(KeyError, match="ax"):
        SCRIPT["draw"](page, tmp_path)

"""What the documents say about the repository is true: paths, version, public names."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import philia

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "philia"
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])
TEXTS = [*DOCUMENTS, ROOT / "CITATION.cff", *sorted((ROOT / "examples").glob("*.py"))]
EVERYWHERE = [*TEXTS, ROOT / "pyproject.toml", ROOT / "Makefile", *sorted(PACKAGE.rglob("*.py"))]
VERSION_MAY_STAND_IN = {
    PACKAGE / "_version.py",
    ROOT / "CHANGELOG.md",
    ROOT / "CITATION.cff",
    ROOT / "docs" / "reproduction.md",
}
DRAWERS = {"utils", "helpers", "misc", "common", "core", "base"}

_CODE = re.compile(r"`([^`\s]+)`")
_PATH = re.compile(r"[\w.-]+(/[\w.-]+)+/?|[\w.-]+/|[\w-]+\.(py|md|toml|cff)")


def short(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def named_paths(document: Path) -> list[str]:
    """Everything in backticks that looks like a path of the repository."""
    return [code for code in _CODE.findall(document.read_text()) if _PATH.fullmatch(code)]


def test_a_path_is_told_from_other_code() -> None:
    looks = ["src/philia/models", "tests/laws/test_x.py", "pyproject.toml", "cli/", ".ci/run"]
    assert [text for text in looks if not _PATH.fullmatch(text)] == []
    assert [text for text in ("philia.exceptions", "as_graph", "model.fit()", ".venv") if _PATH.fullmatch(text)] == []


@pytest.mark.parametrize("name", ["docs/paper_map.md", "docs/architecture.md"])
def test_every_path_named_in_the_map_and_the_plan_exists(name: str) -> None:
    paths = named_paths(ROOT / name)
    assert len(paths) > 10
    assert sorted({path for path in paths if not (ROOT / path).exists()}) == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=short)
def test_every_folder_and_file_named_with_its_folder_exists(document: Path) -> None:
    paths = [path for path in named_paths(document) if "/" in path]
    assert sorted({path for path in paths if not ((ROOT / path).exists() or (PACKAGE / path).exists())}) == []


def test_the_version_is_written_in_one_place() -> None:
    written = re.compile(rf"(?<![\d.]){re.escape(philia.__version__)}(?![\d.]*\d)")
    found = {path for path in EVERYWHERE if written.search(path.read_text())}
    assert sorted(map(short, found - VERSION_MAY_STAND_IN)) == []
    assert PACKAGE / "_version.py" in found
    assert 'dynamic = ["version"]' in (ROOT / "pyproject.toml").read_text()


def test_the_citation_and_the_changelog_know_the_version() -> None:
    cited = re.findall(r"^version: \"?([^\s\"]+)\"?$", (ROOT / "CITATION.cff").read_text(), re.MULTILINE)
    assert cited == [philia.__version__]
    assert f"## [{philia.__version__}]" in (ROOT / "CHANGELOG.md").read_text()


def test_every_public_name_is_mentioned_in_the_readme_or_the_docs() -> None:
    told = "\n".join(path.read_text() for path in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")])
    missing = [name for name in philia.__all__ if not re.search(rf"(?<!\w){re.escape(name)}(?!\w)", told)]
    assert missing == []


@pytest.mark.parametrize("text", TEXTS, ids=short)
def test_no_document_mentions_a_path_of_one_machine(text: Path) -> None:
    assert re.findall(r"(?<![\w.])/(?:work|root|home|Users|mnt|opt)\b\S*", text.read_text()) == []


def test_no_module_is_a_drawer_for_anything() -> None:
    modules = [path for path in PACKAGE.rglob("*") if path.is_dir() or path.suffix == ".py"]
    assert sorted(short(path) for path in modules if path.stem.strip("_") in DRAWERS) == []

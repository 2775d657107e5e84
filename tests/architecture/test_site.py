"""The site has every public name, every page, and no dead link; ``make docs`` builds it, this needs no Sphinx."""

from __future__ import annotations

import inspect
import pkgutil
import re
from collections import Counter
from importlib import import_module
from pathlib import Path

import pytest

import philia
from philia import exceptions

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(
    [*ROOT.glob("*.md"), *DOCS.rglob("*.md"), *(ROOT / "benchmarks").rglob("*.md"), *(ROOT / "examples").rglob("*.md")]
)
ROOMS = [
    f"philia.{name}" for _, name, is_folder in pkgutil.iter_modules(philia.__path__) if is_folder and name != "cli"
]

_BLOCK = re.compile(r"^```\{(\w+)\} ?(\S*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)


def short(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def blocks(path: Path, kind: str) -> list[tuple[str, list[str]]]:
    """The argument and the lines of every directive of one kind on a page."""
    found = [block for block in _BLOCK.findall(path.read_text()) if block[0] == kind]
    return [(argument, [line for line in lines.splitlines() if line]) for _, argument, lines in found]


def listed_names() -> Counter[str]:
    """How often the reference lists each full name."""
    names: Counter[str] = Counter()
    for page in (DOCS / "api").glob("*.md"):
        for room, lines in blocks(page, "names"):
            names.update(f"{room}.{line.partition(':')[0]}" for line in lines if line[0] != "*")
    for page in (DOCS / "api").glob("*.md"):
        for room, lines in blocks(page, "names"):  # *TABLE stands for those of its keys that the page does not list
            tables = [getattr(import_module(room), line[1:]) for line in lines if line[0] == "*"]
            names.update(full for table in tables for name in table if (full := f"{room}.{name}") not in names)
    return names


def toctree_entries() -> Counter[Path]:
    """How often each page is in a table of contents."""
    entries: Counter[Path] = Counter()
    for page in PAGES:
        for _, lines in blocks(page, "toctree"):
            targets = [re.sub(r".*<(.*)>", r"\1", line) for line in lines if not line.startswith(":")]
            entries.update((page.parent / f"{target}.md").resolve() for target in targets if target[0] != "/")
    return entries


def anchor(heading: str) -> str:
    """What a code host makes of a heading: small letters, hyphens for blanks, nothing but letters and digits else."""
    plain = re.sub(r"`|\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    return re.sub(r"[^\w\- ]", "", plain.strip().lower()).replace(" ", "-")


def dead(page: Path, target: str) -> bool:
    """Whether a relative link leads nowhere, or to a heading that is not there."""
    path, _, heading = target.partition("#")
    goal = (page.parent / path).resolve() if path else page
    if not goal.exists():
        return True
    return bool(heading) and heading not in {anchor(title) for title in _HEADING.findall(goal.read_text())}


def test_an_anchor_is_what_a_code_host_makes_of_a_heading() -> None:
    assert anchor("Theorem A′: 4D + 2, with short numbers") == "theorem-a-4d--2-with-short-numbers"
    assert anchor("The `solver`") == "the-solver"


def test_the_room_of_a_name_is_read_from_the_page() -> None:
    assert ("philia.graphs", "Graph") in {
        (room, line) for room, lines in blocks(DOCS / "api/graphs.md", "names") for line in lines
    }
    assert len(ROOMS) > 10


@pytest.mark.parametrize("room", ROOMS)
def test_the_reference_lists_the_public_names_of_a_room_once_and_no_others(room: str) -> None:
    listed = {name: count for name, count in listed_names().items() if name.rpartition(".")[0] == room}
    public = {f"{room}.{name}": 1 for name in import_module(room).__all__}
    assert listed == public, f"docs/api/{room.rpartition('.')[2]}.md has to list __all__ of {room}"


def test_the_reference_lists_every_error() -> None:
    own = {name for name, thing in vars(exceptions).items() if inspect.isclass(thing) and issubclass(thing, Exception)}
    assert {name for name in listed_names() if "exceptions" in name} == {f"philia.exceptions.{name}" for name in own}


def test_the_reference_begins_with_the_names_of_philia_itself() -> None:
    told = (DOCS / "api/index.md").read_text()
    names = set(philia.__all__) - set(philia.models.MODELS)  # the page of the models lists those
    assert sorted(name for name in names if f"`philia.{name}`" not in told) == []


def test_every_page_is_in_one_table_of_contents() -> None:
    entries = toctree_entries()
    pages = {page for page in PAGES if page != DOCS / "index.md"}
    assert sorted(short(page) for page in pages - entries.keys()) == []
    assert sorted(short(page) for page in entries.keys() - pages) == []
    assert [short(page) for page, count in entries.items() if count > 1] == []


@pytest.mark.parametrize("page", PAGES, ids=short)
def test_no_relative_link_of_a_page_is_dead(page: Path) -> None:
    targets = [target for target in _LINK.findall(_CODE.sub("", page.read_text())) if "://" not in target]
    assert [target for target in targets if dead(page, target)] == []


@pytest.mark.parametrize("page", PAGES, ids=short)
def test_every_formula_in_a_line_ends_in_that_line(page: Path) -> None:
    """Code hosts do not render a formula that is broken over two lines."""
    lines = re.sub(r"`[^`]*`", "", _CODE.sub("", page.read_text())).splitlines()
    assert [line for line in lines if line.count("$") % 2] == []


def test_a_link_to_a_missing_page_or_heading_is_dead() -> None:
    assert dead(DOCS / "index.md", "nowhere.md")
    assert dead(DOCS / "index.md", "choosing.md#nowhere")
    assert not dead(DOCS / "index.md", "choosing.md#which-model")

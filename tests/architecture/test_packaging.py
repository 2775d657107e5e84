"""What pyproject.toml claims of versions and systems is what is tried."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

import philia

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
POSIX_ONLY = {"fcntl", "grp", "posix", "pty", "pwd", "resource", "syslog", "termios", "tty"}


def lowest_claimed() -> Iterator[tuple[str, str]]:
    """The name and the lower bound of everything that is installed for users or tests."""
    extras = PROJECT["optional-dependencies"]
    for requirement in [*PROJECT["dependencies"], *extras["dask"], *extras["report"], *extras["test"]]:
        if not requirement.startswith("philia["):
            name, bound = re.match(r"([\w-]+)>=([\d.]+)", requirement).groups()  # type: ignore[union-attr]
            yield name, bound


def pinned() -> dict[str, str]:
    lines = (ROOT / "tests" / "lowest.txt").read_text().splitlines()
    return dict(line.split("==") for line in lines if not line.startswith("#"))


def parts(version: str) -> list[str]:
    """Without the zeros at the end, which change nothing: 2.0.0 is 2."""
    return re.sub(r"(\.0)+$", "", version).split(".")


def test_the_lowest_versions_that_are_tried_are_those_that_are_claimed() -> None:
    tried = {name: parts(version) for name, version in pinned().items() if name != "click"}
    assert tried == {name: parts(bound) for name, bound in lowest_claimed()}


def test_the_smoke_suite_names_files_that_exist() -> None:
    files = (ROOT / "tests" / "smoke.txt").read_text().split()
    assert len(files) > 5
    assert [file for file in files if not (ROOT / file).is_file()] == []


def test_the_workflow_tries_every_python_that_is_claimed() -> None:
    claimed = [line.rpartition(" ")[2] for line in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", line)]
    workflow = (ROOT / ".github" / "workflows" / "tests.yml").read_text()
    assert f"python: [{', '.join(repr(version) for version in claimed)}]".replace("'", '"') in workflow
    assert PROJECT["requires-python"] == f">={claimed[0]}"


def test_the_changelog_dates_the_version_like_the_citation() -> None:
    (cited,) = re.findall(r"^date-released: (.*)$", (ROOT / "CITATION.cff").read_text(), re.MULTILINE)
    assert f"## [{philia.__version__}] - {cited}" in (ROOT / "CHANGELOG.md").read_text()


@pytest.mark.parametrize("statement", ["import fcntl", "from resource import getrusage", "if True:\n    import pty"])
def test_an_import_that_windows_lacks_is_seen(statement: str) -> None:
    assert imported_at_once(ast.parse(statement)) & POSIX_ONLY


def imported_at_once(tree: ast.AST) -> set[str]:
    """The modules that a file imports when it is imported: not those inside functions or inside ``try``."""
    found = set()
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import):
            found |= {name.name.partition(".")[0] for name in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module.partition(".")[0])
        elif not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Try)):
            found |= imported_at_once(node)
    return found


def test_no_module_imports_what_windows_lacks() -> None:
    files = sorted((ROOT / "src").rglob("*.py"))
    assert len(files) > 50
    needed = {file.name: imported_at_once(ast.parse(file.read_text(encoding="utf-8"))) & POSIX_ONLY for file in files}
    assert {name: modules for name, modules in needed.items() if modules} == {}

"""One browser for all tests, and reports of small fits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from philia.datasets import dating_app
from philia.models import CommunityModel
from philia.report import write_report
from tests.report.browser.visits import Visitor, chromium

expect.set_options(timeout=30_000)  # machines are busy at times; what is right is there much sooner


@dataclass(frozen=True)
class Reported:
    """A model and the page about it."""

    model: CommunityModel
    path: Path


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def visitor(browser: Browser) -> Iterator[Visitor]:
    visitor = Visitor(browser)
    yield visitor
    visitor.leave()


@pytest.fixture(scope="session")
def dating(tmp_path_factory: pytest.TempPathFactory) -> Reported:
    graph = dating_app(200, cities=3, random_state=0).graph
    model = CommunityModel(3, 2, penalty=1, random_state=0).fit(graph)
    path = tmp_path_factory.mktemp("report") / "dating.html"
    write_report(model, path, title="A dating app")
    return Reported(model, path)


@pytest.fixture(scope="module")
def page(visitor: Visitor, dating: Reported) -> Page:
    """One page for all tests of a file: opening it is what takes time."""
    return visitor.open(dating.path)

"""Reports of unusual models open without complaint, on a phone as well."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from scipy.sparse import csr_array

from philia.datasets import dating_app
from philia.models import CommunityModel
from philia.report import payload, write_report
from philia.report.html import page as assembled
from tests.report.browser.conftest import Reported
from tests.report.browser.visits import Visitor

SMALL = dating_app(60, cities=2, random_state=0).graph


def _fit(homophilous: int, heterophilous: int, graph: object = SMALL, held_out: float | None = None) -> CommunityModel:
    return CommunityModel(homophilous, heterophilous, penalty=1, random_state=0).fit(graph, held_out=held_out)


KINDS: dict[str, Callable[[], CommunityModel]] = {
    "without communities": lambda: _fit(0, 0),
    "without any that repel": lambda: _fit(2, 0),
    "without any that attract": lambda: _fit(0, 1),
    "with held-out pairs": lambda: _fit(2, 1, held_out=0.2),
    "of two nodes": lambda: _fit(1, 1, [("ann", "bob")]),
    "without links": lambda: _fit(1, 1, csr_array((3, 3))),
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_model_opens_without_complaint(visitor: Visitor, tmp_path: Path, kind: str) -> None:
    model = KINDS[kind]()
    page = visitor.open(write_report(model, tmp_path / "report.html"), width=360)
    expect(page.locator("#trouble")).to_be_hidden()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    assert page.locator(".community").count() == len(model.communities())
    expect(page.locator(".verdict")).to_contain_text("probability of a link")


def test_beyond_twelve_cards_the_rest_is_shown_on_request(visitor: Visitor, tmp_path: Path) -> None:
    model = CommunityModel(12, 6, penalty=0.1, random_state=0).fit(SMALL)
    page = visitor.open(write_report(model, tmp_path / "report.html"))
    number = len(model.communities())
    assert number > page.locator(".community").count() == 12
    page.get_by_role("button", name=f"Show all {number} communities").click()
    assert page.locator(".community").count() == number
    expect(page.locator(".community").nth(12)).to_be_focused()


@pytest.fixture(scope="module")
def sampled(visitor: Visitor, dating: Reported, tmp_path_factory: pytest.TempPathFactory) -> tuple[Page, list[str]]:
    """A page with only some of the nodes, and the names of those that it has."""
    some = payload(dating.model, budget=6000)
    path = tmp_path_factory.mktemp("report") / "sampled.html"
    path.write_text(assembled(some), encoding="utf-8")
    explorer = some["explorer"]
    assert explorer["nodes"] < explorer["of"]
    return visitor.open(path), explorer["names"][: explorer["nodes"]]


def test_a_sampled_report_has_buttons_only_for_its_own_nodes(sampled: tuple[Page, list[str]]) -> None:
    page, known = sampled
    kinds = page.locator(".about .chip").evaluate_all("chips => chips.map(chip => [chip.tagName, chip.textContent])")
    assert {tag for tag, _ in kinds} == {"BUTTON", "SPAN"}
    assert all((tag == "BUTTON") == (name in known) for tag, name in kinds)


def test_a_sampled_report_shows_the_missing_links_of_the_whole_network(
    sampled: tuple[Page, list[str]], dating: Reported
) -> None:
    page, _ = sampled
    node = int(page.locator(".about > h3 bdi").inner_text())
    graph = dating.model.graph_
    others = [v for v in range(200) if v != node and not graph.has_link(node, v)]
    probabilities = dating.model.predict_proba([(node, v) for v in others])
    best = page.locator(".trio .card").nth(1).locator("tbody th").first.inner_text()
    assert int(best) == others[int(probabilities.argmax())]

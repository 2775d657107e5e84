"""The page of a model with labels and attributes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from philia.report import write_report
from tests.report.browser.visits import Visitor, open_details
from tests.report.models import chosen


@pytest.fixture(scope="module")
def page(visitor: Visitor, tmp_path_factory: pytest.TempPathFactory) -> Page:
    nodes: list[Any] = list(chosen().graph_.nodes)
    attributes: dict[str, dict[Any, object]] = {
        "<b>side</b>": {node: "left" if node < 17 else "right" for node in nodes},
        "number": {node: float(node) for node in nodes},
    }
    path = tmp_path_factory.mktemp("report") / "attributes.html"
    write_report(chosen(), path, labels={"one": nodes[:17], "two": nodes[17:]}, attributes=attributes)
    return visitor.open(path)


def test_the_section_has_scores_and_tests(page: Page) -> None:
    section = page.locator("#attributes")
    expect(section).to_contain_text("F1 with the labels")
    expect(section).to_contain_text("hypergeometric test")
    expect(section).to_contain_text("<b>side</b> by community")
    assert section.locator("b").count() == 0
    assert page.locator("nav.bar").get_by_text("Attributes").is_visible()


def test_the_drawing_can_be_colored_by_an_attribute(page: Page) -> None:
    canvas = page.locator("#drawing canvas")
    before = canvas.evaluate("canvas => canvas.toDataURL()")
    pictures = {before}
    for name in ("label", "<b>side</b>", "number"):
        page.get_by_label("Color by").select_option(name)
        expect(page.locator("#drawing p.legend")).to_be_visible()
        pictures.add(canvas.evaluate("canvas => canvas.toDataURL()"))
    assert len(pictures) == 3  # label and side are the same
    page.get_by_label("Color by").select_option("communities")
    assert canvas.evaluate("canvas => canvas.toDataURL()") == before


def test_the_table_of_nodes_has_a_column_for_each(page: Page) -> None:
    heads = page.locator("#nodes thead th").all_inner_texts()
    assert [head.split("\n")[0].strip() for head in heads] == [
        "node",
        "links",
        "communities",
        "label",
        "<b>side</b>",
        "number",
    ]


def test_a_table_has_no_column_of_unknown_values_if_all_are_known(page: Page) -> None:
    heads = page.locator("#attributes table", has_text="left").last.locator("thead th").all_inner_texts()
    assert heads == ["community", "left", "right"]


def test_on_a_phone_nothing_is_wider_than_the_screen(page: Page) -> None:
    page.set_viewport_size({"width": 360, "height": 800})
    open_details(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    sections = page.locator("nav.bar ul")
    assert sections.evaluate("list => list.scrollWidth <= list.clientWidth"), "a section is out of sight"
    for caption in page.locator("caption").all():
        assert caption.evaluate("words => words.clientWidth") <= 360


def test_a_page_without_attributes_has_no_such_section(visitor: Visitor, tmp_path: Path) -> None:
    page = visitor.open(write_report(chosen(), tmp_path / "plain.html"))
    expect(page.locator("#attributes")).to_be_hidden()
    expect(page.locator("nav.bar").get_by_text("Attributes")).to_be_hidden()

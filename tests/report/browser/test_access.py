"""What a screen reader needs: names, headings in order, captions."""

from __future__ import annotations

from itertools import pairwise

import pytest
from playwright.sync_api import Page, expect

from tests.report.browser.visits import open_details


@pytest.fixture(scope="module")
def opened(page: Page) -> Page:
    open_details(page)
    return page


def test_the_first_tab_skips_the_navigation_and_the_focus_is_visible(page: Page) -> None:
    page.keyboard.press("Tab")
    expect(page.get_by_text("Skip to the content")).to_be_focused()
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('main') !== null")


def test_every_field_has_a_label_and_every_button_a_name(opened: Page) -> None:
    unlabelled = (
        "[...document.querySelectorAll('input')].filter(i => !i.labels.length || !i.labels[0].textContent.trim())"
    )
    assert opened.evaluate(f"{unlabelled}.length") == 0
    nameless = (
        "[...document.querySelectorAll('button, summary, a')].filter(b => !(b.ariaLabel || b.textContent).trim())"
    )
    assert opened.evaluate(f"{nameless}.length") == 0
    assert opened.locator("input").count() == 3


def test_headings_skip_no_level_and_there_is_one_title(opened: Page) -> None:
    levels = opened.evaluate("[...document.querySelectorAll('h1,h2,h3,h4,h5')].map(h => Number(h.tagName[1]))")
    assert levels.count(1) == 1
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_every_table_has_a_caption_and_headings_with_a_scope(opened: Page) -> None:
    tables = opened.locator("table")
    assert tables.count() >= 8
    assert opened.evaluate("[...document.querySelectorAll('table')].every(t => t.caption.textContent.trim())")
    assert opened.locator("th:not([scope])").count() == 0


def test_no_two_elements_share_an_id_and_all_references_lead_somewhere(opened: Page) -> None:
    ids = opened.evaluate("[...document.querySelectorAll('body :not(svg *)[id]')].map(e => e.id)")
    assert len(ids) == len(set(ids))
    for attribute in ("aria-labelledby", "aria-controls", "for"):
        named = opened.locator(f"[{attribute}]").evaluate_all(f"all => all.map(e => e.getAttribute('{attribute}'))")
        assert set(named) <= set(ids), attribute
    anchors = opened.locator("nav a").evaluate_all("links => links.map(link => link.hash.slice(1))")
    assert len(anchors) == 5
    assert set(anchors) <= set(ids)

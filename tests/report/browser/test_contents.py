"""The page shows what the model says."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.report.browser.conftest import Reported


def test_the_summary_names_the_network_and_counts_it(page: Page, dating: Reported) -> None:
    expect(page.locator("h1")).to_have_text("A dating app")
    assert page.title() == "A dating app · philia"
    figures = page.locator("#figures dd").all_inner_texts()
    assert figures[:2] == [f"{dating.model.graph_.n_nodes:,}", f"{dating.model.graph_.n_links:,}"]
    assert page.locator("#lede p, #sentences p").count() >= 3


def test_there_is_one_card_for_each_community(page: Page, dating: Reported) -> None:
    found = dating.model.communities()
    assert page.locator(".community h3").all_inner_texts() == [community.name for community in found]
    for community in found:
        card = page.locator(f"#community-{community.name}")
        expect(card).to_contain_text("▲ attracts" if community.strength > 0 else "▼ repels")
        expect(card).to_contain_text(f"{len(community):,} members")


def test_the_page_says_that_it_unpacks_until_it_is_there(page: Page, dating: Reported) -> None:
    assert '<p id="unpacking"' in dating.path.read_text(encoding="utf-8")
    expect(page.locator("#unpacking")).to_have_count(0)


def test_every_chart_is_drawn_and_says_what_it_shows(page: Page) -> None:
    page.get_by_text("How the model was fitted").click()
    charts = page.locator(".chart")
    assert charts.count() == 6  # loss, overlap, waterfall, two matrices, calibration
    for i in range(charts.count()):
        charts.nth(i).scroll_into_view_if_needed()
        expect(charts.nth(i).locator("svg.main-svg").first).to_be_visible()
        assert len(charts.nth(i).get_attribute("aria-label") or "") > 40


def test_the_numbers_behind_a_chart_open_as_a_table(page: Page, dating: Reported) -> None:
    figure = page.locator("#overlap figure")
    figure.locator("summary").click()
    rows = figure.locator("tbody tr")
    sets = dating.model.communities().as_sets()
    shared = [str(len(sets["B1"] & other)) for other in sets.values()]
    expect(rows.first.locator("td")).to_have_text(shared)  # it waits: browsers tell later that something was opened


def test_a_heading_sorts_the_table_and_says_so(page: Page) -> None:
    heading = page.locator("#communities-table th", has_text="members")
    members = page.locator("#communities-table tbody td:nth-child(4)")
    heading.get_by_role("button").click()
    down = [int(text) for text in members.all_inner_texts()]
    assert heading.get_attribute("aria-sort") == "descending"
    heading.get_by_role("button").click()
    up = [int(text) for text in members.all_inner_texts()]
    assert heading.get_attribute("aria-sort") == "ascending"
    assert len(set(down)) > 1
    assert down == sorted(down, reverse=True)
    assert up == sorted(down)


def test_a_member_on_a_card_opens_the_explorer(page: Page, dating: Reported) -> None:
    fullest = next(iter(dating.model.communities()[1].members))
    page.locator("#community-B2 .chips button").first.click()
    expect(page.locator(".about > h3 bdi")).to_have_text(str(fullest))

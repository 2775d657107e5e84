"""Light and dark, narrow and wide, on screen and on paper."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.report.browser.conftest import Reported
from tests.report.browser.visits import Visitor, open_details, saved


def luminance(color: str) -> float:
    """The relative luminance of a color, as "#rrggbb" or "rgb(r, g, b)"."""
    numbers = [int(color[i : i + 2], 16) for i in (1, 3, 5)] if color[0] == "#" else map(int, re.findall(r"\d+", color))
    r, g, b = ((c / 255 / 12.92) if c <= 10 else ((c / 255 + 0.055) / 1.055) ** 2.4 for c in list(numbers)[:3])
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def contrast(one: str, other: str) -> float:
    low, high = sorted([luminance(one), luminance(other)])
    return (high + 0.05) / (low + 0.05)


def color(page: Page, name: str) -> str:
    value: str = page.evaluate(f"getComputedStyle(document.documentElement).getPropertyValue('--{name}').trim()")
    return value


def expect_ground(page: Page, scheme: str) -> None:
    """The page gets dark, or light: after a moment, because media queries are notified later."""
    expect(page.locator("html")).to_have_attribute("data-theme", scheme)
    ground = luminance(page.evaluate("getComputedStyle(document.body).backgroundColor"))
    assert ground < 0.03 if scheme == "dark" else ground > 0.9


def expect_chart_text_as_dark_as_the_page_text(page: Page) -> None:
    page.locator("#matrix .chart").first.scroll_into_view_if_needed()
    soft = color(page, "soft")
    red, green, blue = (int(soft[i : i + 2], 16) for i in (1, 3, 5))
    expect(page.locator("#matrix .xtick text").first).to_have_css("fill", f"rgb({red}, {green}, {blue})")


@pytest.fixture(scope="module")
def dark(visitor: Visitor, dating: Reported) -> Page:
    return visitor.open(dating.path, scheme="dark")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_has_enough_contrast_on_every_background(request: pytest.FixtureRequest, scheme: str) -> None:
    page: Page = request.getfixturevalue("page" if scheme == "light" else "dark")
    grounds = [color(page, name) for name in ("page", "card", "tint")]
    for ink in ("ink", "soft", "attract-ink", "repel-ink"):
        assert min(contrast(color(page, ink), ground) for ground in grounds) >= 4.5, ink
    for mark in ("attract", "repel", "neutral", "focus"):
        assert min(contrast(color(page, mark), ground) for ground in grounds) >= 3, mark


def test_print_is_white_and_has_no_navigation(dark: Page) -> None:
    expect(dark.get_by_role("navigation")).to_be_visible()
    dark.emulate_media(media="print")
    expect(dark.get_by_role("navigation")).to_be_hidden()
    expect(dark.get_by_label("A node", exact=True)).to_be_hidden()
    expect(dark.locator("#matrix-title")).to_be_visible()
    expect_ground(dark, "light")
    expect(dark.locator("body")).to_have_css("background-color", "rgb(255, 255, 255)")
    assert luminance(color(dark, "soft")) < 0.2
    expect_chart_text_as_dark_as_the_page_text(dark)
    assert dark.locator(".card").first.evaluate("element => getComputedStyle(element).breakInside") == "avoid"
    dark.emulate_media(media="screen")
    expect_ground(dark, "dark")


def test_printed_charts_are_in_the_middle_and_headings_stay_with_them(dark: Page) -> None:
    dark.emulate_media(media="print")
    aside = """() => Array.from(document.querySelectorAll("figure .chart .svg-container"), (drawn) => {
      const [host, inner] = [drawn.closest(".chart").getBoundingClientRect(), drawn.getBoundingClientRect()];
      return (inner.left - host.left) - (host.right - inner.right);
    })"""
    dark.wait_for_function(f"({aside})().length >= 3 && ({aside})().every((gap) => Math.abs(gap) < 3)")
    kept = "element => getComputedStyle(element).breakInside + element.querySelectorAll('figure').length"
    assert dark.locator(".together:has(.verdict)").evaluate(kept) == "avoid1"
    assert dark.locator(".about").evaluate("element => getComputedStyle(element).breakInside") == "avoid"
    reach = "element => parseFloat(getComputedStyle(element, '::after').height)"
    assert dark.locator("#communities-title").evaluate(reach) > 80
    dark.emulate_media(media="screen")
    expect_ground(dark, "dark")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_names_of_communities_in_the_drawing_can_be_read(request: pytest.FixtureRequest, scheme: str) -> None:
    page: Page = request.getfixturevalue("page" if scheme == "light" else "dark")
    expect_ground(page, scheme)
    drawn = saved(page, "Save the drawing as svg").decode()
    inks = re.findall(r'font-weight="700" fill="(#[0-9a-f]{6})"', drawn)
    assert inks
    assert min(contrast(ink, color(page, "card")) for ink in inks) >= 3


def test_lines_do_not_cross_what_bars_say(page: Page) -> None:
    page.locator(".reasons .chart").scroll_into_view_if_needed()
    said = page.locator(".reasons .bartext").first
    expect(said).to_have_css("paint-order", "stroke")
    ground = page.locator(".card").first.evaluate("element => getComputedStyle(element).backgroundColor")
    expect(said).to_have_css("stroke", ground)


def test_bars_of_scrolling_tables_have_the_colors_of_the_page(dark: Page) -> None:
    bar = dark.locator("#nodes .scroll").evaluate("element => getComputedStyle(element).scrollbarColor")
    assert bar.endswith("rgba(0, 0, 0, 0)")
    assert luminance(bar) > 0.2


def test_charts_follow_the_dark_theme(dark: Page) -> None:
    expect_ground(dark, "dark")
    assert luminance(color(dark, "soft")) > 0.3
    expect_chart_text_as_dark_as_the_page_text(dark)
    dark.get_by_role("button", name="Switch to light colors").click()
    expect_ground(dark, "light")
    assert luminance(color(dark, "soft")) < 0.2
    expect_chart_text_as_dark_as_the_page_text(dark)
    dark.get_by_role("button", name="Switch to dark colors").click()
    expect_ground(dark, "dark")


def test_the_page_follows_a_change_of_the_system_theme(page: Page) -> None:
    expect_ground(page, "light")
    page.emulate_media(color_scheme="dark")
    expect_ground(page, "dark")
    page.emulate_media(color_scheme="light")
    expect_ground(page, "light")


def test_nothing_moves_if_reduced_motion_is_set(page: Page) -> None:
    behaviour = "getComputedStyle(document.documentElement).scrollBehavior"
    assert page.evaluate(behaviour) == "smooth"
    page.emulate_media(reduced_motion="reduce")
    assert page.evaluate(behaviour) == "auto"


def test_a_phone_never_scrolls_sideways(page: Page) -> None:
    page.set_viewport_size({"width": 360, "height": 800})
    open_details(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    expect(page.get_by_role("navigation").get_by_text("Explorer")).to_be_in_viewport(ratio=0.9)


def test_the_scale_of_colors_is_one_line_on_a_phone(page: Page) -> None:
    page.set_viewport_size({"width": 360, "height": 800})
    middles = """element => Array.from(element.children, (part) => {
      const { top, bottom } = part.getBoundingClientRect();
      return (top + bottom) / 2;
    })"""
    scale = page.locator(".legend:has(.gradient)")
    scale.locator("span").last.evaluate("element => element.textContent = '21.3 % of pairs or more'")
    at = scale.evaluate(middles)
    assert max(at) - min(at) < 3


def test_three_cards_in_two_columns_leave_no_gap(page: Page) -> None:
    page.set_viewport_size({"width": 768, "height": 900})
    memberships, missing, neighbours = (page.locator(".about .card").nth(i).bounding_box() for i in range(3))
    assert memberships is not None
    assert missing is not None
    assert neighbours is not None
    assert missing["y"] == memberships["y"]
    assert missing["x"] > memberships["x"]
    assert neighbours["x"] == memberships["x"]
    assert neighbours["y"] - memberships["y"] - memberships["height"] < 30

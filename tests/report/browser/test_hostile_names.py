"""Any name in a file is shown literally, and nothing in it runs."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from philia.models import CommunityModel
from philia.report import write_report
from tests.report.browser.conftest import Reported
from tests.report.browser.visits import Visitor, go, open_details

NAMES = [
    "<script>window.hacked = 1</script>",
    "</script><script>window.hacked = 2</script>",
    '<img src=x onerror="window.hacked = 3">',
    "\"'><svg onload=window.hacked=4>",
    "]]>",
    "<!-- <script>",
    "javascript:window.hacked=5",
    "<a href='javascript:window.hacked=6'>press</a>",
    "<b>bold</b> &lt;i&gt; &amp;",
    "%{x} %{customdata} ${window.hacked=7}",
    "\u202ereversed\u202c \u2066isolated",
    "\u2069\u202eescaped",
    "👩‍👩‍👧‍👦 family 🏳️‍🌈",
    "line\nbreak\ttab",
    " ",
    "__proto__",
    "&with=someone#node=else",
    "w" * 10_000,
    "𝔘" * 300,
]


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory, visitor: Visitor) -> Page:
    ring = [(a, b) for i, a in enumerate(NAMES) for b in (NAMES[i - 1], NAMES[i - 2], NAMES[i - 3])]
    model = CommunityModel(2, 1, penalty=0.3, random_state=0).fit(ring)
    path = tmp_path_factory.mktemp("report") / "hostile.html"
    labels = {NAMES[0]: NAMES[:6], NAMES[2] * 300: NAMES[6:]}
    return visitor.open(write_report(model, path, labels=labels, title="".join(NAMES)))


@pytest.mark.parametrize("width", [360, 1200])
def test_no_name_runs_or_breaks_the_page(hostile: Page, width: int) -> None:
    hostile.set_viewport_size({"width": width, "height": 800})
    open_details(hostile)
    assert hostile.evaluate("window.hacked") is None
    assert hostile.evaluate("document.documentElement.scrollWidth") <= width
    assert hostile.locator("main img, main a[href^=javascript], main script").count() == 0
    # Plotly reads tags, so no chart is given a name.
    assert not any("hacked" in text for text in hostile.locator(".chart").all_inner_texts())


@pytest.mark.parametrize("name", [name for name in NAMES if name.strip() and len(name) < 200])
def test_a_name_can_be_looked_up_and_is_shown_as_it_is(hostile: Page, name: str) -> None:
    go(hostile, {"node": name})
    assert hostile.get_by_label("A node", exact=True).input_value() == name.replace("\n", "")
    assert hostile.locator(".verdict bdi").first.evaluate("element => element.textContent") == name
    assert hostile.evaluate("window.hacked") is None


def test_a_script_that_got_into_the_page_would_not_run(visitor: Visitor, dating: Reported, tmp_path: Path) -> None:
    attacked = tmp_path / "attacked.html"
    text = dating.path.read_text(encoding="utf-8")
    for more in ("<script>window.hacked = 1</script>", "<img src='data:,' onerror='window.hacked = 2'>"):
        text = text.replace("<main", f"{more}<main", 1)
    attacked.write_text(text, encoding="utf-8")
    context = visitor.browser.new_context()
    page, refused = context.new_page(), []
    page.on("console", lambda said: refused.append(said.text))
    page.goto(attacked.as_uri())
    page.wait_for_selector("html[data-ready]", timeout=20_000)
    assert page.evaluate("window.hacked") is None
    assert sum("Content Security Policy" in text for text in refused) >= 2
    context.close()


def test_a_long_name_is_found_by_its_beginning(hostile: Page) -> None:
    hostile.get_by_label("A node", exact=True).fill("wwww")
    hostile.get_by_label("A node", exact=True).press("Enter")
    expect(hostile.locator(".about > h3 bdi")).to_contain_text("wwww")
    assert hostile.evaluate("document.documentElement.scrollWidth") <= 1200


def test_a_name_that_changes_the_writing_direction_affects_only_itself(hostile: Page) -> None:
    go(hostile, {"node": "\u2069\u202eescaped"})
    heading = hostile.locator(".about > h3")
    name, after = heading.locator("bdi").bounding_box(), heading.locator(".faint").bounding_box()
    assert name is not None
    assert after is not None
    assert name["x"] < after["x"]

"""The drawing of the network: what is under the pointer, what a press does, and what is said of it."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from philia.models import CommunityModel
from philia.report import drawing, payload, write_report
from philia.report.html import unpacked
from tests.report.browser.conftest import Reported
from tests.report.browser.visits import Visitor, saved, wait_until
from tests.report.models import chosen, dating


@pytest.fixture(scope="module")
def karate(tmp_path_factory: pytest.TempPathFactory) -> Reported:
    return Reported(chosen(), write_report(chosen(), tmp_path_factory.mktemp("report") / "karate.html", title="A club"))


@pytest.fixture
def page(visitor: Visitor, karate: Reported) -> Page:
    return visitor.open(karate.path)


def pixel(page: Page, model: CommunityModel, row: int) -> tuple[float, float]:
    """Where a node is on the screen, worked out from the payload and the size of the canvas."""
    drawn = payload(model)["drawing"]
    x, y = unpacked(drawn["positions"])[row] / 65535
    box = page.locator("#drawing canvas").bounding_box()
    assert box is not None
    scale = min(box["width"] - 88, (box["height"] - 98) / drawn["height"])
    left = box["width"] / 2 - 0.5 * scale
    top = box["height"] / 2 - drawn["height"] / 2 * scale + 5
    return box["x"] + left + x * scale, box["y"] + top + (drawn["height"] - y) * scale


def test_the_drawing_is_on_the_first_screen_and_has_the_nodes(page: Page) -> None:
    canvas = page.locator("#drawing canvas")
    expect(canvas).to_be_in_viewport(ratio=0.8)
    dark = "canvas => { const p = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;"
    inked = canvas.evaluate(dark + " let n = 0; for (let i = 3; i < p.length; i += 4) n += p[i] > 0; return n; }")
    assert inked > 20_000


def test_the_pointer_on_a_node_tells_its_name_and_communities(page: Page) -> None:
    page.mouse.move(*pixel(page, chosen(), 33))
    tip = page.locator("#drawing .tip")
    expect(tip).to_contain_text("33")
    expect(tip).to_contain_text("17 links")
    level = chosen().level()
    assert level is not None
    share = 100 * level.shares[33, level.names.index("B1")]
    expect(tip).to_contain_text(f"B1 {share:.3g}")


def test_a_press_on_a_node_looks_it_up(page: Page) -> None:
    page.mouse.click(*pixel(page, chosen(), 0))
    expect(page.locator(".about > h3 bdi")).to_have_text("0")
    expect(page.locator("#explorer h2")).to_be_in_viewport()


def test_a_wide_screen_is_used(page: Page) -> None:
    ends = page.locator("#drawing canvas").evaluate(
        """canvas => {
            const { data, width, height } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
            const painted = x => Array.from({ length: height }, (_, y) => data[4 * (y * width + x) + 3]).some(Boolean);
            const columns = Array.from({ length: width }, (_, x) => x).filter(painted);
            return [columns[0] / width, columns.at(-1) / width];
        }"""
    )
    assert ends[0] < 0.1
    assert ends[1] > 0.9


def test_zooming_and_moving_change_the_picture_and_whole_restores_it(page: Page) -> None:
    canvas = page.locator("#drawing canvas")
    before = canvas.evaluate("canvas => canvas.toDataURL()")
    page.get_by_role("button", name="Zoom in").click()
    zoomed = canvas.evaluate("canvas => canvas.toDataURL()")
    canvas.focus()
    page.keyboard.press("ArrowLeft")
    moved = canvas.evaluate("canvas => canvas.toDataURL()")
    page.get_by_role("button", name="Show the whole network").click()
    assert len({before, zoomed, moved}) == 3
    assert canvas.evaluate("canvas => canvas.toDataURL()") == before


def test_the_wheel_scrolls_the_page_until_the_drawing_has_the_focus(page: Page) -> None:
    canvas = page.locator("#drawing canvas")
    picture = "canvas => canvas.toDataURL()"
    before = canvas.evaluate(picture)
    box = canvas.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 5, box["y"] + 5)
    page.mouse.wheel(0, 300)
    wait_until(page, "scrollY > 0")
    assert canvas.evaluate(picture) == before
    page.evaluate("scrollTo({ top: 0, behavior: 'instant' })")
    canvas.focus()
    page.mouse.wheel(0, -300)
    wait_until(page, "before => document.querySelector('#drawing canvas').toDataURL() !== before", before)


def test_a_community_can_be_highlighted(page: Page) -> None:
    canvas = page.locator("#drawing canvas")
    before = canvas.evaluate("canvas => canvas.toDataURL()")
    button = page.locator("#drawing .legend-of button").first
    button.click()
    expect(button).to_have_attribute("aria-pressed", "true")
    assert canvas.evaluate("canvas => canvas.toDataURL()") != before
    button.click()
    expect(button).to_have_attribute("aria-pressed", "false")


def test_the_drawing_has_a_text_alternative_with_every_community(page: Page) -> None:
    said = page.locator("#drawing canvas").get_attribute("aria-label") or ""
    assert "34 nodes and 78 links in 2 communities" in said
    for community in chosen().communities():
        assert f"{community.name} with {len(community)} members" in said


def test_the_drawing_can_be_saved(page: Page) -> None:
    assert saved(page, "Save the drawing as png").startswith(b"\x89PNG")
    svg = saved(page, "Save the drawing as svg").decode()
    assert svg.startswith("<svg")
    assert svg.count("<circle") >= 34


def test_members_are_saved_as_the_model_has_them(page: Page) -> None:
    lines = list(csv.DictReader(io.StringIO(saved(page, "↓ CSV of members").decode())))
    found = {(line["node"], line["community"]): float(line["membership"]) for line in lines}
    expected = {(str(n), c.name): m for c in chosen().communities() for n, m in c.members.items()}
    assert found == pytest.approx(expected, abs=1e-5)


def test_predictions_are_saved_as_the_model_makes_them(page: Page) -> None:
    lines = list(csv.DictReader(io.StringIO(saved(page, "↓ CSV of their likeliest missing links").decode())))
    pairs = [(int(line["node"]), int(line["other"])) for line in lines]
    assert not any(chosen().graph_.has_link(u, v) for u, v in pairs)
    assert [float(line["probability"]) for line in lines] == pytest.approx(chosen().predict_proba(pairs), rel=1e-3)
    best = chosen().top_links(1)[0]
    assert {best.u, best.v} == set(pairs[0])


def test_charts_can_be_saved(page: Page) -> None:
    page.locator("#calibration .chart").scroll_into_view_if_needed()
    expect(page.locator("#calibration svg.main-svg").first).to_be_visible()
    assert b"<svg" in saved(page, "Save “Are the probabilities calibrated?” as svg")[:200]


def test_all_members_are_shown_on_request(page: Page) -> None:
    card = page.locator("#community-B1")
    card.get_by_text("All 18 members").click()
    names = card.locator(".all-members bdi")
    expect(names).to_have_count(18)
    assert set(names.all_inner_texts()) == {str(node) for node in chosen().communities()["B1"]}


def test_the_headline_of_a_card_is_the_ratio_to_what_is_expected(page: Page) -> None:
    ratio = payload(chosen())["communities"][0]["inside"]["ratio"]
    expect(page.locator("#community-B1 .effect")).to_have_text(f"{ratio:.2g} times as many links as expected")
    assert "10^" not in page.locator("main").inner_text()


def test_a_community_can_be_renamed_everywhere_and_in_a_copy_of_the_page(
    visitor: Visitor, karate: Reported, tmp_path: Path
) -> None:
    page = visitor.open(karate.path)
    page.get_by_label("Rename B1", exact=True).click()
    page.get_by_label("New name of B1").fill("The </script> club")
    page.keyboard.press("Enter")
    for place in ("#community-B1 .known-as", ".legend-of", "#communities-table"):
        expect(page.locator(place)).to_contain_text("The </script> club")
    copy = tmp_path / "copy.html"
    copy.write_bytes(saved(page, "↓ This page with these names"))
    page.evaluate("localStorage.clear()")
    again = visitor.open(copy)
    expect(again.locator("#community-B1 .known-as")).to_contain_text("The </script> club")
    again.get_by_label("Rename B1", exact=True).click()
    again.get_by_label("New name of B1").fill("")
    again.keyboard.press("Enter")
    expect(again.locator("#community-B1 .known-as")).not_to_contain_text("club")


def test_the_first_screen_says_how_sure_the_groups_are(page: Page) -> None:
    said = page.locator("#sure")
    expect(said).to_contain_text("another seed gives the same")
    expect(said).to_contain_text("--significance")
    assert said.bounding_box()["y"] < page.locator("#drawing").bounding_box()["y"]  # type: ignore[index]


def test_nodes_can_be_filtered_and_sorted(page: Page) -> None:
    table = page.locator("#nodes tbody tr")
    degrees = [int(text) for text in page.locator("#nodes tbody td:nth-child(2)").all_inner_texts()]
    assert degrees == sorted(chosen().graph_.degrees.tolist(), reverse=True)
    page.get_by_label("Community", exact=True).select_option("B2")
    expect(table).to_have_count(len(chosen().communities()["B2"]))
    page.get_by_label("Names that contain").fill("1")
    wanted = [name for name in chosen().communities()["B2"] if "1" in str(name)]
    expect(table).to_have_count(len(wanted))


@pytest.mark.parametrize(("address", "target"), [("communities", "#communities"), ("community-B2", "#community-B2")])
def test_an_address_leads_where_it_points(visitor: Visitor, karate: Reported, address: str, target: str) -> None:
    page = visitor.open(karate.path)
    page.goto(karate.path.as_uri() + "?again#" + address)
    page.wait_for_selector("html[data-ready]")
    top = page.locator(target).evaluate("element => element.getBoundingClientRect().top")
    assert -5 <= top <= 150


def test_an_address_that_leads_nowhere_is_said(visitor: Visitor, karate: Reported) -> None:
    page = visitor.open(karate.path, {"node": "nobody"})
    expect(page.locator("#explorer-body .note")).to_have_text("No node on this page is called “nobody”.")
    page.evaluate("location.hash = 'community-B99'")
    expect(page.locator("#lost")).to_have_text("This page has no community B99.")


def test_a_large_network_has_a_map_that_opens(
    visitor: Visitor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drawing, "MOST_NODES", 100)  # as if 150 were many
    monkeypatch.setattr(drawing, "_MEMBERS", 20)
    page = visitor.open(write_report(dating(), tmp_path / "large.html"))
    drawn = payload(dating())["drawing"]
    assert drawn["kind"] == "map"
    page.mouse.click(*pixel(page, dating(), 1))
    way = page.locator("#drawing .way")
    expect(way).to_contain_text(dating().communities()[drawn["communities"][1]["number"]].name)
    expect(way).to_contain_text(f"the 20 best connected of {drawn['opened'][1]['of']}")
    page.get_by_role("button", name="All 3 communities that attract").click()
    expect(way.locator("strong")).to_have_text("All 3 communities that attract")

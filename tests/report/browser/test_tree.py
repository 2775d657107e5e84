"""Many small communities: the page opens at the top of their tree, and leads down to single ones and their members."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from philia._text import percent
from philia.report import payload, write_report
from philia.report.html import page as assembled
from philia.report.html import unpacked
from tests.report.browser.visits import Visitor, go, saved
from tests.sparse_models import cliques, hidden

MOST = 24


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_report(cliques(), tmp_path_factory.mktemp("report") / "cliques.html", title="Cliques")


@pytest.fixture(scope="module")
def page(visitor: Visitor, path: Path) -> Page:
    return visitor.open(path)


@pytest.fixture
def top(page: Page) -> Page:
    """The page with the top of the tree."""
    page.evaluate("location.hash = 'part=0'")
    page.locator("#tree .way button").first.or_(page.locator("#tree .way strong")).first.click()
    expect(page.locator("#tree .way strong")).to_contain_text("All ")
    return page


def test_the_top_is_the_level_with_24_communities(top: Page) -> None:
    model, level, main = cliques(), cliques().hierarchy().cut(MOST), cliques().level()
    assert main is not None
    expected = []
    for c in range(MOST):
        parts = {part for part in main.labels[level.labels == c].tolist() if part >= 0}
        whole = len(model.communities()[parts.pop()]) if len(parts) == 1 else int((level.labels == c).sum())
        expected.append(whole)
    said = [re.search(r"([\d,]+) members", text) for text in top.locator("#tree .community").all_inner_texts()]
    sizes = [int(found[1].replace(",", "")) for found in said if found]
    assert sizes == sorted(expected, reverse=True)
    expect(top.locator("#tree .way")).to_have_text(f"All {len(model.communities())} communities")


def test_opening_parts_leads_down_to_single_communities_and_back_goes_up(top: Page) -> None:
    first = top.locator("#tree .community").first
    number = int(first.get_by_role("button", name="Open").inner_text().split()[2])
    first.get_by_role("button", name="Open").click()
    expect(top.locator("#tree .community")).to_have_count(number)
    steps = 1
    while top.locator("#tree").get_by_role("button", name="Open").count():
        top.locator("#tree").get_by_role("button", name="Open").first.click()
        steps += 1
        expect(top.locator("#tree .way > *:not(span)")).to_have_count(steps + 1)
    assert top.locator("#tree .attracts header").count() <= MOST
    name = top.locator("#tree h3").first.inner_text()
    community = next(c for c in cliques().communities() if c.name == name)
    expect(top.locator("#tree .community").first).to_contain_text(f"{len(community)} members")
    top.go_back()
    expect(top.locator("#tree .way > *:not(span)")).to_have_count(steps)


def test_a_community_is_found_by_its_name_and_shows_its_strongest_members(page: Page) -> None:
    field = page.get_by_label("A community", exact=True)
    field.fill("b17")
    field.press("Enter")
    card = page.locator(".asked")
    expect(card.locator("h3")).to_have_text("B17")
    community = cliques().communities()[16]
    name, share = next(iter(community.members.items()))
    expect(card.locator(".chip").first).to_contain_text(f"{name} {percent(share)}".replace(" %", "\u00a0%"))
    expect(card).to_contain_text(community.effect.replace("odds × ", "odds ×\u00a0"))
    expect(card.locator(".effect")).to_have_text(re.compile(r"^[\d,.]+ times as many links as expected$"))


def test_an_address_leads_to_a_community_by_its_name_or_says_that_there_is_none(visitor: Visitor, path: Path) -> None:
    page = visitor.open(path)
    page.goto(path.as_uri() + "?again#community-B17")
    expect(page.locator(".asked h3")).to_have_text("B17")
    expect(page.locator("#lost")).to_be_hidden()
    page.evaluate("location.hash = 'community-B100000'")
    expect(page.locator("#lost")).to_have_text("This page has no community B100000.")
    page.evaluate("location.hash = 'part=1000000'")
    expect(page.locator("#lost")).to_contain_text("This page has no part")


def test_a_node_shows_the_share_of_its_links_in_each_community(page: Page) -> None:
    several = next(node for node in cliques().graph_.nodes if len(cliques().level().of(node)) > 1)  # type: ignore[union-attr]
    go(page, {"node": str(several)})
    mine = cliques().communities().of(several)
    rows = page.locator(".trio .card").first.locator("tbody tr")
    assert [row.locator("th").inner_text().split()[-1] for row in rows.all()] == list(mine)
    for row, share in zip(rows.all(), mine.values(), strict=True):
        said = float(row.locator("td").last.inner_text().replace("\u00a0%", ""))
        assert said / 100 == pytest.approx(share, abs=6e-3)
    rows.first.get_by_role("button").click()
    expect(page.locator(".asked h3")).to_have_text(next(iter(mine)))


def test_a_pair_has_the_reasons_of_the_explanation(page: Page) -> None:
    u = next(iter(cliques().communities()[2].members))
    v = cliques().top_links(1, node=u)[0].v
    go(page, {"node": str(u), "with": str(v)})
    why = cliques().explain(u, v)
    rows = page.locator(".reasons tbody tr")
    steps = {row.locator("th").inner_text(): row.locator("td").all_inner_texts()[1] for row in rows.all()}
    names = [reason.community.split(",")[0] for reason in why.strongest()]
    assert list(steps) == ["baseline", *names, "together"]
    for name, reason in zip(names, why.strongest(), strict=True):
        assert float(steps[name].replace("−", "-")) == pytest.approx(reason.log_odds, abs=2e-3)
    common = set(cliques().graph_.neighbours(u)) & set(cliques().graph_.neighbours(v))
    assert {int(text) for text in page.locator(".reasons > .chips .chip").all_inner_texts()} == common
    expect(page.locator(".verdict")).to_contain_text("They are not linked in the data.")


def test_there_is_no_matrix_and_no_link_to_it(page: Page) -> None:
    expect(page.locator("#matrix")).to_be_hidden()
    expect(page.locator("nav.bar a", has_text="Matrix")).to_be_hidden()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_on_a_phone_nothing_is_wider_than_the_screen(visitor: Visitor, path: Path, scheme: str) -> None:
    for part in ("0", "100"):
        page = visitor.open(path, {"part": part}, width=360, scheme=scheme)  # type: ignore[arg-type]
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        expect(page.locator("#trouble")).to_be_hidden()


def test_a_page_with_room_for_few_says_what_is_left_out(visitor: Visitor, tmp_path: Path) -> None:
    some = payload(hidden(), budget=3_000)
    assert some["tree"]["leaves"] < some["tree"]["communities"]
    path = tmp_path / "few.html"
    path.write_text(assembled(some), encoding="utf-8")
    page = visitor.open(path)
    expect(page.locator("#communities-body")).to_contain_text(f"has room for {some['tree']['leaves']} parts")
    expect(page.locator("#explorer-words")).to_contain_text(f"{some['explorer']['nodes']:,} of 600 nodes")
    expect(page.locator("#tree .community").first).to_contain_text("which this page has no room for")
    assert page.locator(".about .chip").count() > 0


def test_the_map_of_parts_opens_like_the_cards(top: Page) -> None:
    way = top.locator("#drawing .way")
    expect(way.locator("strong")).to_contain_text("All ")
    first = way.inner_text()
    top.evaluate("scrollTo({ top: 0, behavior: 'instant' })")
    box = top.locator("#drawing canvas").bounding_box()
    assert box is not None
    drawn = payload(cliques())
    tree, places = drawn["tree"], unpacked(drawn["drawing"]["places"])
    merged = unpacked(tree["merges"]).ravel().tolist()
    top_part = len(places) - 1
    parts = [top_part]
    while len(parts) < 24:  # as in the page: the latest merge is undone
        latest = max(parts)
        at = 2 * (latest - tree["leaves"])
        parts = [part for part in parts if part != latest] + merged[at : at + 2]
    part = max(part for part in parts)
    assert part >= tree["leaves"]
    x, y, _ = places[part].tolist()
    height = float(unpacked(drawn["drawing"]["heights"])[top_part])
    scale = min(box["width"] - 88, (box["height"] - 98) / height)
    left, upper = box["width"] / 2 - scale / 2, box["height"] / 2 - height / 2 * scale + 5
    top.mouse.click(box["x"] + left + x * scale, box["y"] + upper + (height - y) * scale)
    expect(way).not_to_have_text(first)
    expect(way.get_by_text("its cards")).to_be_visible()


def test_a_community_can_be_renamed_everywhere_and_in_a_copy_of_the_page(
    visitor: Visitor, path: Path, tmp_path: Path
) -> None:
    page = visitor.open(path, {"part": "0"})
    card = page.locator("#part-0")
    name = card.locator("h3").inner_text()
    expect(card.locator(".known-as")).to_contain_text(", ")  # its strongest members
    above = page.locator("#tree .way strong").inner_text()
    card.get_by_label(f"Rename {name}", exact=True).click()
    page.get_by_label(f"New name of {name}").fill("The <b> clique")
    page.keyboard.press("Enter")
    copy = tmp_path / "copy.html"
    copy.write_bytes(saved(page, "↓ This page with these names"))
    page.evaluate("localStorage.clear()")
    for shown in (page, visitor.open(copy, {"part": "0"})):
        expect(shown.locator("#part-0 .known-as")).to_contain_text("The <b> clique")
        expect(shown.locator("#tree .way strong")).to_have_text(re.sub(rf"^{name}\b", "The <b> clique", above))

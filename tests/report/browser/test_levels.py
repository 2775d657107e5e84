"""The page of a model that chose its communities: shares of links, levels, and finer structure."""

from __future__ import annotations

from copy import copy
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from philia.datasets import classic
from philia.models import CommunityModel
from philia.report import write_report
from tests.report.browser.conftest import Reported
from tests.report.browser.visits import Visitor, go
from tests.report.models import chosen, dating, hostile


@pytest.fixture(scope="module")
def karate(tmp_path_factory: pytest.TempPathFactory) -> Reported:
    return Reported(chosen(), write_report(chosen(), tmp_path_factory.mktemp("report") / "karate.html"))


@pytest.fixture(scope="module")
def page(visitor: Visitor, karate: Reported) -> Page:
    return visitor.open(karate.path)


def test_cards_show_the_share_of_links_of_each_member(page: Page) -> None:
    assert page.locator(".community").count() == 2
    card = page.locator("#community-B1")
    expect(card).to_contain_text("Strongest members, share of links")
    expect(card).to_contain_text("33 88.2\u00a0%")
    expect(page.locator("#of-links")).to_be_visible()
    expect(page.locator("#communities-words")).to_contain_text("3 more columns of the model")


def test_a_node_has_the_share_of_its_links(page: Page) -> None:
    go(page, {"node": "8", "with": "0"})
    rows = page.locator(".trio .card").first.locator("tbody tr")
    assert [row.inner_text().split() for row in rows.all()] == [["▲", "B1", "60", "%"]]


def log_odds(page: Page) -> dict[str, float]:
    rows = page.locator(".reasons tbody tr")
    names = rows.locator("th").all_inner_texts()
    shown = (rows.nth(at).locator("td").nth(1).inner_text().replace("−", "-") for at in range(len(names)))
    return dict(zip(names, map(float, shown), strict=True))


def test_a_column_that_refines_a_community_counts_as_the_community(page: Page) -> None:
    go(page, {"node": "33", "with": "2"})
    why = {reason.community: reason.log_odds for reason in chosen().explain(33, 2).reasons}
    shown = log_odds(page)
    assert set(shown) == {"baseline", "B1", "B2", "together"}
    assert {name: shown[name] for name in why} == pytest.approx(why, abs=6e-4)


def test_other_finer_structure_is_one_step_and_no_community(visitor: Visitor, tmp_path: Path) -> None:
    model = CommunityModel(random_state=0).fit(classic("les_miserables"))
    page = visitor.open(write_report(model, tmp_path / "novel.html"))
    go(page, {"node": "Valjean", "with": "Enjolras"})
    finer = sum(reason.log_odds for reason in model.explain("Valjean", "Enjolras").reasons if reason.finer)
    assert finer > 1
    assert log_odds(page)["finer structure"] == pytest.approx(finer, abs=6e-4)


def test_levels_are_a_tree_with_its_numbers(page: Page) -> None:
    levels = page.locator("#levels")
    levels.scroll_into_view_if_needed()
    expect(levels.locator(".js-plotly-plot")).to_be_visible()
    expect(levels).to_contain_text("crosses the 2 communities of this page")
    levels.get_by_text("The numbers").click()
    assert levels.locator("tbody tr").first.inner_text().split("\t")[-1] == "shown on this page"


def test_a_model_with_given_numbers_has_no_levels(visitor: Visitor, dating: Reported) -> None:
    page = visitor.open(dating.path)
    expect(page.locator("#levels-title")).to_be_hidden()
    assert page.locator("#levels").inner_text() == ""


def test_hostile_names_stay_text_if_the_model_chose_its_communities(visitor: Visitor, tmp_path: Path) -> None:
    model = CommunityModel(random_state=0).fit(hostile().graph_)
    page = visitor.open(write_report(model, tmp_path / "hostile.html"))
    assert page.evaluate("window.hacked") is None
    assert page.locator("#content img, #content script").count() == 0


def test_a_card_says_what_hidden_pairs_confirm_and_how_many_links_are_missing(visitor: Visitor, tmp_path: Path) -> None:
    model = copy(dating())
    tested = model.significance(folds=2).of("C1")
    assert tested is not None
    page = visitor.open(write_report(model, tmp_path / "tested.html"))
    card = page.locator("#community-C1")
    expect(card).to_contain_text("Strongest members, share of links that are missing")
    expect(card).to_contain_text(tested.in_words())
    expect(page.locator("#communities-table thead")).to_contain_text("z")
    expect(card).to_contain_text("between two typical members")
    go(page, {"node": "0", "with": "1"})
    expect(page.locator(".trio .card").first).to_contain_text("or are missing because of it")


def test_few_shared_members_are_a_table_and_no_picture(visitor: Visitor, tmp_path: Path) -> None:
    cliques = [(f"{side}{i}", f"{side}{j}") for side in "abcd" for i in range(9) for j in range(i)]
    model = CommunityModel(random_state=0).fit(cliques + [("both", f"{side}{i}") for side in "ab" for i in range(6)])
    assert sorted(len(community) for community in model.communities()) == [9, 9, 10, 10]
    page = visitor.open(write_report(model, tmp_path / "shared.html"))
    expect(page.locator("#overlap .chart")).to_have_count(0)
    expect(page.locator("#overlap tbody tr")).to_have_count(1)
    one, other = (community.name for community in model.communities() if "both" in community)
    expect(page.locator("#overlap tbody th, #overlap tbody td")).to_have_text([one, other, "1", "10\u00a0%"])


def test_words_next_to_a_level_are_one_line_on_a_phone(page: Page) -> None:
    page.set_viewport_size({"width": 360, "height": 800})
    page.locator("#levels summary").click()
    words = page.locator("#levels td .unbroken", has_text="shown on this page")
    assert words.evaluate("element => element.getClientRects().length") == 1
    assert words.evaluate("element => element.getBoundingClientRect().height") < 30

"""Looking up nodes and pairs: by typing, by pressing names, by address, and with the keyboard alone."""

from __future__ import annotations

import re

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from philia.explain.links import factor_in_words
from philia.models import CommunityModel
from tests.report.browser.conftest import Reported
from tests.report.browser.visits import Visitor, go


def _number(text: str) -> float:
    return float(text.replace("−", "-").replace(",", "").replace("\u00a0%", ""))


def _steps(page: Page) -> dict[str, list[str]]:
    rows = page.locator(".reasons tbody tr")
    return {row.locator("th").inner_text(): row.locator("td").all_inner_texts() for row in rows.all()}


def test_typing_a_name_and_enter_shows_that_node(page: Page, dating: Reported) -> None:
    field = page.get_by_label("A node", exact=True)
    field.fill("17")
    options = page.get_by_role("option")
    expect(options.first).to_have_text("17")
    assert options.all_inner_texts()[1:11] == [str(name) for name in range(170, 180)]
    field.press("Enter")
    expect(page.locator(".about > h3 bdi")).to_have_text("17")
    expect(page.locator(".about > h3")).to_contain_text(f"{dating.model.graph_.degrees[17]} links")


def test_an_unknown_name_is_said_and_heard(page: Page) -> None:
    page.get_by_label("A node", exact=True).fill("nobody")
    said = page.locator(".combobox [role=status]").first
    expect(said).to_have_text("nobody: no name on this page contains this")
    assert said.evaluate("element => element.offsetHeight") > 10
    expect(page.locator(".combobox [role=option]")).to_have_count(0)
    page.keyboard.press("Escape")  # the name before comes back
    expect(said).to_have_class("unseen")
    page.keyboard.press("Tab")


@pytest.mark.parametrize(("u", "v"), [(0, 9), (3, 77), (150, 12)])
def test_the_waterfall_has_the_numbers_of_the_explanation(page: Page, dating: Reported, u: int, v: int) -> None:
    go(page, {"node": str(u), "with": str(v)})
    why = dating.model.explain(u, v)
    steps = _steps(page)
    assert list(steps) == ["baseline", *(reason.community for reason in why.strongest()), "together"]
    assert _number(steps["baseline"][1]) == pytest.approx(why.baseline, abs=6e-4)
    assert _number(steps["together"][1]) == pytest.approx(why.logit, abs=6e-4)
    assert _number(steps["together"][3]) / 100 == pytest.approx(why.probability, rel=6e-2)
    for reason in why.strongest():
        effect, log_odds, *_ = steps[reason.community]
        assert _number(log_odds) == pytest.approx(reason.log_odds, abs=6e-4)
        assert effect.replace("\u00a0", " ").endswith(factor_in_words(reason.log_odds))
    expect(page.locator(".verdict")).to_contain_text("are linked" if why.linked else "are not linked")


def test_the_likeliest_missing_links_are_those_of_the_model(page: Page, dating: Reported) -> None:
    model: CommunityModel = dating.model
    page.get_by_label("A node", exact=True).fill("42")
    page.get_by_label("A node", exact=True).press("Enter")
    expect(page.locator(".about > h3 bdi")).to_have_text("42")
    others = np.array([v for v in range(200) if v != 42 and not model.graph_.has_link(42, v)])
    probabilities = model.predict_proba([(42, int(v)) for v in others])
    best = np.argsort(-probabilities)[:10]
    rows = page.locator(".trio .card").nth(1).locator("tbody tr")
    assert [int(row.locator("th").inner_text()) for row in rows.all()] == others[best].tolist()
    shown = [_number(row.locator("td").inner_text()) / 100 for row in rows.all()]
    assert shown == pytest.approx(probabilities[best], rel=6e-2)


def test_a_selected_name_is_in_the_address_and_back_undoes_it(page: Page) -> None:
    first = page.locator(".about > h3 bdi").inner_text()
    partner = page.locator(".verdict bdi").last.inner_text()
    neighbour = page.locator(".trio .card").nth(2).get_by_role("button").nth(1)
    name = neighbour.inner_text()
    neighbour.click()
    expect(page.locator(".verdict bdi").last).to_have_text(name)
    assert re.search(rf"#node={first}&with={name}$", page.url)
    page.get_by_role("button", name=f"Look up {name} instead").click()
    expect(page.locator(".about > h3 bdi")).to_have_text(name)
    page.go_back()
    expect(page.locator(".about > h3 bdi")).to_have_text(first)
    assert partner != name


def test_a_view_can_be_bookmarked(visitor: Visitor, dating: Reported) -> None:
    page = visitor.open(dating.path, {"node": "3", "with": "8"})
    assert page.locator(".verdict bdi").all_inner_texts() == ["3", "8"]
    expect(page.locator("#explorer")).to_be_in_viewport()


def test_the_first_example_is_the_best_linked_node_with_its_likeliest_missing_link(
    visitor: Visitor, dating: Reported
) -> None:
    page = visitor.open(dating.path, {"node": "nobody"})
    best = int(np.argmax(dating.model.graph_.degrees))
    link = page.locator(".trio .card").nth(1).locator("tbody th").first.inner_text()
    assert page.locator(".verdict bdi").all_inner_texts() == [str(best), link]
    assert not dating.model.graph_.has_link(best, int(link))


def test_a_pair_can_be_chosen_with_the_keyboard_alone(page: Page) -> None:
    page.get_by_label("A node", exact=True).focus()
    page.keyboard.type("19")
    expect(page.get_by_role("combobox").first).to_have_attribute("aria-expanded", "true")
    page.keyboard.press("ArrowDown")
    active = page.get_by_role("combobox").first.get_attribute("aria-activedescendant")
    chosen = page.locator(f"#{active}")
    expect(chosen).to_have_attribute("aria-selected", "true")
    name = chosen.inner_text()
    page.keyboard.press("Enter")
    expect(page.locator(".about > h3 bdi")).to_have_text(name)
    expect(page.locator("#explorer-body > [role=status]")).to_contain_text(f"{name} and ")
    page.keyboard.press("Tab")
    expect(page.locator("#combobox-2")).to_be_focused()
    page.keyboard.type("5")
    page.keyboard.press("Escape")
    expect(page.locator("#combobox-2")).to_have_attribute("aria-expanded", "false")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.locator(".verdict bdi").first).to_have_text(name)

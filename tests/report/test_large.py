"""Graphs too large for the page: which nodes are chosen, which links are cut, and which are searched for."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from philia.report import payload
from philia.report.explorer import choose, likeliest_missing
from philia.report.findings import Findings
from philia.report.html import encoded, unpacked
from philia.report.quality import JudgedPairs, quality
from tests.report.models import crowd, dating


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    return payload(dating(), budget=8_000)


def test_some_of_the_nodes_can_be_looked_up(found: dict[str, Any]) -> None:
    page, graph = found["explorer"], dating().graph_
    assert 10 < page["nodes"] < page["of"] == 150
    assert f"{page['nodes']:,} of 150 nodes" in page["words"]
    best_linked = str(list(graph.nodes)[int(graph.degrees.argmax())])
    assert best_linked in page["names"][: page["nodes"]]
    for card in found["communities"]:
        name, _, row = card["members"][0]
        assert page["names"][row] == name
    assert len(set(page["names"])) == len(page["names"])


def test_cards_do_not_link_to_nodes_that_cannot_be_looked_up(found: dict[str, Any]) -> None:
    rows = [row for card in found["communities"] for _, _, row in card["members"]]
    assert any(row is None for row in rows)
    assert all(row is None or row < found["explorer"]["nodes"] for row in rows)


def test_neighbours_are_cut_to_the_likeliest() -> None:
    model = crowd()
    page = payload(model, budget=8_000)["explorer"]
    start, rows = (unpacked(page["neighbours"][name]) for name in ("start", "rows"))
    for place in range(page["nodes"]):
        node = int(page["names"][place])
        others = model.graph_.neighbours(node)
        likely = dict(zip(others, model.predict_proba([(node, other) for other in others]), strict=True))
        listed = [int(page["names"][row]) for row in rows[start[place] : start[place + 1]]]
        assert len(listed) == min(len(others), 30)
        assert sorted(likely.values(), reverse=True)[: len(listed)] == pytest.approx(
            [likely[other] for other in listed]
        )
    assert unpacked(page["degrees"]).max() > 30


def test_missing_links_are_those_of_the_model(found: dict[str, Any]) -> None:
    page, model = found["explorer"], dating()
    start, rows, probability = (unpacked(page["missing"][name]) for name in ("start", "rows", "probability"))
    for place in range(page["nodes"]):
        links = model.top_links(10, node=int(page["names"][place]))
        part = slice(start[place], start[place + 1])
        assert [int(page["names"][row]) for row in rows[part]] == [link.v for link in links]
        assert probability[part] == pytest.approx([link.probability for link in links], rel=1e-5)


def test_a_node_linked_with_nearly_all_others_has_fewer_missing_links() -> None:
    model = dating()
    found = likeliest_missing(model.graph_, model.factors_.readable(), np.arange(5), count=1000)
    assert np.diff(found.start).tolist() == (149 - model.graph_.degrees[:5]).tolist()


def test_progress_is_reported_to_the_end() -> None:
    told: list[tuple[int, int]] = []
    page = payload(dating(), budget=8_000, on_progress=lambda done, total: told.append((done, total)))["explorer"]
    assert told[-1] == (page["nodes"], page["nodes"])


@pytest.mark.parametrize("budget", [3_000, 8_000, 10**6])
def test_the_budget_is_roughly_kept(budget: int) -> None:
    page = payload(dating(), budget=budget)["explorer"]
    assert len(encoded(page)) < 4 / 3 * budget + 2_500


def test_a_smaller_budget_means_fewer_nodes_but_at_least_one() -> None:
    findings = Findings.of(dating())
    sizes = [len(choose(findings, budget).rows) for budget in (1, 4_000, 8_000, 10**6)]
    assert sizes == sorted(sizes)
    assert 1 <= sizes[0] < sizes[1] < sizes[2] < sizes[3] == 150


def test_quality_from_sampled_pairs_is_close_to_that_of_all() -> None:
    every, some = (JudgedPairs.of(dating(), pairs) for pairs in (10**6, 4_000))
    assert every.exact
    assert len(some.others) < len(every.others)
    assert some.pairs == pytest.approx(every.pairs, rel=0.1)
    assert some.mean_log_likelihood == pytest.approx(every.mean_log_likelihood, rel=0.1)
    exact, drawn = quality(every), quality(some)
    assert exact is not None
    assert drawn is not None
    low, high = drawn["auc_interval"]
    assert low - 0.01 < exact["auc"] < high + 0.01
    assert "represents the rest" in drawn["words"]


def test_a_model_that_expects_far_too_many_links_is_judged_on_a_bounded_sample() -> None:
    model = copy(dating())
    model.factors_ = replace(model.factors_, background=np.full(150, 5.0))
    assert len(JudgedPairs.of(model, pairs=1_000).others) < 4_000 < 150 * 149 // 2 - model.graph_.n_links


def test_the_standard_error_of_the_likelihood_is_about_the_spread_of_samples() -> None:
    model = dating()
    every = JudgedPairs.of(model, 10**6)
    rng, found, errors = np.random.default_rng(0), [], []
    for _ in range(300):
        drawn = rng.random(len(every.others)) < 0.2
        some = JudgedPairs(every.links, every.others[drawn], np.full(np.count_nonzero(drawn), 5.0), held_out=False)
        found.append(some.mean_log_likelihood * some.pairs / every.pairs)  # the number of pairs is known
        errors.append(some.log_likelihood_error * some.pairs / every.pairs)
    assert every.log_likelihood_error == 0
    assert np.std(found) == pytest.approx(np.mean(errors), rel=0.2)


def test_estimates_from_a_sample_have_intervals_and_those_of_all_pairs_have_none() -> None:
    exact, drawn = (quality(JudgedPairs.of(dating(), pairs)) for pairs in (10**6, 4_000))
    assert exact is not None
    assert drawn is not None
    low, high = drawn["average_precision_interval"]
    assert low < drawn["average_precision"] < high
    assert drawn["log_likelihood_error"] > 0
    assert exact["average_precision_interval"] is exact["log_likelihood_error"] is None

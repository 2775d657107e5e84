"""The numbers of a report compared with slow code that is obviously right."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from scipy.special import expit

from philia import CommunityModel
from philia.datasets import classic
from philia.evaluate import evaluate_links
from philia.graphs import Graph, Nodes
from philia.plots.matrices import by_community
from philia.report import drawing, payload
from philia.report.communities import expected_inside, links_inside
from philia.report.findings import Findings
from philia.report.html import unpacked
from philia.report.matrix import Cells, mean_probabilities
from tests.report.models import chosen, dating, hidden


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    return payload(dating())


def test_links_inside_a_community_are_those_between_its_members(found: dict[str, Any]) -> None:
    graph = dating().graph_
    for card, community in zip(found["communities"], dating().communities(), strict=True):
        pairs = list(combinations(community.members, 2))
        assert card["inside"]["links"] == sum(graph.has_link(u, v) for u, v in pairs)
        assert card["inside"]["pairs"] == len(pairs)
        assert card["inside"]["density"] == pytest.approx(card["inside"]["links"] / len(pairs))


def test_expected_links_are_those_of_the_degrees_alone(found: dict[str, Any]) -> None:
    graph = dating().graph_
    degree = dict(zip(graph.nodes, graph.degrees.tolist(), strict=True))
    for card, community in zip(found["communities"], dating().communities(), strict=True):
        pairs = list(combinations(community.members, 2))
        expected = sum(min(degree[u] * degree[v] / (2 * graph.n_links), 1) for u, v in pairs) / len(pairs)
        assert card["inside"]["expected"] == pytest.approx(expected)
        assert card["inside"]["ratio"] == pytest.approx(card["inside"]["density"] / expected)


def test_no_expected_probability_exceeds_one() -> None:
    star = Graph.from_rows(np.array([0, 0, 0, 0, 1]), np.array([1, 2, 3, 4, 2]), Nodes.numbered(5))
    both = sparse.csc_array(np.array([[1], [1], [0], [0], [0]]))
    assert expected_inside(np.array([40, 30, 1, 1, 1]), both).tolist() == [1.0]
    assert links_inside(star, both).tolist() == [1]


def test_overlaps_count_members_in_both(found: dict[str, Any]) -> None:
    sets = list(dating().communities().as_sets().values())
    assert found["overlap"]["shared"] == [[len(a & b) for b in sets] for a in sets]
    for card, members in zip(found["communities"], sets, strict=True):
        by_name = dict(zip(found["overlap"]["names"], sets, strict=True))
        expected = {name: len(members & other) for name, other in by_name.items() if name != card["name"]}
        shown = {name: shared for name, shared, _ in card["overlaps"]}
        assert shown == {name: shared for name, shared in expected.items() if shared}
        assert all(share == pytest.approx(shared / len(members)) for _, shared, share in card["overlaps"])


def test_the_strongest_members_come_first(found: dict[str, Any]) -> None:
    for card, community in zip(found["communities"], dating().communities(), strict=True):
        expected = [(str(name), share) for name, share in list(community.members.items())[:12]]
        assert [name for name, _, _ in card["members"]] == [name for name, _ in expected]
        assert [share for _, share, _ in card["members"]] == pytest.approx([share for _, share in expected])
        assert all(found["explorer"]["names"][row] == name for name, _, row in card["members"])
        assert card["size"] == len(community)


@pytest.mark.parametrize("side", [1, 7, 150])
def test_cells_hold_mean_probabilities_without_the_diagonal(side: int) -> None:
    factors, n = dating().factors_.readable(), 150
    order = by_community(factors)
    P = expit(factors.score_block(order, order))
    np.fill_diagonal(P, 0)
    cell = np.arange(n) * side // n
    expected = [[P[np.ix_(cell == a, cell == b)].mean() for b in range(side)] for a in range(side)]
    found = mean_probabilities(factors, Cells(order, side), most=n)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-7)


def test_means_from_a_few_nodes_per_cell_are_close_to_those_of_all() -> None:
    factors = dating().factors_.readable()
    cells = Cells(by_community(factors), 5)
    every, some = (mean_probabilities(factors, cells, most) for most in (150, 10))
    assert np.abs(every - some).max() < 0.1
    assert (every != some).any()


def test_the_observed_cells_hold_all_links(found: dict[str, Any]) -> None:
    observed, expected = (unpacked(found["matrix"][name]) for name in ("observed", "expected"))
    assert observed.sum() == 2 * dating().graph_.n_links  # 150 nodes, one a cell
    assert expected.sum() == pytest.approx(observed.sum(), rel=0.1)
    groups = found["matrix"]["groups"]
    assert (groups[0][1], groups[-1][2]) == (0, 149)


def test_the_log_odds_of_the_page_are_those_of_the_model(found: dict[str, Any]) -> None:
    page, model = found["explorer"], dating()
    F, a = unpacked(page["factors"]).astype(float), unpacked(page["background"]).astype(float)
    signs = np.array([column["sign"] for column in page["columns"]])
    rows, columns = np.triu_indices(150, k=1)
    logits = a[rows] + a[columns] + (F[rows] * F[columns]) @ signs
    names = list(model.graph_.nodes)
    exact = model.decision_function([(names[i], names[j]) for i, j in zip(rows, columns, strict=True)])
    np.testing.assert_allclose(logits, exact, atol=1e-4)
    why = {reason.community: reason.log_odds for reason in model.explain(names[3], names[8]).reasons}
    terms = F[3] * F[8] * signs
    assert dict(zip([c["name"] for c in page["columns"]], terms, strict=True)) == pytest.approx(why, abs=1e-5)
    largest = [column["largest"] for column in page["columns"]]
    assert F.max(axis=0) == pytest.approx(largest, rel=1e-6)


def test_the_page_knows_all_neighbours_of_a_small_graph(found: dict[str, Any]) -> None:
    page, graph = found["explorer"], dating().graph_
    start, rows = (unpacked(page["neighbours"][name]) for name in ("start", "rows"))
    for row, name in enumerate(graph.nodes):
        listed = [page["names"][place] for place in rows[start[row] : start[row + 1]]]
        assert listed == [str(other) for other in graph.neighbours(name)]
    assert unpacked(page["degrees"]).tolist() == graph.degrees.tolist()
    assert page["missing"] is None


def test_held_out_pairs_are_judged_if_there_are_any() -> None:
    judged, scores = payload(hidden())["quality"], evaluate_links(hidden())
    assert judged["held_out"]
    assert (judged["pairs"], judged["links"]) == (scores.pairs, scores.links)
    assert judged["auc"] == pytest.approx(scores.auc)
    assert judged["average_precision"] == pytest.approx(scores.average_precision)
    assert judged["mean_log_likelihood"] == pytest.approx(-(scores.log_loss or 0))
    assert scores.calibration is not None
    assert judged["calibration"]["observed"] == pytest.approx(scores.calibration.observed)
    assert judged["auc_interval"] is None
    assert "held out of the fit" in judged["words"]


def test_without_held_out_pairs_the_words_say_that_it_is_not_a_test(found: dict[str, Any]) -> None:
    judged, n = found["quality"], 150
    assert not judged["held_out"]
    assert judged["pairs"] == n * (n - 1) // 2
    assert judged["mean_log_likelihood"] == pytest.approx(dating().score())
    assert "not a test" in judged["words"]


def test_the_summary_says_how_many_nodes_are_in_none() -> None:
    model = CommunityModel(1, 0, penalty=0.1, random_state=0).fit([(1, 2), (1, 3), (2, 3), (4, 5)])
    found = payload(model)
    assert found["in_none"] == 2
    assert any("3 nodes are in exactly one group; 2 nodes are in no group." in said for said in found["sentences"])
    assert Findings.of(model).communities_per_node.tolist() == [1, 1, 1, 0, 0]


def test_the_drawing_has_every_node_with_the_shares_of_its_links() -> None:
    drawn, model = payload(chosen())["drawing"], chosen()
    level = model.level()
    assert level is not None
    start, communities, parts = (unpacked(drawn["shares"][name]) for name in ("start", "communities", "parts"))
    for row in range(model.graph_.n_nodes):
        own = slice(start[row], start[row + 1])
        shown = dict(zip(communities[own].tolist(), (parts[own] / 255).tolist(), strict=True))
        exact = {c: float(level.shares[row, c]) for c in range(2) if level.shares[row, c]}
        assert shown == pytest.approx(exact, abs=0.003)
    rows, columns = model.graph_.links
    assert unpacked(drawn["links"]).tolist() == list(map(list, zip(rows.tolist(), columns.tolist(), strict=True)))
    assert [part["number"] for part in drawn["communities"]] == [0, 1]


def test_a_map_counts_members_and_opens_the_best_connected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drawing, "MOST_NODES", 100)
    monkeypatch.setattr(drawing, "_MEMBERS", 20)
    drawn, found, graph = payload(dating())["drawing"], dating().communities(), dating().graph_
    for part, size, opened in zip(drawn["communities"], unpacked(drawn["sizes"]), drawn["opened"], strict=True):
        community = found[part["number"]]
        assert size == opened["of"] == len(community)
        inside = {n: sum(other in community for other in graph.neighbours(n)) for n in community}
        fewest = min(inside[n] for n in inside if str(n) in opened["names"])
        assert sum(links > fewest for links in inside.values()) < 20 == len(opened["names"])


def test_hidden_pairs_of_the_choice_are_those_of_the_selection() -> None:
    hidden_ones, chosen_step = payload(chosen())["hidden"], chosen().selection_
    assert chosen_step is not None
    assert hidden_ones["log_likelihood"] == chosen_step.choice.log_likelihood
    assert hidden_ones["explained"] == pytest.approx(1 - chosen_step.choice.log_likelihood / chosen_step.density)
    assert payload(dating())["hidden"] is None
    assert not any("uncertainty" in said for said in payload(dating())["sentences"])
    assert any(said.endswith("of the uncertainty on hidden pairs.") for said in payload(chosen())["sentences"])


def test_a_community_is_known_by_the_members_with_most_links_to_it() -> None:
    for card, community in zip(payload(chosen())["communities"], chosen().communities(), strict=True):
        graph = chosen().graph_
        links = {n: share * len(graph.neighbours(n)) for n, share in community.members.items()}
        first = sorted(links, key=lambda n: -links[n])[:3]
        assert card["title"] == ", ".join(map(str, first)) + " …"


@pytest.mark.parametrize("model", [chosen, dating])
def test_the_memberships_of_the_page_are_those_of_the_communities(model: Any) -> None:
    page, found = payload(model())["explorer"], model().communities()
    shown, names = unpacked(page["memberships"]), [community["name"] for community in page["communities"]]
    for row, node in enumerate(model().graph_.nodes):
        mine = {name: value for name, value in zip(names, shown[row].tolist(), strict=True) if value}
        assert mine == pytest.approx(found.of(node), rel=1e-6)


def test_the_columns_of_the_page_are_the_reasons_of_the_model() -> None:
    page, model = payload(chosen())["explorer"], chosen()
    F, a = unpacked(page["factors"]).astype(float), unpacked(page["background"]).astype(float)
    why = model.explain(0, 33)
    terms = F[0] * F[33] * [column["sign"] for column in page["columns"]]
    added: dict[str, float] = {}
    for column, term in zip(page["columns"], terms, strict=True):
        counts_as = column["part_of"] or column["name"]
        added[counts_as] = added.get(counts_as, 0.0) + term
    assert added == pytest.approx({reason.community: reason.log_odds for reason in why.reasons}, abs=1e-5)
    assert {c["name"] for c in page["columns"] if c["finer"] and not c["part_of"]} == {
        reason.community for reason in why.reasons if reason.finer
    }
    assert a[0] + a[33] + terms.sum() == pytest.approx(why.logit, abs=1e-5)


def test_levels_are_those_of_the_hierarchy_and_only_of_communities_that_were_read() -> None:
    found, known = payload(chosen())["levels"], chosen().hierarchy()
    assert [level["communities"] for level in found["levels"]] == [count for count in known.counts if count]
    assert [level["saved"] for level in found["levels"]] == pytest.approx(list(known.saved[:-1]))
    assert found["default"] == len(known.default)
    assert sorted(found["tree"]["leaves"]) == sorted(known[0].names)
    assert payload(dating())["levels"] is None


def test_no_group_of_the_matrix_is_named_after_finer_structure() -> None:
    named = {name for name, _, _ in payload(chosen())["matrix"]["groups"]}
    assert named == {"B1", "B2"}
    settings = dict(payload(chosen())["fit"]["settings"])
    assert settings["communities that attract"].startswith("2 ")
    assert settings["columns of finer structure"].startswith(f"{len(chosen().communities().finer)} ")


def test_a_choice_of_the_penalty_alone_says_nothing_about_numbers() -> None:
    found = payload(CommunityModel(2, 1, random_state=0).fit(classic("karate")))["hidden"]
    assert found["words"].startswith("To choose the penalty, philia hid")
    assert found["range"] is None
    assert payload(chosen())["hidden"]["words"].startswith("To choose the numbers of communities, philia hid 20 %")
    assert payload(chosen())["hidden"]["range"] == list(chosen().selection_.attracting)  # type: ignore[union-attr]


def test_cards_and_summary_say_what_hidden_pairs_confirm() -> None:
    model = copy(dating())
    assert all(card["significance"] is None for card in payload(model)["communities"])
    measured = model.significance(folds=2)
    model.heterophily(folds=2)
    found = payload(model)
    for card, tested in zip(found["communities"], measured.communities, strict=True):
        assert card["significance"]["z"] == tested.z
        assert card["significance"]["words"] == tested.in_words()
    assert model.significance_ is not None
    assert model.significance_.in_words() in found["sure"]
    assert any(sentence.startswith("How heterophilous the network is: ") for sentence in found["sentences"])


def test_the_page_says_what_is_left_out() -> None:
    model = copy(dating())
    measured = model.significance(folds=2)
    first = replace(measured.communities[0], z=0.7)
    model.significance_ = replace(measured, communities=(first, *measured.communities[1:]))
    found = payload(model)
    assert found["left_out"] == {"B1": "not distinguishable from chance, z = 0.7"}
    assert "1 left out: B1 (not distinguishable from chance, z = 0.7)." in found["remarks"]
    assert [card["name"] for card in found["communities"]] == ["B2", "B3", "C1", "C2"]
    assert any("confirm 4 of 5 communities" in sentence for sentence in found["sure"])

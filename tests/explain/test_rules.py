from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from typer.testing import CliRunner

from philia import CommunityModel
from philia.cli import app
from philia.exceptions import InvalidParameterError
from philia.explain import RuleComparison, RuleEffect, find_communities, normalize, rules
from philia.explain.rules import (
    RULES,
    Rule,
    link_shares,
    members_by_shares,
    missing_shares,
    rule_of,
    shares_of_members,
    split,
)
from philia.factors import CommunityFactors
from tests.strategies import random_graph

COLUMNS = st.lists(st.floats(0, 10, allow_subnormal=False), min_size=1, max_size=30).map(np.array)
GRAPH = random_graph(6, 0.4, seed=1)


def within(column: np.ndarray, bar: float) -> float:
    """The squared distances of both parts of a column to their means."""
    parts = (column[column >= bar], column[column < bar])
    return sum(float(((part - part.mean()) ** 2).sum()) for part in parts if len(part))


@given(COLUMNS)
def test_no_other_cut_has_less_variance_inside_the_parts(column: np.ndarray) -> None:
    best = min(within(column, bar) for bar in column)
    assert within(column, split(column)) == pytest.approx(best, abs=1e-9)


@given(COLUMNS, st.floats(0.01, 100))
def test_the_split_does_not_depend_on_the_scale(column: np.ndarray, scale: float) -> None:
    bar, scaled = split(column), split(column * scale)
    assert within(column, bar) == pytest.approx(within(column, scaled / scale * (1 - 1e-12)), abs=1e-9)


def test_any_two_members_by_the_odds_rule_have_their_odds_doubled_or_halved() -> None:
    rng = np.random.default_rng(0)
    factors = CommunityFactors(rng.exponential(size=(40, 3)), rng.exponential(size=(40, 2)), np.zeros(40))
    for community in find_communities(random_graph(40, 0.2, seed=0), factors, "odds"):
        least = min(community.members.values())
        assert abs(community.strength) * least**2 >= np.log(2) * (1 - 1e-12)


def test_a_community_that_doubles_no_odds_is_empty_by_the_odds_rule() -> None:
    factors = CommunityFactors.attracting(np.array([[0.5, 0.5, 0.1, 0, 0, 0]]).T)
    assert find_communities(GRAPH, factors, "odds").left_out == {"B1": "empty"}
    assert find_communities(GRAPH, factors, "split").as_sets() == {"B1": {0, 1}}


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_gives_one_threshold_per_community(rule: str) -> None:
    normal = normalize(CommunityFactors(np.ones((6, 2)), np.ones((6, 1)), np.zeros(6)))
    assert rule_of(rule).thresholds(GRAPH, normal).shape == (3,)
    assert rule_of(rule).meaning
    none = normalize(CommunityFactors.attracting(np.zeros((6, 2))))
    assert rule_of(rule).thresholds(GRAPH, none).shape == (0,)


@pytest.fixture
def toy_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    """A rule is one function and one entry of the registry."""
    toy = Rule("toy", "only the fullest members", lambda _, normal: np.ones(normal.memberships.shape[1]))
    monkeypatch.setitem(RULES, "toy", toy)


def test_a_rule_that_is_registered_once_works_in_python(toy_rule: None) -> None:
    factors = CommunityFactors.attracting(np.array([[3.0, 3.0, 1.0, 0, 0, 0]]).T)
    assert find_communities(GRAPH, factors, "toy").as_sets() == {"B1": {0, 1}}
    model = CommunityModel(2, 0, penalty=1, random_state=0).fit(GRAPH)
    assert model.communities("toy").rule == "only the fullest members"
    assert "toy" in str(model.compare_rules())


def test_a_rule_that_is_registered_once_works_on_the_command_line(
    toy_rule: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "1000")
    CommunityModel(2, 0, penalty=1, random_state=0).fit(GRAPH).save(tmp_path / "model.safetensors")
    shown = CliRunner().invoke(app, ["communities", str(tmp_path / "model.safetensors"), "--rule", "toy"]).stdout
    assert "Membership rule: only the fullest members." in shown
    assert "toy: only the fullest members" in CliRunner().invoke(app, ["communities", "--help"]).stdout


def test_the_default_is_the_same_everywhere() -> None:
    factors = CommunityFactors.attracting(np.array([[3.0, 3.0, 1.0, 0, 0, 0]]).T)
    model = CommunityModel(2, 0, penalty=1, random_state=0).fit(GRAPH)
    meaning = RULES[model.rules[0]].meaning
    assert find_communities(GRAPH, factors).rule == model.communities().rule == meaning


def test_an_unknown_rule_is_refused_and_the_known_ones_are_listed() -> None:
    with pytest.raises(InvalidParameterError, match="'odds', 'density', 'split' or a membership"):
        find_communities(GRAPH, CommunityFactors.attracting(np.ones((6, 1))), "mood")


def test_the_effects_of_rules_are_compared_in_a_table() -> None:
    factors = CommunityFactors.attracting(np.array([[3.0, 3.0, 1.0, 0, 0, 0], [0.0] * 6]).T)
    effects = tuple(RuleEffect.of(rule, find_communities(GRAPH, factors, rule)) for rule in ("split", "odds"))
    assert [effect.sizes for effect in effects] == [{"B1": 2}, {"B1": 3}]
    assert [effect.n_unassigned for effect in effects] == [4, 3]
    assert [effect.communities_a_node for effect in effects] == [pytest.approx(1 / 3), 0.5]
    assert "nodes in none             4     3" in str(RuleComparison(effects))


def shares_one_link_at_a_time(B: np.ndarray) -> np.ndarray:
    """The reference of ``link_shares`` on ``GRAPH``."""
    found = np.zeros_like(B)
    for i in range(6):
        mine = GRAPH.nodes.rows(GRAPH.neighbours(i))
        for j in mine:
            found[i] += B[i] * B[j] / max(float(B[i] @ B[j]), np.log(2)) / len(mine)
    return found


@given(st.lists(st.floats(0, 5), min_size=18, max_size=18).map(lambda values: np.reshape(values, (6, 3))))
def test_a_link_runs_through_communities_in_proportion_to_what_each_adds(B: np.ndarray) -> None:
    shares = link_shares(GRAPH, B)
    np.testing.assert_allclose(shares, shares_one_link_at_a_time(B), atol=1e-12)
    assert (shares.sum(axis=1) <= 1 + 1e-12).all()


def test_shares_of_links_are_the_same_however_many_rows_are_taken_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    graph, B = random_graph(50, 0.2, 0), np.random.default_rng(0).exponential(size=(50, 4))
    at_once = link_shares(graph, B)
    monkeypatch.setattr(rules, "_AT_A_TIME", 1)
    np.testing.assert_array_equal(link_shares(graph, B), at_once)


def test_members_by_links_have_a_third_of_their_links_there_or_most_of_them_and_a_tenth() -> None:
    graph, rng = random_graph(60, 0.2, 0), np.random.default_rng(0)
    B = 2 * rng.exponential(size=(60, 3)) * (rng.random((60, 3)) < 0.7)
    found = find_communities(graph, CommunityFactors.attracting(B), "links")
    shares = link_shares(graph, B)
    for c, community in enumerate(found):
        largest = (shares.argmax(axis=1) == c) & (shares[:, c] >= 1 / 10)
        members = np.flatnonzero((shares[:, c] >= 1 / 3) | largest)
        assert set(community.members) == set(members.tolist())
        rows = graph.nodes.rows(community.members)
        assert list(community.members.values()) == pytest.approx(shares[rows, c])
    assert {0, 1, 2} <= {len(found.of(node)) for node in range(60)}


def test_a_column_that_is_a_set_already_keeps_its_members() -> None:
    indicator = np.array([[2.0, 2.0, 0, 2.0, 0, 0]]).T
    assert find_communities(GRAPH, CommunityFactors.attracting(indicator), "links").as_sets() == {"B1": {0, 1, 3}}


def missing_one_pair_at_a_time(factors: CommunityFactors) -> np.ndarray:
    """The reference of ``missing_shares`` on ``GRAPH``, by the probabilities with and without C."""
    B, C, a = factors.homophilous, factors.heterophilous, factors.background
    found, has = np.zeros_like(C), GRAPH.degrees.astype(float)
    for i in range(6):
        for j in range(6):
            if i == j or GRAPH.adjacency[i, j]:
                continue
            without = 1 / (1 + np.exp(-(B[i] @ B[j] + a[i] + a[j])))
            linked = 1 / (1 + np.exp(-(B[i] @ B[j] + a[i] + a[j] - C[i] @ C[j])))
            if C[i] @ C[j]:
                found[i] += (without - linked) / (1 - linked) * C[i] * C[j] / (C[i] @ C[j])
    return np.asarray(found / np.maximum(has + found.sum(axis=1), 1e-300)[:, None])


AFFINITIES = st.lists(st.one_of(st.just(0.0), st.floats(0.1, 3)), min_size=12, max_size=12).map(
    lambda values: np.reshape(values, (6, 2))
)


@given(AFFINITIES, AFFINITIES, st.floats(-4, 1))
def test_missing_links_are_divided_among_the_communities_that_repel(B: np.ndarray, C: np.ndarray, a: float) -> None:
    factors = CommunityFactors(B, C, np.linspace(a, a + 1, 6))
    shares = missing_shares(GRAPH.adjacency, factors, factors, np.arange(6))
    np.testing.assert_allclose(shares, missing_one_pair_at_a_time(factors), atol=1e-9)
    assert (shares >= 0).all()
    assert (shares.sum(axis=1) <= 1 + 1e-12).all()


def test_a_sample_of_partners_finds_nearly_the_same_shares(monkeypatch: pytest.MonkeyPatch) -> None:
    graph, rng = random_graph(900, 0.02, seed=0), np.random.default_rng(0)
    C = np.zeros((900, 2))
    C[np.arange(900), rng.integers(2, size=900)] = 1.5
    factors = CommunityFactors(np.zeros((900, 0)), C, np.full(900, -1.5) + rng.normal(0, 0.3, 900))
    exactly = missing_shares(graph.adjacency, factors, factors, np.arange(900))
    monkeypatch.setattr(rules, "_PAIRS", 1)
    about = missing_shares(graph.adjacency, factors, factors, np.arange(900))
    assert 0 < np.abs(about - exactly).max() < 0.05


def test_repelling_members_have_the_share_of_their_links_that_is_missing() -> None:
    C = np.array([[1.5], [1.5], [1.5], [0.0], [0.0], [0.0]])
    factors = CommunityFactors(np.zeros((6, 0)), C, np.zeros(6))
    (found,) = find_communities(GRAPH, factors)
    shares = missing_shares(GRAPH.adjacency, factors, factors, np.arange(6))[:, 0]
    assert dict(found.members) == pytest.approx({i: shares[i] for i in (0, 1, 2)})
    assert found.threshold == min(found.members.values())


def test_by_links_members_of_a_repelling_community_have_a_third_of_the_typical_affinity() -> None:
    C = np.array([[2.0, 1.8, 1.8, 1.7, 1.6, 0.65, 0.55, 0.0]]).T  # the typical one is 1.8, in the nearest set
    factors = CommunityFactors(np.zeros((8, 0)), C, np.zeros(8))
    by_links, nearest = (find_communities(random_graph(8, 0.5, 0), factors, r).as_sets() for r in ("links", "nearest"))
    assert nearest["C1"] == {0, 1, 2, 3, 4}
    assert by_links["C1"] == {0, 1, 2, 3, 4, 5}


def test_by_links_a_node_is_where_most_of_its_repulsion_comes_from() -> None:
    group = np.arange(60) % 3
    C = np.where(group[:, None] == np.arange(3), 1.0, 0.6)
    C[:6] *= 0.5  # repelled less, and from the same side
    factors = CommunityFactors(np.zeros((60, 0)), C, np.zeros(60))
    by_links, nearest = (find_communities(random_graph(60, 0.2, 0), factors, r).as_sets() for r in ("links", "nearest"))
    known = {f"C{c + 1}": set(np.flatnonzero(group == c).tolist()) for c in range(3)}
    assert by_links == known
    assert nearest != known


def test_by_links_a_node_may_be_in_two_repelling_communities() -> None:
    C = np.repeat([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], 20, axis=0)
    factors = CommunityFactors(np.zeros((60, 0)), C, np.zeros(60))
    found = find_communities(random_graph(60, 0.2, 0), factors, "links")
    assert [set(found.of(node)) for node in (0, 20, 40)] == [{"C1"}, {"C2"}, {"C1", "C2"}]


@given(st.integers(0, 8), st.integers(0, 6), st.integers(0, 2**32))
def test_members_are_the_same_whether_shares_of_zero_are_stored(n: int, k: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    shares = rng.integers(1, 11, (n, k)) / 30 * (rng.random((n, k)) < 0.6)  # with ties, and at the bars themselves
    expected = np.where(members_by_shares(shares), shares, 0.0)
    np.testing.assert_array_equal(shares_of_members(sparse.csr_array(shares)).toarray(), expected)

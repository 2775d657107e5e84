"""The measures of covers: cases worked by hand, laws, and the slow reference."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from math import log2
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from philia import as_graph
from philia.evaluate import (
    Cover,
    as_cover,
    best_match_f1,
    compare_communities,
    omega_index,
    overlapping_nmi,
    trivial_covers,
)
from philia.evaluate import covers as covers_module
from philia.evaluate.covers import incidence
from philia.exceptions import InvalidParameterError
from philia.explain import Communities, Community
from philia.graphs import Nodes
from tests.evaluate.random_covers import KINDS, covers, random_cover
from tests.reference import covers as reference
from tests.strategies import random_graph

AB, C = frozenset("ab"), frozenset("c")


@pytest.mark.parametrize(
    "given",
    [
        {"B1": ["a", "b"], "B2": ["c"]},
        [{"a", "b"}, {"c"}],
        (("a", "b", "a"), ("c",)),
        (iter(members) for members in (["b", "a"], ["c"])),
        Cover((AB, C)),
    ],
)
def test_communities_are_read_in_every_form(given: Any) -> None:
    assert as_cover(given).sets == (AB, C)


def test_the_communities_of_a_model_are_a_cover() -> None:
    pair = Community("B1", "homophilous", 2.0, {"a": 1.0, "b": 0.6}, threshold=0.5, typical=2.0)
    assert as_cover(Communities((pair,), "any", Nodes("abc"))).sets == (AB,)


def test_names_from_an_array_are_the_same_nodes() -> None:
    assert as_cover([np.array([3, 5])]).sets == (frozenset({3, 5}),)


def test_empty_communities_are_left_out_and_counted_and_repeated_ones_are_kept() -> None:
    cover = as_cover([["a", "b"], [], ["a", "b"], []])
    assert cover == Cover((AB, AB), empty=2)
    assert cover.sizes == (2, 2)
    assert cover.covered == AB


@pytest.mark.parametrize("given", ["abc", 7, None])
def test_anything_but_communities_is_refused(given: Any) -> None:
    with pytest.raises(InvalidParameterError, match="expected communities; give the nodes of each"):
        as_cover(given)


@pytest.mark.parametrize("given", [["ann", "bob"], [0, 1, 1], {"ann": None}, [[["a"]]]])
def test_anything_but_a_community_is_refused(given: Any) -> None:
    with pytest.raises(InvalidParameterError, match="expected the nodes of a community; give their names"):
        as_cover(given)


def test_by_default_the_nodes_are_those_of_either_cover() -> None:
    assert incidence([{"a", "b"}], [{"b", "c"}]).n_nodes == 3
    graph = as_graph([("a", "b"), ("b", "c"), ("c", "d")])
    for nodes in (graph, "abcd", list("abcd"), 4):
        assert incidence([{"a", "b"}], [{"b", "c"}], nodes).n_nodes == 4
        assert omega_index([{"a", "b"}], [{"b", "c"}], nodes) == pytest.approx(-0.2)


def test_members_that_are_not_nodes_are_named_in_the_error() -> None:
    with pytest.raises(InvalidParameterError, match="'z' is in a community but not among the 3 nodes, as are 0 others"):
        overlapping_nmi([{"a", "z"}], [{"b"}], nodes="abc")
    with pytest.raises(InvalidParameterError, match="2 nodes were announced, but the communities have 3"):
        overlapping_nmi([{"a", "b"}], [{"c"}], nodes=2)


def test_trivial_covers_are_all_nodes_and_the_components() -> None:
    graph = random_graph(12, 0.1, seed=3)
    trivial = trivial_covers(graph)
    assert trivial["one community of all nodes"] == [set(range(12))]
    parts = trivial["connected components"]
    assert sum(map(len, parts)) == 12
    for u, v in zip(*graph.links, strict=True):
        assert any({int(u), int(v)} <= part for part in parts)
    assert len(parts) > 1
    assert compare_communities(parts, parts, graph).omega == 1


def test_a_graph_without_nodes_has_no_trivial_communities() -> None:
    empty = as_graph(np.zeros((0, 0)))
    assert trivial_covers(empty) == {"one community of all nodes": [], "connected components": []}


Measure = Callable[[Any, Any, int], float]

MEASURES: dict[str, Measure] = {
    "f1": lambda found, truth, n: best_match_f1(found, truth),
    "lfk": lambda found, truth, n: overlapping_nmi(found, truth, n),
    "mgh": lambda found, truth, n: overlapping_nmi(found, truth, n, variant="mgh"),
    "omega": omega_index,
}
EVERY = pytest.mark.parametrize("measure", MEASURES.values(), ids=MEASURES)
N = 9


def slowly(X: list[set[int]], Y: list[set[int]], n: int) -> dict[str, float]:
    nodes = set(range(n))
    return {
        "f1": reference.best_match_f1(X, Y),
        "nmi_lfk": reference.lfk(X, Y, nodes),
        "nmi_mgh": reference.mgh(X, Y, nodes),
        "omega": reference.omega_index(X, Y, nodes),
    }


def test_f1_is_the_mean_of_both_directions_of_best_matches() -> None:
    # {0, 1} is half of {0, 1, 2, 3}: F1 2·2/(2+4); {4} is found as it is; {0, 1, 2, 3}'s best is {0, 1}.
    assert best_match_f1([{0, 1}, {2}, {4}], [{0, 1, 2, 3}, {4}]) == pytest.approx(
        ((2 / 3 + 2 / 5 + 1) / 3 + (2 / 3 + 1) / 2) / 2
    )


def test_f1_of_covers_without_a_common_node_is_zero() -> None:
    assert best_match_f1([{0}, {1}], [{2, 3}]) == 0


def test_lfk_averages_over_communities_and_mgh_over_entropy() -> None:
    # Each half of eight nodes has 1 bit; {0, 1} and {2, 3} have H(¼) each. The pair {0, 1} | {0, 1, 2, 3} is decided
    # for the other half, and even inside this one: H(x|y) = ½ bit. The half given the pair leaves H(y) + ½ - H(¼).
    quarter = -(0.25 * log2(0.25) + 0.75 * log2(0.75))
    pairs, halves = [{0, 1}, {2, 3}], [{0, 1, 2, 3}]
    half_given_pair = 1 + 0.5 - quarter
    assert overlapping_nmi(pairs, halves, 8) == pytest.approx(1 - (0.5 / quarter + half_given_pair) / 2)
    shared = (2 * (quarter - 0.5) + 1 - half_given_pair) / 2
    assert overlapping_nmi(pairs, halves, 8, variant="mgh") == pytest.approx(shared / (2 * quarter))


def test_lfk_tolerates_surplus_communities_and_mgh_does_not() -> None:
    noise = [{node, node + 8} for node in range(8)]
    truth = [set(range(8))]
    assert overlapping_nmi([*truth, *noise], truth, 16) > 0.5
    assert overlapping_nmi([*truth, *noise], truth, 16, variant="mgh") < 0.4


def test_the_complement_of_a_community_is_uninformative() -> None:
    for variant in ("lfk", "mgh"):
        assert overlapping_nmi([{0, 1, 2, 3}], [{4, 5, 6, 7}], 8, variant=variant) == 0


def test_a_community_without_common_nodes_may_still_be_informative() -> None:
    # A node among the 620 is not among the 12, and the rest is small: h(.368) > h(.62) + h(.012).
    found, truth = [set(range(12))], [set(range(12, 632))]
    assert overlapping_nmi(found, truth, 1000) == pytest.approx(reference.lfk(found, truth, set(range(1000))))
    assert overlapping_nmi(found, truth, 1000) > 0.01


def test_a_community_equally_close_to_the_complement_is_uninformative() -> None:
    # Of eight nodes four are in neither, one in both, two and one in one alone: h(4/8) + h(1/8) = h(2/8) + h(1/8).
    assert overlapping_nmi([{0, 1}], [{1, 2, 3}], 8) == 0
    assert overlapping_nmi([{0, 1}], [{1, 2, 3}], 8, variant="mgh") == 0


def test_omega_is_agreement_beyond_chance() -> None:
    # Pairs 01 and 23 against 01, 02, 12: of six pairs 01, 03 and 13 are agreed about; chance gives (2·3 + 4·3) / 36.
    assert omega_index([{0, 1}, {2, 3}], [{0, 1, 2}], 4) == pytest.approx((3 / 6 - 18 / 36) / (1 - 18 / 36))
    # Together twice is not the same as together once.
    assert omega_index([{0, 1}, {0, 1}], [{0, 1}], 3) == pytest.approx((2 / 3 - 4 / 9) / (1 - 4 / 9))


def test_omega_of_partitions_is_the_adjusted_rand_index() -> None:
    from sklearn.metrics import adjusted_rand_score

    rng = np.random.default_rng(0)
    for _ in range(20):
        labels = rng.integers(4, size=(2, 30))
        found, truth = ([set(np.flatnonzero(each == label).tolist()) for label in range(4)] for each in labels)
        assert omega_index(found, truth) == pytest.approx(adjusted_rand_score(*labels))


@EVERY
@given(X=covers(N), Y=covers(N), more=st.integers(0, 3))
def test_a_measure_is_symmetric_and_in_its_range(
    measure: Measure, X: list[set[int]], Y: list[set[int]], more: int
) -> None:
    value = measure(X, Y, N + more)
    assert value == measure(Y, X, N + more)
    assert (-1 if measure is omega_index else 0) <= value <= 1


@EVERY
@given(X=covers(N), more=st.integers(0, 3), shuffled=st.randoms())
def test_equal_covers_get_exactly_one_in_any_order(
    measure: Measure, X: list[set[int]], more: int, shuffled: Any
) -> None:
    Y = list(X)
    shuffled.shuffle(Y)
    assert measure(X, Y, N + more) == 1


@EVERY
@given(X=covers(N), Y=covers(N), names=st.permutations("abcdefghi"), shuffled=st.randoms())
def test_names_and_order_change_nothing(
    measure: Measure, X: list[set[int]], Y: list[set[int]], names: list[str], shuffled: Any
) -> None:
    renamed = [[names[node] for node in community] for community in X]
    shuffled.shuffle(renamed)
    assert measure(renamed, [{names[node] for node in community} for community in Y], N) == measure(X, Y, N)


@given(X=covers(N), Y=covers(N), more=st.integers(0, 3))
def test_every_measure_agrees_with_the_reference(X: list[set[int]], Y: list[set[int]], more: int) -> None:
    assert asdict(compare_communities(X, Y, N + more)) == pytest.approx(slowly(X, Y, N + more), abs=1e-12)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("other", KINDS)
def test_every_two_kinds_of_covers_are_measured_as_by_the_reference(kind: str, other: str) -> None:
    rng = np.random.default_rng(KINDS.index(kind) * len(KINDS) + KINDS.index(other))
    for _ in range(4):
        n = int(rng.integers(1, 20))
        X, Y = random_cover(kind, n, rng), random_cover(other, n, rng)
        assert asdict(compare_communities(X, Y, n)) == pytest.approx(slowly(X, Y, n), abs=1e-12)


@pytest.mark.parametrize("dense", [0, 10**9])
def test_blocks_change_nothing(dense: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(covers_module, "_DENSE", dense)
    monkeypatch.setattr(covers_module, "_NODE_PAIRS", 7)
    monkeypatch.setattr(covers_module, "_COMMUNITY_PAIRS", 5)
    rng = np.random.default_rng(1)
    for kind in KINDS:
        X, Y = random_cover(kind, 15, rng), random_cover("overlapping", 15, rng)
        assert asdict(compare_communities(X, Y, 17)) == pytest.approx(slowly(X, Y, 17), abs=1e-12)


@EVERY
def test_a_cover_without_communities_equals_only_another_one(measure: Measure) -> None:
    assert measure([], [], 5) == 1
    assert measure([], [set()], 5) == 1
    for community in {0, 1}, {0, 1, 2, 3, 4}:
        assert measure([], [community], 5) == measure([community], [set()], 5) == 0


@EVERY
def test_empty_communities_are_left_out(measure: Measure) -> None:
    assert measure([{0, 1}, set()], [{1, 2}, set(), set()], 6) == measure([{0, 1}], [{1, 2}], 6)


@EVERY
def test_covers_of_one_node_or_of_none_agree(measure: Measure) -> None:
    assert measure([{0}], [{0}], 1) == measure([{0}, {0}], [{0}], 1) == measure([], [], 0) == 1


def test_an_unknown_variant_is_refused() -> None:
    with pytest.raises(InvalidParameterError, match="the variant is 'max'; use 'lfk' or 'mgh'"):
        overlapping_nmi([{0}], [{0}], variant="max")  # type: ignore[arg-type]


def test_a_large_cover_is_compared_without_a_matrix_of_all_pairs() -> None:
    n = 200_000  # all pairs would be twenty billion
    found = [set(range(first, first + 50)) for first in range(0, n, 50)]
    truth = [set(range(first, first + 100)) for first in range(0, n, 100)]
    scores = compare_communities(found, truth)
    assert scores.f1 == pytest.approx(2 / 3)
    assert scores.omega == pytest.approx(2 * 49 / (49 + 99), abs=1e-3)

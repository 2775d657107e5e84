"""The measures of covers compared with those of cdlib: equal where cdlib has an answer, and right where they differ."""

from __future__ import annotations

import math
import warnings
from contextlib import redirect_stdout
from functools import cache
from importlib import import_module
from io import StringIO
from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy import stats

from philia.evaluate import best_match_f1, omega_index, overlapping_nmi
from tests.evaluate.random_covers import KINDS, random_cover
from tests.reference import covers as reference

Covers = list[set[int]]


@cache
def quietly(module: str) -> Any:
    """A module of cdlib, imported on first use and without its messages about optional packages."""
    with warnings.catch_warnings(), redirect_stdout(StringIO()):
        warnings.simplefilter("ignore")
        return import_module(module)


def plain_entropy(shares: list[float], base: float) -> float:
    total = sum(shares)
    return -sum(share / total * math.log(share / total, base) for share in shares if share)


@pytest.fixture(autouse=True)
def _without_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace SciPy's entropy, whose argument checks dominate the time that cdlib takes per pair of communities."""
    monkeypatch.setattr(stats, "entropy", plain_entropy)


def test_the_entropy_patched_into_cdlib_is_that_of_scipy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    for shares in np.random.default_rng(0).dirichlet(np.ones(4), size=50).tolist():
        for some in (shares, shares[:2], [*shares, 0.0], [1.0, 0.0]):
            assert plain_entropy(some, base=2) == pytest.approx(float(stats.entropy(some, base=2)), abs=1e-12)


def clustering(cover: Covers) -> Any:
    return quietly("cdlib").NodeClustering([sorted(community) for community in cover], graph=None, overlap=True)


def cdlib_lfk(X: Covers, Y: Covers) -> float:
    lfk = quietly("cdlib.evaluation").overlapping_normalized_mutual_information_LFK
    return float(lfk(clustering(X), clustering(Y)).score)


def cdlib_mgh(X: Covers, Y: Covers) -> float:
    mgh = quietly("cdlib.evaluation").overlapping_normalized_mutual_information_MGH
    return float(mgh(clustering(X), clustering(Y)).score)


def cdlib_omega(X: Covers, Y: Covers) -> float:
    return float(quietly("cdlib.evaluation").omega(clustering(X), clustering(Y)).score)


def cdlib_f1(X: Covers, Y: Covers) -> float:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it uses a deprecated feature of pandas
        return float(quietly("cdlib.evaluation").f1(clustering(X), clustering(Y)).score)


def random_pairs(kind: str, other: str, count: int) -> list[tuple[Covers, Covers]]:
    rng = np.random.default_rng([KINDS.index(kind), KINDS.index(other)])
    sizes = rng.integers(2, 20, size=count).tolist()
    return [(random_cover(kind, n, rng, most=8), random_cover(other, n, rng, most=8)) for n in sizes]


def nodes_of(X: Covers, Y: Covers) -> set[int]:
    return set().union(*X, *Y)


def both_whole(X: Covers, Y: Covers, nodes: set[int]) -> bool:
    return nodes in X and nodes in Y


PAIRS = [pair for kind, other in product(KINDS, KINDS) for pair in random_pairs(kind, other, 12)]


def test_there_are_many_covers_of_every_kind() -> None:
    assert len(PAIRS) > 700
    covers = [(cover, nodes_of(*pair)) for pair in PAIRS for cover in pair]
    assert any(nodes in cover for cover, nodes in covers)
    assert any(set().union(*cover) < nodes for cover, nodes in covers)
    assert any(len(set(map(frozenset, cover))) < len(cover) for cover, _ in covers)
    assert any(all(len(community) == 1 for community in cover) for cover, _ in covers)
    assert any(sum(map(len, cover)) == len(nodes) for cover, nodes in covers)
    assert sum(not both_whole(*pair, nodes_of(*pair)) for pair in PAIRS) > 500


def test_mgh_is_that_of_cdlib() -> None:
    for X, Y in PAIRS:
        if any(set(map(frozenset, cover)) != {frozenset(nodes_of(X, Y))} for cover in (X, Y)):
            assert overlapping_nmi(X, Y, variant="mgh") == pytest.approx(cdlib_mgh(X, Y), abs=1e-9)


def test_lfk_is_that_of_cdlib_unless_both_covers_have_a_community_of_all_nodes() -> None:
    for X, Y in PAIRS:
        if not both_whole(X, Y, nodes_of(X, Y)):
            assert overlapping_nmi(X, Y) == pytest.approx(cdlib_lfk(X, Y), abs=1e-9)


def test_both_are_those_of_cdlib_among_more_nodes_than_are_covered() -> None:
    onmi = quietly("cdlib.evaluation.internal.onmi").onmi
    for X, Y in PAIRS[::2]:
        nodes = set(range(max(nodes_of(X, Y)) + 4))
        assert overlapping_nmi(X, Y, nodes) == pytest.approx(onmi(X, Y, nodes, "LFK"), abs=1e-9)
        assert overlapping_nmi(X, Y, nodes, variant="mgh") == pytest.approx(onmi(X, Y, nodes, "MGH"), abs=1e-9)


def test_omega_is_that_of_cdlib_if_both_cover_the_same_nodes() -> None:
    compared = 0
    for X, Y in PAIRS:
        if set().union(*X) == set().union(*Y) and len(nodes_of(X, Y)) > 1:
            assert omega_index(X, Y) == pytest.approx(cdlib_omega(X, Y), abs=1e-9)
            compared += 1
    assert compared > 500


def test_a_community_of_all_nodes_in_both_covers_is_known_here_and_never_in_cdlib() -> None:
    # H(x|Y) / H(x) is 0 / 0 for it. cdlib takes 1 even if Y has the same community, so that it must look for equal
    # covers beforehand; and that look compares lists, so that it misses equal covers in another order.
    whole, a, b = {0, 1, 2, 3}, {0, 1}, {2, 3}
    assert cdlib_lfk([whole, a, b], [whole, a, b]) == 1
    assert cdlib_lfk([whole, a, b], [whole, b, a]) == pytest.approx(2 / 3)
    assert overlapping_nmi([whole, a, b], [whole, b, a]) == 1
    different = 0
    for X, Y in PAIRS:
        nodes = nodes_of(X, Y)
        if both_whole(X, Y, nodes):
            assert overlapping_nmi(X, Y) == pytest.approx(reference.lfk(X, Y, nodes), abs=1e-12)
            shares = [sum(community == nodes for community in cover) / len(cover) for cover in (X, Y)]
            if sorted(map(sorted, X)) != sorted(map(sorted, Y)):
                assert overlapping_nmi(X, Y) - sum(shares) / 2 == pytest.approx(cdlib_lfk(X, Y), abs=1e-9)
                different += 1
    assert different > 20


def test_covers_of_one_community_of_all_nodes_are_equal_here_and_break_cdlib(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Neither cover has any entropy, and the information shared is divided by 0.
    whole = {0, 1, 2}
    monkeypatch.undo()
    with warnings.catch_warnings(), redirect_stdout(StringIO()):
        warnings.simplefilter("ignore")
        with pytest.raises(Exception, match="incorrect NMI"):
            cdlib_mgh([whole], [whole, whole])
    assert overlapping_nmi([whole], [whole, whole], variant="mgh") == 1
    assert reference.mgh([whole], [whole, whole], whole) == 1


def test_nodes_that_one_cover_leaves_out_count_here_and_are_refused_by_cdlib() -> None:
    refused = 0
    for X, Y in PAIRS[::5]:
        if set().union(*X) != set().union(*Y):
            with pytest.raises(ValueError, match="same node set"):
                cdlib_omega(X, Y)
            assert omega_index(X, Y) == pytest.approx(reference.omega_index(X, Y, nodes_of(X, Y)), abs=1e-12)
            refused += 1
    assert refused > 20


def test_a_single_node_is_fine_here_and_breaks_the_omega_of_cdlib() -> None:
    with pytest.raises(ZeroDivisionError):
        cdlib_omega([{0}], [{0}])
    assert omega_index([{0}], [{0}]) == 1


def test_f1_is_that_of_cdlib_in_both_directions_if_one_cover_refines_the_other() -> None:
    # cdlib matches one way, by the largest overlap and not by F1, and rounds to two places. Where the parts of every
    # community differ in size, the largest overlap is the best F1 too, and only the rounding remains.
    for shift in range(5):
        truth = [set(range(10 + shift)), set(range(20, 27)), set(range(30, 33 + shift))]
        found = [part for c in truth for part in (set(sorted(c)[: len(c) // 3]), set(sorted(c)[len(c) // 3 :]))]
        both_ways = (cdlib_f1(found, truth) + cdlib_f1(truth, found)) / 2
        assert best_match_f1(found, truth) == pytest.approx(both_ways, abs=0.005)


def test_the_f1_of_cdlib_is_a_different_measure_if_communities_overlap() -> None:
    # cdlib counts a node for the first of its communities only: a cover does not even match itself.
    cover = [{0, 1, 2}, {2, 3, 4}]
    assert cdlib_f1(cover, cover) == pytest.approx((1 + 0.67) / 2)
    assert best_match_f1(cover, cover) == reference.best_match_f1(cover, cover) == 1

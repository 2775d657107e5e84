"""Levels of communities: nested sets, names, shares, dendrograms, and the level to read."""

from __future__ import annotations

from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from scipy import sparse
from scipy.cluster.hierarchy import dendrogram, is_valid_linkage

from philia import as_graph
from philia.datasets import classic, overlapping_cliques
from philia.exceptions import InvalidParameterError
from philia.graphs import Graph, Nodes
from philia.reading import DescriptionLength, Hierarchy, extended, level_of, levels_above, read_levels
from tests.reading.graphs import planted, shuffled
from tests.strategies import random_graph


@pytest.fixture(scope="module")
def ring() -> Hierarchy:
    return read_levels(shuffled(nx.ring_of_cliques(10, 5), 0))


@pytest.fixture(scope="module")
def halves() -> Hierarchy:
    """Four groups, each of which is cut in two on the finest level, for no good reason."""
    graph = planted(4, 24, 0)
    return Hierarchy(graph, DescriptionLength(graph).describe(np.repeat(np.arange(8), 12)))


def parts_of(name: str) -> set[str]:
    """The communities of the default level in a name: B1+B3 has two, and B2.1 is in one."""
    return {part.split(".")[0] for part in name.split("+")}


@pytest.mark.parametrize("levels", ["ring", "halves"])
def test_each_level_merges_two_communities_of_the_one_before(levels: str, request: pytest.FixtureRequest) -> None:
    found: Hierarchy = request.getfixturevalue(levels)
    assert [len(level) for level in found] == list(range(len(found[0]), -1, -1))
    for fine, coarse in pairwise(list(found)[:-1]):
        into = {c: set(coarse.labels[fine.labels == c].tolist()) for c in range(len(fine))}
        assert all(len(groups) == 1 for groups in into.values())
        np.testing.assert_array_equal(fine.labels < 0, coarse.labels < 0)


@pytest.mark.parametrize("levels", ["ring", "halves"])
def test_the_shares_of_a_community_are_those_of_its_parts(levels: str, request: pytest.FixtureRequest) -> None:
    found: Hierarchy = request.getfixturevalue(levels)
    for fine, coarse in pairwise(list(found)[:-1]):
        into = np.zeros((len(fine), len(coarse)))
        for c in range(len(fine)):
            into[c, coarse.labels[fine.labels == c][0]] = 1
        np.testing.assert_allclose(coarse.shares.toarray(), fine.shares @ into, atol=1e-12)
    np.testing.assert_allclose(found[0].shares.sum(axis=1), 1)


def test_shares_are_those_of_links() -> None:
    graph = classic("karate")
    level = read_levels(graph).default
    A = graph.adjacency.toarray() > 0
    for node in range(34):
        for c in range(len(level)):
            assert level.shares[node, c] == pytest.approx((A[node] & (level.labels == c)).sum() / A[node].sum())
    assert level.of(node) == {
        level.names[c]: level.shares[node, c]
        for c in np.argsort(-level.shares[node], kind="stable")
        if level.memberships[node, c]
    }
    np.testing.assert_allclose(level.affinities.toarray(), level.shares.toarray() * np.sqrt(level.strengths))


def test_everybody_is_a_member_of_the_main_community_and_of_others_only_for_a_gain() -> None:
    graph = classic("les_miserables")
    level = read_levels(graph).default
    measure = DescriptionLength(graph)
    gains = measure.gains(measure.describe(level.labels))
    for node, main in enumerate(level.labels):
        also = {c for c in range(len(level)) if gains[node, c] > np.log(graph.n_nodes)}
        assert set(np.flatnonzero(level.memberships.toarray()[node])) == also | ({main} - {-1})
    sets = level.as_sets()
    assert list(sets) == list(level.names)
    assert [len(members) for members in sets.values()] == level.sizes.tolist()


def test_a_node_between_two_cliques_is_in_both() -> None:
    cliques = [[0, 1, 2, 3, 4, 5, 6, 7], [7, 8, 9, 10, 11, 12, 13, 14], *np.arange(15, 55).reshape(5, 8).tolist()]
    level = read_levels(as_graph([(i, j) for clique in cliques for i in clique for j in clique if i < j])).default
    assert {frozenset(members) for members in level.as_sets().values()} == set(map(frozenset, cliques))
    assert {node for node in range(55) if len(level.of(node)) > 1} == {7}
    assert list(level.of(7).values()) == [0.5, 0.5]


def test_parts_and_unions_are_named_after_the_default_level(halves: Hierarchy) -> None:
    assert halves.default.names == ("B1", "B2", "B3", "B4")
    assert halves[0].names == ("B1.1", "B1.2", "B2.1", "B2.2", "B3.1", "B3.2", "B4.1", "B4.2")
    assert halves.cut(1).names == ("B1+B2+B3+B4",)
    assert halves.cut(0).names == ()
    assert all("+" in name for level in list(halves)[5:-1] for name in level.names if len(parts_of(name)) > 1)
    default = halves.default.as_sets()
    for level in list(halves)[:-1]:
        for c, name in enumerate(level.names):
            whole = set().union(*(default[part] for part in parts_of(name)))
            mine = set(np.flatnonzero(level.labels == c).tolist())
            assert mine < whole if "." in name else mine == whole


def test_the_largest_community_is_the_first() -> None:
    sizes = [9, 20, 14]
    labels = np.repeat([0, 1, 2], sizes)
    chances = np.where(labels[:, None] == labels, 0.7, 0.02)
    rows, columns = np.nonzero(np.triu(np.random.default_rng(0).random((43, 43)) < chances, k=1))
    graph = Graph.from_rows(rows, columns, Nodes.numbered(43))
    level = read_levels(graph).default
    assert [np.count_nonzero(level.labels == c) for c in range(3)] == [20, 14, 9]
    assert str(level) == "B1 (20), B2 (14), B3 (9)"


def test_names_of_many_communities_are_in_the_order_of_their_numbers(ring: Hierarchy) -> None:
    assert ring.default.names == tuple(f"B{c}" for c in range(1, 11))


def test_a_level_is_found_by_its_number_of_communities(ring: Hierarchy) -> None:
    assert all(len(ring.cut(count)) == count for count in range(11))
    assert ring.cut(10) is ring.default
    with pytest.raises(InvalidParameterError, match="no level with 11 communities; there are levels with 0 to 10"):
        ring.cut(11)
    with pytest.raises(IndexError):
        ring[len(ring)]
    assert [len(level) for level in ring[-3:]] == [2, 1, 0]


@pytest.mark.parametrize("parts", [3, 10, 14])
@pytest.mark.parametrize("linked", [True, False])
def test_scipy_draws_the_merges(parts: int, linked: bool) -> None:
    graph = shuffled(nx.ring_of_cliques(parts, 5) if linked else nx.caveman_graph(parts, 5), 0)
    levels = read_levels(graph)
    merges = levels.linkage()
    assert is_valid_linkage(merges)
    drawn = dendrogram(merges, no_plot=True, labels=list(levels[0].names))
    assert sorted(drawn["ivl"]) == sorted(levels[0].names)
    assert len(drawn["ivl"]) == parts
    assert merges[-1, 3] == parts
    assert (np.diff(merges[:, 2]) >= 0).all()


def test_the_leaves_of_a_dendrogram_are_the_communities_of_the_finest_level(halves: Hierarchy) -> None:
    merges, finest = halves.linkage(), halves[0]
    groups = [frozenset(np.flatnonzero(finest.labels == c).tolist()) for c in range(8)]
    for (c, d, _, size), level in zip(merges, list(halves)[1:], strict=False):
        groups.append(groups[int(c)] | groups[int(d)])
        assert len(groups[-1]) == 12 * size
        assert groups[-1] in {frozenset(np.flatnonzero(level.labels == c).tolist()) for c in range(len(level))}


@pytest.mark.parametrize("n", [1, 9])
def test_a_graph_without_communities_has_one_level_and_no_merges(n: int) -> None:
    levels = read_levels(random_graph(n, 0.0, 0))
    assert len(levels) == 1
    assert levels.default is levels.best
    assert (len(levels.default), str(levels.default), str(levels)) == (0, "no communities", "no communities (default)")
    assert levels.linkage().shape == (0, 4)
    assert levels.default.as_sets() == {}
    assert levels.default.affinities.shape == (n, 0)


def test_the_default_level_has_the_shortest_description_and_its_equals_are_near_it() -> None:
    for graph in (classic("karate"), classic("les_miserables"), shuffled(nx.ring_of_cliques(10, 5), 1)):
        levels = read_levels(graph)
        saved = [level.saved for level in levels]
        assert levels.default.saved == max(saved)
        near = [level for level in levels if abs(level.saved - max(saved)) <= 3]
        assert list(levels.equally_good) == near
        assert levels.default in near


def test_two_levels_may_be_equally_good() -> None:
    """Of two groups that are hardly apart, one more or fewer is a matter of taste."""
    found = [read_levels(planted(6, 10, seed, inside=0.5, across=0.1)) for seed in range(3)]
    assert any(len(levels.equally_good) > 1 for levels in found)
    assert any(len(levels.equally_good) == 1 for levels in found)
    for levels in found:
        others = [len(level) for level in levels.equally_good if len(level) not in (0, len(levels.default))]
        assert str(levels).count("(as good)") == len(others)


def test_the_default_shows_more_than_24_communities_only_if_they_matter() -> None:
    ring = read_levels(shuffled(nx.ring_of_cliques(30, 5), 0))
    assert len(ring.default) == len(ring.best) == 30
    sizes = [40] * 4 + [6] * 26
    crowd = nx.disjoint_union_all([nx.complete_graph(n) for n in sizes])
    edges = np.cumsum([0, *sizes])[:-1]
    crowd.add_edges_from(zip(edges.tolist(), np.roll(edges, 1).tolist(), strict=True))
    levels = read_levels(shuffled(crowd, 0))
    assert len(levels.best) > 24
    assert len(levels.default) <= 24
    assert levels.default.saved < levels.best.saved


def test_a_level_can_be_made_again_from_its_labels() -> None:
    graph = classic("les_miserables")
    level = read_levels(graph).default
    again = level_of(graph, level.labels)
    for part in ("labels", "strengths", "background"):
        np.testing.assert_array_equal(getattr(again, part), getattr(level, part))
    for part in ("memberships", "shares"):
        np.testing.assert_array_equal(getattr(again, part).toarray(), getattr(level, part).toarray())
    assert again.names == level.names
    assert again.saved == level.saved


def test_new_nodes_are_where_most_of_their_links_lead_and_others_stay() -> None:
    before, rng = planted(2, 10, 0), np.random.default_rng(0)
    labels = np.repeat([0, 1], 10)
    labels[3] = -1
    names = [f"{i}" for i in range(20)]
    named = as_graph([(names[u], names[v]) for u, v in zip(*before.links, strict=True)])
    old = np.array([labels[int(name)] for name in named.nodes])
    new = [("ann", "0"), ("ann", "1"), ("ann", "15"), ("bob", "12"), ("cat", "ann"), ("dan", "3")]
    links = [*new, *((names[u], names[v]) for u, v in zip(*before.links, strict=True))]
    after = as_graph([links[at] for at in rng.permutation(len(links))])
    found = dict(zip(after.nodes, extended(old, named, after).tolist(), strict=True))
    assert {name: found[name] for name in ("ann", "bob", "cat", "dan")} == {"ann": 0, "bob": 1, "cat": -1, "dan": -1}
    assert all(found[name] == old[named.nodes.row(name)] for name in named.nodes)


def test_a_graph_without_read_communities_gives_new_nodes_none() -> None:
    before, after = as_graph([(0, 1), (1, 2)]), as_graph([(0, 1), (1, 2), (2, 3)])
    assert extended(np.full(3, -1), before, after).tolist() == [-1] * 4


def test_unions_are_named_by_the_overlapping_communities_that_they_join() -> None:
    graph = overlapping_cliques(600, 24, random_state=3).graph
    members = sparse.csr_array(np.repeat(np.arange(4), [9, 5, 12, 7])[:, None] == np.arange(4), dtype=float)
    labels = np.append(np.argmax(members.toarray(), axis=1), np.full(600 - 33, -1))  # not sorted by size
    padded = sparse.csr_array(sparse.vstack([members, sparse.csr_array((600 - 33, 4))]))
    levels = levels_above(graph, labels, padded)
    for level in levels:
        for name, c in zip(level.names, range(len(level)), strict=True):
            joined = {f"B{main + 1}" for main in labels[level.labels == c].tolist()}
            assert set(name.split("+")) == joined
    merged = levels.linkage()[0, :2].astype(int)
    assert "+".join(levels[0].names[c] for c in sorted(merged)) in levels[1].names

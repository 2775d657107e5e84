"""The report of a model with many small communities: its tree, the nodes on it, and its size."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from philia._types import Int64Array
from philia.report import payload
from philia.report.findings import Findings
from philia.report.html import encoded, page, unpacked
from philia.report.tree import CommunityTree, _drawing, _top
from tests.report.models import dating
from tests.sparse_models import cliques, hidden


@pytest.fixture(scope="module")
def found() -> Findings:
    return Findings.of(cliques())


@pytest.fixture(scope="module")
def sections() -> dict[str, Any]:
    return payload(cliques())


@st.composite
def merges(draw: st.DrawFn) -> Int64Array:
    """The merges of a random tree."""
    leaves = draw(st.integers(2, 12))
    alive, made = list(range(leaves)), []
    for at in range(leaves - 1):
        left = alive.pop(draw(st.integers(0, len(alive) - 1)))
        right = alive.pop(draw(st.integers(0, len(alive) - 1)))
        made.append([left, right])
        alive.append(leaves + at)
    return np.array(made)


def leaves_of(linkage: Int64Array, part: int) -> set[int]:
    """The leaves below a part, one merge after the other."""
    count = len(linkage) + 1
    return {part} if part < count else set().union(*(leaves_of(linkage, int(one)) for one in linkage[part - count]))


@given(merges())
def test_in_a_drawing_every_part_is_a_run_that_its_merge_closes(linkage: Int64Array) -> None:
    count = len(linkage) + 1
    order, closed = _drawing(count, linkage)
    assert sorted(order.tolist()) == list(range(count))
    for part in range(count, 2 * count - 1):
        places = sorted(np.argsort(order)[list(leaves_of(linkage, part))].tolist())
        assert places == list(range(places[0], places[-1] + 1))
        assert max(closed[places[0] : places[-1]]) == part


@given(merges(), st.data())
def test_the_top_of_a_tree_is_what_its_last_merges_join(linkage: Int64Array, data: st.DataObject) -> None:
    count = len(linkage) + 1
    leaves = data.draw(st.integers(1, count))
    top, leaf_of = _top(linkage, count, leaves)
    alive = set(range(count))
    for at, pair in enumerate(linkage[: count - leaves].tolist()):
        alive = alive - set(pair) | {count + at}
    expected = {frozenset(leaves_of(linkage, part)) for part in alive}
    assert {frozenset(np.flatnonzero(leaf_of == leaf).tolist()) for leaf in range(leaves)} == expected
    for part, before in zip(range(leaves, 2 * leaves - 1), range(2 * count - leaves, 2 * count - 1), strict=True):
        below = {c for c in range(count) if leaf_of[c] in leaves_of(top, part)}
        assert below == leaves_of(linkage, before)


@pytest.mark.parametrize("budget", [1e6, 4e3])
def test_parts_are_counted_as_by_hand(found: Findings, budget: float) -> None:
    tree = CommunityTree.of(found, budget)
    graph, labels = found.graph, found.model.hierarchy().default.labels
    counts, inside, known = tree.communities(), tree.stays_inside(), tree.best_known()
    assert (tree.leaves == len(found.communities)) == (budget > 1e5)
    for part in range(tree.leaves, tree.leaves + len(tree.merges), 7):
        below = np.flatnonzero(np.isin(tree.leaf_of, list(leaves_of(tree.merges, part))))
        rows = np.flatnonzero(np.isin(labels, below))
        ends = graph.adjacency[rows].sum()
        assert tree.sizes[part] == len(rows)
        assert counts[part] == len(below)
        assert inside[part] == pytest.approx(graph.adjacency[rows][:, rows].sum() / ends)
        best = np.sort(graph.degrees[rows])[::-1][: known.shape[1]]
        assert graph.degrees[known[part - tree.leaves]].tolist() == best.tolist()
        assert tree.largest()[part] == below.min()


def test_a_community_has_its_own_members_and_links(found: Findings) -> None:
    tree = CommunityTree.of(found, 1e6)
    inside, links = tree.stays_inside(), tree.links_inside()
    for c, community in list(enumerate(cliques().communities()))[::9]:
        rows = cliques().graph_.nodes.rows(community.members)
        adjacency = cliques().graph_.adjacency[rows]
        assert tree.sizes[c] == len(community)
        assert links[c] == adjacency[:, rows].sum() // 2
        assert inside[c] == pytest.approx(adjacency[:, rows].sum() / adjacency.sum())


def _logits(explorer: dict[str, Any], i: int, j: int) -> float:
    """The log-odds of two positions as the page computes them, with sets and dictionaries."""
    neighbours, member = explorer["neighbours"], explorer["memberships"]
    start, rows, counted = (unpacked(neighbours[name]) for name in ("start", "rows", "counted"))
    own, columns, odds = unpacked(member["start"]), unpacked(member["rows"]), unpacked(explorer["communities"]["odds"])
    through, background = unpacked(neighbours["affinity"]), unpacked(explorer["background"])
    both = set.intersection(*(set(columns[own[t] : own[t + 1]].tolist()) for t in (i, j)))
    common = set.intersection(*(set(rows[start[t] : start[t] + counted[t]].tolist()) for t in (i, j)))
    together = sum(float(odds[c]) for c in both)
    known = (1 + sum(float(through[z]) ** 2 for z in common)) ** neighbours["weight"]
    alone, shape = float(background[i] + background[j]), neighbours["shape"]
    raised = together + known if neighbours["adds"] else (1 + together) * known
    met, apart = ((1 + np.exp(alone) * rate / shape) ** shape - 1 for rate in (raised, 1.0))
    return float(alone + np.log(met / apart))


@pytest.mark.parametrize("model", [cliques, hidden], ids=["all pairs", "some held out"])
@pytest.mark.parametrize("budget", [3.2e6, 3e4])
def test_the_page_has_all_reasons_of_any_two_of_its_nodes(model: Any, budget: float) -> None:
    explorer = payload(model(), budget=budget)["explorer"]
    names = [int(name) for name in explorer["names"][: explorer["nodes"]]]
    assert (len(names) == model().graph_.n_nodes) == (budget > 1e6)
    rng = np.random.default_rng(0)
    for _ in range(30):
        i = int(rng.integers(len(names)))
        near = [t for t, name in enumerate(names) if name in set(model().graph_.neighbours(names[i]))]
        j = int(rng.choice(near or [t for t in range(len(names)) if t != i]))
        expected = model().explain(names[i], names[j]).logit
        assert _logits(explorer, i, j) == pytest.approx(expected, rel=1e-4, abs=1e-4)


def test_missing_links_are_the_likeliest_of_the_model(sections: dict[str, Any]) -> None:
    explorer = sections["explorer"]
    start, rows, probability, searched = (unpacked(explorer["missing"][name]) for name in explorer["missing"])
    assert searched.all()
    for at in range(0, explorer["nodes"], 211):
        links = cliques().top_links(5, node=int(explorer["names"][at]))
        part = slice(start[at], start[at + 1])
        assert [int(explorer["names"][row]) for row in rows[part]] == [link.v for link in links]
        assert probability[part] == pytest.approx([link.probability for link in links], rel=1e-4)


@pytest.mark.parametrize("budget", [2_000, 10_000, 50_000, 3_200_000])
def test_the_size_of_the_page_follows_the_budget(budget: int) -> None:
    some = payload(cliques(), budget=budget)
    large = {name: some[name] for name in ("tree", "explorer")}
    assert len(encoded(large)) < 4 / 3 * budget + 4_000
    assert some["explorer"]["nodes"] >= 1
    assert some["tree"]["communities"] == len(cliques().communities())


def test_shares_on_the_page_are_those_of_the_communities(sections: dict[str, Any]) -> None:
    tree = sections["tree"]
    members, shares = unpacked(tree["members"]), unpacked(tree["shares"])
    for c, community in enumerate(cliques().communities()):
        listed = [int(sections["explorer"]["names"][row - 1]) for row in members[c] if row]
        assert listed == list(community.members)[: tree["named"]]
        assert shares[c][: len(listed)] == pytest.approx([community.members[name] for name in listed], rel=1e-5)


def test_labels_are_matched_with_communities() -> None:
    community = cliques().communities()[3]
    matched = payload(cliques(), labels={"fourth": list(community.members)})["tree"]["labels"][3]
    assert matched["name"] == "fourth"
    assert matched["f1"] == 1.0


def test_the_summary_speaks_of_sizes_and_neighbours(sections: dict[str, Any]) -> None:
    said = " ".join(sections["sentences"])
    largest = max(len(community) for community in cliques().communities())
    assert f"The largest group has {largest} members" in said
    assert "common neighbours" in said
    assert sections["quality"]["auc"] > 0.9
    assert sections["quality"]["auc_interval"] is not None


def test_the_page_is_below_ten_megabytes(sections: dict[str, Any]) -> None:
    assert len(page(sections)) < 10e6


def test_a_dense_model_has_no_tree_of_communities() -> None:
    found = payload(dating())
    assert "tree" not in found
    assert found["matrix"] is not None


def test_every_view_of_the_map_shows_its_parts_and_counts_their_links_as_by_hand(found: Findings) -> None:
    tree = CommunityTree.of(found, budget=1e6)
    seen = set()
    rows, columns = found.graph.links
    main = found.model.hierarchy().default.labels
    for part, parts, links in tree.views(24):
        assert len(parts) <= 24
        below = [leaves_of(tree.merges, one) for one in parts]
        assert set().union(*below) == leaves_of(tree.merges, part)
        seen.update(parts)
        of = np.full(tree.leaves + 1, -1)
        for position, leaves in enumerate(below):
            of[list(leaves)] = position
        a, b = of[main[rows]], of[main[columns]]
        for i in range(len(parts)):
            for j in range(len(parts)):
                assert links[i, j] == np.sum((a == i) & (b == j)) + np.sum((a == j) & (b == i))
    assert set(range(tree.leaves)) <= seen  # every community can be reached


def test_every_part_of_the_map_has_a_place(sections: dict[str, Any]) -> None:
    places = unpacked(sections["drawing"]["places"])
    assert sections["drawing"]["kind"] == "tree"
    assert (places[: sections["tree"]["leaves"], 2] > 0).all()
    assert ((places[:, :2] >= 0) & (places[:, :2] <= 1.001)).all()

"""Commands on a model of many small communities: they list some, write all, and refuse what needs dense columns."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import networkx
import pytest

from philia import CommunityModel
from philia.datasets import classic
from philia.graphs import read_communities, write_graph
from philia.models import load
from tests.sparse_models import cliques


@pytest.fixture
def many(folder: Path) -> str:
    cliques().save(folder / "many.safetensors")
    return "many.safetensors"


def test_the_largest_communities_are_listed_and_the_rest_is_counted(run: Any, many: str) -> None:
    said = run("communities", many).stdout
    found = cliques().communities()
    names = [line.split()[0] for line in said.splitlines() if "attracts" in line]
    largest = sorted((len(community) for community in found), reverse=True)[:20]
    sizes = {community.name: len(community) for community in found}
    assert [sizes[name] for name in names] == largest
    assert f"there are {len(found) - 20} more" in said
    for way in ("-o communities.csv", "--level K", "--node"):
        assert way in said


def test_files_and_json_hold_all_communities(run: Any, run_json: Any, folder: Path, many: str) -> None:
    said = run("communities", many, "-o", "all.csv").stderr
    expected = cliques().communities().as_sets()
    assert f"Wrote {len(expected)} communities" in said
    assert {name: set(members) for name, members in read_communities(folder / "all.csv").items()} == expected
    facts = run_json("communities", many)["communities"]
    assert {fact["name"]: {member["node"] for member in fact["members"]} for fact in facts} == expected


def test_the_network_is_written_with_the_names_of_all_communities_of_each_node(
    run: Any, folder: Path, many: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("philia.explain.description._COLUMNS", 50)
    run("communities", many, "-o", "net.graphml")
    nodes = networkx.read_graphml(folder / "net.graphml", node_type=int).nodes(data=True)
    assert {name for _, about in nodes for name in about} == {"communities", "main_community", "popularity"}
    level = cliques().level()
    assert level is not None
    for node, about in list(nodes)[::97]:
        assert set(about["communities"].split()) == set(level.of(node))
        assert about["main_community"] == next(iter(level.of(node)))


def test_a_level_is_listed_with_short_names(run: Any, many: str) -> None:
    said = run("communities", many, "--level", "4").stdout
    rows = [line for line in said.splitlines() if "attracts" in line]
    assert len(rows) == 4
    assert all("+… (" in row.split("attracts")[0] for row in rows)


def test_communities_within_communities_are_listed(run_json: Any, many: str) -> None:
    facts, finer = run_json("communities", many, "--finer"), cliques().hierarchy().finer()
    assert {fact["name"]: {member["node"] for member in fact["members"]} for fact in facts["communities"]} == (
        finer.as_sets()
    )
    assert len(facts["communities"]) >= len(cliques().communities())


def test_levels_are_listed(run_json: Any, many: str) -> None:
    levels = run_json("communities", many, "--levels")["levels"]
    assert levels[0]["default"]
    assert levels[0]["communities"] == len(cliques().communities())


@pytest.mark.parametrize("option", [["--rule", "nearest"], ["--rule", "0.5"], ["--compare-rules"]])
def test_rules_are_refused_with_a_reason(run: Any, many: str, option: list[str]) -> None:
    assert "stores only the members" in run("communities", many, *option, code=2).stderr


def test_one_node_shows_its_shares(run_json: Any, many: str) -> None:
    assert run_json("communities", many, "--node", "7")["memberships"] == pytest.approx(cliques().communities().of(7))


def test_info_tells_sizes_and_that_common_neighbours_count(run: Any, run_json: Any, many: str) -> None:
    found = cliques().communities()
    said = run("info", many).stdout
    assert f"Communities: {len(found)}, whose members attract each other" in said
    assert "common neighbours" in said
    assert "iterations" not in said
    facts = run_json("info", many)["communities"]
    sizes = sorted(len(community) for community in found)
    assert facts["largest_size"] == sizes[-1]
    assert sizes[0] <= facts["median_size"] <= sizes[-1]
    inside = len(found.nodes) - found.n_unassigned
    assert facts["memberships_per_member"] == pytest.approx(sum(sizes) / inside)


def test_a_pair_is_explained_by_shared_communities(run: Any, many: str) -> None:
    link = cliques().top_links(count=1)[0]
    said = run("explain", many, str(link.u), str(link.v), "--figure", "why.png").stdout
    of = cliques().communities().of
    assert any(name in said for name in set(of(link.u)) & set(of(link.v)))
    assert "nan" not in said


def test_a_pair_is_explained_by_common_neighbours_where_they_count(run: Any, folder: Path) -> None:
    model = CommunityModel(storage="sparse", random_state=0).fit(classic("les_miserables"))
    model.save(folder / "novel.safetensors")
    link = model.top_links(count=1)[0]
    assert "common neighbour" in run("explain", "novel.safetensors", str(link.u), str(link.v)).stdout


def test_links_are_predicted_nodes_placed_and_networks_sampled(run: Any, folder: Path, many: str) -> None:
    link = cliques().top_links(1, node=7)[0]
    assert str(link.v) in run("predict", many, "--node", "7", "--top", "1").stdout
    member = next(iter(cliques().communities()[0].members))
    friends = cliques().graph_.neighbours(member)
    (folder / "new.csv").write_text("source,target\n" + "".join(f"new,{friend}\n" for friend in friends))
    assert next(iter(cliques().communities().of(member))) in run("place", many, "new.csv").stdout
    assert "2,000 nodes" in run("sample", many, "-o", "sampled.csv").stdout


def test_a_fit_ends_with_a_summary_and_a_report(run: Any, run_json: Any, folder: Path) -> None:
    write_graph(cliques().graph_, folder / "cliques.csv")
    said = run("fit", "cliques.csv", "-o", "own.safetensors", "--report", "own.html").stdout
    assert "half of them have" in said
    assert "Mean log-likelihood per pair" in said
    assert (folder / "own.html").stat().st_size < 10e6
    assert load(folder / "own.safetensors").communities().as_sets() == cliques().communities().as_sets()


def test_refits_of_too_many_communities_are_refused_before_they_begin(
    run: Any, many: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("philia.models.community.MOST_ENTRIES", 1000)
    monkeypatch.setattr("philia.models.CommunityModel.fit", None)
    said = run("communities", many, "--stability", "2", code=2).stderr
    assert "nearly all of them 0" in said
    assert "--held-out 0.1" in said

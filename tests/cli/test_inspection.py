"""info, communities and explain: reading what a file or a model holds."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import networkx
import pytest

from philia.datasets import classic
from philia.explain import CommunitySignificance, Significance
from philia.graphs import read_communities, read_graph
from philia.models import BigClam, CommunityModel, load
from tests.cli.names import HOSTILE, NAMES


def test_info_describes_a_graph(folder: Path, run_json: Any) -> None:
    (folder / "two.csv").write_text("1,2\n2,3\n2,4\n5,6\n7,7\n")
    found = run_json("info", "two.csv")
    assert {name: found[name] for name in ("nodes", "links", "isolated", "largest_degree")} == {
        "nodes": 7,
        "links": 4,
        "isolated": 1,
        "largest_degree": 3,
    }
    assert (found["components"], found["largest_component"], found["changes"]["loops"]) == (3, 4, 1)


def test_info_says_it_in_sentences(run: Any) -> None:
    said = run("info", "-", stdin="[red],bob\r\n[red],cat\r\n").stdout
    assert "3 nodes and 2 links" in said
    assert "Largest degree: 2 links, of [red]." in said


def test_info_describes_a_model(run: Any, run_json: Any) -> None:
    assert "penalty" in run("info", "model.safetensors").stdout
    found = run_json("info", "model.safetensors")
    assert found["kind"] == "CommunityModel"
    assert found["settings"]["n_homophilous"] == 4
    assert found["fit"]["converged"] is True


def test_communities_are_listed_with_literal_names(run: Any) -> None:
    said = run("communities", "model.safetensors").stdout
    assert "attracts" in said
    assert "repels" in said
    assert "nodes are in no community" in said


def test_communities_in_json_hold_every_member(folder: Path, run_json: Any) -> None:
    found = run_json("communities", "model.safetensors", "--rule", "0.5")
    model = CommunityModel.load(folder / "model.safetensors")
    expected = {community.name: set(community.members) for community in model.communities(0.5)}
    assert {c["name"]: {m["node"] for m in c["members"]} for c in found["communities"]} == expected
    assert set(found["nodes_in_none"]) == set(NAMES) - set().union(*expected.values())


@pytest.mark.parametrize("form", ["gexf", "graphml"])
def test_communities_are_written_with_the_network_for_gephi(form: str, folder: Path, run: Any) -> None:
    said = run("communities", "model.safetensors", "--rule", "0.5", "-o", f"net.{form}").stderr
    assert f"Wrote the network with 5 communities to net.{form}." in said
    model = CommunityModel.load(folder / "model.safetensors")
    written = getattr(networkx, f"read_{form}")(folder / f"net.{form}")
    assert set(written) == set(NAMES)
    for name in NAMES:
        assert set(written.nodes[name]["communities"].split()) == set(model.communities(0.5).of(name))
    read = read_graph(folder / f"net.{form}")
    assert read.nodes == model.graph_.nodes
    assert read.n_links == model.graph_.n_links


def test_communities_are_written_with_their_names(folder: Path, run: Any) -> None:
    run("communities", "model.safetensors", "-o", "found.csv")
    model = CommunityModel.load(folder / "model.safetensors")
    written = {name: set(members) for name, members in read_communities(folder / "found.csv").items()}
    assert written == {c.name: set(c.members) for c in model.communities() if len(c)}


def test_communities_are_written_one_per_line(folder: Path, run: Any) -> None:
    run("communities", "model.safetensors", "-o", "found.txt")
    model = CommunityModel.load(folder / "model.safetensors")
    members = [set(c.members) for c in model.communities() if len(c)]
    assert [set(listed) for listed in read_communities(folder / "found.txt", form="lines").values()] == members


@pytest.mark.parametrize("name", HOSTILE)
def test_the_memberships_of_one_node_are_shown(name: str, folder: Path, run: Any, run_json: Any) -> None:
    found = run_json("communities", "model.safetensors", "--node", name)
    assert found["node"] == name
    assert found["memberships"] == CommunityModel.load(folder / "model.safetensors").communities().of(name)
    assert run("communities", "model.safetensors", "--node", name).stdout.startswith(f"{name} is in ")


def test_a_model_without_communities_says_so(folder: Path, run: Any) -> None:
    run("fit", "links.csv", "-B", "0", "-C", "0", "--background", "constant", "-o", "plain.safetensors", "--quiet")
    assert run("communities", "plain.safetensors").stdout == "The model has no communities.\n"


def test_an_unknown_rule_is_refused(run: Any) -> None:
    assert "density" in run("communities", "model.safetensors", "--rule", "mood", code=2).stderr


@pytest.mark.parametrize("name", HOSTILE)
def test_links_of_nodes_with_hostile_names_are_explained(name: str, run: Any) -> None:
    said = run("explain", "model.safetensors", "--", "ann", name).stdout
    assert said.startswith(f"ann and {name}: predicted probability")
    assert f"affinity of {name}" in said
    assert "baseline" in said
    assert "together" in said


def test_finer_structure_is_one_step_of_an_explanation(folder: Path, run: Any) -> None:
    model = CommunityModel(random_state=0).fit(classic("les_miserables"))
    model.save(folder / "novel.safetensors")
    finer = [reason for reason in model.explain("Valjean", "Enjolras").strongest() if reason.finer]
    assert len(finer) > 1
    lines = run("explain", "novel.safetensors", "Valjean", "Enjolras").stdout.splitlines()
    steps = [line for line in lines if line.startswith("finer structure")]
    assert len(steps) == 1
    assert f"{sum(reason.log_odds for reason in finer):+.3f}" in steps[0]
    assert not {line.split()[0] for line in lines if line} & {reason.community for reason in finer}


def test_the_terms_of_an_explanation_add_up(folder: Path, run_json: Any) -> None:
    found = run_json("explain", "model.safetensors", "ann", "[red]")
    model = CommunityModel.load(folder / "model.safetensors")
    assert found["probability"] == pytest.approx(model.predict_proba([("ann", "[red]")])[0])
    assert sum(r["log_odds"] for r in found["reasons"]) + found["baseline"] == pytest.approx(found["logit"])


def test_an_explanation_is_drawn_even_if_the_font_lacks_letters(folder: Path, run: Any) -> None:
    run("explain", "model.safetensors", "日本", "😀", "--figure", "link.png")
    assert (folder / "link.png").read_bytes().startswith(b"\x89PNG")


def test_a_figure_needs_a_known_extension(run: Any) -> None:
    assert "png" in run("explain", "model.safetensors", "ann", "bob", "--figure", "link.xyz", code=2).stderr


def test_numbers_on_the_command_line_mean_numbered_nodes(folder: Path, run: Any, run_json: Any) -> None:
    (folder / "numbers.csv").write_text("1,2\n2,3\n3,-4\n")
    run("fit", "numbers.csv", "-B", "1", "-C", "1", "--quiet")
    assert run_json("explain", "numbers.safetensors", "1", "3")["v"] == 3
    assert run("explain", "numbers.safetensors", "--", "1", "-4").stdout.startswith("1 and -4")
    assert "'ann'" in run("explain", "numbers.safetensors", "1", "ann", code=2).stderr


def test_control_characters_in_names_cannot_reach_the_terminal(folder: Path, run: Any) -> None:
    (folder / "evil.csv").write_text("\x1b[31mred,\u202eevil\nann,\x1b[31mred\n", encoding="utf-8")
    run("fit", "evil.csv", "-B", "1", "-C", "0", "--penalty", "0.1", "--quiet")
    said = run("communities", "evil.safetensors").stdout
    assert "\\x1b[31mred" in said
    assert "\x1b" not in said
    assert "\u202e" not in said


def test_the_rule_is_named_and_others_are_offered(run: Any) -> None:
    said = run("communities", "model.safetensors").stdout
    assert "Membership rule: a third of a node's links run through the community." in said
    assert "Rules to choose from: links, nearest, odds, density, split" in said
    assert "odds at least doubled" in run("communities", "model.safetensors", "--rule", "odds").stdout


def test_rules_are_compared(folder: Path, run: Any, run_json: Any) -> None:
    said = run("communities", "model.safetensors", "--compare-rules").stdout
    assert "nodes in none" in said
    assert "density: an affinity of at least" in said
    found = run_json("communities", "model.safetensors", "--compare-rules")["rules"]
    model = CommunityModel.load(folder / "model.safetensors")
    assert {rule["rule"]: rule["sizes"] for rule in found} == {
        effect.rule: effect.sizes for effect in model.compare_rules().effects
    }


def test_stability_is_shown_but_only_saved_on_request(run: Any, run_json: Any) -> None:
    said = run("communities", "model.safetensors", "--stability", "2").stdout
    assert "other fits" in said
    assert "of 2" in said
    found = run_json("communities", "model.safetensors", "--stability", "2", "--quiet")["communities"]
    assert all(c["other_fits"] == 2 and 0 <= c["stability"] <= 1 for c in found)
    assert all(0 <= m["lower"] <= m["upper"] <= 1 for c in found for m in c["members"])
    assert "stability" not in run_json("communities", "model.safetensors")["communities"][0]


def test_tables_of_members_have_the_intervals_of_memberships(run: Any, folder: Path) -> None:
    run("communities", "model.safetensors", "--stability", "2", "-o", "members.csv")
    header, *rows = csv.reader((folder / "members.csv").read_text().splitlines())
    assert header == ["node", "community", "kind", "share", "membership", "lower", "upper"]
    assert rows
    assert all(0 <= float(row[5]) <= float(row[6]) <= 1 for row in rows)


def test_kept_stability_is_part_of_explanations(run: Any, run_json: Any) -> None:
    run("communities", "model.safetensors", "--stability", "2", "--keep", "--quiet")
    friend = NAMES[16]  # of the same group as ann, as every fourth name is
    said = run("explain", "model.safetensors", "ann", friend).stdout
    assert "of 2 other fits; membership of ann" in said
    assert "stability" in run_json("explain", "model.safetensors", "ann", friend)["reasons"][0]
    assert "in other fits" in run("communities", "model.safetensors", "--node", "ann").stdout
    assert "intervals" in run_json("communities", "model.safetensors", "--node", "ann")


def test_stability_that_was_not_measured_cannot_be_saved(run: Any) -> None:
    assert "--stability 10" in run("communities", "model.safetensors", "--keep", code=2).stderr
    assert "1 or more" in run("communities", "model.safetensors", "--stability", "0", code=2).stderr


def test_an_interrupted_stability_shows_the_finished_fits(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    fit, fits = CommunityModel.fit, []

    def impatient(self: CommunityModel, X: Any, **told: Any) -> CommunityModel:
        fits.append(X)
        if len(fits) > 2:
            raise KeyboardInterrupt
        return fit(self, X, **told)

    monkeypatch.setattr(CommunityModel, "fit", impatient)
    done = run("communities", "model.safetensors", "--stability", "5", code=130)
    assert "Interrupted after 2 of 5 fits." in done.stderr
    assert "of 2" in done.stdout


@pytest.fixture
def read_model(folder: Path) -> CommunityModel:
    """A model of two cliques and a node between them that was left to choose its communities; saved as read."""
    links = [(f"n{i}", f"n{j}") for side in (range(8), range(8, 16)) for i in side for j in side if i < j]
    links += [("between", f"n{i}") for i in (0, 1, 2, 3, 4, 5, 8, 9)]
    model = CommunityModel(random_state=0).fit(links)
    model.save(folder / "read.safetensors")
    assert model.level() is not None
    return model


def test_members_are_listed_with_the_share_of_their_links(read_model: CommunityModel, run: Any, run_json: Any) -> None:
    said = run("communities", "read.safetensors").stdout
    assert "strongest members (share of their links)" in said
    assert " (100 %), " in said
    assert "Communities are read off the links by the length of their description" in said
    found = run_json("communities", "read.safetensors")
    assert found["shares"] is True
    for facts, community in zip(found["communities"], read_model.communities(), strict=True):
        assert {member["node"]: member["membership"] for member in facts["members"]} == dict(community.members)
    assert "75 % of its links" in run("communities", "read.safetensors", "--node", "between").stdout


def test_levels_are_listed_with_what_they_save(read_model: CommunityModel, run: Any, run_json: Any) -> None:
    levels, found = read_model.hierarchy(), run_json("communities", "read.safetensors", "--levels")["levels"]
    assert [one["communities"] for one in found] == list(levels.counts)
    assert [one["nats_saved"] for one in found] == pytest.approx(list(levels.saved))
    assert [one["communities"] for one in found if one["default"]] == [len(levels.default)]
    assert [one["communities"] for one in found if one["equally_good"]] == [len(one) for one in levels.equally_good]
    said = run("communities", "read.safetensors", "--levels").stdout
    assert "default" in said
    assert "--level K" in said


def test_a_level_is_listed_and_written(read_model: CommunityModel, folder: Path, run: Any, run_json: Any) -> None:
    found = run_json("communities", "read.safetensors", "--level", "1", "-o", "one.csv")
    assert [(c["name"], c["size"]) for c in found["communities"]] == [("B1+B2", 17)]
    assert {name: len(who) for name, who in read_communities(folder / "one.csv").items()} == {"B1+B2": 17}
    run("communities", "read.safetensors", "--level", "1", "-o", "one.gexf")
    assert set(networkx.read_gexf(folder / "one.gexf").nodes["n1"]) >= {"B1+B2", "main_community"}
    assert "there are levels with" in run("communities", "read.safetensors", "--level", "99", code=2).stderr
    assert "leave out" in run("communities", "read.safetensors", "--level", "1", "--rule", "odds", code=2).stderr


def test_a_model_with_given_numbers_has_levels_too(run: Any, run_json: Any) -> None:
    assert run_json("communities", "model.safetensors", "--levels")["levels"][-1]["communities"] == 0
    assert "nats saved" in run("communities", "model.safetensors", "--levels").stdout


def test_shares_are_written_with_the_network(read_model: CommunityModel, folder: Path, run: Any) -> None:
    run("communities", "read.safetensors", "-o", "read.gexf")
    written = networkx.read_gexf(folder / "read.gexf").nodes
    for name in read_model.graph_.nodes:
        mine = read_model.communities().of(name)
        assert written[name]["communities"].split() == sorted(mine)
        assert {key: written[name][key] for key in mine} == pytest.approx(mine)


def test_the_sentences_after_a_fit_say_how_communities_were_read(read_model: CommunityModel, run: Any) -> None:
    said = run("info", "read.safetensors").stdout
    assert "with these 2 communities the links have the shortest description" in said


def test_significance_is_measured_shown_and_kept_on_request(run: Any, run_json: Any, folder: Path) -> None:
    assert "on hidden pairs" not in run("communities", "model.safetensors").stdout
    found = run_json("communities", "model.safetensors", "--significance", "--keep", "-o", "members.csv")
    for community in found["communities"]:
        assert community["significance"]["real"]
        assert {"strength", "error", "z"} < community["significance"].keys()
    assert found["heterophily"].keys() == {"value", "lower", "upper"}
    header, first, *_ = (folder / "members.csv").read_text().splitlines()
    assert header == "node,community,kind,share,membership,z,error"
    assert len(first.split(",")) == 7
    for command in ("communities", "info"):
        said = run(command, "model.safetensors").stdout  # from the file
        assert "on hidden pairs" in said
        assert "How heterophilous the network is: " in said


def test_what_is_left_out_is_named_and_listed_on_request(run: Any, run_json: Any, folder: Path) -> None:
    model = load("model.safetensors")
    assert isinstance(model, CommunityModel)
    chance = CommunitySignificance("B2", "homophilous", 0.1, 0.2, 0.7)
    model.significance_ = Significance(10, (chance,))
    model.save("model.safetensors")
    assert run_json("communities", "model.safetensors")["left_out"]["B2"] == "not distinguishable from chance, z = 0.7"
    assert "B2 (not distinguishable from chance, z = 0.7)" in run("communities", "model.safetensors").stdout
    everything = run_json("communities", "model.safetensors", "--everything")
    assert "B2" in [community["name"] for community in everything["communities"]]
    assert "B2" not in everything["left_out"]


def test_only_community_models_are_tested(run: Any, folder: Path) -> None:
    BigClam(2, random_state=0).fit([(1, 2), (2, 3), (3, 1)]).save("other.safetensors")
    assert "found a BigClam" in run("communities", "other.safetensors", "--significance", code=2).output


def test_an_interrupted_test_changes_nothing(run: Any, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(self: CommunityModel, *given: Any, **named: Any) -> None:
        raise KeyboardInterrupt

    before = (folder / "model.safetensors").read_bytes()
    monkeypatch.setattr(CommunityModel, "significance", interrupted)
    run("communities", "model.safetensors", "--significance", "--keep", code=130)
    assert (folder / "model.safetensors").read_bytes() == before


def test_links_that_are_missing_because_of_a_community_are_told(run: Any, run_json: Any) -> None:
    (repelling,) = [
        c for c in run_json("communities", "model.safetensors")["communities"] if c["kind"] != "homophilous"
    ]
    node = str(repelling["members"][0]["node"])
    assert "% missing)" in run("communities", "model.safetensors").stdout
    assert "of its links are missing" in run("communities", "model.safetensors", "--node", node).stdout

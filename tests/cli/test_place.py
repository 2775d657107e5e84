"""place: new nodes from a file of their links."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from philia.models import CommunityModel
from tests.cli.names import HOSTILE


def test_new_nodes_are_shown_with_communities_and_links(run: Any) -> None:
    said = run("place", "model.safetensors", "new_links.csv").stdout
    assert "zoe" in said
    assert "max" in said
    assert "Membership rule" in said


def test_json_holds_what_the_library_says(folder: Path, run_json: Any) -> None:
    found = run_json("place", "model.safetensors", "new_links.csv", "--top", "2")
    placed = CommunityModel.load(folder / "model.safetensors").place({"zoe": ["ann", "bob"], "max": ["cat"]})
    assert [fact["node"] for fact in found["nodes"]] == ["zoe", "max"]
    assert found["nodes"][0]["links"] == ["ann", "bob"]
    assert found["nodes"][0]["communities"] == pytest.approx(placed.communities().of("zoe"), abs=1e-6)
    best = [(link.v, pytest.approx(link.probability, abs=1e-6)) for link in placed.top_links(2, node="zoe")]
    assert [(link["node"], link["probability"]) for link in found["nodes"][0]["likeliest"]] == best
    assert found["residual"] < 1e-7


def test_links_that_are_ignored_are_counted(run: Any) -> None:
    result = run("place", "model.safetensors", "-", stdin="zoe,ann\nzoe,max\nann,bob\ncat,bob\n")
    assert "1 link between two new nodes ignored." in result.stderr
    assert "2 links between two nodes of the model ignored." in result.stderr
    assert "max" in result.stdout


def test_hostile_names_are_placed(run_json: Any, folder: Path) -> None:
    lines = "\n".join('"new {}",ann'.format(name.replace('"', '""')) for name in HOSTILE)
    (folder / "hostile.csv").write_text(lines + "\n", encoding="utf-8")
    found = run_json("place", "model.safetensors", "hostile.csv")
    assert [fact["node"] for fact in found["nodes"]] == [f"new {name}" for name in HOSTILE]


def test_numbered_nodes_are_found_by_their_numbers(folder: Path, run: Any, run_json: Any) -> None:
    (folder / "numbers.csv").write_text("1,2\n2,3\n3,4\n")
    run("fit", "numbers.csv", "-B", "1", "-C", "1", "--penalty", "1", "--quiet")
    found = run_json("place", "numbers.safetensors", "-", stdin="9,1\n9,2\n")
    assert [(fact["node"], fact["links"]) for fact in found["nodes"]] == [(9, [1, 2])]


@pytest.mark.parametrize(
    ("arguments", "stdin", "complaint"),
    [
        ([], "ann,bob\n", "already a node of the model"),
        (["--top", "0"], "zoe,ann\n", "at least 1"),
    ],
)
def test_invalid_requests_are_refused(run: Any, arguments: list[str], stdin: str, complaint: str) -> None:
    assert complaint in run("place", "model.safetensors", "-", *arguments, stdin=stdin, code=2).stderr


def test_only_a_community_model_places_nodes(run: Any) -> None:
    run("fit", "links.csv", "--model", "SVD", "-B", "2", "-C", "0", "-o", "svd.safetensors", "--quiet")
    assert "only a CommunityModel" in run("place", "svd.safetensors", "new_links.csv", code=2).stderr

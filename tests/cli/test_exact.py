"""exact and verify: from a file of links to a certificate, and back."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from philia.exact import IntegerCommunities, certified, load_exact
from philia.exact.constructions import CONSTRUCTIONS
from philia.exact.methods import METHODS
from philia.graphs import as_graph, read_graph
from tests.cli.names import NAMES


def test_what_is_written_can_be_verified(folder: Path, run_json: Any) -> None:
    made = run_json("exact", "links.csv", "-o", "made.json")
    graph = read_graph(folder / "links.csv")
    assert made["certificate"]["links"] == graph.n_links
    assert made["certificate"]["columns"] >= made["least_columns"]
    found = run_json("verify", "links.csv", "made.json")
    assert found["verified"]
    assert found["certificate"]["graph"] == made["certificate"]["graph"]
    assert load_exact(folder / "made.json").verify(graph).columns == made["certificate"]["columns"]


@pytest.mark.parametrize("by", METHODS)
def test_every_method_can_be_asked_for(by: str, run: Any) -> None:
    run("exact", "links.csv", "--by", by, "-o", f"{by}.json")
    assert "Verified" in run("verify", "links.csv", f"{by}.json").stdout


def test_the_help_lists_every_method_and_other_names_are_refused(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "2000")
    shown = run("exact", "--help").stdout
    assert all(f"{name}: {method.meaning}" in shown for name, method in METHODS.items())
    assert "is not one of fewest, thorough, fit, " in run("exact", "links.csv", "--by", "magic", code=2).stderr


def test_what_was_tried_and_how_many_columns_are_needed_are_printed(folder: Path, run: Any, run_json: Any) -> None:
    (folder / "path.csv").write_text("ann,bob\nbob,cat\ncat,dan\n")
    shown = run("exact", "path.csv", "--by", "thorough").stdout.splitlines()
    assert shown[1].startswith("Exact in 3 columns without negative numbers; numbers of up to ")
    assert shown[1].endswith("Construction: fitted.")
    assert shown[2] == "The network needs 3. No exact representation has fewer than 3."
    assert shown[3].startswith("Tried: ")
    assert shown[3].endswith("fit: 3 columns.")
    assert run_json("exact", "path.csv")["least_columns"] == 3
    assert run_json("exact", "path.csv", "--by", "circle")["least_columns"] is None
    run("exact", "path.csv", "--by", "circle", "-o", "circle.json")
    assert "Exact in 6 columns on each side of X Yᵀ, of either sign" in run("verify", "path.csv", "circle.json").stdout


def test_a_construction_that_is_added_to_the_registry_is_a_choice() -> None:
    assert {one.name.replace(" ", "-") for one in CONSTRUCTIONS.values() if one.meaning} < set(METHODS)


def test_the_order_of_lines_and_ends_does_not_matter(folder: Path, run: Any) -> None:
    (folder / "one.csv").write_text("ann,bob\nbob,cat\ncat,dan\n")
    (folder / "other.csv").write_text("dan,cat\nbob,ann\ncat,bob\n")
    run("exact", "one.csv", "-o", "made.json")
    assert "Verified: made.json is exactly other.csv." in run("verify", "other.csv", "made.json").stdout


@pytest.mark.parametrize(
    ("links", "said"),
    [
        ("ann,bob\nbob,cat\ncat,dan\nann,dan\n", "'ann' and 'dan'"),
        ("ann,bob\nbob,cat\nbob,dan\n", "'bob' and 'dan'"),
        ("ann,bob\nbob,cat\ncat,eve\n", "'dan'"),
    ],
)
def test_another_network_is_refused_and_the_first_difference_named(
    folder: Path, run: Any, links: str, said: str
) -> None:
    (folder / "one.csv").write_text("ann,bob\nbob,cat\ncat,dan\n")
    (folder / "other.csv").write_text(links)
    run("exact", "one.csv", "-o", "made.json")
    assert said in run("verify", "other.csv", "made.json", code=2).stderr


def test_a_changed_file_is_refused(folder: Path, run: Any) -> None:
    run("exact", "links.csv", "-o", "made.json")
    kept = json.loads((folder / "made.json").read_text())
    kept["certificate"]["columns"] -= 1
    (folder / "made.json").write_text(json.dumps(kept))
    assert "columns" in run("verify", "links.csv", "made.json", code=2).stderr


def test_what_is_no_such_file_is_said(folder: Path, run: Any) -> None:
    assert "links.csv" in run("verify", "links.csv", "links.csv", code=2).stderr
    assert "missing.json" in run("verify", "links.csv", "missing.json", code=2).stderr


def test_a_file_is_replaced_only_by_force(folder: Path, run: Any) -> None:
    before = (folder / "pairs.csv").read_text()
    assert "--force" in run("exact", "links.csv", "-o", "pairs.csv", code=2).stderr
    assert (folder / "pairs.csv").read_text() == before
    run("exact", "links.csv", "-o", "pairs.csv", "--force")


def test_quiet_is_quiet(run: Any) -> None:
    done = run("exact", "links.csv", "--quiet")
    assert (done.stdout, done.stderr) == ("", "")


def test_strange_names_survive(folder: Path, run: Any) -> None:
    lines = [f'"{a}","{b}"' for a, b in pairwise(NAMES) if '"' not in a + b]
    (folder / "strange.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    run("exact", "strange.csv", "-o", "strange.json")
    assert "Verified" in run("verify", "strange.csv", "strange.json").stdout


def test_the_first_line_says_no_more_than_was_proved(folder: Path, run: Any) -> None:
    (folder / "links.tsv").write_text("ann\tbob\nbob\tann\nbob\tcat\ncat\tcat\n")
    run("exact", "links.tsv", "-o", "made.json")
    first, exact, made_by, *_ = run("verify", "links.tsv", "made.json").stdout.splitlines()
    assert (
        first
        == "Verified: made.json is exactly links.tsv as it was read (1 self-loop dropped, 1 repeated link merged)."
    )
    assert exact.startswith("Exact in ")
    assert made_by.startswith("The file calls its construction '")
    assert made_by.endswith(", which was not checked.")


def test_loops_that_only_the_numbers_have_must_be_asked_for_and_are_in_the_first_line(folder: Path, run: Any) -> None:
    pair = as_graph([("ann", "bob")])
    ones = IntegerCommunities(np.ones((2, 1), dtype=np.int64), np.array([1]), "given")
    certified(pair, ones, loops=np.array([True, True])).save(folder / "loops.json")
    (folder / "pair.tsv").write_text("ann\tbob\n")
    refused = run("verify", "pair.tsv", "loops.json", code=2)
    assert refused.stdout == ""
    assert refused.stderr.splitlines()[-1].startswith(
        "loops.json: 2 nodes count as linked with themselves here ('ann', 'bob')"
    )
    first = run("verify", "pair.tsv", "loops.json", "--loops").stdout.splitlines()[0]
    assert first == "Verified: loops.json is exactly pair.tsv with loops added at 2 nodes ('ann', 'bob')."

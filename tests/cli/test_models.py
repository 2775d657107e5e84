"""Other models through the command line: one option changes the model, and several can be compared."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from philia.models import MODELS, load


@pytest.mark.parametrize("name", [name for name in MODELS if name != "VGraph"])
def test_one_option_changes_the_model(name: str, folder: Path, run: Any) -> None:
    said = run("fit", "links.csv", "--model", name, "-B", "2", "-C", "1", "-o", "new.safetensors").stdout
    assert "new.safetensors" in said
    assert type(load(folder / "new.safetensors")) is MODELS[name]
    assert run("info", "new.safetensors").exit_code == 0
    assert run("communities", "new.safetensors").exit_code == 0
    assert run("predict", "new.safetensors", "--top", "3").exit_code == 0
    assert run("sample", "new.safetensors", "-o", "drawn.csv").exit_code == 0


def test_the_case_of_a_model_name_does_not_matter(folder: Path, run: Any) -> None:
    run("fit", "links.csv", "--model", "bigclam", "-B", "2", "-C", "1", "-o", "new.safetensors")
    assert type(load(folder / "new.safetensors")).__name__ == "BigClam"


def test_an_unknown_model_is_refused_with_the_names_of_all(run: Any) -> None:
    said = " ".join(run("fit", "links.csv", "--model", "Louvain", code=2).stderr.replace("│", " ").split())
    assert "'Louvain' is not one of" in said
    assert all(name in said for name in MODELS)


def test_a_setting_that_a_model_does_not_have_is_refused(run: Any) -> None:
    refused = run("fit", "links.csv", "--model", "SVD", "--penalty", "1", code=2)
    assert "SVD has no --penalty option" in refused.stderr


@pytest.mark.parametrize("name", ["BigClam", "IeClam"])
def test_scores_that_are_sums_are_explained(name: str, run: Any, run_json: Any) -> None:
    run("fit", "links.csv", "--model", name, "-B", "2", "-C", "1", "-o", "new.safetensors")
    said = run("explain", "new.safetensors", "n0", "n1").stdout
    assert "n0 and n1: predicted probability" in said
    found = run_json("explain", "new.safetensors", "n0", "n1")
    assert sum(term["amount"] for term in found["terms"]) == pytest.approx(found["score"])
    refused = run("explain", "new.safetensors", "n0", "n1", "--figure", "why.png", code=2)
    assert "log-odds" in refused.stderr


def test_pairs_of_communities_are_explained_and_drawn(folder: Path, run: Any, run_json: Any) -> None:
    run("fit", "links.csv", "--model", "LatentFeatures", "-B", "2", "-C", "1", "-o", "new.safetensors")
    found = run_json("explain", "new.safetensors", "n0", "n1")
    total = found["baseline"] + sum(reason["log_odds"] for reason in found["reasons"])
    assert total == pytest.approx(found["logit"])
    run("explain", "new.safetensors", "n0", "n1", "--figure", "why.png")
    assert (folder / "why.png").is_file()


def test_scores_that_are_no_sums_are_not_explained(run: Any) -> None:
    run("fit", "links.csv", "--model", "NormalizedCuts", "-B", "2", "-C", "1", "-o", "new.safetensors")
    refused = run("explain", "new.safetensors", "n0", "n1", code=2)
    assert "holds a NormalizedCuts" in refused.stderr


def test_models_are_compared_on_the_same_pairs(folder: Path, run_json: Any) -> None:
    (folder / "known.txt").write_text("n0 n1 n2\nn3 n4 n5\n")
    rows = run_json(
        "compare", "links.csv", "--model", "BigClam", "--model", "SVD", "-B", "2", "-C", "1", "--truth", "known.txt"
    )["compared"]
    names = [row["name"] for row in rows]
    assert names[:2] == ["BigClam", "SVD"]
    assert {"constant density", "one community of all nodes"} <= set(names)
    assert len({row["links"]["pairs"] for row in rows if row["links"]}) == 1
    assert all(0 <= row["communities"]["f1"] <= 1 for row in rows if row["communities"])
    assert [row["fitted"] for row in rows[:3]] == [True, True, False]


def test_a_share_outside_zero_and_one_is_refused(run: Any) -> None:
    assert "--held-out is 2.0" in run("compare", "links.csv", "--held-out", "2", code=2).stderr

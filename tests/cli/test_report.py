from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.cli.names import NAMES
from tests.report.test_page import data_of

SMALL = ["-B", "3", "-C", "1", "--penalty", "1"]


def read(path: Path) -> dict[str, Any]:
    return data_of(path.read_text(encoding="utf-8"))[0]


def test_a_report_is_written_and_its_size_shown(folder: Path, run: Any) -> None:
    said = run("report", "model.safetensors", "-o", "page.html", "--title", "<b>Friends</b>").stdout
    assert said.startswith("Wrote page.html (")
    found = read(folder / "page.html")
    assert found["title"] == "<b>Friends</b>"
    assert set(found["explorer"]["names"]) == set(NAMES)
    assert found["made"]["source"] == "model.safetensors"


def test_the_report_is_named_after_the_model(folder: Path, run_json: Any) -> None:
    told = run_json("report", "model.safetensors")
    assert told["report"] == "model.html"
    assert told["bytes"] == (folder / "model.html").stat().st_size < 10_000_000
    assert read(folder / "model.html")["title"].startswith("Model, in ")


def test_a_report_is_replaced_only_on_request(folder: Path, run: Any) -> None:
    (folder / "page.html").write_text("mine")
    assert "--force" in run("report", "model.safetensors", "-o", "page.html", code=2).stderr
    assert (folder / "page.html").read_text() == "mine"
    assert run("report", "model.safetensors", "-o", "page.html", "--force", "--quiet").output == ""
    assert read(folder / "page.html")["graph"]["nodes"] == 40


def test_labels_are_read_from_a_file(folder: Path, run: Any) -> None:
    run("report", "model.safetensors", "-o", "page.html", "--labels", "known.txt")
    labels = [card["label"] for card in read(folder / "page.html")["communities"]]
    assert any(label is not None and 0 < label["f1"] <= 1 for label in labels)


def test_groups_without_names_are_known_by_their_first_members(folder: Path, run: Any) -> None:
    (folder / "groups.txt").write_text("n0\tn1\tn2\tann\nbob\tn25\tn26\tn24\n")
    run("report", "model.safetensors", "-o", "page.html", "--labels", "groups.txt")
    found = {card["label"]["name"] for card in read(folder / "page.html")["communities"] if card["label"]}
    assert found
    assert all(name in ("0 (ann, n0, …)", "1 (bob, n24, …)") for name in found)


def test_a_fit_compares_its_report_with_what_is_known(folder: Path, run: Any) -> None:
    (folder / "people.csv").write_text("node,team\n" + "".join(f'"{name}",{at % 2}\n' for at, name in enumerate(NAMES)))
    known = ["--labels", "known.txt", "--attributes", "people.csv", "--title", "Friends"]
    fit = ["fit", "links.csv", *SMALL, "-o", "new.safetensors"]
    run(*fit, "--report", "page.html", *known)
    found = read(folder / "page.html")
    assert found["title"] == "Friends"
    assert [column["name"] for column in found["attributes"]["columns"]] == ["label", "team"]
    assert "add --report" in run(*fit, "--title", "Friends", "--force", code=2).stderr
    missing = run(*fit, "--report", "page.html", "--labels", "nowhere.txt", "--force", code=2)
    assert "nowhere.txt" in missing.stderr
    assert "Fitting" not in missing.stderr


def test_a_report_must_be_html_of_a_model_with_reasons(folder: Path, run: Any) -> None:
    assert "must end in .html" in run("report", "model.safetensors", "-o", "page.pdf", code=2).stderr
    run("fit", "links.csv", "--model", "SVD", "-B", "2", "-C", "0", "-o", "svd.safetensors", "--quiet")
    assert "found a SVD" in run("report", "svd.safetensors", "-o", "page.html", code=2).stderr
    assert not (folder / "page.html").exists()


def test_a_fit_ends_in_a_report(folder: Path, run: Any, run_json: Any) -> None:
    said = run("fit", "links.csv", *SMALL, "-o", "new.safetensors", "--report", "page.html").stdout
    assert "Wrote page.html" in said
    assert read(folder / "page.html")["made"]["source"] == "new.safetensors"
    told = run_json("fit", "links.csv", *SMALL, "-o", "new.safetensors", "--report", "page.html", "--force")
    assert told["report"] == "page.html"


def test_a_report_that_cannot_be_made_is_refused_before_the_fit(folder: Path, run: Any) -> None:
    (folder / "page.html").write_text("mine")
    fit = ["fit", "links.csv", *SMALL, "-o", "new.safetensors", "--report"]
    assert "exists already" in run(*fit, "page.html", code=2).stderr
    assert "must end in .html" in run(*fit, "page.pdf", code=2).stderr
    assert "SVD does not have" in run(*fit, "other.html", "--model", "SVD", code=2).stderr
    assert not (folder / "new.safetensors").exists()

"""The scripts in examples/ run as they are, tutorials also without a network, and say what their texts rely on."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / "examples"
TUTORIALS = sorted((FOLDER / "tutorials").glob("plot_*.py"))
GALLERY = sorted((FOLDER / "gallery").glob("plot_*.py"))
SITE = FOLDER.parent / "build"
SOURCES = FOLDER.parent / "src" / "philia"
EXAMPLES = sorted(FOLDER.glob("*.py"))

NOWHERE = "http://127.0.0.1:9"
OFFLINE = {"http_proxy": NOWHERE, "https_proxy": NOWHERE, "ftp_proxy": NOWHERE, "MPLBACKEND": "Agg"}

SAID = {
    "your_own_links": [
        r"1 self-loop dropped, 2 repeated links merged, 3 weights dropped",
        r"ann and hugo",
    ],
    "plot_1_dating_network": [
        r"10 communities that attract and \d+ more columns, 2 that repel",
        r"attracting, and the cities: F1 1\.000",
        r"repelling, and the genders: F1 1\.000",
        r"BigClam and the genders: +F1 0\.[012]",
        r"smallest value of the SVD: -",
    ],
    "plot_2_women_and_events": [
        r"C1 odds ÷ .*: 0 women, 14 events",
        r"C2 odds ÷ .*: 18 women, 0 events",
        r"2 attract, 2 repel +AUC 0\.9",
        r"common neighbours +AUC 0\.[0-3]",
        r"To predict: .* that repel",
    ],
    "plot_3_links_with_reasons": [
        r"CommunityModel +0\.9\d  0\.8\d",
        r"Adamic-Adar +0\.9\d  0\.7\d",
        r", 0 that repel",
        r"not linked in the data",
    ],
    "plot_4_exact_representation": [
        r"5 columns; the signs of all 1,156 scores are those of the graph",
        r"pairs that are wrong: 0 of 1156",
        r"the score of 0 and 1 is positive, but in the graph they are not linked",
        r"is one of the two right, at every pair\? True",
        r"sign changes +8 columns",
        r"needed at least: 4",
    ],
    "plot_5_a_million_nodes": [
        r"the judge saw nothing better",
        r"homophilous +F1 0\.9",
        r"heterophilous +F1 0\.9",
        r"1,000,000 nodes",
    ],
    "plot_6_from_other_libraries": [
        r"Valjean: B\d 0\.5\d, B\d 0\.1",
        r"Marius: B\d 0\.\d+\n",
        r"the same: True",
        r"and back: +1\.0",
    ],
    "plot_7_from_fit_to_report": [
        r"report\.html: \d\.\d MB",
        r"B1 attracts, \d+ members: city \d",
        r"C1 repels, \d+ members: gender \d",
        r"held out of the fit",
    ],
    "plot_01_karate_club": [r"in the other club: \[8\]", r"'B1': 0\.6"],
    "plot_02_les_miserables": [r"B1, 35 members: Myriel", r"B5, 7 members: Judge", r"'B1': 0\.53, 'B5': 0\.17"],
    "plot_03_women_and_events": [r"heterophilous: 0 women, 14 events", r"heterophilous: 18 women, 0 events"],
    "plot_04_florentine_families": [r"15 of 15 nodes are in no community", r"Medici has the most links"],
    "plot_05_bordering_states": [r"48 nodes, 105 links", r"CT MA ME NH NY RI VT", r"AL FL GA MS NC SC TN"],
    "plot_06_countries_of_europe": [
        r"44 nodes, 88 links",
        r"B1, 18 countries: Andorra, Austria",
        r"B2, 14 countries: Belarus, Estonia, Finland, Hungary, .* Romania",
        r"B3, 10 countries: Albania, .* Croatia",
        r"in none: Ireland, United Kingdom",
    ],
    "plot_07_iris_flowers": [r"'versicolor': 13, 'virginica': 13", r"\['setosa'\]\n", r"\['versicolor', 'virginica'\]"],
    "plot_08_wines": [r"\[0, 58, 0\]", r"\[59, 6, 0\]", r"\[0, 8, 48\]", r"B8, 6 wines, by grape: \[0, 3, 3\]"],
    "plot_09_handwritten_digits": [r"B1, 32 images: 32 of them a 2", r"B10, "],
    "plot_10_measurements_of_tumours": [
        r"B1, 13 measurements: .*mean smoothness.*concavity error.*worst concavity",
        r"B2, 11 measurements: radius error.*mean concavity",
    ],
    "plot_11_connected_caves": [r"12 communities; the caves: True"],
    "plot_12_overlapping_circles": [r"the circles: True", r"in two circles: \[0, 1, 2, 3, 16, "],
    "plot_13_random_network": [r"120 of 120 nodes are in no community", r"Louvain: \d+ communities"],
}
"""What each script must say, because its text, the README or a page relies on it."""


def run(script: Path, folder: Path, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "error", str(script)],
        capture_output=True,
        text=True,
        timeout=300,
        cwd=folder,
        check=False,
        env=environment or None,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert list(folder.iterdir()) == [], "an example leaves files behind"
    return done.stdout


def said_on_the_site(script: Path) -> str | None:
    """What a tutorial printed when `make docs` ran it; None if it or philia has changed since, or nobody built it."""
    page = SITE / script.parent.name / f"{script.stem}.rst"
    if not page.is_file() or page.stat().st_mtime < max(
        file.stat().st_mtime for file in [script, *SOURCES.rglob("*.py")]
    ):
        return None
    outputs = re.findall(r"sphx-glr-script-out\n\n \.\. code-block:: none\n\n((?: {4}.*\n|\n)+)", page.read_text())
    return "".join(textwrap.dedent(output) for output in outputs)


def unsaid(script: Path, output: str) -> list[str]:
    return [pattern for pattern in SAID.get(script.stem, [r"\S"]) if not re.search(pattern, output)]


def test_what_must_be_said_is_said_by_a_script_that_exists() -> None:
    assert set(SAID) <= {script.stem for script in [*EXAMPLES, *TUTORIALS, *GALLERY]}
    assert {script.stem for script in [*TUTORIALS, *GALLERY]} <= set(SAID)


@pytest.mark.parametrize("script", EXAMPLES, ids=lambda script: script.stem)
def test_the_example_runs_and_says_what_it_should(script: Path, tmp_path: Path) -> None:
    assert unsaid(script, run(script, tmp_path)) == []


@pytest.mark.slow
@pytest.mark.parametrize("script", [*TUTORIALS, *GALLERY], ids=lambda script: script.stem)
def test_the_tutorial_runs_without_network_or_data_and_says_what_its_text_says(script: Path, tmp_path: Path) -> None:
    known = {name: value for name, value in os.environ.items() if name != "PHILIA_DATA"}
    said = said_on_the_site(script) or run(script, tmp_path, **known | OFFLINE)
    assert unsaid(script, said) == []
    assert "Warning" not in said


@pytest.mark.parametrize("folder", ["tutorials", "gallery"])
def test_a_tutorial_leaves_no_files_behind(folder: str) -> None:
    assert {path.suffix for path in (FOLDER / folder).iterdir() if path.name != "__pycache__"} == {".py", ".rst"}


@pytest.mark.parametrize("script", TUTORIALS, ids=lambda script: script.stem)
def test_a_tutorial_begins_with_a_question_and_ends_with_an_answer(script: Path) -> None:
    text = script.read_text()
    title, line, question = (ast.get_docstring(ast.parse(text)) or "").split("\n", 2)
    assert line == "=" * len(title)
    assert re.match(r"\n\*[^*]+\?\*", question)
    assert re.findall(r"^# (.+)\n# -{3,}$", text, re.MULTILINE)[-1] == "The answer"

from __future__ import annotations

from pathlib import Path
from typing import Any

from philia.cli.demo import draw_figures
from philia.datasets import dating_app
from philia.graphs import read_communities
from philia.models import CommunityModel
from tests.plots.rendering import room_left

SMALL = ["--nodes", "250", "--cities", "3"]
FIGURES = ["network.png", "reconstruction.png", "factors.png", "loss.png", "explanation.png"]


def test_the_demo_finds_cities_and_genders_and_replaces_old_files(folder: Path, run_json: Any) -> None:
    (folder / "shown").mkdir()
    (folder / "shown" / "loss.png").write_text("old")
    found = run_json("demo", *SMALL, "--output", "shown")
    assert found["adjusted_rand_index"]["city"] > 0.9
    assert found["adjusted_rand_index"]["gender"] > 0.9
    for name in FIGURES:
        assert (folder / "shown" / name).read_bytes().startswith(b"\x89PNG")
    assert CommunityModel.load(folder / "shown" / "model.safetensors").graph_.n_nodes == 250
    assert len(read_communities(folder / "shown" / "communities.txt", form="lines")) == 5


def test_the_demo_explains_what_happens_and_what_to_type_next(run: Any) -> None:
    said = run("demo", *SMALL).stdout
    for word in ("250 made-up users", "adjusted Rand index", "network.png", "philia fit your_links.csv"):
        assert word in said
    for command in ("communities", "explain", "predict"):
        (line,) = [text for text in said.splitlines() if text.startswith(f"philia {command}")]
        run(*line.split()[1:])


def test_no_figure_is_cut_off() -> None:
    app = dating_app(300, 3, random_state=0)
    model = CommunityModel(3, 2, random_state=0).fit(app.graph)
    for name, ax in draw_figures(app, model, (0, 1)).items():
        assert room_left(ax) >= 0, name


def test_a_file_is_not_accepted_as_a_folder(run: Any) -> None:
    assert "is a file" in run("demo", *SMALL, "--output", "links.csv", code=2).stderr

"""A notebook in a real kernel: what its cells show."""

from __future__ import annotations

from base64 import b64decode
from typing import Any

import pytest

nbclient = pytest.importorskip("nbclient")
nbformat = pytest.importorskip("nbformat")
pytest.importorskip("ipykernel")

CELLS = {
    "import": "import networkx\nimport philia",
    "unfitted": "model = philia.CommunityModel(random_state=0)\nmodel",
    "fit": "model.fit(networkx.karate_club_graph(), verbose=True)",
    "communities": "model.communities()",
    "community": "model.communities()['B1']",
    "explanation": "model.explain('Mr. Hi', 33) if 'Mr. Hi' in model.graph_ else model.explain(0, 33)",
    "graph": "model.graph_",
    "choice": "model.selection_",
    "levels": "model.hierarchy()",
    "frame": "model.communities().to_pandas()",
    "picture": "philia.plots.network(model)",
    "habit": "model.plot()",
}


@pytest.fixture(scope="module")
def cells() -> dict[str, Any]:
    """The executed cells, with the HTML that each has shown, be it for a while only, such as a progress bar."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in CELLS.values()])
    client = nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3", allow_errors=True)
    take = client.process_message

    def watched(message: Any, cell: Any, number: int) -> Any:
        form = message["content"].get("data", {}).get("text/html", "")
        cell.metadata.setdefault("passing", []).append(form)
        return take(message, cell, number)

    client.process_message = watched
    client.execute()
    return dict(zip(CELLS, notebook.cells, strict=True))


@pytest.fixture(scope="module")
def outputs(cells: dict[str, Any]) -> dict[str, list[Any]]:
    """The outputs of each cell, as the file of the notebook keeps them."""
    return {name: cell.outputs for name, cell in cells.items()}


def shown(outputs: list[Any], form: str) -> str:
    return "\n".join(output["data"][form] for output in outputs if form in output.get("data", {}))


def test_only_the_last_cell_ends_in_an_error(outputs: dict[str, list[Any]]) -> None:
    failed = [name for name, found in outputs.items() if any(output.output_type == "error" for output in found)]
    assert failed == ["habit"]
    error = outputs["habit"][-1]
    assert error.ename == "AttributeError"
    assert "philia.plots.network(model)" in error.evalue


@pytest.mark.parametrize("name", ["unfitted", "fit", "communities", "explanation", "graph", "choice", "frame"])
def test_a_result_at_the_end_of_a_cell_is_shown_as_html(outputs: dict[str, list[Any]], name: str) -> None:
    assert "<" in shown(outputs[name], "text/html")


@pytest.mark.parametrize(("name", "said"), [("community", "B1 attracts"), ("levels", "2 communities (default)")])
def test_other_results_say_in_words_what_they_are(outputs: dict[str, list[Any]], name: str, said: str) -> None:
    assert said in shown(outputs[name], "text/plain")


def test_a_fitted_model_says_what_was_found(outputs: dict[str, list[Any]]) -> None:
    assert "2 communities attract" in shown(outputs["fit"], "text/html")
    assert "communities attract" not in shown(outputs["unfitted"], "text/html")


def test_a_fit_shows_its_progress_and_leaves_no_bar_behind(cells: dict[str, Any]) -> None:
    assert any("<progress" in form and "%" in form for form in cells["fit"].metadata["passing"])
    assert "<progress" not in shown(cells["fit"].outputs, "text/html")


def test_a_fit_says_what_it_dropped(outputs: dict[str, list[Any]]) -> None:
    assert "weights dropped" in "".join(output.get("text", "") for output in outputs["fit"])


def test_a_plot_is_a_picture(outputs: dict[str, list[Any]]) -> None:
    pictures = [output["data"]["image/png"] for output in outputs["picture"] if "image/png" in output.get("data", {})]
    assert len(pictures) == 1, "a picture is shown once, not by the plot and again by matplotlib"
    assert b64decode(pictures[0]).startswith(b"\x89PNG")

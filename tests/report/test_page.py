"""The page as a file: names stay data, nothing is fetched, and every kind of graph has one."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from philia import SVD, CommunityModel
from philia.datasets import dating_app
from philia.exceptions import InvalidParameterError, MissingDependencyError, StorageError
from philia.report import html as html_file
from philia.report import payload, write_report
from philia.report.findings import ShownNames
from philia.report.html import decoded, guarded, packed, page, unpacked
from tests.report.models import HOSTILE, dating, graphs, hostile

TITLE = "</title><script>window.hacked=2</script> & 'friends'"


def data_of(html: str) -> tuple[dict[str, Any], str]:
    """The payload inside a page, and the page around it."""
    before, _, rest = html.partition('id="philia-data">')
    data, _, after = rest.partition("</script>")
    return decoded(data.strip()), before + after


@pytest.fixture(scope="module")
def html(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("report") / "report.html"
    assert write_report(hostile(), path, title=TITLE) == path
    return path.read_text(encoding="utf-8")


def test_names_and_title_come_back_from_the_page(html: str) -> None:
    found, _ = data_of(html)
    names = found["explorer"]["names"]
    shown = [str(name) for name in hostile().graph_.nodes]
    assert [name for name in names if len(name) <= 200 and name != "1 (2)"] == [
        name for i, name in enumerate(shown) if len(name) <= 200 and name not in shown[:i]
    ]
    assert found["title"] == TITLE
    assert len(set(names)) == len(HOSTILE)


def test_names_and_title_appear_only_in_the_data(html: str) -> None:
    _, around = data_of(html)
    told = [text for text in (*map(str, HOSTILE), TITLE) if len(text) > 8 and not text.startswith("philia")]
    assert [text for text in told if text in around or json.dumps(text)[1:-1] in around] == []
    assert "hacked" not in around


def test_the_page_has_no_leftover_marker_and_no_script_that_ends_early(html: str) -> None:
    assert "philia:data" not in html
    assert "/*philia:" not in html
    assert len(re.findall(r"</script", html, re.IGNORECASE)) == len(re.findall(r"<script[ >]", html, re.IGNORECASE))
    assert re.search(r"<(script|img|link|iframe)[^>]*\b(src|href)\s*=\s*[\"']?(https?:)?//", html) is None


def test_the_policy_names_the_hashes_of_the_pages_own_scripts_and_allows_no_others(html: str) -> None:
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', html)
    assert policy is not None
    allowed = {part.split()[0]: part.split()[1:] for part in policy[1].split(";")}
    scripts = [rest.partition("</script>")[0] for rest in html.split("<script>")[1:]]
    hashes = [base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts]
    assert len(scripts) == 2
    assert allowed["script-src"] == [f"'sha256-{digest}'" for digest in hashes]
    assert allowed["default-src"] == ["'none'"]
    assert re.search(r"<[^>]* on[a-z]+=", html.partition('id="philia-data"')[0]) is None


def test_long_names_are_cut_and_equal_ones_are_numbered(html: str) -> None:
    found, _ = data_of(html)
    names = found["explorer"]["names"]
    assert max(map(len, names)) <= 206
    assert {"1", "1 (2)"} <= set(names)
    assert sum(name.startswith("yyy") for name in names) == 2
    assert any("longer than 200 characters" in said for said in found["remarks"])
    assert any("tells them apart" in said for said in found["remarks"])


def test_names_of_a_million_nodes_are_taken_as_they_are() -> None:
    from philia.graphs import Nodes

    names = ShownNames.of(Nodes.numbered(1000))
    assert (names.pick([0, 999]), names.remarks) == (["0", "999"], [])


@pytest.mark.parametrize("name", list(graphs()))
@pytest.mark.parametrize("counts", [(2, 1), (2, 0), (0, 1), (0, 0)])
def test_every_graph_has_a_report(name: str, counts: tuple[int, int]) -> None:
    graph = graphs()[name]
    model = CommunityModel(*counts, penalty=0.5, random_state=0).fit(graph)
    found = payload(model, labels={"first": list(graph.nodes)[:1]}, budget=10**6)
    json.dumps(found, allow_nan=False)
    assert found["graph"]["nodes"] == graph.n_nodes
    assert len(found["overlap"]["shared"]) == len(found["communities"]) == len(model.communities())
    assert found["drawing"]["positions"]["shape"] == [graph.n_nodes, 2]
    assert unpacked(found["matrix"]["observed"]).shape == unpacked(found["matrix"]["expected"]).shape
    assert len(found["lede"]) == 2
    few = payload(model, budget=1)["explorer"]
    assert 1 <= few["nodes"] <= graph.n_nodes


def test_a_remark_says_what_was_dropped_on_reading() -> None:
    model = CommunityModel(1, 0, penalty=1, random_state=0).fit([("a", "b"), ("b", "a"), ("b", "c"), ("c", "c")])
    assert payload(model)["remarks"][0] == "When the links were read: 1 self-loop dropped, 1 repeated link merged."
    weighted = CommunityModel(1, 0, penalty=1, random_state=0).fit(graphs()["weights"])
    assert "weights" in payload(weighted)["remarks"][0]


def test_labels_are_matched_by_their_f1() -> None:
    sets = dating().communities().as_sets()
    known = {"the first": sets["B1"], "some": list(sets["B2"])[:3], 7: [*sets["B2"], "stranger"]}
    found = payload(dating(), labels=known)
    labels = {card["name"]: card["label"] for card in found["communities"]}
    size = len(sets["B1"])
    assert labels["B1"] == {"name": "the first", "f1": 1.0, "shared": size, "size": size}
    assert (labels["B2"]["name"], labels["B2"]["f1"]) == ("7", 1.0)
    assert any("1 labeled name" in said for said in found["remarks"])


def test_labels_of_other_nodes_are_refused() -> None:
    with pytest.raises(InvalidParameterError, match="none of the 2 labeled nodes is in the graph"):
        payload(dating(), labels={"red": ["zoe", "max"]})


def test_stability_is_shown_once_it_is_measured() -> None:
    model = CommunityModel(3, 0, penalty=1, random_state=0).fit(dating().graph_)
    assert payload(model)["communities"][0]["stability"] is None
    model.stability(fits=2)
    shown = payload(model)["communities"][0]["stability"]
    assert 0 <= shown["score"] <= 1
    assert "of 2 other fits" in shown["words"]


def test_a_setting_chosen_on_validation_pairs_says_so() -> None:
    model = CommunityModel(2, 0, random_state=0).fit(dating_app(60, cities=2, random_state=0).graph)
    fit = payload(model)["fit"]
    assert fit["selection"] == str(model.selection_)
    assert "chosen on validation pairs" in dict(fit["settings"])["penalty"]
    assert fit["loss"][0][0] == 0
    assert fit["loss"][-1] == [model.solution_.iterations, pytest.approx(model.solution_.history[-1])]


def test_the_same_model_gives_the_same_page() -> None:
    assert page(payload(dating())) == page(payload(dating()))


def test_a_page_is_written_completely_or_not_at_all(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="no folder"):
        write_report(dating(), tmp_path / "nowhere" / "report.html")
    assert list(tmp_path.iterdir()) == []


def test_a_model_without_reasons_has_no_report(tmp_path: Path) -> None:
    model = SVD(2, random_state=0).fit([("ann", "bob"), ("bob", "cat"), ("cat", "dan")])
    with pytest.raises(InvalidParameterError, match="found a SVD; a report shows reasons"):
        write_report(model, tmp_path / "report.html")


def test_without_plotly_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(html_file, "find_spec", lambda name: None)
    with pytest.raises(MissingDependencyError, match=r"pip install 'philia\[report\]'"):
        write_report(dating(), tmp_path / "report.html")


def test_a_script_cannot_end_its_element() -> None:
    assert guarded("'</ScRiPt>' + '<!--'", "script") == "'<\\/ScRiPt>' + '<\\!--'"


@pytest.mark.parametrize("kind", ["f4", "u4", "u2", "u1"])
def test_packed_arrays_can_be_unpacked(kind: str) -> None:
    assert unpacked(packed(np.array([[0, 1, 2], [3, 4, 5]], dtype=kind))).tolist() == [[0, 1, 2], [3, 4, 5]]

"""The verifier that docs/certificate.md prints, run on files of every kind and on altered ones."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from philia.datasets import classic
from philia.exact import certified, load_exact
from philia.exceptions import NotExactError
from philia.graphs import Graph
from tests.exact.kinds import by_sign_changes_as_given
from tests.fuzz.certificates import GRAPHS, examples

PAGE = Path(__file__).parents[2] / "docs" / "certificate.md"


@pytest.fixture(scope="module")
def wrong_pairs() -> Any:
    (code,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert "philia" not in code
    names: dict[str, Any] = {}
    exec(code, names)  # its own names only, as a reader would run it
    return names["wrong_pairs"]


def links_of(graph: Graph) -> set[tuple[Any, Any]]:
    return {(graph.nodes[u], graph.nodes[v]) for u, v in zip(*graph.links, strict=True)}


def test_it_finds_nothing_wrong_in_files_of_every_kind(wrong_pairs: Any, tmp_path: Path) -> None:
    for path in examples(tmp_path):
        if path.suffix == ".json":
            assert wrong_pairs(path.read_bytes(), links_of(GRAPHS[path.name.partition("-")[0]])) == []


def test_it_finds_the_pair_whose_link_was_removed(wrong_pairs: Any, tmp_path: Path) -> None:
    for path in examples(tmp_path):
        if path.suffix == ".json":
            links = links_of(GRAPHS[path.name.partition("-")[0]])
            gone = links.pop()
            assert set(map(frozenset, wrong_pairs(path.read_bytes(), links))) == {frozenset(gone)}


def test_it_finds_the_pairs_that_philia_calls_wrong_after_two_names_were_swapped(
    wrong_pairs: Any, tmp_path: Path
) -> None:
    karate, place = classic("karate"), tmp_path / "exact.json"
    certified(karate, by_sign_changes_as_given(karate)).save(place)
    content = json.loads(place.read_text())
    assert wrong_pairs(place.read_bytes(), links_of(karate)) == []
    content["nodes"][0], content["nodes"][20] = content["nodes"][20], content["nodes"][0]
    place.write_text(json.dumps(content))
    wrong = wrong_pairs(place.read_bytes(), links_of(karate))
    with pytest.raises(NotExactError) as error:
        load_exact(place).verify(karate)
    assert any(f"the score of {one!r} and {other!r} is" in str(error.value) for one, other in wrong)

"""A certificate holds for its own graph only, and a changed file is detected."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from philia.datasets import classic, overlap_threshold
from philia.exact import (
    Certified,
    by_overlap_threshold,
    by_sign_changes,
    certified,
    certify,
    fingerprint,
    load_exact,
    wrong_terms,
)
from philia.exact.certified import packed, unpacked
from philia.exceptions import InvalidGraphError, ModelFileError, NotExactError
from philia.graphs import Graph, Nodes, as_graph
from tests.exact.kinds import CONSTRUCTIONS, KINDS, by_sign_changes_as_given, made

REFUSED = (NotExactError, ModelFileError)


def _toggled(graph: Graph, u: int, v: int) -> Graph:
    """The graph with one link added or removed."""
    A = graph.adjacency.toarray()
    A[u, v] = A[v, u] = 1 - A[u, v]
    rows, columns = np.nonzero(np.triu(A))
    return Graph.from_rows(rows, columns, graph.nodes)


@pytest.mark.parametrize("construction", CONSTRUCTIONS)
def test_a_file_alone_is_enough_to_verify_in_any_order_of_nodes(construction: str, tmp_path: Path) -> None:
    graph = made("middling", 40, seed=3)
    certified(graph, CONSTRUCTIONS[construction](graph)).save(tmp_path / "exact.json")
    order = np.random.default_rng(0).permutation(40)
    i, j = graph.links
    shuffled = Graph.from_rows(np.argsort(order)[i], np.argsort(order)[j], Nodes(order))
    kept = load_exact(tmp_path / "exact.json")
    assert kept.verify(shuffled).graph == kept.certificate.graph == fingerprint(graph)


@settings(max_examples=60)
@given(st.sampled_from(sorted(KINDS)), st.sampled_from(sorted(CONSTRUCTIONS)), st.integers(2, 20), st.data())
def test_a_flipped_pair_is_named_in_the_error(kind: str, construction: str, n: int, data: st.DataObject) -> None:
    graph = made(kind, n, data.draw(st.integers(0, 1000)))
    found = certified(graph, CONSTRUCTIONS[construction](graph))
    u, v = sorted(data.draw(st.lists(st.integers(0, n - 1), min_size=2, max_size=2, unique=True)))
    with pytest.raises(NotExactError, match=f"the score of {u} and {v} is "):
        found.verify(_toggled(graph, u, v))


def _mutated(kept: dict[str, Any], data: st.DataObject) -> None:
    """One number of a representation changed."""
    name = data.draw(st.sampled_from(sorted(name for name, array in kept["arrays"].items() if np.prod(array["shape"]))))
    array = unpacked(kept["arrays"][name]).copy()
    at = data.draw(st.integers(0, array.size - 1))
    array.ravel()[at] += data.draw(st.sampled_from([-2, -1, 1, 2, 16]))
    kept["arrays"][name] = packed(array)


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(sorted(CONSTRUCTIONS)), st.integers(2, 12), st.integers(0, 1000), st.data())
def test_a_changed_integer_is_detected(
    tmp_path: Path, construction: str, n: int, seed: int, data: st.DataObject
) -> None:
    graph, place = made("middling", n, seed), tmp_path / "exact.json"
    certified(graph, CONSTRUCTIONS[construction](graph)).save(place)
    kept = json.loads(place.read_text())
    _mutated(kept, data)
    place.write_text(json.dumps(kept))
    with pytest.raises(REFUSED):
        load_exact(place).verify(graph)


def _karate(tmp_path: Path) -> tuple[Graph, Path, dict[str, Any]]:
    karate, place = classic("karate"), tmp_path / "exact.json"
    certified(karate, by_sign_changes_as_given(karate)).save(place)
    return karate, place, json.loads(place.read_text())


@pytest.mark.parametrize(
    ("part", "value"),
    [("columns", 2), ("bound", 3), ("bits", 1), ("links", 79), ("margin", 9.0), ("margin", None), ("graph", "00"),
     ("checked", "trust me"), ("theorem", "mine"), ("construction", "levels"), ("claim", "all"), ("nodes", 35)],
)  # fmt: skip
def test_a_false_claim_is_detected(part: str, value: Any, tmp_path: Path) -> None:
    karate, place, kept = _karate(tmp_path)
    kept["certificate"][part] = value
    place.write_text(json.dumps(kept))
    with pytest.raises(NotExactError, match=f"the certificate says {part} ="):
        load_exact(place).verify(karate)


def _renamed(kept: dict[str, Any]) -> None:
    kept["nodes"][3] = "somebody else"


def _swapped(kept: dict[str, Any]) -> None:
    kept["nodes"][0], kept["nodes"][20] = kept["nodes"][20], kept["nodes"][0]


def _doubled(kept: dict[str, Any]) -> None:
    kept["nodes"][0] = kept["nodes"][1]


def _cut(kept: dict[str, Any]) -> None:
    del kept["arrays"]["roots"]


def _unknown(kept: dict[str, Any]) -> None:
    kept["kind"] = "Oracle"


def _newer(kept: dict[str, Any]) -> None:
    kept["philia exact"] = 99


def _as_floats(kept: dict[str, Any]) -> None:
    kept["arrays"]["points"] = packed(unpacked(kept["arrays"]["points"]).astype(float))


def _garbled(kept: dict[str, Any]) -> None:
    kept["arrays"]["points"]["data"] = "AAAA"


def _looped(kept: dict[str, Any]) -> None:
    kept["loops"] = [4]


@pytest.mark.parametrize(
    "change", [_renamed, _swapped, _doubled, _cut, _unknown, _newer, _as_floats, _garbled, _looped]
)
def test_other_changes_to_a_file_are_refused_with_a_readable_error(
    change: Callable[[dict[str, Any]], None], tmp_path: Path
) -> None:
    karate, place, kept = _karate(tmp_path)
    change(kept)
    place.write_text(json.dumps(kept))
    with pytest.raises(REFUSED):
        load_exact(place).verify(karate)


@pytest.mark.parametrize("text", ["", "[]", "{}", "null", '{"philia exact": 1}', "not json"])
def test_other_files_are_refused_with_a_readable_error(text: str, tmp_path: Path) -> None:
    (tmp_path / "other.json").write_text(text)
    with pytest.raises(REFUSED, match=r"other\.json"):
        load_exact(tmp_path / "other.json")


def test_a_renamed_node_is_named_in_the_error() -> None:
    karate = classic("karate")
    found = certified(karate, by_sign_changes(karate))
    renamed = karate.renamed(Nodes(["zoe", *list(karate.nodes)[1:]]))
    with pytest.raises(NotExactError, match="only in the representation"):
        found.verify(renamed)
    as_text = karate.renamed(Nodes([str(name) for name in karate.nodes]))
    if list(as_text.nodes) != list(karate.nodes):
        with pytest.raises(NotExactError, match="only in the representation"):
            found.verify(as_text)


def test_different_graphs_have_different_fingerprints() -> None:
    graph = made("sparse", 30, seed=1)
    prints = {fingerprint(_toggled(graph, u, v)) for u in range(30) for v in range(u)}
    assert len(prints | {fingerprint(graph)}) == 30 * 29 // 2 + 1


def test_loops_are_kept_and_checked(tmp_path: Path) -> None:
    made_by_rule = overlap_threshold(b=[[1], [1], [0]], c=[[1], [0], [0]], threshold=1)
    found = certified(made_by_rule.graph, by_overlap_threshold(made_by_rule), loops=made_by_rule.loops)
    found.save(tmp_path / "exact.json.gz")
    kept = load_exact(tmp_path / "exact.json.gz")
    assert kept.looped == [1]
    assert kept.verify(made_by_rule.graph, loops=True).loops == 1
    with pytest.raises(NotExactError, match="says loops = 1, but 0 is true of its numbers"):
        replace(kept, loops=None)
    with pytest.raises(NotExactError, match="the score of 1 and 1 is positive"):
        certify(made_by_rule.graph, kept.representation)


def test_loops_at_no_node_are_the_same_as_no_loops(tmp_path: Path) -> None:
    karate = classic("karate")
    found = certified(karate, by_sign_changes_as_given(karate), loops=np.zeros(34, dtype=bool))
    found.save(tmp_path / "exact.json")
    assert load_exact(tmp_path / "exact.json").verify(karate).claim.endswith("the diagonal included")


def test_progress_reaches_the_end_and_interrupts_propagate(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wrong_terms, "_TERMS", 100)
    graph = made("sparse", 500, seed=0)
    found = by_sign_changes_as_given(graph)
    told: list[tuple[int, int]] = []
    certify(graph, found, on_progress=lambda done, total: told.append((done, total)))
    assert told[-1] == (500, 500)
    assert len(told) > 1

    def interrupt(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        certify(graph, found, on_progress=interrupt)


def test_names_that_a_file_cannot_hold_are_refused(tmp_path: Path) -> None:
    graph = as_graph([((1, 2), (3, 4))])
    found: Certified = certified(graph, by_sign_changes(graph))
    with pytest.raises(InvalidGraphError, match="which a file cannot hold"):
        found.save(tmp_path / "exact.json")

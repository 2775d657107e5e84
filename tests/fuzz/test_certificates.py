"""The oracle itself: it accepts what is true, and refuses every kind of certificate once a link is another."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from philia.exact.certified import KINDS
from philia.exact.constructions import CONSTRUCTIONS
from philia.graphs import Graph
from tests.fuzz.certificates import GRAPHS, examples, falsehood, made, mutate, read


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return list(examples(tmp_path_factory.mktemp("certificates")))


def test_every_kind_and_every_construction_is_attacked() -> None:
    found = made().values()
    assert {type(one.representation).__name__ for one in found} == set(KINDS)
    assert {one.certificate.construction for one in found if one.certificate.bound is not None} == set(CONSTRUCTIONS)


def test_philia_and_the_oracle_accept_what_is_true(files: list[Path]) -> None:
    assert [read(path) for path in files] == ["accepted"] * len(files)


def test_the_oracle_refuses_the_graph_with_another_link(files: list[Path]) -> None:
    for path in files:
        if path.suffix == ".gz":
            continue
        graph = GRAPHS[path.name.partition("-")[0]]
        i, j = graph.links
        other = Graph.from_rows(np.append(i[1:], 0), np.append(j[1:], graph.n_nodes - 1), graph.nodes)
        assert falsehood(path.read_bytes(), graph) is None
        assert "the sign of" in str(falsehood(path.read_bytes(), other))


def test_mutated_files_are_others_and_some_of_them_are_still_true(files: list[Path], tmp_path: Path) -> None:
    text = (files[0].parent / "plain-communities.json").read_bytes()
    accepted = 0
    for seed in range(60):
        changed = mutate(text, np.random.default_rng(seed))
        assert changed != text
        (tmp_path / "plain-changed.json").write_bytes(changed)
        try:
            accepted += read(tmp_path / "plain-changed.json") == "accepted"
        except ValueError:  # all errors of philia about files are
            continue
    assert 0 < accepted < 60

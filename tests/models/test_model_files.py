from __future__ import annotations

import json
import logging
import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save_file

from philia import CommunityModel, as_graph, load
from philia.datasets import classic, planted
from philia.exceptions import InvalidGraphError, ModelFileError, PhiliaError
from philia.pairs import BothPairs, ListedPairs, RandomPairs
from philia.reading import read_levels
from philia.solvers import FloorLBFGS
from philia.storage.tensors import FORMAT, _checksum_of_arrays, read_arrays, write_arrays
from tests.fitting.killed_fits import signed

LINKS = [("ann", "bob"), ("bob", "çelik"), ("çelik", "ann"), ("dana", "ann"), ("dana", "7"), ("7", "bob")]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "model.safetensors"


def fitted(**settings: object) -> CommunityModel:
    return CommunityModel(2, 1, random_state=0, **settings).fit(LINKS)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "settings", [{}, {"background": "popularity"}, {"solver": FloorLBFGS(iterations=9)}, {"dtype": "float32"}]
)
def test_a_model_comes_back_as_it_was(path: Path, settings: dict[str, object]) -> None:
    model = fitted(**settings)
    model.save(path)
    again = CommunityModel.load(path)
    assert again.get_params() == model.get_params()
    assert again.graph_.nodes == model.graph_.nodes
    assert (again.graph_.adjacency != model.graph_.adjacency).nnz == 0
    assert again.graph_.changes == model.graph_.changes
    for name in ("homophilous", "heterophilous", "background"):
        np.testing.assert_array_equal(getattr(again.factors_, name), getattr(model.factors_, name))
    np.testing.assert_array_equal(again.solution_.history, model.solution_.history)
    F = model._settled().parametrization().columns(model.factors_.readable())
    np.testing.assert_array_equal(again.solution_.point, F)  # what all nodes share may be cut in two otherwise
    assert again.solution_.reason == model.solution_.reason
    assert again.score() == model.score()
    assert again.explain("ann", "7") == model.explain("ann", "7")
    assert type(load(path)) is CommunityModel


def test_held_out_pairs_come_back_too(path: Path) -> None:
    listed = CommunityModel(2, 1, random_state=0).fit(LINKS, held_out=[("ann", "7"), ("bob", "ann")])
    shared = CommunityModel(2, 1, random_state=0).fit(LINKS, held_out=0.3)
    graph = as_graph(LINKS)
    some = BothPairs(RandomPairs(0.2, seed=3), ListedPairs(graph, [("ann", "7")]))
    both = CommunityModel(2, 1, penalty=1, random_state=0).fit(graph, held_out=some)
    for model in (listed, shared, both):
        model.save(path)
        held, again = model.held_out_, load(path).held_out_
        assert held is not None
        assert again is not None
        np.testing.assert_array_equal(held.pairs(5), again.pairs(5))


@pytest.mark.parametrize("held_out", [None, 0.1])
def test_levels_come_back_and_are_not_searched_for_again(
    path: Path, held_out: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = CommunityModel(random_state=0).fit(planted(120, 5, 0, degree=9, random_state=0).graph, held_out=held_out)
    model.save(path)
    monkeypatch.setattr("philia.models.community.read_levels", lambda _: pytest.fail("searched again"))
    levels, again = model.hierarchy(), CommunityModel.load(path).hierarchy()
    assert str(again) == str(levels)
    assert [level.names for level in again] == [level.names for level in levels]
    for one, other in zip(levels, again, strict=True):
        assert np.array_equal(one.labels, other.labels)
    assert again.linkage() == pytest.approx(levels.linkage(), rel=1e-9)  # sums in another order


def test_a_refit_of_a_loaded_model_reads_its_own_levels(path: Path) -> None:
    CommunityModel(random_state=0).fit(classic("karate")).save(path)
    known, other = CommunityModel.load(path), planted(120, 5, 0, degree=9, random_state=0).graph
    known.fit(other)
    assert str(known.hierarchy()) == str(read_levels(other))


def test_weights_come_back_too_and_a_file_without_them_holds_a_plain_graph(path: Path) -> None:
    graph = as_graph([(u, v, weight) for weight, (u, v) in enumerate(LINKS, start=1)], weights=True)
    model = CommunityModel(2, 1, random_state=0).fit(graph)
    model.save(path)
    again = load(path).graph_
    assert again.weights is not None
    np.testing.assert_array_equal(again.weights, graph.weights)
    arrays, header = read_arrays(path)
    del arrays["link_weights"]
    write_arrays(path, arrays, header)
    assert load(path).graph_.weights is None


def test_names_keep_their_types(path: Path) -> None:
    mixed = as_graph([(1, "1"), ("1", 2.5), (2.5, True)])
    CommunityModel(1, 1, random_state=0).fit(mixed).save(path)
    assert [type(name) for name in load(path).graph_.nodes] == [type(name) for name in mixed.nodes]
    integers = as_graph([(10**12, -3)])
    CommunityModel(1, 1, random_state=0).fit(integers).save(path)
    assert list(load(path).graph_.nodes) == list(integers.nodes)


def test_a_name_that_a_file_cannot_keep_is_refused_and_nothing_is_left_behind(path: Path) -> None:
    model = CommunityModel(1, 1, random_state=0).fit([(("a", 1), "b")])
    with pytest.raises(InvalidGraphError, match="tuple"):
        model.save(path)
    assert list(path.parent.iterdir()) == []


def test_a_missing_file_and_a_foreign_one_are_refused_with_a_sentence(path: Path) -> None:
    with pytest.raises(ModelFileError, match="there is no model file"):
        load(path)
    path.write_text("ann,bob\n")
    with pytest.raises(ModelFileError, match="is a text, not a model"):
        load(path)
    save_file({"x": np.zeros(3)}, path)
    with pytest.raises(ModelFileError, match="not written by philia"):
        load(path)


def test_a_flipped_bit_anywhere_is_noticed(path: Path) -> None:
    fitted().save(path)
    content = bytearray(path.read_bytes())
    for at in range(len(content)):
        content[at] ^= 1 << at % 8
        path.write_bytes(content)
        with pytest.raises(ModelFileError, match=re.escape(str(path))):
            load(path)
        content[at] ^= 1 << at % 8
    path.write_bytes(content)
    load(path)


@pytest.mark.parametrize("ending", ["cut", "longer"])
def test_a_file_of_another_length_is_noticed(path: Path, ending: str) -> None:
    fitted().save(path)
    content = path.read_bytes()
    path.write_bytes(content[:-5] if ending == "cut" else content + b"\0")
    with pytest.raises(ModelFileError, match="damaged"):
        load(path)


def in_format_1(path: Path) -> None:
    """Write a file again as earlier versions did, with a checksum of the arrays in the header."""
    arrays, header = read_arrays(path)
    header |= {"format": 1, "checksum": _checksum_of_arrays(arrays)}
    save_file(arrays, path, {"philia": json.dumps(header)})


def test_files_of_earlier_versions_are_read_with_a_warning(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    model = fitted()
    model.save(path)
    in_format_1(path)
    with caplog.at_level(logging.WARNING, "philia"):
        again = load(path)
    assert "does not cover settings and loss" in caplog.text
    assert again.get_params() == model.get_params()
    assert again.solution_.value == model.solution_.value
    content = bytearray(path.read_bytes())
    content[-5] ^= 1
    path.write_bytes(content)
    with pytest.raises(ModelFileError, match="damaged"):
        load(path)


def test_damage_to_the_unprotected_header_of_an_earlier_version_raises_nothing_foreign(path: Path) -> None:
    fitted().save(path)
    in_format_1(path)
    content = bytearray(path.read_bytes())
    for at in range(8 + int.from_bytes(content[:8], "little")):
        content[at] ^= 1 << at % 7
        path.write_bytes(content)
        with suppress(PhiliaError):
            load(path).predict_proba([("ann", "7")])
        content[at] ^= 1 << at % 7


@pytest.mark.parametrize(
    "change",
    [
        lambda arrays, _: arrays.update(homophilous=arrays["homophilous"][:-1]),
        lambda arrays, _: arrays.update(homophilous=arrays["homophilous"].ravel()),
        lambda arrays, _: arrays.update(homophilous=-arrays["homophilous"] - 1),
        lambda arrays, _: arrays.update(homophilous=arrays["homophilous"].astype(np.float32)),
        lambda arrays, _: arrays.update(homophilous=arrays["homophilous"] * np.nan),
        lambda arrays, _: arrays.update(heterophilous=arrays["heterophilous"][:, :0]),
        lambda arrays, _: arrays.update(background=arrays["background"][:, None]),
        lambda arrays, _: arrays.update(link_rows=arrays["link_rows"] + 100),
        lambda arrays, _: arrays.update(link_rows=arrays["link_rows"] - 100),
        lambda arrays, _: arrays.update(link_rows=arrays["link_rows"][1:]),
        lambda arrays, _: arrays.update(link_rows=arrays["link_columns"]),
        lambda arrays, _: arrays.update(link_weights=np.zeros(6)),
        lambda arrays, _: arrays.update(finest=np.zeros(4, np.int64)),
        lambda arrays, _: arrays.update(finest=np.full(5, -2, np.int64)),
        lambda arrays, _: arrays.update(finest=np.full(5, 10**15, np.int64)),
        lambda arrays, _: arrays.update(loss_history=np.zeros((2, 2))),
        lambda arrays, _: arrays.update(names=np.frombuffer(b'["a", "a", "b", "c", "d"]', np.uint8)),
        lambda arrays, _: arrays.update(names=np.frombuffer(b"[[], 1, 2, 3, 4]", np.uint8)),
        lambda arrays, _: arrays.update(names=np.frombuffer(b"[" * 100_000, np.uint8)),
        lambda arrays, _: arrays.update(names=np.frombuffer(b"{}", np.uint8)),
        lambda arrays, _: arrays.update(integer_names=np.zeros(5, np.int64)),
        lambda arrays, _: arrays.update(held_out_rows=np.array([9]), held_out_columns=np.array([1])),
        lambda arrays, _: arrays.pop("link_rows"),
        lambda _, header: header.pop("solution"),
        lambda _, header: header.update(solution=[]),
        lambda _, header: header["solution"].update(value="low"),
        lambda _, header: header["solution"].update(value=float("inf")),
        lambda _, header: header["solution"].update(evaluations=-1),
        lambda _, header: header["solution"].update(converged=1),
        lambda _, header: header["solution"].update(reason=None),
        lambda _, header: header.update(parameters=[]),
        lambda _, header: header["parameters"].update(penalty=-1),
        lambda _, header: header["parameters"].update(penalty=[1]),
        lambda _, header: header["parameters"].update(n_homophilous=3),
        lambda _, header: header["parameters"].update(colour="red"),
        lambda _, header: header["parameters"].update(solver={"LBFGSB": {"iterations": "many"}}),
        lambda _, header: header["parameters"].update(solver={"Magic": {}}),
        lambda _, header: header["parameters"].update(executor="tcp://10.0.0.1:8786"),
        lambda _, header: header.update(changes={"loops": -1}),
        lambda _, header: header.update(changes={"loops": 1.5}),
        lambda _, header: header.update(held_out={"rate": 2, "seed": 0}),
        lambda _, header: header.update(held_out={"rate": 0.1, "seed": -1}),
        lambda _, header: header.update(stability={"fits": 3, "threshold": 0.5, "names": ["B1"]}),
        lambda _, header: header.update(stability={"fits": "x", "threshold": 0.5, "names": []}),
        lambda _, header: header.update(chosen=None),
        lambda _, header: header["chosen"].update(penalty="auto"),
        lambda _, header: header["chosen"]["selection"].update(chosen=1000),
        lambda _, header: header["chosen"]["selection"].update(steps=[{"penalty": "x"}]),
        lambda _, header: header["chosen"]["selection"].update(links="many"),
        lambda _, header: header.update(factors="SignedFactors"),
        lambda _, header: header.update(factors=[]),
        lambda _, header: header.update(model="SVD", parameters={}),
        lambda _, header: header.update(model=7),
    ],
)
def test_a_part_of_the_wrong_kind_or_shape_is_refused_on_loading(
    path: Path, change: Callable[[dict[str, Any], dict[str, Any]], object]
) -> None:
    fitted().save(path)
    signed(path, change)
    with pytest.raises(ModelFileError, match=re.escape(str(path))):
        load(path)


def test_a_newer_file_asks_for_an_upgrade(path: Path) -> None:
    write_arrays(path, {"x": np.zeros(2)}, {"format": FORMAT + 1, "philia": "9.9"})
    with pytest.raises(ModelFileError, match=r"philia 9\.9 in format .* upgrade"):
        read_arrays(path)


def test_a_model_of_an_unknown_class_is_named(path: Path) -> None:
    fitted().save(path)
    signed(path, lambda _, header: header.update(model="FutureModel"))
    with pytest.raises(ModelFileError, match="FutureModel"):
        load(path)


@pytest.mark.parametrize("header", [{}, {"format": "2"}, {"format": True}, {"format": 1, "checksum": 0}, {"format": 1}])
def test_a_header_without_what_every_header_has_is_refused(path: Path, header: dict[str, Any]) -> None:
    save_file({"x": np.zeros(3)}, path, {"philia": json.dumps(header)})
    with pytest.raises(ModelFileError, match="damaged"):
        load(path)


def test_a_header_that_is_nested_without_end_is_refused(path: Path) -> None:
    save_file({"x": np.zeros(3)}, path, {"philia": "[" * 100_000})
    with pytest.raises(ModelFileError, match="not a readable model file"):
        load(path)


def test_the_file_holds_no_pickle(path: Path) -> None:
    fitted().save(path)
    header = json.loads(path.read_bytes()[8 : 8 + int.from_bytes(path.read_bytes()[:8], "little")])
    assert all(
        entry["dtype"] in {"F64", "I32", "I64", "U8"} for name, entry in header.items() if name != "__metadata__"
    )

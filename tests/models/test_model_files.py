from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from philia import CommunityModel, as_graph, load
from philia.exceptions import InvalidGraphError, ModelFileError
from philia.factors.files import FORMAT, read_arrays, write_arrays
from philia.objective import BothPairs, ListedPairs, RandomPairs
from philia.solvers import FloorLBFGS

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
    point = model._settled()._recipe().point(model._columns(model.factors_))
    np.testing.assert_array_equal(again.solution_.point, point)  # what all nodes share may be cut in two otherwise
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


def test_weights_come_back_too_and_a_file_without_them_holds_a_plain_graph(path: Path) -> None:
    graph = as_graph([(u, v, weight) for weight, (u, v) in enumerate(LINKS, start=1)], weights=True)
    model = CommunityModel(2, 1, random_state=0).fit(graph)
    model.save(path)
    again = load(path).graph_
    assert again.weights is not None
    np.testing.assert_array_equal(again.weights, graph.weights)
    arrays, header = read_arrays(path)
    del arrays["link_weights"], header["checksum"]
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
    with pytest.raises(ModelFileError, match="not a readable model file"):
        load(path)
    save_file({"x": np.zeros(3)}, path)
    with pytest.raises(ModelFileError, match="not written by philia"):
        load(path)


@pytest.mark.parametrize("at", [0.3, 0.6, 0.99])
def test_a_flipped_bit_anywhere_in_the_content_is_noticed(path: Path, at: float) -> None:
    fitted().save(path)
    content = bytearray(path.read_bytes())
    body = 8 + int.from_bytes(content[:8], "little")
    position = body + int(at * (len(content) - body))
    content[position] ^= 0x10
    path.write_bytes(content)
    with pytest.raises(ModelFileError, match="damaged"):
        load(path)


def test_a_file_cut_short_is_noticed(path: Path) -> None:
    fitted().save(path)
    path.write_bytes(path.read_bytes()[:-5])
    with pytest.raises(ModelFileError, match="not a readable model file"):
        load(path)


def test_a_newer_file_asks_for_an_upgrade(path: Path) -> None:
    write_arrays(path, {"x": np.zeros(2)}, {"format": FORMAT + 1, "philia": "9.9"})
    with pytest.raises(ModelFileError, match=r"philia 9\.9 in format .* upgrade"):
        read_arrays(path)


def test_a_model_of_an_unknown_class_is_named(path: Path) -> None:
    fitted().save(path)
    arrays, header = read_arrays(path)
    kept = {key: value for key, value in header.items() if key not in ("format", "philia", "checksum")}
    write_arrays(path, arrays, {**kept, "model": "FutureModel"})
    with pytest.raises(ModelFileError, match="FutureModel"):
        load(path)
    del kept["solution"]
    write_arrays(path, arrays, kept)
    with pytest.raises(ModelFileError, match="lacks a part"):
        load(path)


def test_the_file_holds_no_pickle(path: Path) -> None:
    fitted().save(path)
    header = json.loads(path.read_bytes()[8 : 8 + int.from_bytes(path.read_bytes()[:8], "little")])
    assert all(
        entry["dtype"] in {"F64", "I32", "I64", "U8"} for name, entry in header.items() if name != "__metadata__"
    )

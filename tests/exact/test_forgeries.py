"""Forged certificates: none is accepted, and each error names the file."""

from __future__ import annotations

import base64
import gzip
import json
import time
import tracemalloc
import zlib
from collections.abc import Callable
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from philia.datasets import classic, overlap_threshold
from philia.exact import (
    FloatCommunities,
    FloatLogistic,
    IntegerCommunities,
    IntegerLogistic,
    SignPolynomials,
    by_degeneracy,
    by_overlap_threshold,
    certified,
    certify,
    load_exact,
)
from philia.exact.certified import KINDS, packed
from philia.exact.constructions import CONSTRUCTIONS as THEOREMS
from philia.exact.constructions import theorem_of
from philia.exceptions import InvalidParameterError, ModelFileError, NotExactError
from philia.graphs import Graph, Nodes, as_graph
from tests.exact.kinds import CONSTRUCTIONS, by_sign_changes_as_given, made, score_signs

REFUSED = (NotExactError, ModelFileError)
PAIR = as_graph([("ann", "bob")])
APART = Graph.from_rows(np.array([], dtype=int), np.array([], dtype=int), Nodes(["ann", "bob"]))
V = np.array([[1, 1, 2], [1, 2, 1]])
HONEST = IntegerCommunities(V, np.array([9, -2, -2]), "given")


def written(tmp_path: Path, graph: Graph = PAIR, found: Any = HONEST, **settings: Any) -> tuple[Path, dict[str, Any]]:
    place = tmp_path / "exact.json"
    certified(graph, found, **settings).save(place)
    return place, json.loads(place.read_text())


def refusal(place: Path, content: Any, graph: Graph = PAIR) -> str:
    """The error for a file with this content."""
    place.write_text(content if isinstance(content, str) else json.dumps(content))
    with pytest.raises(REFUSED, match=r"exact\.json: ") as error:
        load_exact(place).verify(graph)
    return str(error.value)


def test_an_honest_file_is_accepted(tmp_path: Path) -> None:
    place, _ = written(tmp_path)
    assert load_exact(place).verify(PAIR).columns == 3


@pytest.mark.parametrize("types", [("<i8", "<f8"), ("<f8", "<i8"), ("<i8", "<i8"), ("long", "<f8")])
def test_integers_in_place_of_floats_are_refused(types: tuple[str, str], tmp_path: Path) -> None:
    # 2^53 + 1 is not a float: rounded to 2^53, the score of two linked nodes would look negative.
    place, content = written(tmp_path, APART, FloatCommunities(np.array([[1.0], [1.0]]), np.array([[2.0], [2.0]])))
    matrices = [[2**53 + 1], [2**53 + 1]], [[2**53, 1], [2**53, 1]]
    for name, kind, matrix in zip(("homophilous", "heterophilous"), types, matrices, strict=True):
        dtype = {"<i8": np.int64, "<f8": np.float64, "long": object}[kind]
        content["arrays"][name] = packed(np.array(matrix, dtype=dtype)) | ({"type": kind} if kind != "<i8" else {})
    assert "factors must be 64-bit floats" in refusal(place, content, APART)


@pytest.mark.parametrize("kind", [np.int64, np.float32, np.float16, object])
def test_only_64_bit_floats_are_factors(kind: Any) -> None:
    ones = np.ones((2, 1))
    for first, second in ((ones.astype(kind), ones), (ones, ones.astype(kind))):
        with pytest.raises(InvalidParameterError, match="64-bit floats"):
            FloatLogistic(first, second)
        with pytest.raises(InvalidParameterError, match="64-bit floats"):
            FloatCommunities(first, second)


@pytest.mark.parametrize("kind", [np.int8, np.int16, np.int32, np.int64])
def test_short_integers_do_not_wrap_around(kind: Any) -> None:
    V, W = np.array([[100], [100]], dtype=kind), np.array([1], dtype=kind)
    assert IntegerCommunities(V, W, "given").signs(np.arange(2)).values.tolist() == [[1, 1], [1, 1]]
    assert IntegerLogistic(V, V, "given").signs(np.arange(2)).values.tolist() == [[1, 1], [1, 1]]


def test_unsigned_numbers_are_refused_because_numpy_mixes_them_with_signed_ones_as_floats() -> None:
    with pytest.raises(InvalidParameterError, match="memberships must be integers; found an array of uint64"):
        IntegerCommunities(np.ones((2, 1), dtype=np.uint64), np.array([-1]), "given")


@pytest.mark.parametrize("name", sorted(set(THEOREMS) - {"overlap threshold"}))
def test_a_borrowed_construction_name_quotes_no_theorem(name: str, tmp_path: Path) -> None:
    place, content = written(tmp_path, found=IntegerCommunities(V, np.array([9, -2, -2]), name))
    assert content["certificate"]["bound"] is None
    assert load_exact(place).verify(PAIR).theorem == "no bound is known beforehand"
    content["certificate"] |= {"bound": 9, "theorem": THEOREMS[name].theorem.statement}
    assert "the certificate says bound = 9 and None was found" in refusal(place, content)


def test_overlap_thresholds_are_recognized_by_form_not_by_name() -> None:
    rule = overlap_threshold(b=[[1, 0], [1, 1], [0, 1]], c=[[1], [0], [0]], threshold=1)
    found = by_overlap_threshold(rule)
    assert certify(rule.graph, found, loops=rule.loops).bound == 4
    karate = classic("karate")
    polynomials = by_sign_changes_as_given(karate)
    spoof = SignPolynomials(**polynomials.arrays(), construction="overlap threshold")
    assert certify(karate, spoof).bound is None
    for memberships, weights in (
        (2 * found.memberships, found.weights),
        (found.memberships, 3 * found.weights),
        (found.memberships, 2 * found.weights),
        (found.memberships[:, :-1], found.weights[:-1]),
    ):
        other = IntegerCommunities(memberships, weights, "overlap threshold")
        assert theorem_of(other, has_loops=True).statement == "no bound is known beforehand"


@pytest.mark.parametrize("construction", CONSTRUCTIONS)
def test_every_construction_has_the_form_of_its_theorem(construction: str) -> None:
    graph = made("middling", 12, seed=1)
    assert theorem_of(CONSTRUCTIONS[construction](graph)) is THEOREMS[construction].theorem


def test_theorems_about_graphs_without_loops_are_not_quoted_for_graphs_with_loops() -> None:
    parts = {"points": [1, 3], "starts": [0, 0, 0], "roots": [], "leading": [1, 1], "exponents": [0, 0]}
    arrays: dict[str, Any] = {name: np.array(part, dtype=int) for name, part in parts.items()}
    looped = SignPolynomials(**arrays, construction="sign changes")
    assert certify(PAIR, looped, loops=np.array([True, True])).bound is None


def test_loops_that_the_graph_lacks_are_accepted_only_on_request(tmp_path: Path) -> None:
    ones = IntegerCommunities(np.ones((2, 1), dtype=int), np.array([1]), "given")
    place, content = written(tmp_path, found=ones, loops=np.array([True, True]))
    assert "2 nodes count as linked with themselves here ('ann', 'bob')" in refusal(place, content)
    assert load_exact(place).verify(PAIR, loops=True).loops == 2


@pytest.mark.parametrize(
    "loops", [[], False, True, 0, [True], [0.0], ["0"], [0, 0], [1, 0], [-1], [2], [[0]], {}, "ann", [10**30]]
)
def test_loops_must_be_sorted_rows(loops: Any, tmp_path: Path) -> None:
    place, content = written(tmp_path)
    refusal(place, content | {"loops": loops})


def test_points_without_a_nonnegative_form_are_refused(tmp_path: Path) -> None:
    place, content = written(tmp_path, found=by_sign_changes_as_given(PAIR))
    content["arrays"] |= {"points": packed(np.array([-1, 3])), "roots": packed(np.array([1, 1]))}
    content["arrays"]["starts"] = packed(np.array([0, 1, 2]))
    assert "points must be positive" in refusal(place, content)


ODD: list[Any] = [None, True, -1, 1.5, "1", [], {}, [1], 10**400, -(10**400), "\ud800", "a\nb", "x" * 501]


@pytest.mark.parametrize("part", asdict(certify(PAIR, HONEST)))
def test_certificate_fields_of_the_wrong_type_are_refused(part: str, tmp_path: Path) -> None:
    place, content = written(tmp_path)
    right: dict[str, Any] = {"bound": None, "margin": None, "seconds": 1.5, "philia": "1"}
    for value in (value for value in ODD if part not in right or value != right[part]):
        refusal(place, content | {"certificate": content["certificate"] | {part: value}})


@pytest.mark.parametrize("part", ["philia exact", "kind", "construction", "nodes", "arrays", "certificate"])
def test_file_fields_of_the_wrong_type_are_refused(part: str, tmp_path: Path) -> None:
    place, content = written(tmp_path)
    for value in (*ODD, 0, 1.0, 2, ["ann", "ann"], ["ann", ["bob"]], ["ann", {}]):
        refusal(place, content | {part: value})


@pytest.mark.parametrize("field", ["type", "shape", "data"])
def test_arrays_of_the_wrong_type_or_shape_are_refused(field: str, tmp_path: Path) -> None:
    place, content = written(tmp_path)
    for value in (*ODD, [2.0, 3], [2, True], [2, -3], [6], [2, 3, 1], [2, 10**30], "<u8", "<i9", "|O"):
        content["arrays"]["memberships"][field] = value
        refusal(place, content)


@pytest.mark.parametrize("margin", [-1e300, -1023.0, 1e300, 0.5, None])
def test_impossible_margins_are_refused(margin: float | None, tmp_path: Path) -> None:
    floats = FloatCommunities(np.array([[1.0], [1.0]]), np.array([[1.5, 0.0], [0.0, 1.5]]))
    place, content = written(tmp_path, found=floats)
    assert content["certificate"]["margin"] > 10
    content["certificate"]["margin"] = margin
    refusal(place, content)


@pytest.mark.parametrize(
    ("once", "twice"),
    [
        ('"nodes": [', '"nodes": ["eve", "max"], "nodes": ['),
        ('"columns": 3', '"columns": 1, "columns": 3'),
        ('"shape": [', '"shape": [1], "shape": ['),
        ('"kind": ', '"kind": "Oracle", "kind": '),
    ],
)
def test_a_repeated_name_is_refused(once: str, twice: str, tmp_path: Path) -> None:
    place, content = written(tmp_path)
    text = json.dumps(content)
    assert once in text
    assert "more than once" in refusal(place, text.replace(once, twice, 1))


@pytest.mark.parametrize("where", ["", "certificate", "arrays", "memberships"])
def test_missing_and_unknown_fields_are_refused(where: str, tmp_path: Path) -> None:
    place, content = written(tmp_path)
    for too_much in (True, False):
        changed = json.loads(json.dumps(content))
        part = {"": changed, "memberships": changed["arrays"]["memberships"]}.get(where) or changed[where]
        if too_much:
            part["more"] = 1
        else:
            part.popitem()
        refusal(place, changed)


@pytest.mark.parametrize(
    "text", ["[" * 100_000, '{"a":' * 100_000, "NaN", '{"philia exact": Infinity}', "9" * 5000, "\ufeff{}"]
)
def test_text_that_breaks_parsers_is_refused(text: str, tmp_path: Path) -> None:
    refusal(tmp_path / "exact.json", text)
    (tmp_path / "exact.json").write_bytes(text.encode("utf-16"))
    with pytest.raises(ModelFileError, match=r"exact\.json"):
        load_exact(tmp_path / "exact.json")


def test_a_construction_that_does_not_match_its_kind_is_refused(tmp_path: Path) -> None:
    place, content = written(tmp_path, found=CONSTRUCTIONS["max degree, one-sided"](PAIR))
    assert "cannot be 'max degree'" in refusal(place, content | {"construction": "max degree"})


def _wrapped_around(count: int) -> list[int]:
    """Starts that never fall if differences may wrap around: compiled loops would read far beyond the roots."""
    return [0, 2**63 - 1, -(2**63), -1, count]


@pytest.mark.parametrize(
    ("kind", "changed"),
    [
        ("SignPolynomials", {"starts": np.array(_wrapped_around(4))}),
        ("OrientedSquares", {"starts": np.array(_wrapped_around(4))}),
        ("OrientedSquares", {"starts": np.array([], dtype=int)}),
        ("OrientedSquares", {"starts": np.array([0, 4], dtype=object)}),
        ("OrientedSquares", {"starts": np.array([[0, 4]])}),
        ("OrientedSquares", {"roots": np.array([1, 2, 3, 4], dtype=object)}),
        ("OrientedSquares", {"roots": np.array([[1, 2], [3, 4]])}),
        ("OrientedSquares", {"roots": np.array([1, 2, 3, 2**40])}),
        ("SignPolynomials", {"starts": np.array([0, 1, 2, 3, 4], dtype=object)}),
        ("SignPolynomials", {"points": np.array([2, 4, 6, 8], dtype=object)}),
        ("SignPolynomials", {"roots": np.array([3, 5, 7, 9], dtype=object)}),
        ("SignPolynomials", {"leading": np.array([1, 1, 1, 1], dtype=object)}),
        ("SignPolynomials", {"exponents": np.array([1, 1, 1, 1], dtype=object)}),
        ("SignPolynomials", {"exponents": np.array([0, 0, 0, -(2**63)])}),
        ("SignPolynomials", {"points": np.array([2, 4, 6, -(2**63)])}),
    ],
)
def test_arrays_that_are_unsafe_for_compiled_loops_are_refused(kind: str, changed: dict[str, Any]) -> None:
    four = np.array([0, 1, 2, 3, 4])
    arrays = {"starts": four, "roots": 2 * four[1:] + 1} | {
        name: value
        for name, value in {"points": 2 * four[1:], "leading": np.ones(4, int), "exponents": np.zeros(4, int)}.items()
        if kind == "SignPolynomials"
    }
    make, _ = KINDS[kind]
    make(construction="given", **arrays)
    with pytest.raises(InvalidParameterError):
        make(construction="given", **arrays | changed)


def test_mixed_long_and_short_numbers_are_refused(tmp_path: Path) -> None:
    place, content = written(tmp_path, found=by_degeneracy(PAIR))
    assert content["arrays"]["points"]["type"] == content["arrays"]["roots"]["type"] == "long"
    content["arrays"]["roots"] = packed(np.array([int(root) for root in by_degeneracy(PAIR).roots]))
    assert "both be 64-bit integers or both Python integers" in refusal(place, content)


@pytest.mark.parametrize(
    "digits", ["1,2", "0x1,0X2", "0x1, 0x2", "+0x1,0x2", "0x1,0x_2", "0x1", "0x1,0x2,0x3", "", ","]
)
def test_long_numbers_have_only_one_spelling(digits: str, tmp_path: Path) -> None:
    place, content = written(tmp_path, found=by_degeneracy(PAIR))
    data = base64.b64encode(zlib.compress(digits.encode())).decode()
    content["arrays"]["points"] = {"type": "long", "shape": [2], "data": data}
    refusal(place, content)


@cache
def _zeros(megabytes: int) -> str:
    compressor = zlib.compressobj(9)
    parts = [compressor.compress(bytes(1 << 20)) for _ in range(megabytes)]
    return base64.b64encode(b"".join([*parts, compressor.flush()])).decode()


@pytest.mark.parametrize(
    ("kind", "shape", "said"),
    [
        ("<i8", [2, 3], "more numbers than its shape says"),
        ("<i8", [2, 2**25], "too large for a file of this size"),
        ("<i1", [2, 2**28], "too large for a file of this size"),
        ("long", [2, 3], "more digits than memory allows"),
        ("long", [2, 2**28], "too large for a file of this size"),
    ],
)
def test_decompression_bombs_in_arrays_are_refused_before_they_take_memory(
    kind: str, shape: list[int], said: str, tmp_path: Path
) -> None:
    place, content = written(tmp_path)
    content["arrays"]["memberships"] = {"type": kind, "shape": shape, "data": _zeros(512)}
    place.write_text(json.dumps(content))
    tracemalloc.start()
    try:
        assert said in refusal(place, content)
        assert tracemalloc.get_traced_memory()[1] < 400 * 2**20
    finally:
        tracemalloc.stop()


def test_decompression_bombs_as_files_are_refused(tmp_path: Path) -> None:
    (tmp_path / "exact.json.gz").write_bytes(gzip.compress(b" " * (64 << 20)))
    with pytest.raises(ModelFileError, match=r"exact\.json\.gz: the compressed file unpacks to more than"):
        load_exact(tmp_path / "exact.json.gz")


@pytest.mark.parametrize(
    "change", [lambda data: data[:-4], lambda data: data + b"more", lambda data: b"", lambda data: data[1:]]
)
def test_truncated_or_extended_compressed_data_is_refused(change: Callable[[bytes], bytes], tmp_path: Path) -> None:
    place, content = written(tmp_path)
    kept = content["arrays"]["memberships"]
    kept["data"] = base64.b64encode(change(base64.b64decode(kept["data"]))).decode()
    refusal(place, content)


def test_a_file_is_loaded_only_if_its_certificate_matches_its_numbers(tmp_path: Path) -> None:
    place, content = written(tmp_path)
    content["arrays"]["weights"] = packed(np.array([11, -2, -3]))
    place.write_text(json.dumps(content))
    with pytest.raises(NotExactError, match=r"exact\.json: the certificate says representation = "):
        load_exact(place)


def test_a_score_of_zero_is_neither_a_link_nor_a_non_link() -> None:
    nothing = FloatLogistic(np.zeros((2, 1)), np.zeros((2, 1)))
    for graph in (PAIR, APART):
        with pytest.raises(NotExactError, match="is zero"):
            certify(graph, nothing)


def test_few_nodes_at_distant_points_need_no_large_table() -> None:
    far = 2**24 - 1
    parts = {"points": [2, 8, far - 1], "starts": [0, 2, 3, 5], "roots": [3, far, 5, 3, 7]}
    parts |= {"leading": [-1, 1, -1], "exponents": [0, 23, 1]}
    arrays: dict[str, Any] = {name: np.array(part) for name, part in parts.items()}
    found = SignPolynomials(**arrays)
    began = time.perf_counter()
    (verdict,) = found.verdicts(sparse.csr_array((score_signs(found) > 0).astype(float)))
    assert time.perf_counter() - began < 5
    assert verdict.wrong is None
    assert verdict.margin < 24

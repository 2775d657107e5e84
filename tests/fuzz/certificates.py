"""Mutated certificates, judged by an oracle that shares no code with philia: integers, fractions, all pairs."""

from __future__ import annotations

import base64
import gzip
import json
import struct
import zlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from fractions import Fraction
from functools import cache
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from philia import exact
from philia.datasets import overlap_threshold
from philia.exact import Certified, certified, load_exact
from philia.exact.certificate import facts_of
from philia.exact.certified import KINDS, packed, unpacked
from philia.exact.constructions import CONSTRUCTIONS, theorem_of
from philia.exceptions import NotExactError, PhiliaError
from philia.factors import rational
from philia.graphs import Graph, Nodes
from tests.fuzz.harness import Target, shuffled_bytes

Content = dict[str, Any]
NAMES = ["ann", "bob", 3, 4.5, True, None, "7", "ä\n"]
ENDS = np.array([0, 0, 1, 2, 3, 4, 5, 6, 0]), np.array([1, 2, 2, 3, 4, 5, 6, 4, 7])
PLAIN = Graph.from_rows(ENDS[0], ENDS[1], Nodes(NAMES))
RULE = overlap_threshold(b=[[1, 0], [1, 1], [0, 1], [0, 0]], c=[[1], [0], [0], [1]], threshold=1)
GRAPHS = {"plain": PLAIN, "rule": RULE.graph}


def made() -> dict[str, Certified]:
    """A certificate of every kind and construction, by the name of its file, which begins with that of its graph."""
    line = exact.eliminated(PLAIN, np.arange(PLAIN.n_nodes))
    changes, squares = exact.by_sign_changes(PLAIN, line), exact.by_arboricity(PLAIN)
    found: dict[str, Any] = {
        "plain-sign-changes": changes,
        "plain-degeneracy": exact.by_degeneracy(PLAIN),
        "plain-levels": exact.by_levels(PLAIN),
        "plain-max-degree": exact.by_max_degree(PLAIN),
        "plain-one-sided": exact.by_max_degree_one_sided(PLAIN),
        "plain-arboricity": squares,
        "plain-as-printed": exact.by_arboricity_as_printed(PLAIN),
        "plain-communities": changes.communities(),
        "plain-logistic": squares.logistic(),
        "plain-floats": exact.FloatCommunities(*rational(*(side * 1.0 for side in _signs_as_factors(PLAIN)))),
        "plain-short": exact.IntegerLogistic(*_signs_as_factors(PLAIN), construction="given"),
    }
    done = {name: certified(PLAIN, representation) for name, representation in found.items()}
    circle, fitted = exact.by_circle(PLAIN), exact.fit_exact(PLAIN, 6)
    assert circle is not None
    assert fitted is not None
    done |= {"plain-circle": circle, "plain-fitted": fitted.certified}
    return done | {"rule-overlap": certified(RULE.graph, exact.by_overlap_threshold(RULE), loops=RULE.loops)}


def _signs_as_factors(graph: Graph) -> tuple[Any, Any]:
    return 2 * graph.adjacency.toarray().astype(np.int64) - 1, np.eye(graph.n_nodes, dtype=np.int64)


def examples(folder: Path) -> Sequence[Path]:
    for name, one in made().items():
        one.save(folder / f"{name}.json")
    made()["plain-levels"].save(folder / "plain-levels-compressed.json.gz")
    return sorted(folder.glob("*.json*"))


def read(path: Path) -> str:
    """Verify a file as philia does; the oracle must accept what philia accepts, and deny signs that philia denies."""
    graph = GRAPHS[path.name.removeprefix("input-").partition("-")[0]]
    text = path.read_bytes()
    text = gzip.decompress(text) if text.startswith(b"\x1f\x8b") else text
    found = load_exact(path)
    try:
        found.verify(graph, loops=True)
    except NotExactError as error:
        if "the score of" in str(error) and not str(falsehood(text, graph)).startswith("the sign of"):
            raise AssertionError(f"{error}, but the oracle finds no wrong sign") from error
        raise
    if found.loops is not None:
        try:
            found.verify(graph)
        except PhiliaError:
            pass
        else:
            raise AssertionError("loops were accepted without being asked for")
    reason = falsehood(text, graph)
    assert reason is None, reason
    return "accepted"


# The oracle. Nothing above or below is used by it, and nothing of philia but the names and links of the graph.


def falsehood(text: bytes, graph: Graph) -> str | None:
    """What is not true in a certificate for a graph, or None if all of it is."""
    content = json.loads(text, object_pairs_hook=_each_once)
    arrays = {name: _numbers(kept) for name, kept in content["arrays"].items()}
    names, claimed, kind = content["nodes"], content["certificate"], content["kind"]
    n, loops = len(names), set(content["loops"] or ())
    if sorted(map(repr, names)) != sorted(map(repr, graph.nodes)):
        return "other nodes"
    linked = {frozenset((repr(graph.nodes[u]), repr(graph.nodes[v]))) for u, v in zip(*graph.links, strict=True)}
    for u in range(n):
        for v in range(n):
            is_linked = u in loops if u == v else frozenset((repr(names[u]), repr(names[v]))) in linked
            if _sign(kind, arrays, u, v) != (1 if is_linked else -1):
                return f"the sign of {names[u]!r} and {names[v]!r}"
    if (claimed["nodes"], claimed["links"], claimed["loops"]) != (n, len(linked), len(loops)):
        return "the numbers of nodes, links or loops"
    if any(entry < 0 for name in ("memberships", "homophilous", "heterophilous") for entry in _flat(arrays.get(name))):
        return "a negative membership"
    if claimed["columns"] < _columns(kind, arrays):
        return f"{claimed['columns']} columns instead of {_columns(kind, arrays)}"
    if claimed["bound"] is not None and not _is_form(content["construction"], kind, arrays, loops):
        return f"a theorem about {content['construction']!r} for other numbers"
    return None


def _each_once(pairs: list[tuple[str, Any]]) -> Content:
    assert len(pairs) == len({name for name, _ in pairs}), "a name is there twice"
    return dict(pairs)


def _numbers(kept: Mapping[str, Any]) -> list[Any]:
    """An array as a list, or as a list of rows, of integers or fractions."""
    data, kind, shape = zlib.decompress(base64.b64decode(kept["data"])), kept["type"], kept["shape"]
    flat: list[Any]
    if kind == "long":
        flat = [int(digits, 16) for digits in data.decode().split(",") if digits]
    elif kind == "<f8":
        flat = [Fraction(number) for (number,) in struct.iter_unpack("<d", data)]
    else:
        size = int(kind[2:])
        flat = [int.from_bytes(data[at : at + size], "little", signed=True) for at in range(0, len(data), size)]
    assert len(flat) == prod(shape)
    return flat if len(shape) == 1 else [flat[row * shape[1] : (row + 1) * shape[1]] for row in range(shape[0])]


def _sign(kind: str, arrays: Mapping[str, Any], u: int, v: int) -> int:
    match kind:
        case "SignPolynomials":
            return _sign_of_sum(_value(arrays, v, u), _value(arrays, u, v))
        case "OneSidedPolynomials":
            return _sign_of_sum(_value(arrays, v, u), (0, 0))
        case "OrientedSquares":
            own, theirs = (prod((at + 1 - root) ** 2 for root in _roots(arrays, of)) for at, of in ((u, v), (v, u)))
            score = 1 - 2 * own * theirs
        case "IntegerCommunities":
            V, W = arrays["memberships"], arrays["weights"]
            score = sum(x * w * y for x, w, y in zip(V[u], W, V[v], strict=True))
        case "FloatCommunities":
            B, C = arrays["homophilous"], arrays["heterophilous"]
            score = sum(x * y for x, y in zip(B[u], B[v], strict=True))
            score -= sum(x * y for x, y in zip(C[u], C[v], strict=True))
        case _:
            score = sum(x * y for x, y in zip(arrays["left"][u], arrays["right"][v], strict=True))
    return (score > 0) - (score < 0)


def _roots(arrays: Mapping[str, Any], v: int) -> list[int]:
    found: list[int] = arrays["roots"][arrays["starts"][v] : arrays["starts"][v + 1]]
    return found


def _value(arrays: Mapping[str, Any], v: int, u: int) -> tuple[int, int]:
    """f_v at the point of u, and the exponent of its weight."""
    at = arrays["points"][u]
    return arrays["leading"][v] * prod(at - root for root in _roots(arrays, v)), arrays["exponents"][v]


def _sign_of_sum(one: tuple[int, int], other: tuple[int, int]) -> int:
    """The sign of a 2^e + b 2^f. Exponents may be too large to be written out."""
    (a, e), (b, f) = one, other
    if a * b >= 0:
        return (a + b > 0) - (a + b < 0)
    ahead = abs(a).bit_length() + e - abs(b).bit_length() - f
    larger = a if ahead > 0 else b
    decides = larger if abs(ahead) > 1 else (a << max(e - f, 0)) + (b << max(f - e, 0))
    return (decides > 0) - (decides < 0)


def _columns(kind: str, arrays: Mapping[str, Any]) -> int:
    """How many columns the numbers stand for."""
    if "starts" not in arrays:
        return sum(len(arrays[name][0]) for name in arrays if name not in ("weights", "right"))
    counts = [after - before for before, after in zip(arrays["starts"], arrays["starts"][1:], strict=False)]
    degree = int(max(counts))
    if kind == "OrientedSquares":
        return (2 * degree + 1) ** 2 + (len(set(counts)) > 1)
    if kind == "OneSidedPolynomials":
        return degree + 1
    constants = set()
    for v in range(len(counts)):
        term, exponent = arrays["leading"][v] * prod(-root for root in _roots(arrays, v)), arrays["exponents"][v]
        while term and term % 2 == 0:
            term, exponent = term // 2, exponent + 1
        constants.add((term, exponent if term else 0))
    return 2 * degree + (1 if len(constants) == 1 else 2)


def _is_form(construction: str, kind: str, arrays: Mapping[str, Any], loops: set[int]) -> bool:
    if construction == "overlap threshold":
        V, W = arrays.get("memberships", [[2]]), arrays.get("weights", [0])
        binary = all(entry in (0, 1) for entry in _flat(V)) and all(row[-1] == 1 for row in V)
        return binary and all(abs(w) == 2 for w in W[:-1]) and W[-1] % 2 == 1
    kinds = {"circle": "FloatLogistic", "max degree, one-sided": "OneSidedPolynomials"}
    kinds |= dict.fromkeys(("arboricity", "arboricity as printed"), "OrientedSquares")
    kinds |= dict.fromkeys(("sign changes", "degeneracy", "levels", "max degree"), "SignPolynomials")
    return not loops and kinds.get(construction) == kind


def _flat(rows: Any) -> list[Any]:
    return [entry for row in rows or () for entry in (row if isinstance(row, list) else [row])]


# The mutations.

VALUES: Sequence[Any] = (
    *(None, True, False, 0, 1, -1, 2, 1.0, 34.0, -5, 2**53 + 1, 2**63, -(2**63), 10**30, 1e300, -1e300, 0.5),
    *("", "7", "ann", "levels", "overlap threshold", "arboricity", "\ud800", [], [0], [1, 0], [True], {}, [[]]),
)
NUMBERS = (0, 1, -1, 2, 3, 5, 127, 2**24, 2**31, 2**32, 2**53, 2**53 + 1, 2**60 + 100, 2**62, 2**63 - 1, -(2**63))


def mutate(text: bytes, rng: np.random.Generator) -> bytes:
    """A changed file: bytes at random, or a change that knows the format, often with a certificate made to fit it."""
    if text.startswith(b"\x1f\x8b"):
        return gzip.compress(mutate(gzip.decompress(text), rng), mtime=0)
    if rng.random() < 0.25:
        return shuffled_bytes(text, rng)
    content = json.loads(text)
    for _ in range(int(rng.choice([1, 1, 1, 2, 3]))):
        with suppress(Exception):  # an earlier change may have left nothing for this one
            MUTATIONS[int(rng.integers(len(MUTATIONS)))](content, rng)
    if rng.random() < 0.75:
        with suppress(Exception):  # of some changes no certificate can be made
            _forge(content)
    changed = json.dumps(content)
    if rng.random() < 0.1:
        changed = _with_a_name_twice(changed, rng)
    return changed.encode("utf-8", "surrogatepass")


def _pick(rng: np.random.Generator, choices: Sequence[Any]) -> Any:
    return choices[int(rng.integers(len(choices)))]


def _array(content: Content, rng: np.random.Generator) -> tuple[str, Any]:
    """The name of an array, and the array."""
    name = _pick(rng, sorted(content["arrays"]))
    return name, unpacked(content["arrays"][name]).copy()


def _number(content: Content, rng: np.random.Generator) -> None:
    name, array = _array(content, rng)
    for _ in range(int(rng.choice([1, 1, 2, 5]))):
        at = tuple(int(rng.integers(length)) for length in array.shape)
        step = int(rng.choice([-16, -2, -1, 1, 2, 16]))
        before = array[at]
        value = _pick(rng, [before + step if abs(before) < 2**62 else step, -before, 2 * before, _pick(rng, NUMBERS)])
        array[at] = value if array.dtype != np.int64 or -(2**63) <= value < 2**63 else 0
    content["arrays"][name] = packed(array)


def _scaled(content: Content, rng: np.random.Generator) -> None:
    name, array = _array(content, rng)
    factor, more = 2 ** int(rng.integers(1, 58)), int(rng.integers(-1, 2))
    if array.dtype == np.float64:
        scaled = array * float(factor) + more
    else:
        scaled = np.array([int(x) * factor + more for x in array.flat], dtype=object).reshape(array.shape)
    content["arrays"][name] = packed(scaled)


def _retyped(content: Content, rng: np.random.Generator) -> None:
    """The same numbers, as far as they go, in another type."""
    name, array = _array(content, rng)
    whole = [int(x) for x in array.flat]
    match int(rng.integers(4)):
        case 0:
            retyped = np.array(whole, dtype=object)
        case 1:
            retyped = np.array([min(max(x, -(2**63)), 2**63 - 1) for x in whole], dtype=np.int64)
        case 2:
            retyped = np.array([float(min(max(x, -(10**300)), 10**300)) for x in whole])
        case _:
            content["arrays"][name]["type"] = _pick(rng, ["<i1", "<i2", "<i4", "<i8", "<f8", "long", "<u8", "|O"])
            return
    content["arrays"][name] = packed(retyped.reshape(array.shape))


def _cancelled(content: Content, rng: np.random.Generator) -> None:
    """Two more columns, whole numbers and floats, that cancel only if whole numbers are rounded to floats."""
    first, second = (name for name in KINDS[content["kind"]][1] if name != "weights")
    matrices = [np.round(unpacked(content["arrays"][name]) * 2.0**20) for name in (first, second)]
    kinds = [_pick(rng, [np.int64, np.float64]) for _ in matrices]
    for name, matrix, kind, entry in zip((first, second), matrices, kinds, (2**53 + 1, 2**53), strict=True):
        more = np.full((len(matrix), 1), entry, dtype=kind)
        content["arrays"][name] = packed(np.hstack([matrix.astype(kind), more]))


def _reshaped(content: Content, rng: np.random.Generator) -> None:
    kept = content["arrays"][_pick(rng, sorted(content["arrays"]))]
    shape = kept["shape"]
    kept["shape"] = _pick(
        rng,
        [shape[::-1], [*shape, 1], [1, *shape], shape[:-1], [prod(shape)], [*shape[:-1], 10**9], _pick(rng, VALUES)],
    )


def _resliced(content: Content, rng: np.random.Generator) -> None:
    """A row, a column or an entry more or less."""
    name, array = _array(content, rng)
    axis = int(rng.integers(array.ndim))
    at = int(rng.integers(array.shape[axis]))
    grown = np.insert(array, at, array.take(at, axis), axis)
    content["arrays"][name] = packed(_pick(rng, [grown, np.delete(array, at, axis)]))


def _recoded(content: Content, rng: np.random.Generator) -> None:
    """The same bytes compressed in another way, cut off, or followed by others."""
    kept = content["arrays"][_pick(rng, sorted(content["arrays"]))]
    data = zlib.decompress(base64.b64decode(kept["data"]))
    best = zlib.compress(data, 9)
    changed = _pick(rng, [zlib.compress(data, 0), zlib.compress(data, 1), best[:-1], best + b"\0", data, best + best])
    kept["data"] = base64.b64encode(changed).decode()


def _permuted(content: Content, rng: np.random.Generator) -> None:
    """Rows in another order: nothing is wrong then if the names go with them."""
    order = rng.permutation(len(content["nodes"]))
    names = sorted(content["arrays"]) if rng.random() < 0.7 else [_pick(rng, sorted(content["arrays"]))]
    for name in names:
        array = unpacked(content["arrays"][name])
        if len(array) == order.size:
            content["arrays"][name] = packed(array[order])
    if rng.random() < 0.7:
        content["nodes"] = [content["nodes"][row] for row in order]


def _swapped(content: Content, rng: np.random.Generator) -> None:
    whole = _pick(rng, [content, content["certificate"], content["arrays"]])
    one, other = rng.choice(sorted(whole), 2, replace=False)
    whole[one], whole[other] = whole[other], whole[one]


def _set(content: Content, rng: np.random.Generator) -> None:
    whole = _pick(rng, [content, content["certificate"], content["certificate"], content["arrays"]])
    whole[str(rng.choice(sorted(whole)))] = _pick(rng, VALUES)


def _removed(content: Content, rng: np.random.Generator) -> None:
    whole = _pick(rng, [content, content["certificate"], content["arrays"]])
    name = str(rng.choice(sorted(whole)))
    value = whole.pop(name)
    if rng.random() < 0.5:
        whole[f"{name} "] = value


def _renamed(content: Content, rng: np.random.Generator) -> None:
    """Another construction, or another kind with the same arrays."""
    if rng.random() < 0.6:
        content["construction"] = _pick(rng, [*sorted(CONSTRUCTIONS), "given", "fitted", "levels, one-sided"])
    else:
        content["kind"] = _pick(rng, sorted(KINDS))


def _named(content: Content, rng: np.random.Generator) -> None:
    nodes = content["nodes"]
    one, other = (int(row) for row in rng.choice(len(nodes), 2, replace=False))
    match int(rng.integers(4)):
        case 0:
            nodes[one], nodes[other] = nodes[other], nodes[one]
        case 1:
            nodes[one] = nodes[other]
        case 2:
            nodes[one] = _pick(rng, [str(nodes[one]), 1, 1.0, True, 3.0, "3", None, 7, [], {}, float(2**53)])
        case _:
            nodes.insert(other, "zoe")


def _looped(content: Content, rng: np.random.Generator) -> None:
    rows = sorted(int(row) for row in rng.choice(8, int(rng.integers(0, 4)), replace=False))
    content["loops"] = _pick(rng, [rows, rows[::-1], None, [*rows, *rows], list(range(len(content["nodes"])))])


MUTATIONS: Sequence[Callable[[Content, np.random.Generator], None]] = (
    *(_number, _number, _number, _scaled, _retyped, _cancelled, _cancelled, _reshaped, _resliced, _recoded),
    *(_permuted, _swapped, _set, _removed, _renamed, _named, _looped),
)


def _forge(content: Content) -> None:
    """Let the certificate say what philia would say of the changed numbers, so that only the proof can refuse them."""
    make, parts = KINDS[content["kind"]]
    arrays = {name: unpacked(content["arrays"][name]) for name in parts}
    representation = make(construction=content["construction"], **arrays)
    n, rows = representation.n_nodes, content["loops"]
    loops = None if rows is None else np.isin(np.arange(n), rows)
    facts = facts_of(representation, loops)
    theorem, graph = theorem_of(representation, has_loops=loops is not None), GRAPHS["plain" if n > 4 else "rule"]
    margin = min(verdict.margin for verdict in representation.verdicts(graph.adjacency))
    diagonal = "the diagonal included" if loops is None else f"with loops at {len(rows):,} nodes"
    claim = f"the signs of all {n * n:,} scores are those of the graph, {diagonal}"
    bound, statement = theorem.bound(graph, representation), theorem.statement
    said = {"claim": claim, "bound": bound, "theorem": statement, "margin": None if margin == np.inf else margin}
    content["certificate"] = asdict(_honest(n).certificate) | facts | said


@cache
def _honest(n: int) -> Certified:
    return made()["plain-levels" if n > 4 else "rule-overlap"]


def _with_a_name_twice(text: str, rng: np.random.Generator) -> str:
    """One of the names a second time, with another value."""
    names = ["nodes", "columns", "kind", "construction", "shape", "type", "data", "links", "arrays", "certificate"]
    name = f'"{_pick(rng, names)}": '
    before, found, after = text.partition(name)
    return f"{before}{name}{json.dumps(_pick(rng, VALUES))}, {found}{after}" if found else text


TARGET = Target("certificates", examples, read, mutate)

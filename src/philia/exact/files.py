"""Exact representations in files: text that holds every number without loss, written whole or not at all."""

from __future__ import annotations

import base64
import json
import os
import zlib
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

import numpy as np

from philia.exact.arboricity import OrientedSquares
from philia.exact.certificate import Certificate
from philia.exact.certified import Certified
from philia.exact.floats import FloatCommunities, FloatLogistic
from philia.exact.integers import IntegerCommunities, IntegerLogistic
from philia.exact.one_sided import OneSidedPolynomials
from philia.exact.polynomials import SignPolynomials
from philia.exact.representation import Integers, Representation
from philia.exceptions import GraphFileError, InvalidGraphError, InvalidParameterError, ModelFileError
from philia.graphs import Nodes
from philia.graphs.files.compression import opened
from philia.graphs.files.saving import saving

FORMAT = 1
"""Raised by one whenever an older philia could misread a newer file."""

_ONE_SIDED = ", one-sided"


def _one_sided(construction: str, **arrays: Any) -> OneSidedPolynomials:
    return OneSidedPolynomials(SignPolynomials(construction=construction.removesuffix(_ONE_SIDED), **arrays))


KINDS: dict[str, Callable[..., Representation]] = {
    "SignPolynomials": SignPolynomials,
    "OneSidedPolynomials": _one_sided,
    "OrientedSquares": OrientedSquares,
    "IntegerCommunities": IntegerCommunities,
    "IntegerLogistic": IntegerLogistic,
    "FloatCommunities": FloatCommunities,
    "FloatLogistic": FloatLogistic,
}
"""How each kind of representation is made from its construction and its arrays, by name."""


def write_exact(path: str | os.PathLike[str], certified: Certified) -> None:
    """Write a certified representation as JSON; node names must be text, numbers, booleans or None."""
    for name in certified.nodes:
        if type(name) not in (str, int, float, bool, type(None)):
            raise InvalidGraphError(
                f"the node name {name!r} is a {type(name).__name__}, which a file cannot keep; "
                "name nodes by text or numbers, for example graph.renamed(Nodes(map(str, graph.nodes)))"
            )
    representation, loops = certified.representation, certified.loops
    content = {
        "philia exact": FORMAT,
        "certificate": asdict(certified.certificate),
        "kind": type(representation).__name__,
        "construction": representation.construction,
        "nodes": list(certified.nodes),
        "loops": None if loops is None else np.flatnonzero(loops).tolist(),
        "arrays": {name: packed(array) for name, array in representation.arrays().items()},
    }
    with saving(path) as file:
        file.write(json.dumps(content, ensure_ascii=False, indent=1).encode())


def load_exact(path: str | os.PathLike[str]) -> Certified:
    """The certified representation in a file; call its ``verify(graph)`` before you believe it.

    >>> import tempfile, pathlib
    >>> from philia.datasets import classic
    >>> from philia.exact import by_sign_changes, certified
    >>> karate = classic("karate")
    >>> place = pathlib.Path(tempfile.mkdtemp()) / "karate.json"
    >>> certified(karate, by_sign_changes(karate)).save(place)
    >>> load_exact(place).verify(karate).nodes
    34
    """
    try:
        with opened(path) as source:
            content = json.loads(source.stream.read())
        if content["philia exact"] > FORMAT:
            raise ModelFileError(f"{str(path)!r} was written by a newer philia; upgrade philia to read it")
        return _certified(content)
    except (AttributeError, KeyError, IndexError, TypeError, ValueError, OverflowError, zlib.error) as error:
        if isinstance(error, (GraphFileError, ModelFileError)):
            raise
        raise ModelFileError(
            f"{str(path)!r} is not a readable exact representation ({error}); write it again with .save(path)"
        ) from error


def _certified(content: Mapping[str, Any]) -> Certified:
    arrays = {name: unpacked(array) for name, array in content["arrays"].items()}
    representation = KINDS[content["kind"]](construction=content["construction"], **arrays)
    nodes = Nodes(content["nodes"])
    nodes.check_unique()
    loops = None
    if content["loops"] is not None:
        loops = np.zeros(len(nodes), dtype=bool)
        loops[content["loops"]] = True
    return Certified(representation, Certificate(**content["certificate"]), nodes, loops)


def packed(array: Integers) -> dict[str, Any]:
    """An array as JSON: its bytes, compressed, or, if its numbers are long, their digits to the base 16, compressed.

    >>> unpacked(packed(np.array([[1, -2], [1 << 99, 0]], dtype=object))).tolist() == [[1, -2], [1 << 99, 0]]
    True
    """
    if array.dtype == object:
        kind, content = "long", ",".join(map(hex, array.ravel())).encode()
    elif array.dtype.kind == "f":
        kind, content = "<f8", array.astype("<f8").tobytes()
    else:
        kind = f"<i{np.result_type(*(np.min_scalar_type(-abs(int(end)) - 1) for end in _ends(array))).itemsize}"
        content = array.astype(kind).tobytes()
    return {"type": kind, "shape": list(array.shape), "data": base64.b64encode(zlib.compress(content, 9)).decode()}


def unpacked(kept: Mapping[str, Any]) -> Integers:
    """The array that was packed; whole numbers come back with 64 bits, long ones as Python's integers."""
    content = zlib.decompress(base64.b64decode(kept["data"], validate=True))
    if kept["type"] == "long":
        numbers = np.empty(content.count(b",") + 1 if content else 0, dtype=object)
        numbers[:] = [int(digits, 16) for digits in content.decode().split(",")] if content else []
        return numbers.reshape(kept["shape"])
    if kept["type"] not in ("<i1", "<i2", "<i4", "<i8", "<f8"):
        raise InvalidParameterError(f"the array type {kept['type']!r} is unknown; the file was not written by philia")
    wide = np.float64 if kept["type"] == "<f8" else np.int64
    return np.frombuffer(content, dtype=kept["type"]).astype(wide).reshape(kept["shape"])


def _ends(array: Integers) -> tuple[int, int]:
    return int(array.min(initial=0)), int(array.max(initial=0))

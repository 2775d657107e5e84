"""Exact representations in files: text that holds every number without loss, written whole or not at all.

A file may come from anyone. Every field is checked for its type and range before it is used, unknown and repeated
fields are refused, and no array is unpacked before it is known to fit into a budget that grows with the file's size.
docs/exact.md describes the format.
"""

from __future__ import annotations

import base64
import json
import os
import re
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, fields
from itertools import pairwise
from math import isfinite, prod
from typing import Any

import numpy as np

from philia._types import BoolArray
from philia.exact.arboricity import OrientedSquares
from philia.exact.certificate import Certificate
from philia.exact.certified import Certified
from philia.exact.floats import FloatCommunities, FloatLogistic
from philia.exact.integers import IntegerCommunities, IntegerLogistic
from philia.exact.one_sided import OneSidedPolynomials
from philia.exact.polynomials import SignPolynomials
from philia.exact.representation import Integers, Representation, check_construction
from philia.exceptions import (
    InvalidGraphError,
    InvalidParameterError,
    ModelFileError,
    NotEnoughMemoryError,
    NotExactError,
    PhiliaError,
)
from philia.graphs import Nodes
from philia.storage import Source, opened, require_memory, saving

FORMAT = 1
"""Raised by one whenever an older philia could misread a newer file."""

_ONE_SIDED = ", one-sided"

_TEXT = 16 << 20, 16
"""The most text in a file: this many bytes, and this many for each byte that the file has on the disk."""

_MEMORY = 256 << 20, 128
"""The most memory for arrays, counted in the same way: 1 MB of zeros, compressed, would else unpack to 1 GB."""

_BYTES = {"<i1": 64, "<i2": 64, "<i4": 64, "<i8": 64, "<f8": 128, "long": 64}
"""Memory counted for one number of each type, with the copies that deciding signs may make of it."""

_PER_DIGIT = 2
"""Memory counted for each digit of long numbers, beside the above."""

_HEXADECIMAL = re.compile(rb"-?0x[0-9a-f]+(?:,-?0x[0-9a-f]+)*")


def _one_sided(construction: str, **arrays: Any) -> OneSidedPolynomials:
    return OneSidedPolynomials(SignPolynomials(construction=construction.removesuffix(_ONE_SIDED), **arrays))


KINDS: dict[str, tuple[Callable[..., Representation], tuple[str, ...]]] = {
    "SignPolynomials": (SignPolynomials, ("points", "starts", "roots", "leading", "exponents")),
    "OneSidedPolynomials": (_one_sided, ("points", "starts", "roots", "leading", "exponents")),
    "OrientedSquares": (OrientedSquares, ("starts", "roots")),
    "IntegerCommunities": (IntegerCommunities, ("memberships", "weights")),
    "IntegerLogistic": (IntegerLogistic, ("left", "right")),
    "FloatCommunities": (FloatCommunities, ("homophilous", "heterophilous")),
    "FloatLogistic": (FloatLogistic, ("left", "right")),
}
"""How each kind of representation is made from its construction and its arrays, and the names of these arrays."""


def write_exact(path: str | os.PathLike[str], certified: Certified) -> None:
    """Write a certified representation as JSON; node names must be text, numbers, booleans or None."""
    for name in certified.nodes:
        if not _is_name(name):
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
    text = json.dumps(content, ensure_ascii=False, indent=1).encode()
    # Compressed as .xz it may have half of its length on the disk, and must still be readable.
    if sum(map(_memory_of, representation.arrays().values())) > _bounded(_MEMORY, len(text) // 2):
        raise InvalidParameterError(
            "these numbers are too many, or too long, for a file that anyone can read; use another construction"
        )
    with saving(path) as file:
        file.write(text)


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
    with opened(path) as source:
        text, size = _read(source), source.size
    with _naming(path):
        return _certified(_parsed(text), size, os.fspath(path))


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


def unpacked(kept: Any, most: int = _MEMORY[0]) -> Integers:
    """The array that was packed; whole numbers come back with 64 bits, long ones as Python's integers.

    ``most`` is the memory it may take, in bytes. Nothing is unpacked before the shape is known to fit into it, and
    never more than the shape says.
    """
    kind, shape, data = _fields(kept, ("type", "shape", "data"), "an array")
    if type(kind) is not str or kind not in _BYTES:
        raise ModelFileError(f"an array has the type {kind!r}; known are {', '.join(_BYTES)}")
    if type(shape) is not list or len(shape) not in (1, 2) or not all(_is_count(length) for length in shape):
        raise ModelFileError(f"an array has the shape {str(shape)[:100]}; it must be one or two numbers from 0 to 2^40")
    if type(data) is not str:
        raise ModelFileError("the data of an array must be text in base64")
    count = prod(shape)
    if count * _BYTES[kind] > most:
        raise ModelFileError(f"an array of shape {shape} is too large for a file of this size")
    require_memory(count * _BYTES[kind], f"an array of shape {shape}")
    compressed = base64.b64decode(data, validate=True)
    if kind == "long":
        return _long_numbers(_inflated(compressed, (most - count * _BYTES[kind]) // _PER_DIGIT), count).reshape(shape)
    content = _inflated(compressed, count * int(kind[2:]))
    wide = np.float64 if kind == "<f8" else np.int64
    return np.frombuffer(content, dtype=kind).astype(wide).reshape(shape)


def _certified(content: Any, size: int, source: str) -> Certified:
    names = ("philia exact", "certificate", "kind", "construction", "nodes", "loops", "arrays")
    if type(content) is dict and type(version := content.get("philia exact")) is int and version > FORMAT:
        raise ModelFileError("it was written by a newer philia; upgrade philia to read it")
    version, certificate, kind, construction, nodes, loops, arrays = _fields(content, names, "the file")
    if type(version) is not int or version < 1:
        raise ModelFileError(f'"philia exact" must be the number {FORMAT}; found {version!r}')
    if type(kind) is not str or kind not in KINDS:
        raise ModelFileError(f"the kind is {str(kind)[:100]!r}; known are {', '.join(KINDS)}")
    check_construction(construction)
    if type(nodes) is not list or not all(map(_is_name, nodes)):
        raise ModelFileError("the nodes must be a list of names: text, finite numbers, true, false or null")
    claimed = _fields(certificate, tuple(part.name for part in fields(Certificate)), "the certificate")
    make, parts = KINDS[kind]
    left, found = _bounded(_MEMORY, size), {}
    for name, kept in zip(parts, _fields(arrays, parts, "the arrays"), strict=True):
        found[name] = unpacked(kept, left)
        left -= _memory_of(found[name])
    representation = make(construction=construction, **found)
    if representation.construction != construction:
        raise ModelFileError(f"the construction of a {kind} cannot be {construction!r}")
    return Certified(representation, Certificate(*claimed), Nodes(nodes), _looped(loops, len(nodes)), source)


def _looped(loops: Any, n: int) -> BoolArray | None:
    if loops is None:
        return None
    if type(loops) is not list or not loops or not all(_is_count(row) and row < n for row in loops):
        raise ModelFileError(f"loops must be null or a list of rows from 0 to {n - 1:,}; found {str(loops)[:100]}")
    if any(one >= other for one, other in pairwise(loops)):
        raise ModelFileError("the rows of loops must rise, and each may be there only once")
    found = np.zeros(n, dtype=bool)
    found[loops] = True
    return found


def _read(source: Source) -> bytes:
    text, most = bytearray(), _bounded(_TEXT, source.size)
    while chunk := source.stream.read(1 << 20):
        text += chunk
        if len(text) > most:
            raise ModelFileError(
                f"the compressed file unpacks to more than {most:,} bytes, which no exact representation needs; "
                "get the file again"
            )
    return bytes(text)


def _parsed(text: bytes) -> Any:
    """JSON in which no name is repeated: people would read one value and programs another."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            names = [name for name, _ in pairs]
            twice = next(name for name in names if names.count(name) > 1)
            raise ModelFileError(f"the name {twice[:100]!r} is there more than once; only one of them can count")
        return found

    def number(name: str) -> float:
        raise ModelFileError(f"found {name}, which is no number of JSON")

    return json.loads(text.decode("utf-8"), object_pairs_hook=once, parse_constant=number)


def _fields(content: Any, names: tuple[str, ...], whole: str) -> list[Any]:
    """The values of these names, which must all be there and no others."""
    if type(content) is not dict:
        raise ModelFileError(f"{whole} must be an object with the names {', '.join(names)}")
    if set(content) != set(names):
        missing, unknown = set(names) - set(content), set(content) - set(names)
        said = [f"has no {', '.join(sorted(missing))}"] if missing else []
        said += [f"has the unknown {', '.join(sorted(unknown))[:100]!r}"] if unknown else []
        raise ModelFileError(f"{whole} {' and '.join(said)}")
    return [content[name] for name in names]


def _inflated(compressed: bytes, most: int) -> bytes:
    """The bytes behind the compression, of which there must be no more than ``most``."""
    stream = zlib.decompressobj()
    content = stream.decompress(compressed, most + 1)
    if len(content) > most:
        raise ModelFileError("an array holds more numbers than its shape says, or more digits than memory allows")
    if not stream.eof or stream.unused_data:
        raise ModelFileError("the compressed numbers of an array are cut off, or something follows them")
    return content


def _long_numbers(content: bytes, count: int) -> Integers:
    if (content.count(b",") + 1 if content else 0) != count or (count and not _HEXADECIMAL.fullmatch(content)):
        raise ModelFileError(f"an array of {count:,} long numbers must hold as many, as 0x1f or -0x1f, between commas")
    numbers = np.empty(count, dtype=object)
    numbers[:] = [int(digits, 16) for digits in content.split(b",")] if count else []
    return numbers


def _memory_of(array: Integers) -> int:
    """What is counted for an array in memory, with the copies that deciding signs may make of it."""
    if array.dtype != object:
        return array.size * _BYTES["<f8" if array.dtype.kind == "f" else "<i8"]
    digits = sum(int(number).bit_length() // 4 + 4 for number in array.flat)
    return array.size * _BYTES["long"] + digits * _PER_DIGIT


def _bounded(bound: tuple[int, int], size: int) -> int:
    least, per_byte = bound
    return least + per_byte * size


def _is_count(number: Any) -> bool:
    return type(number) is int and 0 <= number <= 1 << 40


def _is_name(name: Any) -> bool:
    return name is None or type(name) in (str, int, bool) or (type(name) is float and isfinite(name))


def _ends(array: Integers) -> tuple[int, int]:
    return int(array.min(initial=0)), int(array.max(initial=0))


@contextmanager
def _naming(path: str | os.PathLike[str]) -> Iterator[None]:
    """Every error inside is one of philia's and names the file."""
    try:
        yield
    except (NotExactError, NotEnoughMemoryError) as error:
        raise type(error)(f"{os.fspath(path)}: {error}") from error
    except Exception as error:  # the file may hold anything, and what it does to a parser is never a bug of the user
        said = str(error) if isinstance(error, PhiliaError) else f"{type(error).__name__}: {error}"
        raise ModelFileError(
            f"{os.fspath(path)}: this is not a readable exact representation ({said}); write it again with .save(path)"
        ) from error

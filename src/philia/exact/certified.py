"""A representation with its certificate and the names of its nodes, in memory and in a file: all that a check needs.

**Files.** Arrays are kept without loss as JSON text, and read with the distrust that a file from anyone deserves.
Every field is checked for its type and range before it is used, unknown and repeated fields are refused, and no array
is unpacked before it is known to fit into a budget that grows with the file's size. docs/certificate.md describes the
format.
"""

from __future__ import annotations

import base64
import json
import os
import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields, replace
from itertools import pairwise
from math import isfinite, prod
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from philia._types import BoolArray, Node
from philia.exact.arboricity import OrientedSquares
from philia.exact.certificate import Certificate, OnProgress, certify, facts_of
from philia.exact.closeness import CloseFactors, close_factors
from philia.exact.polynomials import ONE_SIDED, OneSidedPolynomials, SignPolynomials
from philia.exact.products import FloatCommunities, FloatLogistic, IntegerCommunities, IntegerLogistic
from philia.exact.representation import Integers, Representation, check_construction
from philia.exceptions import (
    InvalidGraphError,
    InvalidParameterError,
    ModelFileError,
    NotEnoughMemoryError,
    NotExactError,
    PhiliaError,
)
from philia.graphs import Graph, Nodes
from philia.storage import Source, opened, require_memory, saving

_FORMAT = 1
"""Raised by one whenever an older philia could misread a newer file."""


class _Budget(NamedTuple):
    """A limit in bytes: at ``least`` this many, and ``per_byte`` more for each byte that the file has on the disk."""

    least: int
    per_byte: int

    def for_file(self, size: int) -> int:
        """The limit for a file of this size."""
        return self.least + self.per_byte * size


_TEXT = _Budget(16 << 20, 16)
"""The most text in a file: its numbers are compressed already, so compressing the file gains far less than this."""

_MEMORY = _Budget(256 << 20, 128)
"""The most memory for arrays: without it, 1 MB of compressed zeros would unpack to 1 GB."""

_BYTES = {"<i1": 64, "<i2": 64, "<i4": 64, "<i8": 64, "<f8": 128, "long": 64}
"""Memory reserved for one number of each type, with the copies that may be made of it to decide signs."""

_PER_DIGIT = 2
"""Memory reserved for each digit of long numbers, in addition: half a byte, and copies."""

_CHUNK = 1 << 20
"""Bytes read at once, before their total is compared with the budget."""

_LARGEST_COUNT = 1 << 40
"""No array that fits into memory has more entries in one direction."""

_HEXADECIMAL = re.compile(rb"-?0x[0-9a-f]+(?:,-?0x[0-9a-f]+)*")


def _one_sided(construction: str, **arrays: Any) -> OneSidedPolynomials:
    return OneSidedPolynomials(SignPolynomials(construction=construction.removesuffix(ONE_SIDED), **arrays))


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


@dataclass(frozen=True, eq=False)
class Certified:
    """A graph in numbers, with the names of its nodes and the proof that the numbers are right.

    Row v of the ``representation`` is the node ``nodes[v]``. ``loops`` marks the nodes that count as linked with
    themselves, and is None if none does. ``source`` is the file it was read from, if any, for messages, and ``tried``
    says what was tried to find it; files do not keep either. The parts of the certificate that are about the numbers
    alone are checked at once; ``verify`` checks the others with a graph.

    >>> from philia.datasets import classic
    >>> from philia.exact import by_sign_changes
    >>> karate = classic("karate")
    >>> found = certified(karate, by_sign_changes(karate))
    >>> found.verify(karate).links
    78
    """

    representation: Representation
    certificate: Certificate
    nodes: Nodes
    loops: BoolArray | None = None
    source: str = ""
    tried: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self.nodes.check_unique()
        if len(self.nodes) != self.representation.n_nodes:
            raise NotExactError(
                f"there are {len(self.nodes):,} names for the {self.representation.n_nodes:,} nodes of the "
                "representation; every row needs one name"
            )
        for name, true in facts_of(self.representation, self.loops).items():
            if getattr(self.certificate, name) != true:
                raise NotExactError(
                    f"the certificate says {name} = {getattr(self.certificate, name)!r}, but {true!r} is true of its "
                    "numbers; the file was changed, so certify the representation again"
                )

    @property
    def looped(self) -> list[Node]:
        """The names of the nodes that count as linked with themselves."""
        return [] if self.loops is None else self.nodes.pick(np.flatnonzero(self.loops))

    def verify(self, graph: Graph, on_progress: OnProgress | None = None, *, loops: bool = False) -> Certificate:
        """Check everything again against a graph, with nodes matched by name, and return the new certificate.

        An error names what is wrong: a node that only one of them has, a pair with the wrong sign, or a part of the
        certificate that is not true. A graph has no loops, so a representation that has some is refused too, unless
        ``loops=True`` asks for the graph with these loops added. The name of the construction is not proved.
        """
        try:
            return self._verified(graph, on_progress, loops)
        except PhiliaError as error:
            if not self.source:
                raise
            raise type(error)(f"{self.source}: {error}") from error

    def _verified(self, graph: Graph, on_progress: OnProgress | None, loops: bool) -> Certificate:
        looped = self.looped
        if looped and not loops:
            shown = ", ".join(map(repr, looped[:3])) + (", …" if len(looped) > 3 else "")
            raise NotExactError(
                f"{len(looped):,} nodes count as linked with themselves here ({shown}), and none does in the graph; "
                "to check the graph with these loops added, pass loops=True"
            )
        found = certify(self._arranged(graph), self.representation, loops=self.loops, on_progress=on_progress)
        for name in found.denied(self.certificate):
            raise NotExactError(
                f"the signs are right, but the certificate says {name} = {getattr(self.certificate, name)!r} and "
                f"{getattr(found, name)!r} was found; the file was changed, so certify the representation again"
            )
        return found

    def probabilities(self, epsilon: float) -> CloseFactors:
        """Factors of a community model whose probabilities are within ``epsilon`` of 1 on links and of 0 elsewhere.

        The numbers are multiplied by a scale, which is found from the smallest score. They become floats, so they must
        not be too long: those of a fit are short enough, those of most constructions are not, which is an error.

        >>> from philia.datasets import classic
        >>> from philia.exact import fit_exact
        >>> karate = classic("karate")
        >>> found = fit_exact(karate, 6).certified.probabilities(0.001)
        >>> found.factors.counts
        (3, 3)
        """
        return close_factors(self.representation, epsilon)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it to a file, as text (JSON); :func:`philia.exact.load_exact` reads it.

        Node names must be text, numbers, booleans or None.
        """
        for name in self.nodes:
            if not _is_name(name):
                raise InvalidGraphError(
                    f"the node name {name!r} is a {type(name).__name__}, which a file cannot hold; "
                    "name nodes by text or numbers, for example graph.renamed(Nodes(map(str, graph.nodes)))"
                )
        representation, loops = self.representation, self.loops
        content = {
            "philia exact": _FORMAT,
            "certificate": asdict(self.certificate),
            "kind": type(representation).__name__,
            "construction": representation.construction,
            "nodes": list(self.nodes),
            "loops": None if loops is None else np.flatnonzero(loops).tolist(),
            "arrays": {name: packed(array) for name, array in representation.arrays().items()},
        }
        text = json.dumps(content, ensure_ascii=False, indent=1).encode()
        # Compressed as .xz it may take half of its length on the disk, and must still be readable.
        if sum(map(_memory_of, representation.arrays().values())) > _MEMORY.for_file(len(text) // 2):
            raise InvalidParameterError(
                "these numbers are too many, or too long, for a file that anyone can read; use another construction"
            )
        with saving(path) as file:
            file.write(text)

    def _arranged(self, graph: Graph) -> Graph:
        """The graph with its nodes in the order of the representation's rows."""
        for here, there, where in ((self.nodes, graph.nodes, "representation"), (graph.nodes, self.nodes, "graph")):
            for name in here:
                if name not in there or type(there[there.row(name)]) is not type(name):
                    raise NotExactError(f"the node {name!r} is only in the {where}; give the graph that was certified")
        rows = graph.nodes.rows(self.nodes)
        adjacency = sparse.csr_array(graph.adjacency[rows][:, rows])
        adjacency.sort_indices()
        return replace(graph, adjacency=adjacency, nodes=self.nodes, weights=None)


def certified(
    graph: Graph,
    representation: Representation,
    *,
    loops: BoolArray | None = None,
    on_progress: OnProgress | None = None,
) -> Certified:
    """The representation with a certificate for the graph; see :func:`philia.exact.certify`.

    >>> from philia import as_graph
    >>> from philia.exact import by_max_degree
    >>> pair = as_graph([("ann", "bob")])
    >>> certified(pair, by_max_degree(pair)).certificate.columns
    6
    """
    if loops is not None and not loops.any():
        loops = None
    certificate = certify(graph, representation, loops=loops, on_progress=on_progress)
    return Certified(representation, certificate, graph.nodes, loops)


def first_certified(
    graph: Graph, candidates: Iterable[Representation], on_progress: OnProgress | None = None
) -> Certified | None:
    """The first candidate that is proved exact; None without candidates, the last error if all of them fail."""
    failure = None
    for candidate in candidates:
        try:
            return certified(graph, candidate, on_progress=on_progress)
        except NotExactError as error:
            failure = error
    if failure is not None:
        raise failure
    return None


def load_exact(path: str | os.PathLike[str]) -> Certified:
    """The certified representation in a file; it proves nothing before its ``verify(graph)`` was called.

    >>> import tempfile, pathlib
    >>> from philia.datasets import classic
    >>> from philia.exact import by_sign_changes, certified
    >>> karate = classic("karate")
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "karate.json"
    >>> certified(karate, by_sign_changes(karate)).save(path)
    >>> load_exact(path).verify(karate).nodes
    34
    """
    with opened(path) as source:
        text, size = _read_text(source), source.size
    with _naming(path):
        return _certified(_parsed(text), size, os.fspath(path))


def _certified(content: Any, size: int, source: str) -> Certified:
    names = ("philia exact", "certificate", "kind", "construction", "nodes", "loops", "arrays")
    if type(content) is dict and type(version := content.get("philia exact")) is int and version > _FORMAT:
        raise ModelFileError("it was written by a newer philia; upgrade philia to read it")
    version, certificate, kind, construction, nodes, loops, arrays = _fields_of(content, names, "the file")
    if type(version) is not int or version < 1:
        raise ModelFileError(f'"philia exact" must be the number {_FORMAT}; found {version!r}')
    if type(kind) is not str or kind not in KINDS:
        raise ModelFileError(f"the kind is {str(kind)[:100]!r}; the known kinds are {', '.join(KINDS)}")
    check_construction(construction)
    if type(nodes) is not list or not all(map(_is_name, nodes)):
        raise ModelFileError("the nodes must be a list of names: text, finite numbers, true, false or null")
    claimed = _fields_of(certificate, tuple(part.name for part in fields(Certificate)), "the certificate")
    make, parts = KINDS[kind]
    left, found = _MEMORY.for_file(size), {}
    for name, kept in zip(parts, _fields_of(arrays, parts, "the arrays"), strict=True):
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
        raise ModelFileError("the rows of loops must rise, and each may appear only once")
    found = np.zeros(n, dtype=bool)
    found[loops] = True
    return found


def _is_name(name: Any) -> bool:
    return name is None or type(name) in (str, int, bool) or (type(name) is float and isfinite(name))


@contextmanager
def _naming(path: str | os.PathLike[str]) -> Iterator[None]:
    """Turn every error inside into one of philia's that names the file."""
    try:
        yield
    except (NotExactError, NotEnoughMemoryError) as error:
        raise type(error)(f"{os.fspath(path)}: {error}") from error
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise ModelFileError(
            f"{os.fspath(path)}: this is no exact representation, which is JSON; write one with .save(path)"
        ) from error
    except Exception as error:  # a file may hold anything, so a failing parser is no bug
        said = str(error) if isinstance(error, PhiliaError) else f"{type(error).__name__}: {error}"
        raise ModelFileError(
            f"{os.fspath(path)}: this is not a readable exact representation ({said}); write it again with .save(path)"
        ) from error


def packed(array: Integers) -> dict[str, Any]:
    """An array as JSON: its bytes, compressed, or, if its numbers are long, their hexadecimal digits, compressed.

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


def unpacked(kept: Any, most: int = _MEMORY.least) -> Integers:
    """The array that was packed; integers come back with 64 bits, long ones as Python integers.

    ``most`` is the memory it may take, in bytes. Nothing is unpacked before the shape is known to fit, and never more
    than the shape announces.
    """
    kind, shape, data = _fields_of(kept, ("type", "shape", "data"), "an array")
    if type(kind) is not str or kind not in _BYTES:
        raise ModelFileError(f"an array has the type {kind!r}; the known types are {', '.join(_BYTES)}")
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


def _read_text(source: Source) -> bytes:
    """All bytes of an opened file, but no more than its budget allows."""
    text, most = bytearray(), _TEXT.for_file(source.size)
    while chunk := source.stream.read(_CHUNK):
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
            raise ModelFileError(f"the name {twice[:100]!r} appears more than once; only one value can count")
        return found

    def number(name: str) -> float:
        raise ModelFileError(f"found {name}, which is not a number in JSON")

    return json.loads(text.decode("utf-8"), object_pairs_hook=once, parse_constant=number)


def _fields_of(content: Any, names: tuple[str, ...], whole: str) -> list[Any]:
    """The values under these names, all of which must be there, and no others."""
    if type(content) is not dict:
        raise ModelFileError(f"{whole} must be an object with the names {', '.join(names)}")
    if set(content) != set(names):
        missing, unknown = set(names) - set(content), set(content) - set(names)
        said = [f"has no {', '.join(sorted(missing))}"] if missing else []
        said += [f"has the unknown {', '.join(sorted(unknown))[:100]!r}"] if unknown else []
        raise ModelFileError(f"{whole} {' and '.join(said)}")
    return [content[name] for name in names]


def _memory_of(array: Integers) -> int:
    """The memory reserved for an array, with the copies that may be made of it to decide signs."""
    if array.dtype != object:
        return array.size * _BYTES["<f8" if array.dtype.kind == "f" else "<i8"]
    digits = sum(int(number).bit_length() // 4 + 4 for number in array.flat)
    return array.size * _BYTES["long"] + digits * _PER_DIGIT


def _is_count(number: Any) -> bool:
    """Whether this can be a row number or the length of an array."""
    return type(number) is int and 0 <= number <= _LARGEST_COUNT


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


def _ends(array: Integers) -> tuple[int, int]:
    return int(array.min(initial=0)), int(array.max(initial=0))

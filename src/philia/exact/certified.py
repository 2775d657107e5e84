"""A representation with its certificate and the names of its nodes, in memory and in a file: all that a check needs."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields, replace
from itertools import pairwise
from math import isfinite
from typing import Any

import numpy as np
from scipy import sparse

from philia._types import BoolArray, Node
from philia.exact.arboricity import OrientedSquares
from philia.exact.certificate import Certificate, OnProgress, certify, facts_of
from philia.exact.files import MEMORY, fields_of, is_count, memory_of, packed, parsed, read_text, unpacked
from philia.exact.floats import FloatCommunities, FloatLogistic
from philia.exact.integers import IntegerCommunities, IntegerLogistic
from philia.exact.polynomials import ONE_SIDED, OneSidedPolynomials, SignPolynomials
from philia.exact.representation import Representation, check_construction
from philia.exceptions import (
    InvalidGraphError,
    InvalidParameterError,
    ModelFileError,
    NotEnoughMemoryError,
    NotExactError,
    PhiliaError,
)
from philia.graphs import Graph, Nodes
from philia.storage import opened, saving

_FORMAT = 1
"""Raised by one whenever an older philia could misread a newer file."""


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
    themselves, and is None if none does. ``source`` is the file it was read from, if any, for messages. The parts of
    the certificate that are about the numbers alone are checked at once; ``verify`` checks the others with a graph.

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
                "to check the graph with these loops added, use --loops or verify(graph, loops=True)"
            )
        found = certify(self._arranged(graph), self.representation, loops=self.loops, on_progress=on_progress)
        for name in found.denied(self.certificate):
            raise NotExactError(
                f"the signs are right, but the certificate says {name} = {getattr(self.certificate, name)!r} and "
                f"{getattr(found, name)!r} was found; the file was changed, so certify the representation again"
            )
        return found

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
        if sum(map(memory_of, representation.arrays().values())) > MEMORY.for_file(len(text) // 2):
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
        text, size = read_text(source), source.size
    with _naming(path):
        return _certified(parsed(text), size, os.fspath(path))


def _certified(content: Any, size: int, source: str) -> Certified:
    names = ("philia exact", "certificate", "kind", "construction", "nodes", "loops", "arrays")
    if type(content) is dict and type(version := content.get("philia exact")) is int and version > _FORMAT:
        raise ModelFileError("it was written by a newer philia; upgrade philia to read it")
    version, certificate, kind, construction, nodes, loops, arrays = fields_of(content, names, "the file")
    if type(version) is not int or version < 1:
        raise ModelFileError(f'"philia exact" must be the number {_FORMAT}; found {version!r}')
    if type(kind) is not str or kind not in KINDS:
        raise ModelFileError(f"the kind is {str(kind)[:100]!r}; the known kinds are {', '.join(KINDS)}")
    check_construction(construction)
    if type(nodes) is not list or not all(map(_is_name, nodes)):
        raise ModelFileError("the nodes must be a list of names: text, finite numbers, true, false or null")
    claimed = fields_of(certificate, tuple(part.name for part in fields(Certificate)), "the certificate")
    make, parts = KINDS[kind]
    left, found = MEMORY.for_file(size), {}
    for name, kept in zip(parts, fields_of(arrays, parts, "the arrays"), strict=True):
        found[name] = unpacked(kept, left)
        left -= memory_of(found[name])
    representation = make(construction=construction, **found)
    if representation.construction != construction:
        raise ModelFileError(f"the construction of a {kind} cannot be {construction!r}")
    return Certified(representation, Certificate(*claimed), Nodes(nodes), _looped(loops, len(nodes)), source)


def _looped(loops: Any, n: int) -> BoolArray | None:
    if loops is None:
        return None
    if type(loops) is not list or not loops or not all(is_count(row) and row < n for row in loops):
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
    except Exception as error:  # a file may hold anything, so a failing parser is no bug
        said = str(error) if isinstance(error, PhiliaError) else f"{type(error).__name__}: {error}"
        raise ModelFileError(
            f"{os.fspath(path)}: this is not a readable exact representation ({said}); write it again with .save(path)"
        ) from error

"""Certificates: the proof that all signs of a representation are those of a graph, and how each was decided."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from math import inf
from typing import Any

import numpy as np
from scipy import sparse

from philia._interrupts import interruptible
from philia._types import BoolArray, Node
from philia._version import __version__
from philia.exact.constructions import theorem_of
from philia.exact.representation import Integers, Representation, Verdict, check_construction, columns_of
from philia.exceptions import InvalidParameterError, NotExactError, PhiliaError
from philia.graphs import Graph

OnProgress = Callable[[int, int], None]
"""Called with the number of rows done and the number of all rows."""

_MARGIN_SLACK = 0.1
"""Bits by which a claimed margin may differ from the one found: in floats it depends on the order of sums."""

_SMALL_MARGIN = 5.0
"""In floats, margins below this many bits depend on it even more: the rounding error is a large part of the score."""

_KINDS: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "str": ("text of up to 500 printable characters", lambda x: type(x) is str and x.isprintable() and len(x) <= 500),
    "int": ("an integer from 0 to 2^62", lambda x: type(x) is int and 0 <= x <= 1 << 62),
    "int | None": ("an integer from 0 to 2^62, or null", lambda x: x is None or _KINDS["int"][1](x)),
    "float": ("a number from 0 to 1e12", lambda x: type(x) in (int, float) and 0 <= x <= 1e12),
    "float | None": (
        "a number from -1022 to 1e12, or null",
        lambda x: x is None or (type(x) in (int, float) and -1022 <= x <= 1e12),
    ),
}
"""What each part of a certificate may be, by its annotation: a file can hold anything.

The limits are far above what any graph needs, and keep numbers and texts short enough to be shown.
"""


@dataclass(frozen=True)
class Certificate:
    """What was proved of a graph and a representation; anyone who has both can check it again.

    ``columns`` counts the columns of the nonnegative form (of the logistic form if there is no other), and ``bound`` is
    what ``theorem`` promised before; no integer in a score is longer than ``bits``. ``graph`` and ``representation``
    are hashes. ``margin`` is a lower bound, in bits, on how much larger the right part of a score is than the wrong
    part, and None if no score has a wrong part. ``seconds`` is how long the check took.

    >>> from philia import as_graph
    >>> from philia.exact import by_max_degree
    >>> pair = as_graph([("ann", "bob")])
    >>> found = certify(pair, by_max_degree(pair))
    >>> found.columns, found.bound, found.margin
    (6, 6, None)
    """

    claim: str
    construction: str
    columns: int
    logistic_columns: int
    bound: int | None
    theorem: str
    bits: int
    nodes: int
    links: int
    loops: int
    graph: str
    representation: str
    checked: str
    margin: float | None
    seconds: float
    philia: str = __version__

    def __post_init__(self) -> None:
        for part in fields(self):
            value, (expected, is_right) = getattr(self, part.name), _KINDS[str(part.type)]
            if not is_right(value):
                raise InvalidParameterError(
                    f"the certificate's {part.name} must be {expected}; found {str(value)[:100]!r}"
                )

    def denied(self, claimed: Certificate) -> list[str]:
        """The names of the parts of another certificate that are false if this one is true.

        Times and versions may differ. The margin may differ a little, because in floats it depends on the order of
        sums.
        """
        mine, theirs = asdict(self), asdict(claimed)
        wrong = [name for name in mine if name not in ("seconds", "margin", "philia") and mine[name] != theirs[name]]
        return wrong if _agree(claimed.margin, self.margin) else [*wrong, "margin"]


def certify(
    graph: Graph,
    representation: Representation,
    *,
    loops: BoolArray | None = None,
    on_progress: OnProgress | None = None,
) -> Certificate:
    """A certificate that two nodes are linked if and only if their score is positive, and that no score is zero.

    Row v of the representation is row v of the graph. A node and itself count as not linked, except where ``loops`` is
    true. Every pair is checked. The first pair with a wrong sign raises an error that names it. The name of the
    construction is copied, not proved; a theorem is quoted only if the numbers have its form.

    >>> from philia.datasets import classic
    >>> from philia.exact import by_sign_changes
    >>> karate = classic("karate")
    >>> certify(karate, by_sign_changes(karate)).claim
    'the signs of all 1,156 scores are those of the graph, the diagonal included'
    """
    began = time.perf_counter()
    if representation.n_nodes != graph.n_nodes:
        raise NotExactError(
            f"the graph has {graph.n_nodes:,} nodes and the representation {representation.n_nodes:,}; "
            "give the graph that it was made for"
        )
    facts = facts_of(representation, loops)
    margin = _checked_margin(graph, representation, loops, on_progress)
    columns, n_loops = facts["columns"], facts["loops"]
    theorem = theorem_of(representation, has_loops=n_loops > 0)
    bound = theorem.bound(graph, representation)
    if bound is not None and columns > bound:
        raise NotExactError(f"there are {columns:,} columns, but {theorem.statement}: that would be {bound:,} at most")
    diagonal = f"with loops at {n_loops:,} nodes" if n_loops else "the diagonal included"
    return Certificate(
        claim=f"the signs of all {graph.n_nodes**2:,} scores are those of the graph, {diagonal}",
        bound=bound,
        theorem=theorem.statement,
        links=graph.n_links,
        graph=fingerprint(graph),
        margin=None if margin == inf else margin,
        seconds=time.perf_counter() - began,
        **facts,
    )


def facts_of(representation: Representation, loops: BoolArray | None) -> dict[str, Any]:
    """The parts of a certificate that follow from the numbers alone, without the graph."""
    check_construction(representation.construction)
    n = representation.n_nodes
    if loops is not None and (loops.shape != (n,) or loops.dtype != bool):
        raise InvalidParameterError(
            f"loops must be an array of {n:,} booleans, one per node; found {loops.dtype} of shape {loops.shape}"
        )
    return {
        "construction": representation.construction,
        "columns": columns_of(representation),
        "logistic_columns": representation.logistic_columns,
        "bits": representation.bits,
        "nodes": n,
        "loops": 0 if loops is None else int(loops.sum()),
        "representation": _digest(representation.construction, representation.arrays()),
        "checked": representation.how_signs_are_decided,
    }


def fingerprint(graph: Graph) -> str:
    """A hash of the node names and the links, independent of the order in which they came.

    >>> from philia import as_graph
    >>> one, same = as_graph([("ann", "bob"), ("bob", "cat")]), as_graph([("cat", "bob"), ("bob", "ann")])
    >>> fingerprint(one) == fingerprint(same)
    True
    >>> fingerprint(as_graph([(1, 2)])) == fingerprint(as_graph([("1", "2")]))
    False
    """
    spelled = [_spelled(name) for name in graph.nodes]
    order = sorted(range(len(spelled)), key=spelled.__getitem__)
    rank = np.empty(graph.n_nodes, dtype=np.int64)
    rank[order] = np.arange(graph.n_nodes)
    i, j = (rank[ends] for ends in graph.links)
    numbered = np.sort(np.minimum(i, j) * np.int64(graph.n_nodes) + np.maximum(i, j))  # each pair as one number
    links = np.stack(np.divmod(numbered, max(graph.n_nodes, 1)), axis=1)
    digest = hashlib.blake2b(digest_size=16)
    digest.update(f"{graph.n_nodes} nodes, {graph.n_links} links;".encode())
    for row in order:
        digest.update(f"{len(spelled[row])}:{spelled[row]};".encode())  # with its length no name can pass for two
    digest.update(links.astype("<i8").tobytes())
    return digest.hexdigest()


def _spelled(name: Node) -> str:
    """The name with its type, because 7 and "7" are two names."""
    return f"{type(name).__name__} {name!r}"


def _digest(construction: str, arrays: Mapping[str, Integers]) -> str:
    """A hash of all numbers of a representation, whatever type they are stored in."""
    digest = hashlib.blake2b(construction.encode(), digest_size=16)
    for name in sorted(arrays):
        digest.update(f"{name}:{arrays[name].shape};".encode())
        digest.update(_bytes(arrays[name]))
    return digest.hexdigest()


def _bytes(numbers: Integers) -> bytes:
    if numbers.dtype.kind == "f":
        return numbers.astype("<f8").tobytes()
    if numbers.dtype == object and any(abs(number) >= 1 << 62 for number in numbers.ravel()):
        return ",".join(map(hex, numbers.ravel())).encode()
    return numbers.astype("<i8").tobytes()


def _agree(claimed: float | None, found: float | None) -> bool:
    """Whether a claimed margin is the one that was found, as far as floats can tell."""
    if claimed is None or found is None:
        return claimed is found
    return claimed <= found + _MARGIN_SLACK and (claimed >= found - _MARGIN_SLACK or found <= _SMALL_MARGIN)


def _checked_margin(
    graph: Graph, representation: Representation, loops: BoolArray | None, on_progress: OnProgress | None
) -> float:
    """The least margin of all scores; an error if any sign is wrong."""
    wanted = graph.adjacency if loops is None else sparse.csr_array(graph.adjacency + sparse.diags_array(loops * 1.0))
    margin = inf
    for verdict in _decided(representation, wanted):
        if verdict.wrong is not None:
            raise _refuted(graph, wanted, *verdict.wrong)
        margin = min(margin, verdict.margin)
        if on_progress is not None:
            on_progress(verdict.done, graph.n_nodes)
    return margin


def _decided(representation: Representation, wanted: sparse.csr_array) -> Iterator[Verdict]:
    """The verdicts; the numbers may come from anyone, so any failure becomes an error of our own."""
    try:
        with interruptible():
            yield from representation.verdicts(wanted)
    except PhiliaError:
        raise
    except Exception as error:
        raise NotExactError(
            f"the signs of the scores could not be computed ({type(error).__name__}: {error}), so nothing is proved; "
            "make the representation again"
        ) from error


def _refuted(graph: Graph, wanted: sparse.csr_array, u: int, v: int, sign: int) -> NotExactError:
    kind = {1: "positive", -1: "negative", 0: "zero"}[sign]
    fact = "linked" if wanted[u, v] else "not linked"
    return NotExactError(
        f"the score of {graph.nodes[u]!r} and {graph.nodes[v]!r} is {kind}, but in the graph they are {fact}; "
        "the representation is not that of this graph"
    )

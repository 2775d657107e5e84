"""Certificates: that a representation has the signs of a graph, all of them, and how that was made sure."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, fields
from math import inf
from typing import Any

import numpy as np

from philia._types import BoolArray, Int64Array
from philia._version import __version__
from philia.exact.fingerprint import digest_of, fingerprint
from philia.exact.representation import Representation, Signs, check_construction
from philia.exact.theorems import columns_of, theorem_of
from philia.exceptions import InvalidParameterError, NotExactError, PhiliaError
from philia.execution import LocalThreads
from philia.graphs import Graph

OnProgress = Callable[[int, int], None]
"""Called with the number of rows done and of all rows."""

_ENTRIES = 1 << 17
"""So many pairs are looked at before others have their turn, be it the bar or Ctrl-C."""


_MARGIN_SLACK = 0.1  # bits

_SMALL_MARGIN = 5.0
"""In floats, margins below this many bits depend on the order of sums: the rounding error is a part of the score."""

_KINDS: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "str": ("text of up to 500 printable characters", lambda x: type(x) is str and x.isprintable() and len(x) <= 500),
    "int": ("a whole number from 0 to 2^62", lambda x: type(x) is int and 0 <= x <= 1 << 62),
    "int | None": ("a whole number from 0 to 2^62, or null", lambda x: x is None or _KINDS["int"][1](x)),
    "float": ("a number from 0 to 1e12", lambda x: type(x) in (int, float) and 0 <= x <= 1e12),
    "float | None": (
        "a number from -1022 to 1e12, or null",
        lambda x: x is None or (type(x) in (int, float) and -1022 <= x <= 1e12),
    ),
}
"""What each part of a certificate may be, by its annotation: a file can hold anything."""


@dataclass(frozen=True)
class Certificate:
    """What was made sure of a graph and a representation; whoever has both can make sure again.

    ``columns`` counts the columns of the nonnegative form (of the logistic form if there is no other), and ``bound``
    what ``theorem`` promised before; ``bits`` is a length that no whole number in a score exceeds. ``graph`` and
    ``representation`` are hashes. ``margin`` is, in bits, how much larger the right part of a score is than the wrong
    part, at least, and None if no score has a wrong part. ``seconds`` is what the check took.

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
        """The names of the parts of another certificate that are not true if this one is.

        Times and versions may differ. The margin may differ a little, for in floats it depends on the order of sums.
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

    Row v of the representation is row v of the graph. A node and itself count as not linked, except where ``loops``
    says otherwise. Every pair is looked at. A pair that is wrong ends it with an error that names the pair. The name of
    the construction is copied, not proved; a theorem is quoted only if the numbers have its form.

    >>> from philia.datasets import classic
    >>> from philia.exact.sign_changes import by_sign_changes
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
    theorem, columns, n_loops = (
        theorem_of(representation, has_loops=facts["loops"] > 0),
        facts["columns"],
        facts["loops"],
    )
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
        "representation": digest_of(representation.construction, representation.arrays()),
        "checked": representation.how_signs_are_decided,
    }


def _agree(claimed: float | None, found: float | None) -> bool:
    """Whether a claimed margin is the one that was found, as far as floats can tell."""
    if claimed is None or found is None:
        return claimed is found
    return claimed <= found + _MARGIN_SLACK and (claimed >= found - _MARGIN_SLACK or found <= _SMALL_MARGIN)


def _checked_margin(
    graph: Graph, representation: Representation, loops: BoolArray | None, on_progress: OnProgress | None
) -> float:
    """The least margin of all rows; an error if any sign is wrong."""
    n = graph.n_nodes
    size = max(1, _ENTRIES // max(n, 1))
    blocks = [np.arange(top, min(top + size, n)) for top in range(0, n, size)]
    margin = inf
    for rows, signs in zip(blocks, _decided(representation, blocks), strict=True):
        _check_block(graph, loops, rows, signs)
        margin = min(margin, signs.margin)
        if on_progress is not None:
            on_progress(int(rows[-1]) + 1, n)
    return margin


def _decided(representation: Representation, blocks: list[Int64Array]) -> Iterator[Signs]:
    """The signs of each block; whatever goes wrong with numbers that somebody else wrote is said in a sentence."""
    try:
        yield from LocalThreads().map(representation.signs, blocks)
    except PhiliaError:
        raise
    except Exception as error:
        raise NotExactError(
            f"the signs of the scores could not be computed ({type(error).__name__}: {error}), so nothing is proved; "
            "make the representation again"
        ) from error


def _check_block(graph: Graph, loops: BoolArray | None, rows: Int64Array, signs: Signs) -> None:
    linked = graph.adjacency[rows].toarray() > 0
    if loops is not None:
        linked[np.arange(rows.size), rows] = loops[rows]
    wrong = signs.values != np.where(linked, 1, -1)
    if not wrong.any():
        return
    i, v = (int(at[0]) for at in np.nonzero(wrong))
    kind = {1: "positive", -1: "negative", 0: "zero"}[int(signs.values[i, v])]
    fact = "linked" if linked[i, v] else "not linked"
    one, other = graph.nodes[int(rows[i])], graph.nodes[v]
    raise NotExactError(
        f"the score of {one!r} and {other!r} is {kind}, but in the graph they are {fact}; "
        "the representation is not that of this graph"
    )

"""What the page needs to look up a node: its numbers, its neighbours, its likeliest missing links."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from philia._types import Int64Array
from philia.factors import CommunityFactors
from philia.graphs import Graph
from philia.report.choosing import MISSING, NEIGHBOURS, Choice
from philia.report.findings import Findings
from philia.report.missing import OnProgress, likeliest_missing
from philia.report.packing import packed, packed_rows


@dataclass(frozen=True, eq=False)
class Numbering:
    """The places of nodes in the page's list of names: those that can be looked up first, then those only mentioned.

    >>> numbering = Numbering.of(5, np.array([1, 3]), np.array([3, 0]))
    >>> numbering.rows.tolist(), numbering.places[[3, 0]].tolist()
    ([1, 3, 0], [1, 2])
    """

    rows: Int64Array
    places: Int64Array

    @classmethod
    def of(cls, n: int, chosen: Int64Array, *mentioned: Int64Array) -> Numbering:
        """The numbering of some of n nodes."""
        rest = np.setdiff1d(np.concatenate([np.empty(0, np.int64), *mentioned]), chosen)
        rows, places = np.concatenate([chosen, rest]), np.full(n, -1, dtype=np.int64)
        places[rows] = np.arange(len(rows))
        return cls(rows, places)


def explorer(found: Findings, choice: Choice, on_progress: OnProgress | None = None) -> dict[str, Any]:
    """The section of the payload about the chosen nodes.

    >>> from philia import CommunityModel
    >>> model = CommunityModel(1, 0, penalty=0.1, random_state=0).fit([("ann", "bob"), ("bob", "cat")])
    >>> explorer(Findings.of(model), Choice(np.arange(3), complete=True))["names"]
    ['ann', 'bob', 'cat']
    """
    graph, factors, rows = found.graph, found.factors, choice.rows
    start, neighbours = _neighbours(graph, factors, rows, None if choice.complete else NEIGHBOURS)
    missing = None if choice.complete else likeliest_missing(graph, factors, rows, MISSING, on_progress)
    numbering = Numbering.of(graph.n_nodes, rows, neighbours, *([] if missing is None else [missing.partners]))
    normal = found.model.normalized()
    F = np.hstack([factors.homophilous[rows], factors.heterophilous[rows]])[:, normal.indices]
    return {
        "nodes": len(rows),
        "of": graph.n_nodes,
        "words": _words(choice, graph),
        "names": found.names.pick(numbering.rows.tolist()),
        "columns": [
            {"name": name, "sign": 1 if strength > 0 else -1, "largest": float(abs(strength) ** 0.5)}
            for name, strength in zip(normal.names, normal.strengths, strict=True)
        ],
        "factors": packed(F, "f4"),
        "background": packed(factors.background[rows], "f4"),
        "degrees": packed(graph.degrees[rows], "u4"),
        "neighbours": {"start": packed(start, "u4"), "rows": packed_rows(numbering.places[neighbours])},
        "missing": None
        if missing is None
        else {
            "start": packed(missing.start, "u4"),
            "rows": packed_rows(numbering.places[missing.partners]),
            "probability": packed(missing.probabilities, "f4"),
        },
    }


def _neighbours(
    graph: Graph, factors: CommunityFactors, rows: Int64Array, most: int | None
) -> tuple[Int64Array, Int64Array]:
    """Where each row's neighbours start, and all of them in row order; or at most so many, the likeliest first."""
    some = graph.adjacency[rows]
    if most is None:
        return some.indptr.astype(np.int64), some.indices.astype(np.int64)
    who, others = np.repeat(np.arange(len(rows)), np.diff(some.indptr)), some.indices.astype(np.int64)
    order = np.lexsort((others, -factors.scores(rows[who], others), who))
    place = np.arange(len(order)) - some.indptr[who]
    kept = place < most
    return np.append(0, np.cumsum(np.minimum(np.diff(some.indptr), most))), others[order[kept]]


def _words(choice: Choice, graph: Graph) -> str:
    if choice.complete:
        return f"All {graph.n_nodes:,} nodes can be looked up, with all of their neighbours."
    which = (
        f"{len(choice.rows):,} of {graph.n_nodes:,} nodes can be looked up: the fullest members of each community, "
        "those with most links, and an even sample of the others"
        if len(choice.rows) < graph.n_nodes
        else f"All {graph.n_nodes:,} nodes can be looked up"
    )
    return (
        f"{which}. At most {NEIGHBOURS} neighbours of each are listed, the likeliest first, and the {MISSING} "
        "likeliest missing links, which were looked for among all nodes."
    )

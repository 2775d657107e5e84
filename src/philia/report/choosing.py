"""Which nodes can be looked up: all of them where the page stays small, else those that people ask for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from philia._types import Int64Array
from philia.report.findings import Findings

BYTES = 3_200_000
"""What the explorer may take, about, once it is compressed; with the charts' script the page stays below 10 MB."""

PRODUCTS = 2e11
"""How many products of two numbers the search for missing links may take; some ten seconds on two cores."""

NEIGHBOURS, MISSING = 30, 10
"""Of each node at most so many neighbours and missing links are listed, where not all are."""

_LETTER = 0.5
"""Bytes a letter of a name, compressed."""


@dataclass(frozen=True, eq=False)
class Choice:
    """The rows that can be looked up, in rising order, and whether nothing was left out.

    >>> Choice(np.array([0, 1, 2]), complete=True).rows.tolist()
    [0, 1, 2]
    """

    rows: Int64Array
    complete: bool


def choose(found: Findings, budget: float = BYTES) -> Choice:
    """All nodes if they fit with all their neighbours; else as many as fit and can be searched for.

    Then a third are the fullest members of each community, a third the nodes with most links, and the rest an even
    sample of all.

    >>> from philia import CommunityModel
    >>> from philia.datasets import dating_app
    >>> model = CommunityModel(2, 0, penalty=1, random_state=0).fit(dating_app(60, cities=2, random_state=0).graph)
    >>> few = choose(Findings.of(model), budget=1000)
    >>> choose(Findings.of(model)).complete, few.complete, len(few.rows) < 60
    (True, False, True)
    """
    graph, n = found.graph, found.graph.n_nodes
    letters = sum(map(len, found.names.texts)) / max(n, 1) + 3
    numbers = 4 * (_filled(found) / max(n, 1) + 3)
    if n * (numbers + _LETTER * letters) + 2 * graph.n_links * (2 if n < 2**16 else 4) <= budget:
        return Choice(np.arange(n), complete=True)
    listed = min(2 * graph.n_links / n, NEIGHBOURS) + MISSING
    fitting = budget / (numbers + 4 * listed + 4 * MISSING + _LETTER * letters * (1 + listed))
    searched = PRODUCTS / (n * (found.factors.sides[0].shape[1] + 2))
    return Choice(_asked_for(found, max(1, min(n, int(fitting), int(searched)))), complete=False)


def _filled(found: Findings) -> int:
    """How many affinities are not zero: zeros take no room once they are compressed."""
    factors = found.factors
    return int(np.count_nonzero(factors.homophilous) + np.count_nonzero(factors.heterophilous))


def _asked_for(found: Findings, count: int) -> Int64Array:
    n, k = found.graph.n_nodes, len(found.communities)
    fullest = [found.rows(c)[: max(1, count // (3 * k))] for c in range(k)]
    best_linked = np.argsort(-found.graph.degrees, kind="stable")[: -(-count // 3)]
    rows = np.unique(np.concatenate([*fullest, best_linked]))
    others = np.setdiff1d(np.arange(n), rows, assume_unique=True)
    room = min(max(count - len(rows), 0), len(others))
    even = others[(2 * np.arange(room) + 1) * len(others) // (2 * max(room, 1))]
    return np.sort(np.concatenate([rows, even]))

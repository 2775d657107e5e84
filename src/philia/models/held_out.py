"""Pairs to be held out of a fit, in whatever form they are told."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from philia._types import Pair
from philia.graphs import Graph
from philia.objective import HeldOut, ListedPairs, PredicatePairs, RandomPairs

HeldOutLike = float | HeldOut | Iterable[Pair] | Callable[[Any, Any], Any] | None


def as_held_out(graph: Graph, held_out: HeldOutLike, rng: np.random.Generator) -> HeldOut | None:
    """The pairs that a share, a list or a function of names stands for.

    >>> from philia import as_graph
    >>> as_held_out(as_graph([("ann", "bob")]), None, np.random.default_rng(0)) is None
    True
    """
    if held_out is None or isinstance(held_out, HeldOut):
        return held_out
    if isinstance(held_out, (int, float)):
        return RandomPairs(float(held_out), seed=int(rng.integers(2**63)))
    return PredicatePairs(graph, held_out) if callable(held_out) else ListedPairs(graph, held_out)
